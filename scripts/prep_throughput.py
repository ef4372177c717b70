#!/usr/bin/env python3
"""Prepares a made-up corpus with every tokenizer and prints time, throughput and peak memory.

    scripts/prep_throughput.py [--megabytes 1000] [--keep FOLDER] [--tokenizers LIST]
                               [--lcprep PROGRAM]

--megabytes N   size of the corpus, in millions of bytes (default 1000)
--keep FOLDER   where the corpus is made, and left for the next call; default: a temporary folder,
                which takes up to six times the corpus and is removed in the end
--tokenizers L  which of byte,word,sentencepiece (default all)
--lcprep FILE   the program (default build/release/bin/lcprep)

Run by hand: a gigabyte takes some minutes for each tokenizer. Each is timed on one core and on all
that this process may use. Throughput is the corpus's bytes over the seconds of the whole program:
checksums, vocabulary or model, encoding of three splits, writing, checking what was written. CPU
seconds are those of all its threads; on a busy machine they tell more than the others do. Memory
is the most that the program held by itself (RssAnon of /proc, looked at every 20 ms); pages of the
token files, which are mapped, come and go with what the system has to spare.

The corpus is words drawn by Zipf's law in lines and documents of several lengths, as UTF-8, seeded:
the same bytes each time. It has no meaning and serves for timing only.

Exit codes: 0 done, 1 a preparation failed, 2 usage.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

TOKENIZERS = {
    "byte": [],
    "word": [],
    "sentencepiece": ["--set", "data.tokenizer.vocab_size=8000"],
}
WORDS = 200_000
FILES = 20


def vocabulary(draw):
    letters = "etaoinshrdlucmfwypvbgkqjxz" + "éüß"
    words = set()
    while len(words) < WORDS:
        words.add("".join(draw.choices(letters, k=draw.randint(2, 11))))
    return sorted(words, key=lambda word: (len(word), word))


def make_corpus(folder, megabytes):
    """FILES texts of equal size; what is there already, and as large, is kept."""
    os.makedirs(folder, exist_ok=True)
    size = megabytes * 1_000_000 // FILES
    draw = random.Random(1)
    words = vocabulary(draw)
    totals, sum_ = [], 0.0
    for rank in range(WORDS):
        sum_ += 1 / (rank + 2.7)
        totals.append(sum_)
    for number in range(FILES):
        path = os.path.join(folder, f"text{number:02}.txt")
        draw = random.Random(number)
        if os.path.exists(path) and os.path.getsize(path) == size:
            continue
        with open(path, "wb") as file:
            left = size
            while left > 0:
                drawn = draw.choices(words, cum_weights=totals, k=50_000)
                lines, at = [], 0
                while at < len(drawn):
                    length = draw.choice((3, 8, 12, 60, 150))
                    lines.append(" ".join(drawn[at:at + length]))
                    at += length
                block = ("\n".join(lines) + "\n").encode()[:left]
                if len(block) == left:  # not inside a character
                    block = block.decode(errors="ignore").encode().ljust(left, b"\n")
                file.write(block)
                left -= len(block)


def held_by(pid):
    """Bytes of the process's own memory."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return 1024 * int(line.split()[1])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def prepare(options, corpus, tokenizer, cores):
    """Seconds, CPU seconds and peak bytes of one preparation from nothing."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(corpus)) as cache:
        command = [options.lcprep, "--json", "--no-progress", "--set", "data.path=" + corpus,
                   "--set", "data.cache_dir=" + cache, "--set", "data.tokenizer.unknown=unk",
                   "--set", "data.tokenizer.type=" + tokenizer] + TOKENIZERS[tokenizer]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: os.sched_setaffinity(0, cores))
        peak, pid = 0, 0
        while pid == 0:
            peak = max(peak, held_by(process.pid))
            time.sleep(0.02)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"prep_throughput.py: {tokenizer}: lcprep ended with {process.returncode}: "
                     f"{process.stderr.read().decode().strip()}")
        return seconds, usage.ru_utime + usage.ru_stime, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--keep")
    parser.add_argument("--tokenizers", default=",".join(TOKENIZERS))
    parser.add_argument("--lcprep", default=os.path.join(os.path.dirname(__file__),
                                                         "../build/release/bin/lcprep"))
    options = parser.parse_args()
    if options.megabytes < 1:
        parser.error(f"--megabytes {options.megabytes} is less than 1: give a size")
    tokenizers = options.tokenizers.split(",")
    if unknown := set(tokenizers) - set(TOKENIZERS):
        parser.error(f"--tokenizers {options.tokenizers}: unknown {', '.join(sorted(unknown))}: "
                     f"known are {', '.join(TOKENIZERS)}")
    if not os.access(options.lcprep, os.X_OK):
        parser.error(f"--lcprep {options.lcprep} is no program: build it, or name it")
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(options.keep or temporary)
        corpus = os.path.join(folder, f"corpus_{options.megabytes}mb")
        make_corpus(corpus, options.megabytes)
        every = os.sched_getaffinity(0)
        print("| tokenizer | cores | seconds | MB/s | CPU seconds | peak memory, MB |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for tokenizer in tokenizers:
            for cores in [{min(every)}, every][:len(every)]:
                seconds, cpu, peak = prepare(options, corpus, tokenizer, cores)
                rate = options.megabytes / seconds
                print(f"| {tokenizer} | {len(cores)} | {seconds:.1f} | {rate:.1f} | {cpu:.1f} | "
                      f"{peak / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
