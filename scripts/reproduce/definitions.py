"""What a table of tables/ asks for at a scale, and the hash that tells results of one definition from
those of another."""

import hashlib
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_table(name):
    return read_json(os.path.join(HERE, "tables", name + ".json"))


def at_scale(value, scale):
    """The list itself, or the scale's of {"desk": [...], "paper": [...]}; None where it has none."""
    return value.get(scale) if isinstance(value, dict) else value


def config_path(cell, scale):
    return os.path.join(ROOT, at_scale(cell["config"], scale))


def settings_of(spec, cell, scale):
    """What stands above the config file, {data} unfilled."""
    return spec["scales"][scale].get("settings", []) + (at_scale(cell.get("settings"), scale) or [])


def asked(spec, kind, scale):
    """The table's "measures", or its "joint" ones, that the scale has arguments for."""
    return [part for part in spec.get(kind, []) if at_scale(part["arguments"], scale) is not None]


def cells_of(spec, part):
    """The cells of a measure or joint: those it names, or all."""
    names = part.get("cells", [cell["name"] for cell in spec["cells"]])
    return [cell for cell in spec["cells"] if cell["name"] in names]


def measures_of(spec, cell, scale):
    """The measures of this cell, each with its arguments and those of the cell's own evaluation."""
    memory = cell.get("memory", True)
    found = []
    for measure in spec.get("measures", []):
        if cell not in cells_of(spec, measure) or (measure.get("of_memory") and not memory):
            continue
        key = "arguments" if memory or "memoryless" not in measure else "memoryless"
        arguments = at_scale(measure[key], scale)
        if arguments is not None:
            found.append((measure, arguments + (at_scale(cell.get("evaluation"), scale) or [])))
    return found


def definition(spec, cell, scale):
    with open(config_path(cell, scale), encoding="utf-8") as file:
        config = file.read()
    measures = [
        [measure["name"], arguments, measure["value"], measure.get("where")]
        for measure, arguments in measures_of(spec, cell, scale)
    ]
    whole = json.dumps([config, settings_of(spec, cell, scale), measures])
    return hashlib.sha256(whole.encode("utf-8")).hexdigest()


def made_from(spec, joint, scale, seed):
    """What a joint result comes from; one with anything else in it is another result."""
    return {
        "arguments": at_scale(joint["arguments"], scale),
        "cells": {cell["name"]: definition(spec, cell, scale) for cell in cells_of(spec, joint)},
        "seed": seed,
    }
