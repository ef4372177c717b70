"""scripts/get_data.sh against a server on 127.0.0.1: interrupted and resumed transfers, servers that
can't resume, wrong files, files that the user has, many small files."""

import gzip
import hashlib
import http.server
import io
import json
import os
import random
import subprocess
import tempfile
import threading
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves server.files; cut[path] = bytes after which the connection drops, once each."""

    def do_GET(self):
        server = self.server
        server.seen.append((self.path, self.headers.get("Range")))
        content = server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        start = 0
        wanted = self.headers.get("Range")
        if wanted and server.resumes:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[start:]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cuts = server.cut.get(self.path, [])
        self.wfile.write(body[: cuts.pop(0)] if cuts else body)

    def log_message(self, *_):
        pass


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Served(unittest.TestCase):
    """A temporary folder, a server and a table of one corpus with an archive."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.files, self.server.cut, self.server.seen = {}, {}, []
        self.server.resumes = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.text = random.Random(1).randbytes(300_000)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("inner/enwik8", self.text)
        self.zip = packed.getvalue()
        self.server.files["/enwik8.zip"] = self.zip
        self.sources = {
            "enwik8": {
                "archives": [{"file": "enwik8.zip", "addresses": [self.base + "enwik8.zip"],
                              "bytes": len(self.zip), "sha256": sha256(self.zip)}],
                "files": [{"path": "enwik8", "bytes": len(self.text), "sha256": sha256(self.text)}],
                "config": {"corpus": "enwik8", "path": "enwik8"},
            }
        }
        self.target = os.path.join(self.folder, "to here")

    def run_script(self, *words):
        table = os.path.join(self.folder, "sources.json")
        with open(table, "w", encoding="utf-8") as file:
            json.dump(self.sources, file)
        return subprocess.run(
            [os.path.join(ROOT, "scripts/get_data.sh"), *words, "--to", self.target, "--sources",
             table], capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "LC_RETRY_PAUSE_S": "0.01", "no_proxy": "127.0.0.1"})

    def content(self, path="enwik8"):
        with open(os.path.join(self.target, path), "rb") as file:
            return file.read()


class OneArchive(Served):
    def test_fetches_verifies_unpacks_and_does_nothing_the_second_time(self):
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content(), self.text)
        self.assertEqual(os.listdir(self.target), ["enwik8"])
        config = json.loads("{" + done.stdout + "}")
        self.assertEqual(config["data"],
                         {"corpus": "enwik8", "path": os.path.join(self.target, "enwik8")})
        asked = len(self.server.seen)
        again = self.run_script("enwik8")
        self.assertEqual(again.returncode, 0)
        self.assertIn("nothing to do", again.stderr)
        self.assertEqual(len(self.server.seen), asked)

    def test_resumes_where_the_transfer_was_cut(self):
        self.server.cut["/enwik8.zip"] = [100_000, 50_000]
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([wanted for _, wanted in self.server.seen],
                         [None, "bytes=100000-", "bytes=150000-"])
        self.assertEqual(self.content(), self.text)

    def test_a_later_run_goes_on_with_what_an_interrupted_one_left(self):
        self.server.cut["/enwik8.zip"] = [70_000] + [0] * 20
        failed = self.run_script("enwik8")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("run this again", failed.stderr)
        self.server.cut.clear()
        self.server.seen.clear()
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.server.seen, [("/enwik8.zip", "bytes=70000-")])
        self.assertEqual(self.content(), self.text)

    def test_starts_anew_where_the_server_cannot_resume(self):
        self.server.resumes = False
        self.server.cut["/enwik8.zip"] = [100_000]
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content(), self.text)

    def test_a_wrong_archive_is_removed_and_named(self):
        damaged = bytearray(self.zip)
        damaged[1000] ^= 1
        self.server.files["/enwik8.zip"] = bytes(damaged)
        failed = self.run_script("enwik8")
        self.assertEqual(failed.returncode, 3)
        self.assertIn(sha256(bytes(damaged)), failed.stderr)
        self.assertIn(sha256(self.zip), failed.stderr)
        self.assertEqual(os.listdir(self.target), [])
        self.server.files["/enwik8.zip"] = self.zip
        self.assertEqual(self.run_script("enwik8").returncode, 0)

    def test_a_damaged_file_from_an_earlier_run_is_replaced(self):
        self.run_script("enwik8")
        with open(os.path.join(self.target, "enwik8"), "r+b") as file:
            file.write(b"xxx")
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it is replaced", done.stderr)
        self.assertEqual(self.content(), self.text)

    def test_tries_the_next_address_where_one_refuses(self):
        self.sources["enwik8"]["archives"][0]["addresses"].insert(0, self.base + "gone.zip")
        done = self.run_script("enwik8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path for path, _ in self.server.seen], ["/gone.zip", "/enwik8.zip"])

    def test_says_what_the_server_answered(self):
        del self.server.files["/enwik8.zip"]
        failed = self.run_script("enwik8")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("404", failed.stderr)
        self.assertIn("--from PATH", failed.stderr)

    def test_takes_what_the_user_has(self):
        own = os.path.join(self.folder, "own")
        os.mkdir(own)
        for name, content in (("enwik8.zip", self.zip), ("renamed.zip", self.zip),
                              ("enwik8", self.text), ("renamed", self.text)):
            with open(os.path.join(own, name), "wb") as file:
                file.write(content)
        for given in ("enwik8.zip", "renamed.zip", "enwik8", "renamed", "."):
            with self.subTest(given):
                done = self.run_script("enwik8", "--from", os.path.join(own, given))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.content(), self.text)
                os.remove(os.path.join(self.target, "enwik8"))
        self.assertEqual(self.server.seen, [])

    def test_refuses_what_the_user_has_if_it_is_not_official(self):
        own = os.path.join(self.folder, "enwik8")
        with open(own, "wb") as file:
            file.write(self.text[:-1])
        failed = self.run_script("enwik8", "--from", own)
        self.assertEqual(failed.returncode, 3)
        self.assertIn("299999 bytes instead of 300000", failed.stderr)
        self.assertEqual(os.listdir(self.target), [])
        self.assertEqual(self.run_script("enwik8", "--from", own + ".no").returncode, 3)

    def test_usage(self):
        for words in (("enwik9",), ("enwik8", "--nothing"), ("enwik8", "--splits", "dev")):
            with self.subTest(words):
                self.assertEqual(self.run_script(*words).returncode, 2)


