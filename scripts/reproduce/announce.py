"""What run_table.py says before it trains: what is trained, what is measured, what it costs."""

import os

from definitions import ROOT, asked, at_scale, config_path
from table import say


def cost(scale):
    if "cpu_minutes" in scale:
        least, most = scale["cpu_minutes"]
        return f"about {least} to {most} CPU minutes"
    return scale["cost"]


def announce(table, missing, different):
    scale = table.options.scale
    total = len(table.runs())
    todo = missing + different
    again = f" ({len(different)} of them defined otherwise than their results)" if different else ""
    say(
        f"{table.spec['title']} ({table.spec['source']}), {scale} scale: "
        f"{len(table.spec['cells'])} trainings x {table.seeds} seeds, {total - len(todo)} done, "
        f"{len(todo)} to do{again}. Cost of each: {cost(table.scale)}."
    )
    if table.scale.get("settings"):
        say("  all with " + table.filled(" ".join(table.scale["settings"])))
    for cell, seed in todo:
        settings = table.filled(" ".join(at_scale(cell.get("settings"), scale) or []))
        config = os.path.relpath(config_path(cell, scale), ROOT)
        say(f"  {cell['name']}, seed {seed}: {config} {settings}".rstrip())
    parts = asked(table.spec, "measures", scale) + asked(table.spec, "joint", scale)
    say("  then measured: " + "; ".join(part["name"] for part in parts))


def announce_sum(work):
    """Of pairs of a table and its runs to do."""
    minutes = [table.scale.get("cpu_minutes") for table, todo in work for _ in todo]
    text = f"Trainings to do: {len(minutes)}"
    if minutes and all(minutes):
        least, most = map(sum, zip(*minutes))
        text += f", about {least} to {most} CPU minutes, evaluations aside"
    say(text + ".")
