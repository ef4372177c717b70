#!/usr/bin/env bash
# Sets up, builds and runs the test suite; ends with ctest's own summary.
#
#   scripts/test.sh [--preset NAME] [--all] [CTEST OPTION ...]
#
#   --preset NAME   release (default), dev or asan; the build folder is build/NAME
#   --all           also the tests labelled peers, which are left out otherwise
#
# asan leaves out the test that trains for longest (tests/README.md, Learning).
# LC_WERROR=1 (environment) makes warnings errors. LC_GOLDEN_DIR and LC_DATA_DIR name further golden
# cases and real texts for the tests that can use them.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
left_out=(--label-exclude '^peers$')
options=()
while [ $# -gt 0 ]; do
  case $1 in
    --preset)
      need_value "$1" $#
      preset=$2
      shift
      ;;
    --all) left_out=() ;;
    -h | --help)
      show_help
      exit 0
      ;;
    *) options+=("$1") ;;
  esac
  shift
done
case $preset in
  release | dev) ;;
  asan)
    export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    left_out+=(--exclude-regex 'gradients through memory teach it to keep a key')
    ;;
  *) fail "unknown preset $preset: it is release, dev or asan." 2 ;;
esac

# Tests run side by side, so that one thread each is enough.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}

"$root/scripts/setup.sh"
cd "$root"
build=build/$preset
cmake --preset "$preset" -DLC_TESTS=ON -DLC_WERROR="${LC_WERROR:-OFF}"
cmake --build "$build" --parallel "$(jobs_count)"
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(jobs_count)" \
  "${left_out[@]}" "${options[@]}"
