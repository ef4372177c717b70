"""Hugging Face's TransfoXL and this project's Transformer-XL give equal losses, token by token, with weights
taken in and with weights given out.

    transfo_xl_test.py BUILD_FOLDER

Theirs runs in float64: frequencies of the sinusoids are computed in it, and two casts of scores to float32 are
taken out, so that the numbers agree to 1e-9.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import TransfoXLConfig, TransfoXLLMHeadModel
from transformers import logging as transformers_logging

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
SEGMENT = 6
SEGMENTS = 4
LANES = 2
ADAPTIVE = {"vocab_size": 60, "cutoffs": [15, 30, 45]}
PLAIN = {"vocab_size": 40, "cutoffs": [], "div_val": 1}
SHAPES = {
    "plain": PLAIN,
    "wide_heads": {**PLAIN, "d_head": 11},
    "no_memory": {**PLAIN, "mem_len": 0},
    "short_memory": {**PLAIN, "mem_len": 4},
    "same_length": {**PLAIN, "mem_len": 9, "same_length": True},
    "same_length_clamp": {**PLAIN, "mem_len": 13, "same_length": True, "clamp_len": 5},
    "pre_norm": {**PLAIN, "pre_lnorm": True},
    "pre_norm_shared_biases": {**PLAIN, "pre_lnorm": True, "untie_r": False},
    "narrow_embedding": {**PLAIN, "d_embed": 10},
    "untied": {**PLAIN, "tie_word_embeddings": False},
    "adaptive": {**ADAPTIVE, "div_val": 2},
    "adaptive_untied": {**ADAPTIVE, "div_val": 2, "tie_word_embeddings": False},
    "adaptive_projections_apart": {**ADAPTIVE, "div_val": 2, "proj_share_all_but_first": False},
    "adaptive_equal_widths": {**ADAPTIVE, "div_val": 1},
    "adaptive_equal_widths_narrow": {**ADAPTIVE, "div_val": 1, "d_embed": 10},
    "adaptive_shared_biases_pre_norm": {**ADAPTIVE, "div_val": 2, "untie_r": False, "pre_lnorm": True,
                                        "same_length": True},
}
SIZES = {"d_model": 20, "d_embed": 20, "n_head": 2, "d_head": 10, "d_inner": 31, "n_layer": 3, "mem_len": 8,
         "clamp_len": -1, "same_length": False, "dropout": 0.0, "dropatt": 0.0}

warnings.filterwarnings("ignore")
transformers_logging.set_verbosity_error()


def model_of(shape, seed=1):
    torch.manual_seed(seed)
    model = TransfoXLLMHeadModel(TransfoXLConfig(**{**SIZES, **shape})).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(1.0 if name.endswith("layer_norm.weight") else 0.0, 0.3)
    model.tie_weights()
    return model


@contextlib.contextmanager
def without_casts():
    cast = torch.Tensor.float
    torch.Tensor.float = lambda tensor: tensor
    try:
        yield
    finally:
        torch.Tensor.float = cast


def losses(model, tokens, segment=SEGMENT):
    """Of tokens [lanes, n + 1], memory carried on: float64 [lanes, n]."""
    model = model.double().eval()
    width = model.config.d_model
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    model.transformer.pos_emb.inv_freq = 10000.0 ** -exponents
    memory, parts = None, []
    with torch.no_grad(), without_casts():
        for first in range(0, tokens.size(1) - 1, segment):
            inputs = tokens[:, first:min(first + segment, tokens.size(1) - 1)]
            output = model(inputs, mems=memory)
            memory = output.mems
            targets = tokens[:, first + 1:first + 1 + inputs.size(1)]
            parts.append(-output.prediction_scores.gather(2, targets.unsqueeze(2)).squeeze(2))
    return torch.cat(parts, 1)


def tokens_for(model):
    generator = torch.Generator().manual_seed(2)
    return torch.randint(0, model.config.vocab_size, (LANES, SEGMENT * SEGMENTS + 1), generator=generator)


def write_case(model, folder):
    """A golden case, as the ones of tests/golden's family checkpoints."""
    folder.mkdir(parents=True)
    tokens = tokens_for(model)
    save_file({name: tensor.clone() for name, tensor in model.state_dict().items()},
              folder / "model.safetensors", metadata={"format": "pt"})
    model.config.to_json_file(folder / "config.json")
    case = {"kind": "huggingface", "segment_length": SEGMENT, "n_segments": SEGMENTS, "batch": LANES,
            "parameters": sum(parameter.numel() for parameter in model.parameters())}
    (folder / "case.json").write_text(json.dumps(case))
    expected = losses(model, tokens).view(LANES, SEGMENTS, SEGMENT)
    save_file({"tokens": tokens, "expected.nll": expected}, folder / "tensors.safetensors")


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def run_program(self, *arguments, **variables):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "LCTRAIN_CACHE": str(self.folder / "cache"),
                       **variables}
        result = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True,
                                env=environment, cwd=self.folder, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def program(self, name):
        return BUILD / "bin" / name


