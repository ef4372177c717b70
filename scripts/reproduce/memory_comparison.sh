#!/usr/bin/env bash
# Transformer-XL against the windowed Transformer of the same size on one text: after equally many
# tokens, and after equally many CPU seconds of training. Ends with the paired differences and the
# loss against context length, as table and plot. Called again, it goes on where it stopped.
#
#   scripts/reproduce/memory_comparison.sh [--steps N] [--out FOLDER] TEXT
#
#   TEXT          a text of a few megabytes or more, such as the first 10^6 bytes of enwik8
#   --steps N     updates of 8 lanes x 128 bytes that both models make (2000)
#   --out FOLDER  where runs and results go (runs/memory_comparison)
#
# Each run takes one thread. BIN (environment) names the folder of the programs (build/release/bin).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

steps=2000
out=runs/memory_comparison
text=
while [ $# -gt 0 ]; do
  case $1 in
    --steps)
      need_value "$1" $#
      steps=$2
      shift
      ;;
    --out)
      need_value "$1" $#
      out=$2
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

# train NAME STARTER STEPS: the CPU seconds of all calls are added up in NAME.cpu_seconds.
train() {
  local seconds
  say "== $1: $3 updates"
  TIMEFORMAT='%U %S'
  {
    time "$bin/lctrain" --config "$root/configs/$2.json" --threads 1 --set run.name="$1" \
      --set run.out_dir="$out/$1" --set data.path="$text" --set model.dropout=0 \
      --set optim.lr=1e-3 --set optim.schedule.warmup_steps=100 --set train.lanes=8 \
      --set train.steps="$3" --set eval.tokens=25000 2> "$out/$1.log" >&2
  } 2> "$out/$1.time" || fail "training $1 failed; see $out/$1.log." 1
  seconds=$(awk '{ print $1 + $2 }' "$out/$1.time")
  echo "$seconds" >> "$out/$1.cpu_seconds"
  rm "$out/$1.time"
}

# Of all calls; one that found the run finished takes about a second.
cpu_seconds() { awk '{ sum += $1 } END { printf "%.0f", sum }' "$out/$1.cpu_seconds"; }

train transformer_xl xl "$steps"
train vanilla vanilla "$steps"
spent=$(cpu_seconds transformer_xl)
if [ ! -f "$out/longer_steps" ]; then
  awk -v steps="$steps" -v xl="$spent" -v vanilla="$(cpu_seconds vanilla)" \
    'BEGIN { printf "%d\n", steps * xl / vanilla }' > "$out/longer_steps"
fi
train vanilla_longer vanilla "$(cat "$out/longer_steps")"
for run in transformer_xl vanilla vanilla_longer; do
  say "$run: $(cpu_seconds "$run") CPU seconds"
done

"$bin/lceval" --threads 1 --checkpoint "$out/transformer_xl" --checkpoint "$out/vanilla" \
  --checkpoint "$out/vanilla_longer" --context 8,16,32,64,128,256,512 --tokens 20000 \
  --plot "$out/contexts.svg"
for other in vanilla vanilla_longer; do
  "$bin/lceval" compare "$out/transformer_xl" "$out/$other" --threads 1
done
