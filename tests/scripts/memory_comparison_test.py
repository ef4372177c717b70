"""scripts/reproduce/memory_comparison.sh: CPU seconds of all calls count, and give the updates of the
run that is as long in them."""

import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/reproduce/memory_comparison.sh")


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
                SCRIPT,
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


if __name__ == "__main__":
    unittest.main()
