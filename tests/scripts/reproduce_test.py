"""scripts/reproduce: each training is made once and kept while its definition stays, a cut one goes
on, the table shows means and ranges beside the paper's values. Programs stand in that count their
calls."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "scripts/reproduce")

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
  --memory-footprint) echo '{"runs": [{"name": "a"}]}' ;;
  attention)
    while [ $# -gt 0 ]; do [ "$1" = --out ] && echo "<svg/>" > "$2/test.svg"; shift; done
    echo '{"masses": []}' ;;
  *) echo "$@" >> "$CALLS.lceval"
    echo "{\\"bits_per_token\\": 2.$(cat "$2/seed"), \\"protocol\\": {\\"split\\": \\"test\\"}}" ;;
esac
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


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

    def test_each_training_is_made_once(self):
        done = self.run_script("transformer_xl_enwik8", "--seeds", "2", "--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.trainings(), 4)
        result = read(self.result("vanilla.seed2"))
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
        self.assertEqual(self.run_script("infini_passkey", "--seeds", "0").returncode, 2)
        os.remove(os.path.join(self.work, "lctrain"))
        missing = self.run_script("infini_passkey")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("there is no program", missing.stderr)

    def test_a_table_without_the_scale_is_left_out(self):
        done = self.run_script("infini_pg19", "infini_passkey", "--paper", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("infini_passkey has no paper scale, only desk; left out.", done.stderr)
        self.assertIn("4 to do", done.stderr)

    def test_refused_cells_are_shown_together(self):
        tables = ["transformer_xl_enwik8", "infini_pg19", "--seeds", "2"]
        refused = self.run_script(*tables, REFUSED="vanilla infini")
        self.assertEqual(refused.returncode, 2)
        for cell in (
            "transformer_xl_enwik8, vanilla: lctrain: vanilla is refused",
            "infini_pg19, infini: lctrain: infini is refused",
            "infini_pg19, vanilla: ",
            "3 of 6 trainings are refused, so none is started",
        ):
            self.assertIn(cell, refused.stderr)
        self.assertEqual(self.trainings(), 0)
        without_data = self.run_script(*tables, REFUSED="vanilla", REFUSED_AS="3")
        self.assertEqual(without_data.returncode, 3)

    def test_results_of_another_definition(self):
        tree = self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        before = read(self.result("transformer_xl_against_vanilla.seed1"))
        defined = read(self.result("vanilla.seed1"))["definition"]
        self.assertEqual(before["made_from"]["cells"]["vanilla"], defined)

        self.change_table(lambda spec: spec["cells"][1]["settings"].append("train.steps=7"))
        for more in ([], ["--dry-run"]):
            stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1", *more)
            self.assertEqual(stopped.returncode, 2)
            self.assertIn("--again", stopped.stderr)
            self.assertIn(self.result("vanilla.seed1"), stopped.stderr)
            self.assertNotIn(self.result("transformer_xl.seed1"), stopped.stderr)
        self.assertEqual(self.trainings(), 2)

        again = self.run_script("transformer_xl_enwik8", "--seeds", "1", "--again")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.trainings(), 3)
        self.assertIn("train.steps=7", self.lines()[2])
        self.assertEqual(self.lines(".resumed"), [])
        self.assertIn("vanilla.seed1.old1", again.stderr)
        self.assertTrue(os.path.exists(self.run_file("vanilla.seed1.old1/seed")))
        after = read(self.result("transformer_xl_against_vanilla.seed1"))
        self.assertNotEqual(after["made_from"]["cells"]["vanilla"], defined)
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual((done.returncode, self.trainings()), (0, 3))

        config = os.path.join(tree, "configs/desk/transformer_xl/enwik8_base.json")
        with open(config, "a", encoding="utf-8") as file:
            file.write("\n")
        changed = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(changed.returncode, 2)
        self.assertIn(self.result("transformer_xl.seed1"), changed.stderr)

    def test_results_of_other_measures_or_without_a_definition(self):
        self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        result = read(self.result("vanilla.seed1"))
        definition = result.pop("definition")
        write(self.result("vanilla.seed1"), result)
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(stopped.returncode, 2)
        self.assertIn(self.result("vanilla.seed1"), stopped.stderr)
        write(self.result("vanilla.seed1"), {**result, "definition": definition})
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        self.change_table(lambda spec: spec["measures"][0]["arguments"]["desk"].append("--json"))
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(stopped.returncode, 2)
        self.assertNotIn(self.result("vanilla.seed1"), stopped.stderr)  # has arguments of its own
        self.assertIn(self.result("transformer_xl.seed1"), stopped.stderr)
        shown = subprocess.run(
            [
                sys.executable,
                "-c",
                "import show_tables, sys;"
                "print(show_tables.table_text('transformer_xl_enwik8', 'desk', sys.argv[1]))",
                os.path.join(self.work, "results"),
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertIn("| windowed Transformer |", shown.stdout)
        self.assertNotIn("| Transformer-XL |", shown.stdout)
        self.assertNotIn("-0.0500", shown.stdout)
        self.assertIn("transformer_xl.seed1.json has another definition", shown.stderr)

    def test_joints_are_made_anew_when_their_arguments_change(self):
        self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        self.change_table(lambda spec: spec["joint"][1]["arguments"]["desk"].append("--repeat=1"))
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual((done.returncode, self.trainings()), (0, 2), done.stderr)
        speed = read(self.result("speed.seed1"))
        self.assertIn("--repeat=1", speed["made_from"]["arguments"])
        shutil.rmtree(self.run_file("transformer_xl.seed1"))
        os.remove(self.result("speed.seed1"))
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("speed, seed 1, is not made", done.stderr)

    def test_the_plot_is_there_before_its_result(self):
        done = self.run_script("compressive_functions")
        self.assertEqual(done.returncode, 0, done.stderr)
        mass = self.result("attention_mass.seed1", "desk/compressive_functions")
        plot = mass[:-5] + ".svg"
        self.assertLessEqual(os.stat(plot).st_mtime_ns, os.stat(mass).st_mtime_ns)
        self.assertEqual(
            [name for name in os.listdir(os.path.dirname(mass)) if name.endswith(".partial")], []
        )

    def test_after_a_failed_cell_none_is_started(self):
        failed = self.run_script("transformer_xl_enwik8", "--seeds", "3", FAILS="transformer_xl")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(self.trainings(), 1)

    def test_ctrl_c(self):
        process = subprocess.Popen(
            self.command("transformer_xl_enwik8", "--seeds", "2"),
            env={**os.environ, "CALLS": self.calls, "SLOW": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        began = self.run_file("transformer_xl.seed1/began")
        for _ in range(300):
            if os.path.exists(began):
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, messages)
        self.assertIn("stopped; run the same again to go on", messages)
        self.assertNotIn("Traceback", messages)
        self.assertTrue(os.path.exists(self.run_file("transformer_xl.seed1/ended")))
        self.assertEqual(self.trainings(), 1)

    def test_cpu_seconds_of_cut_trainings_count(self):
        only = ["transformer_xl_enwik8", "--seeds", "1"]
        self.assertEqual(self.run_script(*only, BUSY="1", STOPPED="1").returncode, 75)
        with open(self.run_file("transformer_xl.seed1.cpu_seconds"), encoding="ascii") as file:
            self.assertGreater(float(file.read()), 0.02)
        self.assertEqual(self.run_script(*only).returncode, 0)
        with open(self.run_file("transformer_xl.seed1.cpu_seconds"), encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 2)

    def test_the_published_lengths(self):
        done = self.run_script("transformer_xl_enwik8", "compressive_functions", "--paper")
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = self.lines(".lceval")
        xl = [line for line in asked if "/transformer_xl.seed1" in line]
        self.assertIn("--segment 80 --memory 2100 --clamp 820 --span reference", xl[0])
        vanilla = [line for line in asked if "/vanilla.seed1" in line]
        self.assertIn("--stride 1", vanilla[0])
        self.assertTrue(any("compressed=512,1024,2048,3072,4096" in line for line in asked))
        self.assertNotIn("train.steps", " ".join(self.lines()))


class Tables(unittest.TestCase):
    def test_every_table_at_its_scales(self):
        sys.path.insert(0, FOLDER)
        import definitions

        for file in os.listdir(os.path.join(FOLDER, "tables")):
            spec = definitions.read_table(file[:-5])
            names = [cell["name"] for cell in spec["cells"]]
            for joint in spec.get("joint", []):
                self.assertLessEqual(set(joint.get("cells", [])), set(names))
            for scale in spec["scales"]:
                with self.subTest(file=file, scale=scale):
                    for cell in spec["cells"]:
                        self.check_positions(definitions, spec, cell, scale)
                        self.assertEqual(len(definitions.definition(spec, cell, scale)), 64)
                        self.assertTrue(definitions.measures_of(spec, cell, scale))
            self.assertEqual(spec["scales"]["desk"]["cost"], "about 5 to 10 CPU minutes")

    def check_positions(self, definitions, spec, cell, scale):
        """Of compressed slots, "separate" ones need a scheme with a projection."""
        model = read(definitions.config_path(cell, scale))["model"]
        settings = definitions.settings_of(spec, cell, scale)
        if "model.type=compressive" in settings and model["positions"]["scheme"] == "rotary":
            self.assertIn("model.compressive.compressed_positions=distance", settings)


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
