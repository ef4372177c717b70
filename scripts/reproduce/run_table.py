"""Trains and evaluates what a published table compares: the work behind scripts/reproduce/*.sh.

A table is a file tables/NAME.json:

  title, source   what it is and where it was published
  claim           the ordering that the paper reports, in words
  paper           what the paper has beside the published values of the cells: a sentence, or
                  {"head": [...], "rows": [[...]]}
  found           by scale, an honest word on what was found, written by hand after the runs
  scales          for "desk" and "paper": {"settings": [...], "seeds": N, "cpu_minutes":
                  [least, most] or "cost": "..."}; settings are key=value for every training, and
                  the costs those of one training
  cells           what is trained: {"name", "label", "config" (one for each scale), "settings",
                  "evaluation", "paper"}; "evaluation" are more arguments of each of its measures,
                  "paper" the published values by the name of the measure
  measures        of each trained cell, or of "cells": {"name", "arguments" of lceval, "value" (path
                  in its JSON)}; cells with "memory": false are left out of those marked
                  "of_memory", and take "memoryless" for "arguments" of those that have it
  joint           of cells together: {"name", "label", "cells", "arguments"}; "rows" and "columns"
                  name a list in the JSON that is shown, "plot" asks for the SVG, "paper" is what
                  the paper has for it

A cell's settings and evaluation and the arguments of measures and joints are lists, or {"desk":
[...], "paper": [...]}; a measure or joint without the scale isn't made there.

{data} in a setting stands for the folder of --data, {runs} and {checkpoints} in arguments for the
folders of the cells, the latter each behind --checkpoint.

Each finished cell is a small JSON file in results/SCALE/NAME/, so that work stops and goes on
anywhere: a cell with a file is not trained again, and a training that was cut off goes on from its
checkpoint. In such a file {out}, {data} and {reports} stand for folders of the machine. It has a
hash of what the cell is (definitions.py); where table or config have changed since, nothing is
started until --again, or the file's removal, says that the cell is to be trained anew.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import show_tables
from announce import announce, announce_sum
from definitions import (
    HERE,
    ROOT,
    asked,
    cells_of,
    config_path,
    made_from,
    measures_of,
    read_json,
    read_table,
    settings_of,
)
from table import (
    Failure,
    say,
    write_text,
    read_text,
    remove,
    machine,
    table_names,
    Table,
    USAGE,
    DATA,
    RESUMABLE,
    GO_ON,
)
from values import value_at


def call(command, log, spent=None):
    """The output of a program. Its messages go to the log, its CPU seconds to the file spent,
    however it ends."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "a", encoding="utf-8") as messages:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, text=True)
        try:
            output = process.stdout.read()
        finally:
            _, status, used = os.wait4(process.pid, 0)  # of this process alone
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stdout.close()
            if spent:
                with open(spent, "a", encoding="utf-8") as file:
                    file.write(f"{used.ru_utime + used.ru_stime:.3f}\n")
    if process.returncode == RESUMABLE:
        raise Failure(RESUMABLE, f"{command[0]} was stopped; {GO_ON}")
    if process.returncode != 0:
        raise Failure(
            1, f"{os.path.basename(command[0])} ended with code {process.returncode}; see {log}"
        )
    return output


