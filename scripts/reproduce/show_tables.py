"""From results/SCALE/TABLE/*.json to text: the paper's values beside ours.

Called by run_table.py for one table; as a program it writes every table that has results into
README.md of this folder, between its two marks. Results of another definition than the table's
are left out.
"""

import glob
import os
import sys

from definitions import HERE, asked, definition, made_from, read_json, read_table, settings_of
from table import table_names
from values import interval, markdown, rows_at, shown, spread, value_at

BEGIN = "<!-- tables: made by show_tables.py from results/ -->"
END = "<!-- end of tables -->"


def numbered(folder, name):
    """The files of a name, with their seeds."""
    for path in sorted(glob.glob(os.path.join(folder, name + ".seed*.json"))):
        yield path, int(path.rsplit(".seed", 1)[1].removesuffix(".json"))


def left_out(path):
    print(f"{path} has another definition than the table and is left out", file=sys.stderr)


def results_of(spec, scale, folder, cell):
    defined = definition(spec, cell, scale)
    results = []
    for path, _ in numbered(folder, cell["name"]):
        result = read_json(path)
        if result.get("definition") == defined:
            results.append(result)
        else:
            left_out(path)
    return results


class Found:
    """What the results say of a table at one scale."""

    def __init__(self, name, scale, results):
        self.spec = read_table(name)
        self.scale = scale
        self.folder = os.path.join(results, scale, name)
        self.of_cell = {
            cell["name"]: results_of(self.spec, scale, self.folder, cell)
            for cell in self.spec["cells"]
        }

    def results(self):
        return [result for results in self.of_cell.values() for result in results]


def measured(measure, result):
    return result["measures"].get(measure["name"], {})


def value_column(measure):
    def text(_, results):
        values = [measured(measure, result).get("value") for result in results]
        return spread(values, measure.get("digits", 3))

    return measure["name"], text


def interval_column(measure):
    """Of cells with one seed; several show how far they spread themselves."""

    def text(_, results):
        if len(results) > 1:
            return "-"
        return interval(measured(measure, results[0]), measure["value"], measure.get("digits", 3))

    return "95% interval", text


def published_column(measure):
    name = measure["name"]
    return f"paper: {name}", lambda cell, _: str(cell.get("paper", {}).get(name, "-"))


def training_tokens(_, results):
    tokens = [result["training_tokens"] for result in results if result["training_tokens"]]
    return f"{tokens[0]:,}" if tokens else "-"


def cpu_seconds(_, results):
    return spread([result["cpu_seconds"] for result in results], 0)


def columns(measures):
    """Pairs of a head and what makes the text from a cell and its results."""
    yield "run", lambda cell, _: cell.get("label", cell["name"])
    for measure in measures:
        yield value_column(measure)
        yield interval_column(measure)
    for measure in measures:
        yield published_column(measure)
    yield "training tokens", training_tokens
    yield "CPU seconds", cpu_seconds
    yield "seeds", lambda _, results: str(len(results))


def cell_table(found):
    """Of the cells with results. Intervals and published values have a column if there are any."""
    rows = [(cell, found.of_cell[cell["name"]]) for cell in found.spec["cells"]]
    rows = [(cell, results) for cell, results in rows if results]
    if not rows:
        return ""
    measures = asked(found.spec, "measures", found.scale)
    names = [measure["name"] for measure in measures]
    filled = []
    for head, text in columns(measures):
        column = [text(cell, results) for cell, results in rows]
        if head in names or set(column) != {"-"}:
            filled.append([head] + column)
    head, *texts = zip(*filled)
    return markdown(head, texts)


def comparison_line(name, result):
    difference = result["difference"]
    unit, low, high = "bits_per_byte", "bits_low", "bits_high"
    if difference.get(unit) is None:
        unit, low, high = "nats_per_token", "nats_low", "nats_high"
    value, ends = difference.get(unit), [difference.get(low), difference.get(high)]
    if value is None:
        return f"- {name}: none, since a loss wasn't finite"
    spread_text = "too few blocks for an interval"
    if None not in ends:
        spread_text = f"{ends[0]:+.4f} to {ends[1]:+.4f}"
    return (
        f"- {name}: {value:+.4f} {unit.replace('_', ' ')} ({spread_text}), below zero: the first "
        "is better"
    )


