"""Values of lceval's JSON, and how a table writes them."""

import math


def value_at(value, path, where=None):
    """The value that "contexts.3.bits_per_byte" names; None where there is none.

    "sweep.*.perplexity" names the least of a list, or with where="memory" that value of the entry
    that has the least. Entries whose value is null, a loss that wasn't finite, don't count.
    """
    parts = path.split(".")
    for depth, part in enumerate(parts):
        if isinstance(value, list) and part == "*":
            rest = ".".join(parts[depth + 1 :])
            finite = [entry for entry in value if value_at(entry, rest) is not None]
            least = min(finite, key=lambda entry: value_at(entry, rest), default=None)
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


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def spread(values, digits):
    """Mean, and the range over seeds where there are several."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    mean = sum(values) / len(values)
    if len(values) == 1:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def bits(nats):
    return nats / math.log(2)


def perplexity(nats):
    """Infinite where a float can't hold it."""
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf


def unit_of(path, protocol):
    """What turns nats per token into the value at the path; None where tokens aren't enough."""
    if path == "bits_per_byte" and value_at(protocol, "tokenizer.type") == "byte":
        return bits
    return {"bits_per_token": bits, "perplexity": perplexity}.get(path)


def interval(measured, path, digits):
    """Of one result, in the unit of its value where the protocol has it or the tokens alone tell it.
    Values deeper in the JSON, such as a sweep's, are not what the interval is of."""
    protocol = measured.get("protocol")
    ends = [value_at(protocol, f"intervals.{end}") for end in ("nats_low", "nats_high")]
    if None in ends or "." in path:
        return "-"
    in_unit = [value_at(protocol, f"intervals.{path}_{end}") for end in ("low", "high")]
    if None not in in_unit:
        return " to ".join(f"{end:.{digits}f}" for end in in_unit)
    unit = unit_of(path, protocol)
    if unit is None:
        return f"{ends[0]:.3f} to {ends[1]:.3f} nats per token"
    return " to ".join(f"{unit(end):.{digits}f}" for end in ends)


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
