"""scripts/reproduce: each training is made once and kept, a cut one goes on, the table shows means
and ranges beside the paper's values. Programs stand in that count their calls."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "scripts/reproduce")

LCTRAIN = """#!/bin/sh
[ "$1" = --version ] && { echo "lctrain 1 (commit abc)"; exit 0; }
echo "$@" >> "$CALLS"
for argument in "$@"; do
  case $argument in
    run.out_dir=*) out=${argument#run.out_dir=} ;;
    run.seed=*) seed=${argument#run.seed=} ;;
  esac
done
mkdir -p "$out"
[ -n "$STOPPED" ] && exit 75
echo '{"step": 1, "tokens": 2048}' > "$out/metrics.jsonl"
echo "$seed" > "$out/seed"
"""

LCEVAL = """#!/bin/sh
case $1 in
  compare) echo '{"difference": {"bits_per_byte": -0.05, "bits_low": -0.06, "bits_high": -0.04}}' ;;
  speed) echo '{"speed": []}' ;;
  *) echo "{\\"bits_per_token\\": 2.$(cat "$2/seed"), \\"protocol\\": {\\"split\\": \\"test\\"}}" ;;
esac
"""


class Table(unittest.TestCase):
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

    def run_script(self, *arguments, **environment):
        return subprocess.run(
            [
                sys.executable,
                os.path.join(FOLDER, "run_table.py"),
                *arguments,
                "--bin",
                self.work,
                "--out",
                os.path.join(self.work, "runs"),
                "--results",
                os.path.join(self.work, "results"),
            ],
            env={**os.environ, "CALLS": self.calls, **environment},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def trainings(self):
        if not os.path.exists(self.calls):
            return 0
        with open(self.calls, encoding="ascii") as file:
            return len(file.readlines())

    def test_each_training_is_made_once(self):
        done = self.run_script("transformer_xl_enwik8", "--seeds", "2", "--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.trainings(), 4)
        kept = os.path.join(self.work, "results/desk/transformer_xl_enwik8/vanilla.seed2.json")
        with open(kept, encoding="utf-8") as file:
            result = json.load(file)
        self.assertEqual(result["measures"]["bits per symbol"]["value"], 2.2)
        self.assertEqual(result["training_tokens"], 2048)
        self.assertIn("model.type=vanilla", result["settings"])
        self.assertIn("2.150 (2.100 to 2.200)", done.stdout)
        self.assertIn("-0.0500 bits per byte (-0.0600 to -0.0400)", done.stdout)
        self.assertIn("| 1.11 |", done.stdout)
        again = self.run_script("transformer_xl_enwik8", "--seeds", "2")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.trainings(), 4)
        self.assertEqual(again.stdout, done.stdout)

    def test_what_was_stopped_goes_on(self):
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1", STOPPED="1")
        self.assertEqual(stopped.returncode, 75, stopped.stderr)
        self.assertIn("run the same again", stopped.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.work, "results")))
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)

    def test_a_dry_run_does_nothing(self):
        done = self.run_script("transformer_xl_ablation", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("9 to do", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.trainings(), 0)

    def test_bad_calls(self):
        self.assertEqual(self.run_script("no_such_table").returncode, 2)
        self.assertEqual(self.run_script("infini_passkey", "--paper").returncode, 2)
        self.assertEqual(self.run_script("infini_passkey", "--seeds", "0").returncode, 2)
        os.remove(os.path.join(self.work, "lctrain"))
        missing = self.run_script("infini_passkey")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("there is no program", missing.stderr)


class MemoryComparison(unittest.TestCase):
    LCTRAIN = """#!/bin/sh
for argument in "$@"; do
  case $argument in run.name=*) name=${argument#run.name=} ;; train.steps=*) steps=$argument ;; esac
done
echo "$name $steps" >> "$CALLS"
[ "$name" = "$BUSY" ] && awk 'BEGIN { while (i < 3000000) ++i }'
[ "$name" = "$FAILS" ] && exit "$CODE"
exit 0
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name
        for name, text in (("lctrain", self.LCTRAIN), ("lceval", "#!/bin/sh\n"), ("text", "a\n")):
            path = os.path.join(self.work, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def compare(self, *arguments, **environment):
        calls = {"CALLS": os.path.join(self.work, "calls"), "BIN": self.work}
        return subprocess.run(
            [
                os.path.join(FOLDER, "memory_comparison.sh"),
                *arguments,
                "--out",
                os.path.join(self.work, "out"),
                os.path.join(self.work, "text"),
            ],
            env={**os.environ, **calls, **environment},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def text_of(self, name):
        with open(os.path.join(self.work, name), encoding="ascii") as file:
            return file.read()

    def test_seconds_of_failed_and_stopped_trainings_count(self):
        for code, expected in (("3", 1), ("75", 75)):
            done = self.compare(BUSY="transformer_xl", FAILS="transformer_xl", CODE=code)
            self.assertEqual(done.returncode, expected, done.stderr)
        seconds = self.text_of("out/transformer_xl.cpu_seconds").split()
        self.assertEqual(len(seconds), 2)
        self.assertGreater(min(map(float, seconds)), 0.02)

    def test_updates_at_equal_seconds(self):
        done = self.compare("--steps", "30")
        self.assertEqual(done.returncode, 0, done.stderr)
        steps, longer = map(int, self.text_of("out/longer_steps").split())
        self.assertEqual(steps, 30)
        self.assertTrue(1 <= longer < 30000, longer)  # seconds that round to 0 divide as they are
        self.assertIn(f"vanilla_longer train.steps={longer}\n", self.text_of("calls"))
        kept = self.text_of("out/longer_steps")
        self.assertEqual(self.compare("--steps", "30", BUSY="transformer_xl").returncode, 0)
        self.assertEqual(self.text_of("out/longer_steps"), kept)
        self.assertEqual(self.compare("--steps", "60").returncode, 0)
        self.assertEqual(self.text_of("out/longer_steps").split()[0], "60")

    def test_at_least_one_update(self):
        self.assertEqual(self.compare("--steps", "1", BUSY="vanilla").returncode, 0)
        self.assertEqual(self.text_of("out/longer_steps"), "1 1\n")


class Rows(unittest.TestCase):
    def test_rows_of_runs(self):
        sys.path.insert(0, FOLDER)
        from show_tables import rows_at, shown, value_at

        result = {"runs": [{"name": "a", "slices": [{"slice": 1}, {"slice": 2}]}, {"name": "b"}]}
        self.assertEqual(
            rows_at(result, "runs/slices"), [{"name": "a", "slice": 1}, {"name": "a", "slice": 2}]
        )
        self.assertEqual(value_at({"carried": {"bytes": 5}}, "carried.bytes"), 5)
        self.assertEqual(
            [shown(value) for value in (None, 1234, 0.123456)], ["-", "1,234", "0.1235"]
        )


class Values(unittest.TestCase):
    def test_paths(self):
        sys.path.insert(0, FOLDER)
        from run_table import value_at

        value = {"sweep": [{"memory": 3, "perplexity": 9.0}, {"memory": 5, "perplexity": 7.0}]}
        self.assertEqual(value_at(value, "sweep.1.memory"), 5)
        self.assertEqual(value_at(value, "sweep.*.perplexity"), 7.0)
        self.assertEqual(value_at(value, "sweep.*.perplexity", "memory"), 5)
        self.assertIsNone(value_at(value, "sweep.2.memory"))
        self.assertIsNone(value_at(value, "absent.1"))


if __name__ == "__main__":
    unittest.main()