class TakenIn(Folder):
    def test_every_shape_gives_equal_losses(self):
        for name, shape in SHAPES.items():
            write_case(model_of(shape), self.folder / "checkpoints" / name)
        output = self.run_program(BUILD / "tests/test_golden", "checkpoints of other codes agree",
                                  LC_GOLDEN_DIR=str(self.folder / "checkpoints"))
        self.assertIn("All tests passed", output)
        self.assertNotIn("none found", output)

    def test_the_check_can_fail(self):
        folder = self.folder / "checkpoints" / "wrong"
        write_case(model_of(PLAIN), folder)
        write_case(model_of(PLAIN, seed=3), self.folder / "checkpoints" / "other")
        os.replace(self.folder / "checkpoints/other/model.safetensors", folder / "model.safetensors")
        result = subprocess.run([BUILD / "tests/test_golden", "checkpoints of other codes agree"], check=False,
                                capture_output=True, env={**os.environ, "LC_GOLDEN_DIR": str(folder.parent)})
        self.assertNotEqual(result.returncode, 0)


class GivenOut(Folder):
    def export(self, run):
        folder = self.folder / f"exported_{Path(run).name}"
        self.run_program(self.program("lcprep"), "export", "--format", "huggingface", "--checkpoint", run,
                         "--out", folder)
        return TransfoXLLMHeadModel.from_pretrained(folder)

    def test_weights_go_through_unchanged(self):
        for name, shape in SHAPES.items():
            with self.subTest(name):
                self.setUp()
                model = model_of(shape)
                torch.save(model.state_dict(), self.folder / "pytorch_model.bin")
                model.config.to_json_file(self.folder / "config.json")
                self.run_program(sys.executable, ROOT / "scripts/to_safetensors.py", "pytorch_model.bin",
                                 "theirs.safetensors")
                self.run_program(self.program("lcprep"), "import", "--format", "huggingface", "--weights",
                                 "theirs.safetensors", "--config", "config.json", "--out", "run")
                back = self.export("run")
                self.assertEqual(back.state_dict().keys(), model.state_dict().keys())
                tokens = tokens_for(model)
                self.assertTrue(torch.equal(losses(back, tokens), losses(model, tokens)))

    def test_a_model_trained_here_gives_the_losses_that_lceval_gives(self):
        text = "".join(f"the {word} runs under a stone bridge, {number} times.\n"
                       for number in range(60) for word in ("river", "brook", "road"))
        (self.folder / "text.txt").write_text(text)
        (self.folder / "valid.txt").write_text(text[1000:1600])
        for span in ("segment", "fixed", "reference"):
            with self.subTest(span):
                run = self.folder / span
                config = {
                    "run": {"out_dir": str(run), "device": "cpu"},
                    "data": {"train": "text.txt", "valid": "valid.txt"},
                    "model": {"layers": 2, "d_model": 16, "heads": 2, "d_inner": 32, "init_std": 0.2,
                              "adaptive": {"cutoffs": [60, 110], "divisor": 2},
                              "positions": {"clamp_length": 20},
                              "transformer_xl": {"memory_length": 24, "attention_span": span}},
                    "optim": {"lr": 0.01},
                    "train": {"lanes": 2, "segment_length": 16, "steps": 20},
                    "eval": {"every": 0},
                }
                (self.folder / f"{span}.json").write_text(json.dumps(config))
                self.run_program(self.program("lctrain"), "--config", f"{span}.json")
                ours = json.loads(self.run_program(
                    self.program("lceval"), "--checkpoint", run, "--precision", "float64", "--lanes", "1", "--set",
                    "model.transformer_xl.initial_memory=zeros", "--json"))
                tokens = torch.tensor([list((self.folder / "valid.txt").read_bytes())])
                theirs = losses(self.export(run), tokens, segment=16)
                self.assertEqual(ours["tokens_scored"], theirs.numel())
                self.assertAlmostEqual(ours["nats_per_token"], theirs.mean().item(), delta=1e-9)


if __name__ == "__main__":
    unittest.main()
