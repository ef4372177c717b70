#!/usr/bin/env python3
"""Times training steps of step_bench and of Hugging Face's TransfoXL in turn, one thread, process CPU time.

    against_transfoxl.py STEP_BENCH [ROUNDS]

Needs torch and transformers==4.30.2 in this Python. Prints the medians and their ratio; the same sizes
and number of parameters on both sides (4 layers, d 256, 8 heads of 32, inner 1024, segment and memory
128, 8 lanes, vocabulary 256, no dropout).
"""
import json
import statistics
import subprocess
import sys
import time

import torch
from transformers import TransfoXLConfig, TransfoXLLMHeadModel

STEPS = 12
WARM_UP = 3


def peer():
    torch.set_num_threads(1)
    config = TransfoXLConfig(
        vocab_size=256, cutoffs=[], d_model=256, d_embed=256, n_head=8, d_head=32, d_inner=1024,
        div_val=1, n_layer=4, mem_len=128, clamp_len=-1, same_length=False, dropout=0.0, dropatt=0.0)
    model = TransfoXLLMHeadModel(config).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=2.5e-4)
    generator = torch.Generator().manual_seed(1)
    memory, seconds = None, []
    for _ in range(STEPS):
        tokens = torch.randint(0, 256, (8, 128), generator=generator)
        begun = time.process_time()
        output = model(tokens, mems=memory, labels=tokens)
        memory = output.mems
        optimizer.zero_grad()
        output.losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        seconds.append(time.process_time() - begun)
    parameters = sum(p.numel() for p in model.parameters())
    return parameters, statistics.median(seconds[WARM_UP:])


def main():
    bench, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ours, theirs = [], []
    for _ in range(rounds):
        result = json.loads(subprocess.run([bench, str(STEPS)], check=True, capture_output=True).stdout)
        parameters, seconds = peer()
        assert parameters == result["parameters"], (parameters, result["parameters"])
        ours.append(result["median_s"])
        theirs.append(seconds)
        print(f"ours {ours[-1]:.3f} s, TransfoXL {theirs[-1]:.3f} s", flush=True)
    print(f"ratio of medians {statistics.median(ours) / statistics.median(theirs):.3f}")


if __name__ == "__main__":
    main()
