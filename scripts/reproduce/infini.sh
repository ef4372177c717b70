#!/usr/bin/env bash
# Munkhdalai et al. 2024, Infini-attention: memory and perplexity beside the other models (tables 1 and
# 2), passkey retrieval (table 3), gates (figure 3).
#
#   scripts/reproduce/infini.sh [--paper | --desk] [--seeds N] [--jobs N] [--dry-run] ...
#
# --help lists all options. Every finished training is kept in results/, and what is there isn't done again.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/run_table.py" infini_pg19 infini_passkey "$@"
