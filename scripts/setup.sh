#!/usr/bin/env bash
# Installs what lctrain is built with: system packages, and LibTorch. Run again, it does nothing.
#
#   scripts/setup.sh [--torch-index URL] [--no-packages] [--no-tests]
#
#   --torch-index URL  the package index to take torch from (for a CPU build where the usual
#                      registry serves a CUDA build, or for another CUDA version)
#   --no-packages      leave the system's packages alone: only say what is missing
#   --no-tests         leave out what only the tests need
#
# LibTorch is searched in this order: LIBTORCH, Torch_DIR, CMAKE_PREFIX_PATH (environment); the
# torch that Python finds; the private environment .deps/, which is made if nothing else is there.
# PYTHON names the Python to make it with (python3 if not set).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

torch_version=2.13.0
torch_index=()
may_install=1
packages=(g++ cmake ninja-build pkg-config libcli11-dev libspdlog-dev nlohmann-json3-dev
  libsentencepiece-dev libzip-dev zlib1g-dev libssl-dev libjemalloc-dev)
test_packages=(catch2 curl)

while [ $# -gt 0 ]; do
  case $1 in
    --torch-index)
      need_value "$1" $#
      torch_index=(--index-url "$2")
      shift
      ;;
    --no-packages) may_install=0 ;;
    --no-tests) test_packages=() ;;
    -h | --help)
      show_help
      exit 0
      ;;
    *) fail "unknown option $1; see --help." 2 ;;
  esac
  shift
done

# install_packages NAME...: as root, or through sudo; returns 1 where neither may.
install_packages() {
  local with=()
  if [ "$may_install" = 0 ] || ! command -v apt-get >/dev/null; then
    return 1
  elif [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      return 1
    elif [ -t 0 ]; then
      with=(sudo)
    else
      with=(sudo -n)
    fi
  fi
  say "Installing packages: $*"
  # An old list of packages is enough in most cases; it is renewed only where it isn't.
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
  if ! "${with[@]}" "${install[@]}" "$@" >"$log" 2>&1; then
    if ! { "${with[@]}" apt-get update -q && "${with[@]}" "${install[@]}" "$@"; } >"$log" 2>&1; then
      tail -n 15 "$log" >&2
      return 1
    fi
  fi
}

debian_packages() {
  local missing=() name
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p') || true
  for name in "$@"; do
    if ! grep -qx -F -- "$name" <<<"$installed"; then
      case $name in
        # A tool that the user brought along does as well.
        g++) command -v "${CXX:-g++}" >/dev/null && continue ;;
        cmake | curl) command -v "$name" >/dev/null && continue ;;
        ninja-build) command -v ninja >/dev/null && continue ;;
        pkg-config) command -v pkg-config >/dev/null && continue ;;
      esac
      missing+=("$name")
    fi
  done
  if [ ${#missing[@]} -gt 0 ] && ! install_packages "${missing[@]}"; then
    fail "system packages are missing and could not be installed from here; please run: \
sudo apt-get install ${missing[*]}"
  fi
}

# Elsewhere nothing is installed; what is missing is named by what provides it.
other_packages() {
  local missing=()
  local tool library
  for tool in "${CXX:-g++}" cmake ninja pkg-config "$@"; do
    command -v "$tool" >/dev/null || missing+=("the program $tool")
  done
  if command -v pkg-config >/dev/null; then
    for library in CLI11 spdlog nlohmann_json sentencepiece libzip zlib libcrypto; do
      pkg-config --exists "$library" || missing+=("the development package of $library")
    done
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    fail "please install with your system's package manager: $(
      printf '%s, ' "${missing[@]}" | sed 's/, $//'
    ). (This script installs packages by itself on Debian and its relatives only.)"
  fi
  pkg-config --exists jemalloc ||
    say "The development package of jemalloc isn't installed: without it training on a CPU takes up to twice as long."
}

check_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
  if [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" != 3.25 ]; then
    fail "cmake $(command -v cmake) is version $version and 3.25 or newer is needed: install a newer \
one, for instance with: python3 -m pip install --user cmake"
  fi
}

# Prints the folder; what was found but can't be used, and why, stands in the log.
find_libtorch() {
  cmake -DLC_SOURCE_DIR="$root" -P "$root/scripts/cmake/LibTorchFolder.cmake" >"$log" 2>&1 &&
    tail -n 1 "$log"
}

