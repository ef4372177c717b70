#!/usr/bin/env bash
# Fetches the official files of a corpus, verifies and unpacks them. Interrupted, it goes on from
# where it stopped; complete, it does nothing.
#
#   scripts/get_data.sh enwik8 | text8 | wikitext103 | wikitext103-raw | pg19
#                       [--to FOLDER] [--from PATH] [--splits LIST] [--sources FILE]
#
#   --to FOLDER     where the files go (default: data/NAME in the project's folder)
#   --from PATH     take what is there already (the archive, the file, or a folder that holds either)
#                   instead of fetching it; it is verified as if it had been fetched
#   --splits LIST   pg19 only: which of train,validation,test (default: all three, 12 GB)
#   --sources FILE  another table of addresses and checksums than scripts/data/sources.json
#
# Exit codes: 0 done, 1 not fetched (network, disk), 2 usage, 3 a file is not the official one.
# The addresses are those that the makers publish. They were not tried when this script was written:
# it was tested against a server of its own, with small files.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [ $# = 0 ] || [ "$1" = --help ] || [ "$1" = -h ]; then
  show_help
  exit 0
fi
command -v python3 >/dev/null || fail "python3 is needed to fetch data: please install it."
exec python3 "$root/scripts/data/get_data.py" "$root" "$@"
