#!/usr/bin/env bash
# Rae et al. 2020, Compressive Transformer: compression functions (table 5), WikiText-103 with rare
# words (tables 6 and 7), lengths at evaluation (8 and 9), PG-19 (3), attention and compression loss
# by layer (figures 2 and 6).
#
#   scripts/reproduce/compressive.sh [--paper | --desk] [--seeds N] [--jobs N] [--dry-run] ...
#
# --help lists all options. Every finished training is kept in results/, and what is there isn't done again.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/run_table.py" compressive_functions compressive_wikitext103 compressive_pg19 "$@"
