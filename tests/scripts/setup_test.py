"""scripts/setup.sh and the search for LibTorch, with stand-ins: which LibTorch is taken, which is
refused and why, what is said where packages are missing, which wheel is fetched."""

import base64
import functools
import hashlib
import http.server
import os
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLD_ABI = b"_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"


def write(path, content=""):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def libtorch_files(version="2.9.1"):
    """The files by which a LibTorch is known."""
    major, minor, patch = version.split(".")
    numbers = "".join(f"#define TORCH_VERSION_{name} {value}\n"
                      for name, value in (("MAJOR", major), ("MINOR", minor), ("PATCH", patch)))
    return {"include/ATen/core/Tensor.h": "", "lib/libtorch_cpu.so": "", "lib/libc10.so": "\0",
            "include/torch/headeronly/version.h": numbers}


class Scripts(unittest.TestCase):
    """A copy of the scripts in a folder with a blank in its name, so that .deps/ is its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.root = os.path.join(self.folder, "a checkout")
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(self.root, "scripts"))

    def libtorch(self, name, version="2.9.1"):
        folder = os.path.join(self.folder, name)
        for path, content in libtorch_files(version).items():
            write(os.path.join(folder, path), content)
        return folder

    def run_setup(self, *words, path=(), **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LIBTORCH", "Torch_DIR", "CMAKE_PREFIX_PATH", "PYTHONPATH")}
        environment["PATH"] = os.pathsep.join([*path, environment["PATH"]])
        return subprocess.run(
            [os.path.join(self.root, "scripts/setup.sh"), "--no-packages", *words],
            env={**environment, **variables}, capture_output=True, text=True, timeout=200,
            check=False)

    def taken(self, **variables):
        done = self.run_setup(**variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r"LibTorch in (.*) \(", done.stderr)[1]


class Search(Scripts):
    def test_order(self):
        given = self.libtorch("given")
        config = os.path.join(self.libtorch("by config"), "share/cmake/Torch")
        os.makedirs(config)
        prefix = self.libtorch("by prefix")
        python = self.libtorch("python/torch")
        write(os.path.join(python, "__init__.py"), "raise ImportError('is not to be imported')")
        private = self.libtorch("a checkout/.deps/lib/python3.11/site-packages/torch")
        everything = {"LIBTORCH": given, "Torch_DIR": config, "CMAKE_PREFIX_PATH": f"/none:{prefix}",
                      "PYTHONPATH": os.path.dirname(python)}
        for expected in (given, os.path.join(self.folder, "by config"), prefix, python, private):
            found = self.taken(**everything)
            self.assertEqual(os.path.realpath(found), expected)
            if everything:
                everything.pop(next(iter(everything)))

    def test_prefix_of_a_wheel(self):
        folder = self.libtorch("site/torch")
        os.makedirs(os.path.join(folder, "share/cmake"))
        found = self.taken(CMAKE_PREFIX_PATH=os.path.join(folder, "share/cmake"))
        self.assertEqual(os.path.realpath(found), folder)

    def refusal(self, folder):
        failed = self.run_setup(LIBTORCH=folder)
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(len(failed.stderr.strip().splitlines()), 1, failed.stderr)
        self.assertIn(folder, failed.stderr)
        return failed.stderr

    def test_refuses_with_one_sentence(self):
        self.assertIn("holds no LibTorch", self.refusal(os.path.join(self.folder, "absent")))
        self.assertIn("version 2.5.1", self.refusal(self.libtorch("old", "2.5.1")))
        old_abi = self.libtorch("old_abi")
        write(os.path.join(old_abi, "lib/libc10.so"), b"\0" + OLD_ABI + b"\0")
        self.assertIn("C++ ABI", self.refusal(old_abi))
        headers = self.libtorch("headers")
        os.remove(os.path.join(headers, "lib/libtorch_cpu.so"))
        self.assertIn("no lib/libtorch_cpu.so", self.refusal(headers))

    @unittest.skipUnless(os.path.exists("/usr/lib/os-release"), "needs a file below /usr/lib")
    def test_refuses_a_distribution_s(self):
        folder = self.libtorch("distribution")
        library = os.path.join(folder, "lib/libtorch_cpu.so")
        os.remove(library)
        os.symlink("/usr/lib/os-release", library)
        self.assertIn("distribution", self.refusal(folder))

    def test_a_python_torch_that_does_not_serve_is_named_and_passed_over(self):
        private = self.libtorch("a checkout/.deps/lib/python3.12/site-packages/torch")
        python = self.libtorch("python/torch", "2.4.0")
        write(os.path.join(python, "__init__.py"))
        self.assertEqual(self.taken(PYTHONPATH=os.path.dirname(python)), private)


class Configuration(Scripts):
    def configure(self, folder):
        """What a project says that takes this LibTorch and has nothing to compile."""
        project = os.path.join(self.folder, "project")
        write(os.path.join(project, "CMakeLists.txt"), f"""
            cmake_minimum_required(VERSION 3.25)
            project(stand_in LANGUAGES NONE)
            list(APPEND CMAKE_MODULE_PATH "{self.root}/scripts/cmake")
            include(LibTorch)
            get_target_property(linked lc_torch INTERFACE_LINK_LIBRARIES)
            message(STATUS "linked: ${{linked}}")
            """)
        done = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", project, "-B", os.path.join(project, "build"),
             f"-DLIBTORCH={folder}"],
            capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_cuda_build_is_known_by_its_libraries_and_needs_no_toolkit(self):
        folder = self.libtorch("given")
        said = self.configure(folder)
        self.assertIn(f"LibTorch 2.9.1 (CPU, from LIBTORCH): {folder}", said)
        self.assertRegex(said, r"linked: .*/lib/libtorch_cpu\.so")
        self.assertNotIn("libtorch_cuda", said)
        for name in ("torch_cuda", "c10_cuda"):
            write(os.path.join(folder, f"lib/lib{name}.so"))
        said = self.configure(folder)
        self.assertIn(f"LibTorch 2.9.1 (CUDA, from LIBTORCH): {folder}", said)
        for name in ("torch_cpu", "torch_cuda", "c10_cuda"):
            self.assertIn(f"{folder}/lib/lib{name}.so", said)


class Packages(Scripts):
    def program(self, name, text):
        path = os.path.join(self.folder, "bin", name)
        write(path, f"#!/bin/sh\n{text}\n")
        os.chmod(path, stat.S_IRWXU)
        return os.path.dirname(path)

    def test_says_what_to_install(self):
        bin_folder = self.program("dpkg-query", "echo 'installed libspdlog-dev'")
        failed = self.run_setup(path=[bin_folder], LIBTORCH=self.libtorch("given"))
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr, "sudo apt-get install .*libsentencepiece-dev.*libjemalloc-dev.* catch2")
        self.assertNotIn("libspdlog-dev", failed.stderr)
        without_tests = self.run_setup("--no-tests", path=[bin_folder],
                                       LIBTORCH=self.libtorch("given"))
        self.assertNotIn("catch2", without_tests.stderr)

    def test_old_cmake(self):
        bin_folder = self.program("cmake", "echo 'cmake version 3.22.1'")
        failed = self.run_setup(path=[bin_folder])
        self.assertEqual(failed.returncode, 1)
        self.assertIn("3.25 or newer", failed.stderr)

    def test_usage(self):
        self.assertEqual(self.run_setup("--nothing").returncode, 2)
        self.assertEqual(self.run_setup("--torch-index").returncode, 2)
        self.assertEqual(self.run_setup("--help").returncode, 0)


class Fetch(Scripts):
    """The wheel comes from a package index on 127.0.0.1."""

    def serve(self, suffix):
        name = f"torch-2.13.0{suffix}-py3-none-any.whl"
        folder = os.path.join(self.folder, "index/torch")
        os.makedirs(folder, exist_ok=True)
        info = f"torch-2.13.0{suffix}.dist-info"
        files = {f"torch/{path}": content for path, content in libtorch_files("2.13.0").items()}
        files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0{suffix}\n"
        files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                                  "Tag: py3-none-any\n")
        record = ""
        for path, content in files.items():
            digest = hashlib.sha256(content.encode()).digest()
            coded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            record += f"{path},sha256={coded},{len(content.encode())}\n"
        files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
        with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
            for path, content in files.items():
                wheel.writestr(path, content)
        link = name.replace("+", "%2B")
        write(os.path.join(folder, "index.html"), f'<html><a href="{link}">{name}</a></html>')

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        handler = functools.partial(Quiet, directory=os.path.dirname(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    def fetch(self, index):
        return self.run_setup("--torch-index", index, PIP_CONFIG_FILE=os.devnull, PIP_FIND_LINKS="",
                              PIP_EXTRA_INDEX_URL="", PIP_CONSTRAINT="", PIP_NO_CACHE_DIR="1",
                              PIP_RETRIES="0", no_proxy="127.0.0.1")

    def test_fetches_once(self):
        index = self.serve("+cpu")
        done = self.fetch(index)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(os.path.join(self.root, ".deps/lib/python3"), done.stderr)
        self.assertNotIn("CUDA", done.stderr)
        again = self.fetch("http://127.0.0.1:9/")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(again.stderr.splitlines()), 1, again.stderr)

    def test_a_cuda_build_is_announced_with_its_size(self):
        done = self.fetch(self.serve("+cu130"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"CUDA build of torch 2\.13\.0 \([0-9.]+ .?B\)")
        self.assertIn("--torch-index", done.stderr)

    def test_no_network(self):
        failed = self.fetch("http://127.0.0.1:9/")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("set LIBTORCH", failed.stderr)


if __name__ == "__main__":
    unittest.main()
