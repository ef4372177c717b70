"""scripts/quickstart.sh with stand-in programs: a second run measures nothing again, and a model that
was trained anew is measured anew."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN = "build/quickstart/run"
PROGRAMS = {
    "scripts/setup.sh": "exit 0",
    "scripts/quickstart_corpus.sh": "exit 0",
    "path/cmake": "exit 0",
    "build/release/bin/lcgen": "echo sampled",
    "build/release/bin/lctrain": f"""
if [ ! -e {RUN}/checkpoints/last ] || [ "${{*: -1}}" = --restart ]; then
  mkdir -p {RUN}/checkpoints && echo step > {RUN}/checkpoints/last
fi""",
    "build/release/bin/lceval": """
echo measured >> calls
for word; do case $word in *.svg) echo plot > "$word" ;; esac; done
echo "context table $(wc -l < calls)" """,
}


class Quickstart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for path, text in PROGRAMS.items():
            place = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write("#!/bin/bash\n" + text + "\n")
            os.chmod(place, stat.S_IRWXU)
        for name in ("quickstart.sh", "common.sh"):
            shutil.copy(
                os.path.join(ROOT, "scripts", name), os.path.join(self.root, "scripts", name)
            )
        with open(
            os.path.join(self.root, "build/release/CMakeCache.txt"), "w", encoding="utf-8"
        ) as file:
            file.write("LC_LIBTORCH_REMEMBERED:INTERNAL=/nowhere\n")
        # Older than all that the script makes.
        os.utime(os.path.join(self.root, "build/release/bin/lceval"), (1, 1))

    def run_script(self, *options):
        path = os.path.join(self.root, "path") + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            [os.path.join(self.root, "scripts/quickstart.sh"), *options],
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def age(self):
        """Everything made so far is an hour older."""
        for name in ("contexts.txt", "contexts.svg", "run/checkpoints/last"):
            path = os.path.join(self.root, "build/quickstart", name)
            before = os.stat(path).st_mtime - 3600
            os.utime(path, (before, before))

    def test_reuses_what_belongs_to_the_model(self):
        self.assertIn("context table 1", self.run_script())
        again = self.run_script()
        self.assertIn("Reusing the evaluation", again)
        self.assertIn("context table 1", again)
        self.age()
        fresh = self.run_script("--fresh")
        self.assertNotIn("Reusing the evaluation", fresh)
        self.assertIn("context table 2", fresh)


if __name__ == "__main__":
    unittest.main()
