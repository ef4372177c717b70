#!/usr/bin/env bash
# Dai et al. 2019, Transformer-XL: main results (tables 1 to 3), ablation with relative effective
# context length (tables 6 and 8), evaluation speed (table 9); the large models with --paper alone.
#
#   scripts/reproduce/transformer_xl.sh [--paper | --desk] [--seeds N] [--jobs N] [--dry-run] ...
#
# --help lists all options. Every finished training is kept in results/, and what is there isn't done again.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/run_table.py" transformer_xl_enwik8 transformer_xl_text8 transformer_xl_wikitext103 transformer_xl_large transformer_xl_ablation "$@"
