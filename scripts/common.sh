# Shared by the scripts of this folder, to be sourced after `set -euo pipefail`.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# fail MESSAGE [EXIT CODE]: one sentence with place, value and remedy. Codes as the programs' own:
# 1 failure, 2 usage, 3 data missing or damaged.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit "${2:-1}"
}

need_value() {
  if [ "$2" -lt 2 ]; then
    fail "$1 needs a value; see --help." 2
  fi
}

# The comment block at the head of a script is its help.
show_help() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }

sha256_of() { sha256sum -- "$1" | cut -d ' ' -f 1; }

# nproc would take OMP_NUM_THREADS for the number of cores.
jobs_count() { env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 2; }
