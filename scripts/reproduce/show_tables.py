"""From results/SCALE/TABLE/*.json to text: the paper's values beside ours.

Called by run_table.py for one table; as a program it writes every table that has results into
README.md of this folder, between its two marks. Results of another definition than the table's
are left out.
"""

import glob
import os
import sys

from definitions import HERE, at_scale, definition, made_from, read_json, read_table

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


def spread(values, digits):
    """Mean, and the range over seeds where there are several."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    mean = sum(values) / len(values)
    if len(values) == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def cell_table(spec, scale, found):
    """Of the cells with results: {name: results}."""
    measures = [
        measure
        for measure in spec.get("measures", [])
        if at_scale(measure["arguments"], scale) is not None
    ]
    published = [
        measure
        for measure in measures
        if any(measure["name"] in cell.get("paper", {}) for cell in spec["cells"])
    ]
    head = ["run"] + [measure["name"] for measure in measures]
    head += [f"paper: {measure['name']}" for measure in published]
    head += ["training tokens", "CPU seconds", "seeds"]
    rows = []
    for cell in spec["cells"]:
        results = found[cell["name"]]
        if not results:
            continue
        row = [cell.get("label", cell["name"])]
        for measure in measures:
            values = [
                result["measures"].get(measure["name"], {}).get("value") for result in results
            ]
            row.append(spread(values, measure.get("digits", 3)))
        row += [str(cell.get("paper", {}).get(measure["name"], "-")) for measure in published]
        tokens = [result["training_tokens"] for result in results if result["training_tokens"]]
        row.append(f"{tokens[0]:,}" if tokens else "-")
        row += [spread([result["cpu_seconds"] for result in results], 0), str(len(results))]
        rows.append(row)
    return markdown(head, rows) if rows else ""


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def value_at(value, path, where=None):
    """The value that "contexts.3.bits_per_byte" names; None where there is none.

    "sweep.*.perplexity" names the least of a list, or with where="memory" that value of the entry
    that has the least.
    """
    parts = path.split(".")
    for depth, part in enumerate(parts):
        if isinstance(value, list) and part == "*":
            rest = ".".join(parts[depth + 1 :])
            least = min(value, key=lambda entry: value_at(entry, rest), default=None)
            return value_at(least, where or rest)
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


def rows_at(value, path):
    """The entries of lists in lists.

    "runs/slices" gives every slice of every run, with what the run says of itself.
    """
    rows = [value]
    for part in path.split("/"):
        rows = [
            {**{key: value for key, value in row.items() if key != part}, **inner}
            for row in rows
            for inner in row.get(part) or []
        ]
    return rows


def comparison_line(name, result):
    difference = result["difference"]
    unit, low, high = "bits_per_byte", "bits_low", "bits_high"
    if difference.get(unit) is None:
        unit, low, high = "nats_per_token", "nats_low", "nats_high"
    return (
        f"- {name}: {difference[unit]:+.4f} {unit.replace('_', ' ')} "
        f"({difference[low]:+.4f} to {difference[high]:+.4f}), below zero: the first is better"
    )


def joint_text(spec, joint, scale, folder):
    lines = []
    for path, seed in numbered(folder, joint["name"]):
        result = read_json(path)
        if result.get("made_from") != made_from(spec, joint, scale, seed):
            left_out(path)
            continue
        if "difference" in result:
            lines.append(
                comparison_line(f"{joint.get('label', joint['name'])}, seed {seed}", result)
            )
        label = f"{joint.get('label', joint['name'])}, seed {seed}"
        picture = path[:-5] + ".svg"
        if os.path.exists(picture):
            lines += ["", f"{label}:", "", f"![{label}]({os.path.relpath(picture, HERE)})"]
        rows = rows_at(result, joint["rows"]) if "rows" in joint else []
        if rows:
            columns = joint["columns"]
            cells = [[shown(value_at(row, column)) for column in columns] for row in rows]
            lines += ["", f"{label}:", ""]
            lines.append(markdown([column.replace("_", " ") for column in columns], cells))
    return "\n".join(lines)


def table_text(name, scale, results):
    spec = read_table(name)
    if scale not in spec["scales"]:
        return ""
    folder = os.path.join(results, scale, name)
    found = {cell["name"]: results_of(spec, scale, folder, cell) for cell in spec["cells"]}
    parts = [cell_table(spec, scale, found)]
    parts += [joint_text(spec, joint, scale, folder) for joint in spec.get("joint", [])]
    parts = [part for part in parts if part]
    if not parts:
        return ""
    made = sorted(
        {
            f"{result['version'][0]}; {result['machine']}"
            for of_cell in found.values()
            for result in of_cell
        }
    )
    head = [f"### {spec['title']}", f"{spec['source']}. The paper: {spec['claim']}"]
    if spec.get("found", {}).get(scale):
        head.append("Here: " + spec["found"][scale])
    head.append(
        f"`scripts/reproduce/{spec['script']} --{scale}`, made with " + "; ".join(made) + "."
    )
    return "\n\n".join(["\n".join(head)] + parts) + "\n"


def all_tables(results):
    texts = []
    for scale in ("paper", "desk"):
        for path in sorted(glob.glob(os.path.join(HERE, "tables", "*.json"))):
            text = table_text(os.path.basename(path)[:-5], scale, results)
            if text:
                texts.append(text)
    return "\n".join(texts)


def main(readme):
    with open(readme, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(readme, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + all_tables(os.path.join(HERE, "results")) + END + after)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "README.md"))
