#!/usr/bin/env bash
# Makes the Python environment of the peers' tests, build/peers; run again, it does nothing.
#
#   tests/peers/setup.sh
#
# It holds a CPU or CUDA PyTorch, safetensors, and the last release of transformers that still has
# TransfoXL and runs on it. PYTHON names the Python to make it with (python3 if not set).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

environment=build/peers
pip=$environment/bin/pip
if "$environment/bin/python" -c "import torch, safetensors, transformers" 2>/dev/null; then
  echo "$environment is there."
  exit 0
fi
"${PYTHON:-python3}" -m venv "$environment"
# Without what the wheel asks for beside itself: GPU libraries of many gigabytes.
"$pip" install --quiet --no-deps torch==2.13.0
"$pip" install --quiet typing_extensions sympy filelock jinja2 networkx fsspec setuptools "numpy<2"
"$pip" install --quiet transformers==4.30.2 safetensors
echo "$environment is ready: ctest --test-dir build/release -L peers"