def trained_tokens(folder):
    """How many tokens the run's log says at its end."""
    last = {}
    with open(os.path.join(folder, "metrics.jsonl"), encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if "tokens" in entry:
                last = entry
    return last.get("tokens")


def make_way(table, cell, seed):
    """A run of another definition is moved aside, so that it isn't gone on with."""
    folder = table.folder(cell, seed)
    defined = table.definition(cell)
    if os.path.isdir(folder) and read_text(folder + ".definition") != defined:
        number = 1
        while os.path.exists(f"{folder}.old{number}"):
            number += 1
        say(
            f"{table.name}: {folder} is a run of another definition of {cell['name']}; moved to "
            f"{folder}.old{number}"
        )
        os.replace(folder, f"{folder}.old{number}")
    if not os.path.isdir(folder):
        remove(folder + ".cpu_seconds")
    write_text(folder + ".definition", defined)


def forget_joints(table, cell, seed):
    """Those made from an earlier training of the cell."""
    for joint in table.spec.get("joint", []):
        if cell in cells_of(table.spec, joint):
            remove(table.result(f"{joint['name']}.seed{seed}"))


def run_cell(table, cell, seed):
    target = table.result_of(cell, seed)
    folder = table.folder(cell, seed)
    log = folder + ".log"
    spent_file = folder + ".cpu_seconds"
    make_way(table, cell, seed)
    say(f"{table.name}: training {cell['name']}, seed {seed}")
    defined = table.definition(cell)
    call(table.training(cell, seed, folder), log, spent_file)
    spent = sum(float(line) for line in read_text(spent_file).split())
    measured, evaluated = {}, {}
    for measure, arguments in measures_of(table.spec, cell, table.options.scale):
        key = json.dumps(arguments)
        if key not in evaluated:
            evaluated[key] = json.loads(call(table.evaluation(arguments, [folder]), log))
        found = evaluated[key]
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
    forget_joints(table, cell, seed)
    table.write_result(
        target,
        {
            "table": table.name,
            "cell": cell["name"],
            "seed": seed,
            "scale": table.options.scale,
            "definition": defined,
            "config": os.path.relpath(config_path(cell, table.options.scale), ROOT),
            "settings": settings_of(table.spec, cell, table.options.scale),
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


def run_joint(table, joint, seed):
    """Over all its cells of that seed."""
    origin = made_from(table.spec, joint, table.options.scale, seed)
    target = table.result(f"{joint['name']}.seed{seed}")
    if os.path.exists(target) and read_json(target).get("made_from") == origin:
        return
    cells = cells_of(table.spec, joint)
    folders = [table.folder(cell, seed) for cell in cells]
    for cell, folder in zip(cells, folders):
        if not os.path.isdir(folder) or read_text(folder + ".definition") != table.definition(cell):
            say(
                f"{table.name}: {joint['name']}, seed {seed}, is not made: the run of "
                f"{cell['name']} is not in {folder}"
            )
            return
    say(f"{table.name}: {joint['name']}, seed {seed}")
    with tempfile.TemporaryDirectory() as reports:
        arguments = origin["arguments"] + (["--out", reports] if joint.get("plot") else [])
        output = call(
            table.evaluation(arguments, folders),
            os.path.join(os.path.dirname(folders[0]), joint["name"] + ".log"),
        )
        plots = [
            read_text(os.path.join(reports, name))
            for name in sorted(os.listdir(reports))
            if name.endswith(".svg")
        ]
    picture = target[:-5] + ".svg"
    if plots:
        write_text(picture, plots[0])
    else:
        remove(picture)
    table.write_result(target, {**json.loads(output), "made_from": origin}, reports)


def each(pool_size, work, tasks):
    """The outcomes of work for the tasks, so many at a time; after a failure or Ctrl-C none begins,
    and those that run are waited for."""
    stop = threading.Event()

    def guarded(task):
        if stop.is_set():
            return None
        try:
            return work(*task)
        except BaseException:
            stop.set()
            raise

    with concurrent.futures.ThreadPoolExecutor(pool_size) as pool:
        futures = [pool.submit(guarded, task) for task in tasks]
        try:
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            stop.set()  # the programs had the signal too
            raise
    return [future.result() for future in futures]


def refusal(table, cell, seed):
    """What lctrain says against the cell, with its exit code; None if nothing."""
    command = table.training(cell, seed, table.folder(cell, seed) + ".check")
    done = subprocess.run(
        command + ["--dry-run", "--quiet"], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return None
    if done.returncode == RESUMABLE:
        raise Failure(RESUMABLE, f"{command[0]} was stopped; {GO_ON}")
    return done.returncode, f"{table.name}, {cell['name']}: {done.stderr.strip()}"


def check(work, jobs):
    """Every cell, before the first of them is trained."""
    cells = {}
    for table, todo in work:
        for cell, seed in todo:
            cells.setdefault((table.name, cell["name"]), (table, cell, seed))
    if not cells:
        return
    say(f"checking {len(cells)} trainings")
    refusals = [found for found in each(jobs, refusal, cells.values()) if found]
    for _, text in refusals:
        say(text)
    if refusals:
        missing = all(code == DATA for code, _ in refusals)
        raise Failure(
            DATA if missing else USAGE,
            f"{len(refusals)} of {len(cells)} trainings are refused, so none is started",
        )


def run(table, todo):
    each(table.options.jobs, run_cell, [(table, cell, seed) for cell, seed in todo])
    for joint in asked(table.spec, "joint", table.options.scale):
        for seed in range(1, table.seeds + 1):
            run_joint(table, joint, seed)


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
        "--again",
        action="store_true",
        help="train anew what is defined otherwise than its result",
    )
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
        raise Failure(USAGE, "--jobs and --seeds take whole numbers from 1 on")
    return options


def asked_tables(options):
    for name in options.tables:
        scales = read_table(name)["scales"]
        if options.scale in scales:
            yield Table(name, options)
        else:
            say(f"{name} has no {options.scale} scale, only {' and '.join(scales)}; left out.")


def main(arguments):
    options = parse(arguments)
    work, otherwise = [], []
    for table in asked_tables(options):
        missing, different = table.todo()
        announce(table, missing, different)
        work.append((table, missing + different))
        otherwise += [table.result_of(cell, seed) for cell, seed in different]
    announce_sum(work)
    if otherwise and not options.again:
        raise Failure(
            USAGE,
            "these results are of another definition than table and config have now; --again "
            "trains them anew, and so does deleting the files:\n  " + "\n  ".join(otherwise),
        )
    if options.dry_run:
        return
    check(work, options.jobs)
    for table, todo in work:
        run(table, todo)
        found = show_tables.Found(table.name, options.scale, options.results)
        print(show_tables.table_text(found), flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failure as failure:
        say(f"{os.path.basename(sys.argv[0])}: {failure}")
        sys.exit(failure.code)
    except KeyboardInterrupt:
        say(f"{os.path.basename(sys.argv[0])}: stopped; {GO_ON}")
        sys.exit(RESUMABLE)
