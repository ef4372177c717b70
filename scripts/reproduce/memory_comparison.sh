#!/usr/bin/env bash
# Is memory worth what it costs? The four models with equally many parameters on one text, trained on
# equally many tokens; and the windowed Transformer once more, for as many CPU seconds as
# Transformer-XL took. Ends with the table of the runs, the paired differences and the loss against
# context length, as table and plot. Called again, it goes on where it stopped.
#
#   scripts/reproduce/memory_comparison.sh [--steps N] [--jobs N] [--out FOLDER] TEXT
#
#   TEXT          a text of a megabyte or more, such as the first 10^6 bytes of enwik8
#   --steps N     updates of 32 lanes x 32 bytes that each model makes (3000)
#   --jobs N      trainings at a time, each on one thread (1)
#   --out FOLDER  where runs and results go (runs/memory_comparison)
#
# BIN (environment) names the folder of the programs (build/release/bin).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

steps=3000
jobs=1
out=runs/memory_comparison
text=
while [ $# -gt 0 ]; do
  case $1 in
    --steps | --jobs | --out)
      need_value "$1" $#
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    -h | --help)
      show_help
      exit 0
      ;;
    -*) fail "unknown option $1; see --help." 2 ;;
    *) text=$1 ;;
  esac
  shift
done
[ -n "$text" ] || fail "no text given; see --help." 2
[ -f "$text" ] || fail "there is no file $text; give a text file." 3
bin=${BIN:-$root/build/release/bin}
[ -x "$bin/lctrain" ] || fail "no programs in $bin; build them with scripts/test.sh or name their folder in BIN." 2
mkdir -p "$out"

# train NAME STEPS SETTING...: the CPU seconds of all calls, whatever came of them, are added up in
# NAME.cpu_seconds.
train() {
  local name=$1 updates=$2 code=0 settings=()
  shift 2
  for setting in "$@" train.steps="$updates" run.name="$name" run.out_dir="$out/$name" \
    data.path="$text"; do
    settings+=(--set "$setting")
  done
  say "== $name: $updates updates; progress in $out/$name.log"
  TIMEFORMAT='%U %S'
  {
    time "$bin/lctrain" --config "$root/scripts/reproduce/memory_comparison.json" --threads 1 \
      "${settings[@]}" 2> "$out/$name.log" >&2
  } 2> "$out/$name.time" || code=$?
  awk '{ print $1 + $2 }' "$out/$name.time" >> "$out/$name.cpu_seconds"
  rm "$out/$name.time"
  case $code in
    0) ;;
    75) fail "training $name was stopped; run the same again to go on." 75 ;;
    *) fail "training $name failed; see $out/$name.log." 1 ;;
  esac
}

# cpu_seconds NAME [FORMAT]: of all calls; one that found the run finished takes about a second.
cpu_seconds() {
  awk -v format="${2:-%.3f}" '{ sum += $1 } END { printf format, sum }' "$out/$1.cpu_seconds"
}

# start NAME STEPS SETTING...: trains in the background once fewer than $jobs trainings run.
start() {
  while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do
    wait -n
  done
  train "$@" &
}

# Infini-attention learns what to remember through 4 segments, of a quarter of the lanes: each of its
# updates has as many tokens as the others' have.
start transformer_xl "$steps" model.type=transformer_xl
start vanilla "$steps" model.type=vanilla
start compressive "$steps" model.type=compressive model.d_inner=384
start infini "$steps" model.type=infini train.lanes=8 train.bptt_segments=4
while [ -n "$(jobs -pr)" ]; do
  wait -n
done
# longer_steps holds --steps and what came of it.
of='' longer=''
if [ -f "$out/longer_steps" ]; then
  read -r of longer < "$out/longer_steps" || true
fi
if [ "$of" != "$steps" ] || [ -z "$longer" ]; then
  longer=$(awk -v steps="$steps" -v xl="$(cpu_seconds transformer_xl)" -v vanilla="$(cpu_seconds vanilla)" \
    'BEGIN { longer = vanilla > 0 ? int(steps * xl / vanilla) : steps; printf "%.0f", longer < 1 ? 1 : longer }')
  echo "$steps $longer" > "$out/longer_steps"
fi
train vanilla_longer "$longer" model.type=vanilla

runs=(transformer_xl vanilla compressive infini vanilla_longer)
for run in "${runs[@]}"; do
  say "$run: $(cpu_seconds "$run" %.0f) CPU seconds"
done
folders=("${runs[@]/#/$out/}")
"$bin/lceval" --threads 1 --checkpoint "${folders[@]}"
"$bin/lceval" --memory-footprint --checkpoint "${folders[@]}"
for other in vanilla vanilla_longer compressive infini; do
  "$bin/lceval" compare "$out/transformer_xl" "$out/$other" --threads 1
done
# The memory of Infini-attention was never empty in training: its curve begins so high that it would
# hide the others.
contexts=(--context "8,16,32,64,128,256,512" --tokens 5000 --threads 1)
"$bin/lceval" "${contexts[@]}" --checkpoint "$out/infini"
"$bin/lceval" "${contexts[@]}" --plot "$out/contexts.svg" \
  --checkpoint "$out/transformer_xl" "$out/vanilla" "$out/compressive" "$out/vanilla_longer"
