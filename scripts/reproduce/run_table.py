"""Trains and evaluates what a published table compares: the work behind scripts/reproduce/*.sh.

A table is a file tables/NAME.json:

  title, source   what it is and where it was published
  claim           the ordering that the paper reports, in words
  scales          for "desk" and "paper": {"settings": [...], "cost": "..."}; settings are key=value
                  for every training, cost is what to expect of one training
  cells           what is trained: {"name", "label", "config" (one for each scale), "settings",
                  "paper"}; the last gives the published values by the name of the measure
  measures        of each trained cell: {"name", "arguments" of lceval, "value" (path in its JSON)};
                  those marked "of_memory" leave out cells with "memory": false
  joint           of cells together: {"name", "label", "cells", "arguments"}; "rows" and "columns"
                  name a list in the JSON that is shown, "plot" asks for the SVG

{data} in a setting stands for the folder of --data, {runs} and {checkpoints} in arguments for the
folders of the cells, the latter each behind --checkpoint. Each finished cell is a small JSON
file in results/SCALE/NAME/, so that work stops and goes on anywhere: a cell with a file is not
trained again, and a training that was cut off goes on from its checkpoint.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import show_tables
from show_tables import read_json, value_at

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESUMABLE = 75


class Failure(Exception):
    """One sentence for the user, with the exit code: 1 failed, 2 usage, 3 data missing."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def say(text):
    print(text, file=sys.stderr, flush=True)


def write_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(partial, path)


def machine():
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [
                line.split(":", 1)[1].strip() for line in file if line.startswith("model name")
            ]
        name = names[0] if names else name
    except OSError:
        pass
    return f"{name}, one thread"


def table_names():
    folder = os.path.join(HERE, "tables")
    return sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))


class Table:
    """A table at one scale: its cells times seeds, their folders and results."""

    def __init__(self, name, options):
        self.name = name
        self.spec = read_json(os.path.join(HERE, "tables", name + ".json"))
        self.options = options
        if options.scale not in self.spec["scales"]:
            raise Failure(
                2,
                f"{name} has no {options.scale} scale; it has " + " and ".join(self.spec["scales"]),
            )
        self.scale = self.spec["scales"][options.scale]
        self.seeds = options.seeds or self.scale.get("seeds", 1)

    def runs(self):
        return [(cell, seed) for seed in range(1, self.seeds + 1) for cell in self.spec["cells"]]

    def folder(self, cell, seed):
        return os.path.join(
            self.options.out, self.options.scale, self.name, f"{cell['name']}.seed{seed}"
        )

    def result(self, name):
        return os.path.join(self.options.results, self.options.scale, self.name, name + ".json")

    def result_of(self, cell, seed):
        return self.result(f"{cell['name']}.seed{seed}")

    def filled(self, text):
        return text.replace("{data}", self.options.data)

    def program(self, name):
        path = os.path.join(self.options.bin, name)
        if not os.access(path, os.X_OK):
            raise Failure(
                2,
                f"there is no program {path}; build it with scripts/test.sh or name its "
                "folder with --bin",
            )
        return path

    def config(self, cell):
        config = cell["config"]
        return os.path.join(ROOT, config if isinstance(config, str) else config[self.options.scale])

    def settings(self, cell, seed):
        settings = self.scale.get("settings", []) + cell.get("settings", [])
        return [self.filled(setting) for setting in settings] + [
            f"run.seed={seed}",
            f"run.name={cell['name']}",
            "run.threads=1",
            f"run.out_dir={self.folder(cell, seed)}",
        ]

    def training(self, cell, seed):
        command = [self.program("lctrain"), "--config", self.config(cell)]
        for setting in self.settings(cell, seed):
            command += ["--set", setting]
        return command

    def evaluation(self, arguments, folders):
        command = [self.program("lceval")]
        for argument in arguments:
            if argument == "{runs}":
                command += folders
            elif argument == "{checkpoints}":
                for folder in folders:
                    command += ["--checkpoint", folder]
            else:
                command.append(self.filled(argument))
        return command + ["--json", "--threads", "1", "--quiet"]


def call(command, log):
    """The output and the CPU seconds of a program; its messages go to the log."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "a", encoding="utf-8") as messages:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, text=True)
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)  # of this process alone
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == RESUMABLE:
        raise Failure(RESUMABLE, f"{command[0]} was stopped; run the same again to go on")
    if process.returncode != 0:
        raise Failure(
            1, f"{os.path.basename(command[0])} ended with code {process.returncode}; see {log}"
        )
    return output, used.ru_utime + used.ru_stime


def trained_tokens(folder):
    """How many tokens the run's log says at its end."""
    last = {}
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if "tokens" in entry:
                last = entry
    return last.get("tokens")