def paper_text(part):
    """What the paper has for a joint, or for the whole table beside its cells."""
    paper = part.get("paper", "")
    if isinstance(paper, dict):
        return "The paper:\n\n" + markdown(paper["head"], paper["rows"])
    return paper and "The paper: " + paper


def joint_lines(joint, result, label, picture):
    """Of one seed."""
    lines = []
    if "difference" in result:
        lines.append(comparison_line(label, result))
    if os.path.exists(picture):
        lines += ["", f"{label}:", "", f"![{label}]({os.path.relpath(picture, HERE)})"]
    rows = rows_at(result, joint["rows"]) if "rows" in joint else []
    if rows:
        names = joint["columns"]
        cells = [[shown(value_at(row, name)) for name in names] for row in rows]
        lines += ["", f"{label}:", ""]
        lines.append(markdown([name.replace("_", " ") for name in names], cells))
    return lines


def joint_text(found, joint):
    lines = []
    for path, seed in numbered(found.folder, joint["name"]):
        result = read_json(path)
        if result.get("made_from") != made_from(found.spec, joint, found.scale, seed):
            left_out(path)
            continue
        label = f"{joint.get('label', joint['name'])}, seed {seed}"
        lines += joint_lines(joint, result, label, path[:-5] + ".svg")
    paper = paper_text(joint)
    if lines and paper:
        lines += ["", paper]
    return "\n".join(lines).strip("\n")


def texts_line(spec, scale):
    """The settings that name a part of the data folder."""
    settings = [text for cell in spec["cells"] for text in settings_of(spec, cell, scale)]
    texts = [f"`{text.replace('{data}/', '')}`" for text in settings if "={data}/" in text]
    return f"Texts: {', '.join(dict.fromkeys(texts))}." if texts else ""


def head_text(found):
    spec, results = found.spec, found.results()
    versions = ", ".join(sorted({result["version"][0] for result in results}))
    machines = ", ".join(sorted({result["machine"] for result in results}))
    lines = [
        f"### {spec['title']}",
        f"{spec['source']}. The paper: {spec['claim']}",
        texts_line(spec, found.scale),
        f"`scripts/reproduce/{spec['script']} --{found.scale}`, made with {versions}; {machines}.",
    ]
    return "\n".join(line for line in lines if line)


def table_text(found):
    cells = cell_table(found)
    joints = [joint_text(found, joint) for joint in found.spec.get("joint", [])]
    if not cells and not any(joints):
        return ""
    said = found.spec.get("found", {}).get(found.scale)
    parts = [head_text(found), cells, paper_text(found.spec), *joints, said and "Here: " + said]
    return "\n\n".join(part for part in parts if part) + "\n"


def sum_line(scale, results):
    seconds = sum(result["cpu_seconds"] for result in results)
    return (
        f"Trainings of all tables of `--{scale}`: {len(results)}, with {seconds:,} CPU seconds "
        f"({seconds / 3600:.1f} hours), evaluations aside.\n"
    )


def scale_text(scale, results):
    """Of the tables that have results, and what their trainings took together."""
    every = [
        Found(name, scale, results) for name in table_names() if scale in read_table(name)["scales"]
    ]
    texts = [text for text in map(table_text, every) if text]
    if texts:
        texts.append(sum_line(scale, [result for found in every for result in found.results()]))
    return "\n".join(texts)


def all_tables(results):
    texts = [scale_text(scale, results) for scale in ("paper", "desk")]
    return "\n".join(text for text in texts if text)


def main(readme):
    with open(readme, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(readme, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + all_tables(os.path.join(HERE, "results")) + END + after)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "README.md"))