# wheel_offered: which file pip would fetch, and its size; pip is stopped before it fetches it.
# Sets wheel (a file name, "+" not escaped), wheel_size ("180.4 MB", empty if nothing is fetched).
wheel_offered() {
  local line="" pid
  wheel="" wheel_size=""
  "$root/.deps/bin/python" -m pip download --no-deps --progress-bar off -d "$scratch" \
    "${torch_index[@]}" "torch==$torch_version" >"$log" 2>&1 &
  pid=$!
  while [ -z "$line" ]; do
    line=$(sed -n -E '/\.whl\.metadata/d; /^ *(Downloading|Using cached|Processing) .*\.whl/{p;q}' "$log")
    if [ -z "$line" ] && ! kill -0 "$pid" 2>/dev/null; then
      break
    fi
    sleep 0.1
  done
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  wheel=$(sed -E 's/.*[ /](torch-[^ /]*\.whl).*/\1/; s/%2B/+/g' <<<"$line")
  if [[ $line == *Downloading* ]]; then
    wheel_size=$(sed -n -E 's/.*\(([0-9.]+ .?B)\).*/\1/p' <<<"$line")
  fi
}

is_cuda_wheel() {
  local megabytes
  case $wheel in
    *+cpu*) return 1 ;;
    *+cu*) return 0 ;;
  esac
  # A name without a suffix says nothing, but no build without CUDA is that large.
  megabytes=$(sed -n -E 's/^([0-9]+)(\.[0-9]+)? MB$/\1/p; s/^.* GB$/9999/p' <<<"$wheel_size")
  [ "${megabytes:-0}" -gt 350 ]
}

make_environment() {
  local python=${PYTHON:-python3}
  if ! command -v "$python" >/dev/null && ! { [ "$python" = python3 ] && install_packages python3; }; then
    fail "no Python to fetch LibTorch with ($python): install python3, or set LIBTORCH to the folder \
of an unpacked LibTorch archive."
  fi
  if ! "$python" -c 'import ensurepip, venv' 2>/dev/null && ! install_packages python3-venv; then
    fail "$python can't make a virtual environment: please run: sudo apt-get install python3-venv"
  fi
  if ! "$python" -m venv "$root/.deps" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "the virtual environment $root/.deps could not be made (the reason stands above): remove \
that folder and run this again, or set LIBTORCH to a LibTorch folder."
  fi
}

fetch_libtorch() {
  local options=(--no-deps)
  say "Fetching LibTorch: torch $torch_version into the private environment .deps/"
  make_environment
  wheel_offered
  if is_cuda_wheel; then
    options=()
    say "The package registry serves the CUDA build of torch $torch_version (${wheel_size:-size not \
told}), which needs CUDA's libraries in addition. For a CPU build stop this (Ctrl-C) and run \
scripts/setup.sh --torch-index URL with the index of CPU builds, or set LIBTORCH to a LibTorch folder."
    if [ -t 2 ]; then
      sleep 10
    fi
  elif [ -n "$wheel_size" ]; then
    say "Downloading $wheel ($wheel_size)"
  fi
  if ! "$root/.deps/bin/python" -m pip install "${options[@]}" "${torch_index[@]}" \
    "torch==$torch_version" >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "pip could not install torch $torch_version for $("$root/.deps/bin/python" --version) (its \
message stands above): check the network and the free disk space and run this again, name another \
Python with PYTHON=..., another index with --torch-index URL, or set LIBTORCH to a LibTorch folder."
  fi
}

scratch=$(mktemp -d)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT

if command -v dpkg-query >/dev/null; then
  debian_packages "${packages[@]}" "${test_packages[@]}"
else
  other_packages ${test_packages[0]:+curl}
fi
check_cmake

if ! libtorch=$(find_libtorch); then
  if grep -q 'leads to' "$log"; then
    fail "$(sed -n '/leads to/,/^ *$\|^Call Stack/{/^Call/!p}' "$log" | tr -s ' \n' ' ' |
      sed 's/^ //; s/ $//')"
  fi
  sed -n 's/^-- //p' "$log" >&2
  fetch_libtorch
  if ! libtorch=$(find_libtorch); then
    fail "torch $torch_version was installed into $root/.deps, but no LibTorch is found there: remove \
that folder and run this again."
  fi
fi
say "Set up: LibTorch in $libtorch"
