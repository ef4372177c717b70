#!/usr/bin/env bash
# Runs a test against a peer in the environment that setup.sh makes.
#
#   tests/peers/run.sh TEST.py BUILD_FOLDER
#
# Exit code 77, which ctest counts as skipped, where the environment isn't there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$here/../../build/peers/bin/python
if [ ! -x "$python" ]; then
  echo "There is no environment for the peers' tests; make it with tests/peers/setup.sh."
  exit 77
fi
exec "$python" "$here/$1" "$2"
