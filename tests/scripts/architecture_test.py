"""The architecture as a test: reads the #include lines and sizes of the sources.

Includes run one way: core <- config <- {data, nn, optim}; nn <- models <- checkpoint;
data + models <- generate; generate + optim <- eval <- report; eval + checkpoint <- train; all <- apps.
What a folder may include is what it reaches along the arrows. data and models meet only in
core/segment.h. Training and evaluation know no model by name: a new one changes nothing there.
"""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINE_LIMIT = 400
ARROWS = {
    "core": [],
    "config": ["core"],
    "data": ["config"],
    "nn": ["config"],
    "optim": ["config"],
    "models": ["nn"],
    "checkpoint": ["models"],
    "generate": ["data", "models"],
    "eval": ["generate", "optim"],
    "report": ["eval"],
    "train": ["eval", "checkpoint"],
}


def reach(folder):
    """Every folder that the folder may include, itself among them."""
    found = {folder}
    for below in ARROWS[folder]:
        found |= reach(below)
    return found


def sources(*folders):
    for folder in folders:
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    path = os.path.join(place, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, ROOT), file.read()


def includes(text):
    return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.MULTILINE)


def faults_in(path, text):
    """What the file at path breaks, as sentences."""
    parts = path.split(os.sep)
    faults = []
    for name in includes(text):
        target = name.split("/")[0]
        if parts[0] == "src" and target in ARROWS and target not in reach(parts[1]):
            faults.append(f"{path} includes {name}: {parts[1]} may not use {target}")
        if parts[0] == "src" and (target == "apps" or name.startswith("common/")):
            faults.append(f"{path} includes {name}: src may not use apps")
        if name == "torch/torch.h" and path.endswith(".h"):
            faults.append(f"{path} includes {name}: headers take ATen/core/Tensor.h")
        if name.startswith("spdlog/") and path != os.path.join("src", "core", "log.cpp"):
            faults.append(f"{path} includes {name}: only src/core/log.cpp may")
        if name.startswith("sentencepiece") and parts[:3] != ["src", "data", "tokenizers"]:
            faults.append(f"{path} includes {name}: only src/data/tokenizers/ may")
    lines = text.count("\n")
    if lines > LINE_LIMIT:
        faults.append(f"{path} has {lines} lines, and {LINE_LIMIT} are the limit")
    if path.endswith(".h") and "#pragma once" not in text:
        faults.append(f"{path} has no #pragma once")
    return faults


def model_types():
    """The types that the table of models lists."""
    with open(os.path.join(ROOT, "src", "models", "registry.cpp"), encoding="utf-8") as file:
        return re.findall(r"^\s*X\((\w+)\)", file.read(), re.MULTILINE)


def named_models(text, types):
    """The types that the text names, however they are spelled: transformer_xl, Transformer-XL."""
    return [one for one in types
            if re.search(f"(?i:{one.replace('_', '[-_ ]?')})(?![a-z])", text)]


class Architecture(unittest.TestCase):
    def test_sources_keep_to_it(self):
        faults = [fault for path, text in sources("src", "apps") for fault in faults_in(path, text)]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_training_and_evaluation_name_no_model(self):
        types = model_types()
        self.assertIn("transformer_xl", types)
        faults = [f"{path} names {', '.join(named)}" for path, text in sources("src/train", "src/eval")
                  if (named := named_models(text, types))]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_every_folder_has_its_place_among_the_arrows(self):
        folders = {path.split(os.sep)[1] for path, _ in sources("src")}
        self.assertLessEqual(folders, set(ARROWS))

    def test_tests_stay_readable(self):
        long = [path for path, text in sources("tests") if text.count("\n") > LINE_LIMIT]
        self.assertEqual(long, [])

    def test_the_rules_catch_what_they_are_for(self):
        for path, line in (("src/core/a.h", '#include "data/token_file.h"'),
                           ("src/models/a.cpp", '#include "data/token_file.h"'),
                           ("src/data/a.cpp", '#include "models/registry.h"'),
                           ("src/nn/a.cpp", '#  include "models/registry.h"'),
                           ("src/checkpoint/a.cpp", '#include "eval/evaluator.h"'),
                           ("src/train/a.cpp", '#include "common/load_run.h"'),
                           ("src/nn/a.h", "#include <torch/torch.h>"),
                           ("src/train/log.cpp", "#include <spdlog/spdlog.h>"),
                           ("apps/lcprep.cpp", "#include <sentencepiece_processor.h>")):
            with self.subTest(path=path, line=line):
                self.assertEqual(len(faults_in(path, f"#pragma once\n{line}\n")), 1)
        self.assertEqual(len(faults_in("src/core/a.cpp", "\n" * (LINE_LIMIT + 1))), 1)
        self.assertEqual(faults_in("src/eval/a.cpp", '#include "data/lane_plan.h"\n'), [])
        types = ["transformer_xl", "infini"]
        for text, named in (('type == "transformer_xl"', ["transformer_xl"]),
                            ("// of Transformer-XL alone", ["transformer_xl"]),
                            ("InfiniAttention mixer", ["infini"]),
                            ("std::numeric_limits<double>::infinity()", []),
                            ("a transformer with memory", [])):
            with self.subTest(text=text):
                self.assertEqual(named_models(text, types), named)


if __name__ == "__main__":
    unittest.main()
