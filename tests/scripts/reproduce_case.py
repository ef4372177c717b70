"""A folder with programs that stand in for lctrain and lceval and count their calls; the scripts of
scripts/reproduce run with them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "scripts/reproduce")
sys.path.insert(0, FOLDER)

LCTRAIN = """#!/bin/sh
[ "$1" = --version ] && { echo "lctrain 1 (commit abc)"; exit 0; }
for argument in "$@"; do
  case $argument in
    run.out_dir=*) out=${argument#run.out_dir=} ;;
    run.seed=*) seed=${argument#run.seed=} ;;
    run.name=*) name=${argument#run.name=} ;;
    --dry-run) dry=1 ;;
  esac
done
if [ -n "$dry" ]; then
  case " $REFUSED " in *" $name "*) echo "lctrain: $name is refused" >&2; exit "${REFUSED_AS:-2}" ;; esac
  exit 0
fi
echo "$@" >> "$CALLS"
[ -d "$out" ] && echo "$name" >> "$CALLS.resumed"
mkdir -p "$out"
[ -n "$BUSY" ] && awk 'BEGIN { while (i < 3000000) ++i }'
[ -n "$STOPPED" ] && exit 75
[ "$name" = "$FAILS" ] && exit 1
if [ -n "$SLOW" ]; then
  trap 'sleep 1; touch "$out/ended"; exit 75' INT
  touch "$out/began"
  while :; do sleep 0.1; done
fi
echo '{"step": 1, "tokens": 2048}' > "$out/metrics.jsonl"
echo "$seed" > "$out/seed"
"""

LCEVAL = """#!/bin/sh
case $1 in
  compare) echo '{"difference": {"bits_per_byte": -0.05, "bits_low": -0.06, "bits_high": -0.04}}' ;;
  speed) echo '{"speed": []}' ;;
  slices) echo '{"runs": []}' ;;
  passkey) echo '{"cells": []}' ;;
  --memory-footprint) echo '{"runs": [{"name": "a"}]}' ;;
  attention)
    echo "{\\"masses\\": [], \\"protocol\\": {\\"command\\": \\"lceval $*\\"}}"
    while [ $# -gt 0 ]; do [ "$1" = --out ] && echo "<svg/>" > "$2/test.svg"; shift; done ;;
  *) echo "$@" >> "$CALLS.lceval"
    echo "{\\"bits_per_token\\": 2.$(cat "$2/seed"), \\"protocol\\": {\\"command\\": \\"lceval $*\\","
    echo "\\"intervals\\": {\\"nats_low\\": 1.4, \\"nats_high\\": 1.5}}}" ;;
esac
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


class ReproduceCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        self.calls = os.path.join(self.work, "calls")
        for name, text in (("lctrain", LCTRAIN), ("lceval", LCEVAL)):
            path = os.path.join(self.work, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, 0o755)
        self.folder = FOLDER

    def command(self, *arguments):
        return [
            sys.executable,
            os.path.join(self.folder, "run_table.py"),
            *arguments,
            "--bin",
            self.work,
            "--out",
            os.path.join(self.work, "runs"),
            "--results",
            os.path.join(self.work, "results"),
        ]

    def run_script(self, *arguments, **environment):
        return subprocess.run(
            self.command(*arguments),
            env={**os.environ, "CALLS": self.calls, **environment},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def lines(self, suffix=""):
        if not os.path.exists(self.calls + suffix):
            return []
        with open(self.calls + suffix, encoding="ascii") as file:
            return file.read().splitlines()

    def trainings(self):
        return len(self.lines())

    def result(self, name, scale="desk/transformer_xl_enwik8"):
        return os.path.join(self.work, "results", scale, name + ".json")

    def run_file(self, name):
        return os.path.join(self.work, "runs/desk/transformer_xl_enwik8", name)

    def copy_of_scripts(self):
        """Scripts and configs that a test may change."""
        tree = os.path.join(self.work, "tree")
        self.folder = os.path.join(tree, "scripts/reproduce")
        shutil.copytree(os.path.join(ROOT, "configs"), os.path.join(tree, "configs"))
        shutil.copytree(
            FOLDER, self.folder, ignore=shutil.ignore_patterns("results", "__pycache__")
        )
        return tree

    def change_table(self, change, name="transformer_xl_enwik8"):
        path = os.path.join(self.folder, "tables", name + ".json")
        spec = read(path)
        change(spec)
        write(path, spec)

    def show_tables(self):
        """Of a copy of the scripts: its README with the tables, and the messages."""
        done = subprocess.run(
            [sys.executable, os.path.join(self.folder, "show_tables.py")],
            stderr=subprocess.PIPE,
            text=True,
            check=True,
        )
        return self.readme(), done.stderr

    def readme(self):
        with open(os.path.join(self.folder, "README.md"), encoding="utf-8") as file:
            return file.read()

    def readme_with_results(self):
        shutil.copytree(os.path.join(self.work, "results"), os.path.join(self.folder, "results"))
        return self.show_tables()