class ManyFiles(Served):
    def setUp(self):
        super().setUp()
        self.books = {f"{split}/{book}.txt": random.Random(book).randbytes(5000 + book)
                      for split, book in (("train", 1), ("train", 2), ("validation", 3), ("test", 4))}
        metadata = b"1,Title,1900,link\n"
        for path, content in {**self.books, "metadata.csv": metadata}.items():
            self.server.files["/" + path] = content
        with gzip.open(os.path.join(self.folder, "list.gz"), "wt") as file:
            file.write("split\tid\tbytes\tsha256\n")
            for path, content in self.books.items():
                split, book = path.removesuffix(".txt").split("/")
                file.write(f"{split}\t{book}\t{len(content)}\t{sha256(content)}\n")
        self.sources["pg19"] = {
            "base": self.base,
            "files": [{"path": "metadata.csv", "bytes": len(metadata), "sha256": sha256(metadata)}],
            "list": "list.gz",
            "config": {"corpus": "pg19", "path": ""},
        }

    def test_books_of_the_chosen_splits(self):
        done = self.run_script("pg19", "--splits", "validation,test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content("validation/3.txt"), self.books["validation/3.txt"])
        self.assertFalse(os.path.exists(os.path.join(self.target, "train")))
        self.server.seen.clear()
        self.server.cut["/train/2.txt"] = [1000]
        done = self.run_script("pg19")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(self.server.seen, key=str),
                         [("/train/1.txt", None), ("/train/2.txt", "bytes=1000-"),
                          ("/train/2.txt", None)])
        for path, content in self.books.items():
            self.assertEqual(self.content(path), content)

    def test_a_wrong_book_fails_and_the_others_stay(self):
        self.server.files["/train/2.txt"] = bytes(5002)
        failed = self.run_script("pg19")
        self.assertEqual(failed.returncode, 3)
        self.assertIn("train/2.txt", failed.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.target, "train/2.txt")))

    def test_books_that_the_user_has(self):
        own = os.path.join(self.folder, "own")
        for path in [*self.books, "metadata.csv"]:
            os.makedirs(os.path.dirname(os.path.join(own, path)), exist_ok=True)
            with open(os.path.join(own, path), "wb") as file:
                file.write(self.server.files["/" + path])
        done = self.run_script("pg19", "--from", own)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content("train/1.txt"), self.books["train/1.txt"])
        self.assertEqual(self.server.seen, [])


class OfficialTable(unittest.TestCase):
    def test_the_list_of_books_is_whole(self):
        with gzip.open(os.path.join(ROOT, "scripts/data/pg19_files.tsv.gz"), "rt") as file:
            rows = [line.split() for line in file][1:]
        splits = [row[0] for row in rows]
        self.assertEqual([splits.count(name) for name in ("train", "validation", "test")],
                         [28_602, 50, 100])
        self.assertEqual(sum(int(row[2]) for row in rows), 11_736_553_257)


if __name__ == "__main__":
    unittest.main()
