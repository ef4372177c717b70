#!/usr/bin/env python3
"""Turns a PyTorch file (.pt, .bin) into safetensors, for lcprep import.

    to_safetensors.py IN OUT.safetensors [--key NAME ...]     tensors, under the names they have
    to_safetensors.py IN OUT.txt [--key NAME ...]             a vocabulary: its list idx2sym, one token a line
    to_safetensors.py IN OUT.json [--key NAME ...]            numbers, texts, lists and dicts of them

    --key NAME   the entry of the file to take: model_state (or model_config, vocab) of NVIDIA's checkpoints; given
                 again, an entry of that

No code of the file is ever run (weights_only): an object of a class that isn't a tensor's or a plain container's comes
in as a shell that holds its attributes and does nothing. So a file that holds a whole module, as torch.save(model)
makes it, has to be saved anew by the code that wrote it, as torch.save(model.state_dict()).
A common beginning "module." (DataParallel) is taken away. Needs PyTorch 2.5 or later, and safetensors.
"""
import argparse
import json
import pickle
import pickletools
import sys
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from pathlib import Path

import torch
from safetensors.torch import save_file

PARALLEL = "module."
SHOWN = 8
LEGACY_PICKLES = 4  # magic number, protocol, system, content


class Shell:
    """Stands in for every class and function that a file names beside those of tensors."""

    def __new__(cls, *_, **__):
        return object.__new__(cls)

    def __init__(self, *_, **__):
        pass

    def __setstate__(self, state):
        if isinstance(state, dict):
            self.__dict__.update(state)


def fail(message):
    sys.exit(f"to_safetensors.py: {message}")


def entries(content):
    names = list(map(str, content)) if isinstance(content, dict) else []
    return ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "") if names else "none"


def opened(content):
    return vars(content) if isinstance(content, Shell) else content


def kind_of(content):
    return f"an object {type(content).__name__}" if isinstance(content, Shell) else type(content).__name__


def legacy_globals(path):
    """Names in a file as torch.save wrote it before zip files, as the reader of Python 3 calls them."""
    found = set()
    with open(path, "rb") as file:
        for _ in range(LEGACY_PICKLES):
            for opcode, argument, _ in pickletools.genops(file):
                if opcode.name == "GLOBAL":
                    module, name = argument.split(" ", 1)
                    module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
                    found.add(f"{module}.{name}")
    return found


def shells_for(path):
    try:
        names = torch.serialization.get_unsafe_globals_in_checkpoint(path)
    except ValueError:  # no zip file
        names = legacy_globals(path)
    parts = [name.rpartition(".") for name in names]
    return [type(name, (Shell,), {"__module__": module}) for module, _, name in parts]


def load(path, keys):
    try:
        with warnings.catch_warnings(), torch.serialization.safe_globals(shells_for(path)):
            warnings.simplefilter("ignore")
            content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        fail(f"{path}: can't be read ({error.strerror})")
    except pickle.UnpicklingError:
        fail(f"{path}: holds more than tensors, plain containers and objects with attributes; save its state_dict() "
             "with the code that wrote it")
    except Exception as error:  # whatever a damaged or foreign file leads the reader to
        fail(f"{path}: is no file that torch.save wrote, or damaged ({type(error).__name__})")
    for key in keys:
        content = opened(content)
        if not isinstance(content, dict) or key not in content:
            fail(f"{path}: has no entry {key}; its entries are: {entries(content)}")
        content = content[key]
    return content


def tensors_of(content, path):
    if isinstance(content, Shell):
        fail(f"{path}: is {kind_of(content)}, no state dict; save its state_dict() with the code that wrote it, or "
             "name the entry that is one with --key")
    if not isinstance(content, dict) or not content:
        fail(f"{path}: is no state dict; name the entry that is one with --key")
    for name, value in content.items():
        if not isinstance(value, torch.Tensor):
            fail(f"{path}: {name} is no tensor; name the entry that is a state dict with --key "
                 f"(entries: {entries(content)})")
    skip = len(PARALLEL) if all(name.startswith(PARALLEL) for name in content) else 0
    # A copy of each: tied tensors share storage, which the format has no word for.
    return {name[skip:]: value.detach().contiguous().clone() for name, value in content.items()}


def tokens_of(content, path):
    content = opened(content)
    tokens = content.get("idx2sym") if isinstance(content, dict) else content
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        fail(f"{path}: holds no list of tokens, idx2sym; name the entry that has one with --key "
             f"(entries: {entries(content)})")
    return tokens


def json_of(content, path):
    def refuse(what):
        fail(f"{path}: {what} has no form in JSON; name an entry of plain values with --key "
             f"(entries: {entries(opened(content))})")

    try:
        return json.dumps(opened(content), indent=2, allow_nan=False, default=lambda value: refuse(kind_of(value)))
    except (TypeError, ValueError) as error:  # keys that are no texts, numbers that aren't finite
        return refuse(str(error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--key", action="append", default=[], metavar="NAME")
    arguments = parser.parse_args()
    ending = Path(arguments.output).suffix
    if ending not in (".safetensors", ".txt", ".json"):
        fail(f"{arguments.output}: ends in none of .safetensors, .txt and .json; choose one of them")
    content = load(arguments.input, arguments.key)
    if ending == ".safetensors":
        save_file(tensors_of(content, arguments.input), arguments.output, metadata={"format": "pt"})
        return
    lines = tokens_of(content, arguments.input) if ending == ".txt" else [json_of(content, arguments.input)]
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