def run_cell(table, cell, seed):
    target = table.result_of(cell, seed)
    folder = table.folder(cell, seed)
    log = folder + ".log"
    spent_file = folder + ".cpu_seconds"
    say(f"{table.name}: training {cell['name']}, seed {seed}")
    _, seconds = call(table.training(cell, seed), log)
    with open(spent_file, "a", encoding="utf-8") as file:
        file.write(f"{seconds:.1f}\n")
    with open(spent_file, encoding="utf-8") as file:
        spent = sum(float(line) for line in file)
    measured, evaluated = {}, {}
    for measure in table.spec.get("measures", []):
        if measure.get("of_memory") and not cell.get("memory", True):
            continue
        arguments = json.dumps(measure["arguments"])
        if arguments not in evaluated:
            output, _ = call(table.evaluation(measure["arguments"], [folder]), log)
            evaluated[arguments] = json.loads(output)
        found = evaluated[arguments]
        measured[measure["name"]] = {
            "value": value_at(found, measure["value"], measure.get("where")),
            "protocol": found.get("protocol"),
        }
    version = (
        subprocess.run(
            [table.program("lctrain"), "--version"], stdout=subprocess.PIPE, text=True, check=True
        )
        .stdout.strip()
        .splitlines()
    )
    write_json(
        target,
        {
            "table": table.name,
            "cell": cell["name"],
            "seed": seed,
            "scale": table.options.scale,
            "config": os.path.relpath(table.config(cell), ROOT),
            "settings": [
                setting for setting in table.scale.get("settings", []) + cell.get("settings", [])
            ],
            "version": version,
            "machine": machine(),
            "cpu_seconds": round(spent),
            "training_tokens": trained_tokens(folder),
            "measures": measured,
            "finished": time.strftime("%Y-%m-%d", time.gmtime()),
        },
    )
    say(
        f"{table.name}: {cell['name']}, seed {seed}: {spent:.0f} CPU seconds; wrote "
        f"{os.path.relpath(target, ROOT)}"
    )


def run_joint(table, joint):
    """For each seed, over all cells of that seed."""
    for seed in range(1, table.seeds + 1):
        target = table.result(f"{joint['name']}.seed{seed}")
        folders = [
            table.folder(cell, seed)
            for cell in table.spec["cells"]
            if cell["name"] in joint.get("cells", [cell["name"]])
        ]
        if os.path.exists(target) or not all(os.path.isdir(folder) for folder in folders):
            continue
        say(f"{table.name}: {joint['name']}, seed {seed}")
        with tempfile.TemporaryDirectory() as reports:
            arguments = joint["arguments"] + (["--out", reports] if joint.get("plot") else [])
            output, _ = call(
                table.evaluation(arguments, folders),
                os.path.join(os.path.dirname(folders[0]), joint["name"] + ".log"),
            )
            plots = [name for name in sorted(os.listdir(reports)) if name.endswith(".svg")]
            if plots:
                with open(os.path.join(reports, plots[0]), encoding="utf-8") as file:
                    plot = file.read()
        write_json(target, json.loads(output))
        if plots:
            with open(target[:-5] + ".svg", "w", encoding="utf-8") as file:
                file.write(plot)


def announce(table, todo):
    total = len(table.runs())
    say(
        f"{table.spec['title']} ({table.spec['source']}), {table.options.scale} scale: "
        f"{len(table.spec['cells'])} trainings x {table.seeds} seeds, {total - len(todo)} done, "
        f"{len(todo)} to do. Each: {table.scale['cost']}."
    )
    for cell, seed in todo:
        settings = " ".join(cell.get("settings", []))
        say(
            f"  {cell['name']}, seed {seed}: {os.path.relpath(table.config(cell), ROOT)} {settings}"
        )


def run(table):
    todo = [
        (cell, seed)
        for cell, seed in table.runs()
        if not os.path.exists(table.result_of(cell, seed))
    ]
    announce(table, todo)
    if table.options.dry_run:
        return
    with concurrent.futures.ThreadPoolExecutor(table.options.jobs) as pool:
        try:
            for future in [pool.submit(run_cell, table, cell, seed) for cell, seed in todo]:
                future.result()
        except Failure:
            pool.shutdown(cancel_futures=True)
            raise
    for joint in table.spec.get("joint", []):
        run_joint(table, joint)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="run_table.py",
        description="Trains and evaluates what a "
        "published table compares, and prints it beside the paper's.",
    )
    parser.add_argument(
        "tables", nargs="+", choices=table_names(), metavar="TABLE", help=", ".join(table_names())
    )
    scale = parser.add_mutually_exclusive_group()
    scale.add_argument(
        "--desk",
        dest="scale",
        action="store_const",
        const="desk",
        default="desk",
        help="small models on pieces of the corpora, minutes each (the default)",
    )
    scale.add_argument(
        "--paper",
        dest="scale",
        action="store_const",
        const="paper",
        help="as published; for clusters",
    )
    parser.add_argument("--seeds", type=int, help="trainings of each cell (what the table says)")
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time (1)")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be done and what it costs"
    )
    parser.add_argument(
        "--data",
        default=os.environ.get("LC_DATA_DIR", os.path.join(ROOT, "data")),
        help="folder of the corpora (LC_DATA_DIR, or data/)",
    )
    parser.add_argument(
        "--out",
        default=os.path.join(ROOT, "runs", "reproduce"),
        help="folder of the runs (runs/reproduce)",
    )
    parser.add_argument(
        "--results",
        default=os.path.join(HERE, "results"),
        help="folder of the finished results (scripts/reproduce/results)",
    )
    parser.add_argument(
        "--bin",
        default=os.environ.get("BIN", os.path.join(ROOT, "build/release/bin")),
        help="folder of the programs (BIN, or build/release/bin)",
    )
    options = parser.parse_args(arguments)
    for key in ("data", "out", "results", "bin"):
        setattr(options, key, os.path.abspath(getattr(options, key)))
    if options.jobs < 1 or (options.seeds is not None and options.seeds < 1):
        raise Failure(2, "--jobs and --seeds take whole numbers from 1 on")
    return options


def main(arguments):
    options = parse(arguments)
    for name in options.tables:
        table = Table(name, options)
        run(table)
        if not options.dry_run:
            print(show_tables.table_text(name, options.scale, options.results))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failure as failure:
        say(f"{os.path.basename(sys.argv[0])}: {failure}")
        sys.exit(failure.code)
