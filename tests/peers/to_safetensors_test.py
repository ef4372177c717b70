"""scripts/to_safetensors.py on files that torch.save wrote: what comes out, what is refused, and that no code of a
file is run.

    to_safetensors_test.py BUILD_FOLDER
"""
import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import torch
from safetensors.torch import load_file

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/to_safetensors.py"
sys.path.insert(0, str(SCRIPT.parent))
to_safetensors = importlib.import_module(SCRIPT.stem)


class Vocab:
    """Of NVIDIA's code, in a module that no reader of the file has."""

    def __init__(self):
        self.idx2sym = ["<eos>", "the", "of"]
        self.special = ["<eos>"]


class Runs:
    """Unpickled, it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


class Calls:
    """Unpickled, it calls a function of a module that isn't blocked."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return subprocess.check_call, (["mkdir", str(self.path)],)


module = types.ModuleType("nvidia_vocabulary")
Vocab.__module__, Vocab.__qualname__ = module.__name__, "Vocab"
module.Vocab = Vocab
sys.modules[module.__name__] = module


def nvidia_checkpoint():
    state = torch.nn.Linear(3, 2).state_dict()
    return {"args": argparse.Namespace(dataset="wt103", lr=0.01), "vocab": Vocab(),
            "model_config": {"n_layer": 2, "cutoffs": [10, 20], "dtype": None, "tie_weight": True},
            "model_state": {f"module.{name}": tensor for name, tensor in state.items()},
            "optimizer_state": {"state": {0: {"step": torch.tensor(3.0)}}}, "best_val_loss": 3.5}


class ToSafetensors(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def save(self, content, name="in.pt", **options):
        torch.save(content, self.folder / name, **options)
        return self.folder / name

    def convert(self, path, output, *keys):
        """The message that the script ends with; none where it did what it was asked for."""
        flags = [word for key in keys for word in ("--key", key)]
        words = [str(word) for word in (SCRIPT, path, self.folder / output, *flags)]
        with unittest.mock.patch("sys.argv", words):
            try:
                to_safetensors.main()
            except SystemExit as end:
                return end.code
        return None

    def converted(self, path, output, *keys):
        self.assertIsNone(self.convert(path, output, *keys))
        return self.folder / output

    def refusal(self, path, output, *keys):
        message = self.convert(path, output, *keys)
        self.assertTrue(message.startswith("to_safetensors.py: "), message)
        self.assertNotIn("\n", message)
        self.assertFalse((self.folder / output).exists())
        return message

    def test_a_checkpoint_with_objects_beside_its_weights_is_read_entry_by_entry(self):
        for zipped in (True, False):
            with self.subTest(zipped=zipped):
                content = nvidia_checkpoint()
                path = self.save(content, _use_new_zipfile_serialization=zipped)
                tensors = load_file(self.converted(path, "out.safetensors", "model_state"))
                self.assertEqual(tensors.keys(), {"weight", "bias"})
                self.assertTrue(torch.equal(tensors["weight"], content["model_state"]["module.weight"]))
                config = json.loads(self.converted(path, "config.json", "model_config").read_text())
                self.assertEqual(config, content["model_config"])
                arguments = json.loads(self.converted(path, "args.json", "args").read_text())
                self.assertEqual(arguments, {"dataset": "wt103", "lr": 0.01})
                self.assertEqual(self.converted(path, "vocab.txt", "vocab").read_text(), "<eos>\nthe\nof\n")

    def test_plain_state_dicts_and_lists_go_through(self):
        state = torch.nn.Linear(3, 2).state_dict()
        tensors = load_file(self.converted(self.save(state), "out.safetensors"))
        self.assertTrue(torch.equal(tensors["bias"], state["bias"]))
        self.assertEqual(self.converted(self.save(["a", "b"]), "list.txt").read_text(), "a\nb\n")

    def test_no_code_of_a_file_is_run(self):
        for content in (Runs(self.folder / "made"), Calls(self.folder / "made")):
            for zipped in (True, False):
                path = self.save({"weights": torch.zeros(1), "x": content}, _use_new_zipfile_serialization=zipped)
                self.convert(path, "out.safetensors")
                self.convert(path, "out.json", "x")
                self.assertFalse((self.folder / "made").exists())

    def test_what_has_no_form_is_refused_in_one_line(self):
        checkpoint = self.save(nvidia_checkpoint())
        self.assertIn("args is no tensor", self.refusal(checkpoint, "out.safetensors"))
        self.assertIn("is an object Namespace, no state dict", self.refusal(checkpoint, "out.safetensors", "args"))
        self.assertIn("an object Namespace has no form in JSON", self.refusal(checkpoint, "out.json"))
        self.assertIn("has no entry weights; its entries are: args, vocab",
                      self.refusal(checkpoint, "out.safetensors", "weights"))
        self.assertIn("holds no list of tokens", self.refusal(checkpoint, "out.txt", "args"))
        self.assertIn("ends in none of", self.refusal(checkpoint, "out.bin"))
        whole = self.save(torch.nn.Linear(3, 2), "whole.pt")
        self.assertIn("is an object Linear, no state dict", self.refusal(whole, "out.safetensors"))
        self.assertIn("has no form in JSON", self.refusal(self.save({"loss": float("nan")}), "out.json"))
        damaged = self.folder / "damaged.pt"
        damaged.write_bytes(checkpoint.read_bytes()[:300])
        self.assertIn("damaged", self.refusal(damaged, "out.safetensors"))
        self.assertIn("can't be read", self.refusal(self.folder / "absent.pt", "out.safetensors"))


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
