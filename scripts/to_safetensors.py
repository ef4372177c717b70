#!/usr/bin/env python3
"""Turns a PyTorch file (.pt, .bin) into safetensors, for lcprep import.

    to_safetensors.py IN OUT.safetensors [--key NAME ...]     tensors, under the names they have
    to_safetensors.py IN OUT.txt [--key NAME ...]             a vocabulary: its list idx2sym, one token a line

    --key NAME   the entry of the file to take: model_state of NVIDIA's checkpoints; given again, an entry of that

Nothing but tensors and plain containers is ever unpickled (weights_only): a file that holds a whole module, as
torch.save(model) makes it, has to be saved anew by the code that wrote it, as torch.save(model.state_dict()).
A common beginning "module." (DataParallel) is taken away. Needs PyTorch and safetensors.
"""
import argparse
import pickle
import sys

import torch
from safetensors.torch import save_file

PARALLEL = "module."
SHOWN = 8


def fail(message):
    sys.exit(f"to_safetensors.py: {message}")


def entries(content):
    names = list(map(str, content)) if isinstance(content, dict) else []
    return ", ".join(names[:SHOWN]) + (" ..." if len(names) > SHOWN else "") if names else "none"


def load(path, keys):
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        fail(f"{path}: can't be read ({error.strerror})")
    except pickle.UnpicklingError:
        fail(f"{path}: holds more than tensors and plain containers; save its state_dict() with the code that "
             "wrote it")
    except Exception as error:  # whatever a damaged or foreign file leads the reader to
        fail(f"{path}: is no file that torch.save wrote, or damaged ({type(error).__name__})")
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            fail(f"{path}: has no entry {key}; its entries are: {entries(content)}")
        content = content[key]
    return content


def tensors_of(content, path):
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
    tokens = content.get("idx2sym") if isinstance(content, dict) else content
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        fail(f"{path}: holds no list of tokens, idx2sym; name the entry that has one with --key")
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--key", action="append", default=[], metavar="NAME")
    arguments = parser.parse_args()
    content = load(arguments.input, arguments.key)
    if arguments.output.endswith(".safetensors"):
        save_file(tensors_of(content, arguments.input), arguments.output, metadata={"format": "pt"})
    elif arguments.output.endswith(".txt"):
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.writelines(token + "\n" for token in tokens_of(content, arguments.input))
    else:
        fail(f"{arguments.output}: ends neither in .safetensors nor in .txt; choose one of them")


if __name__ == "__main__":
    main()
