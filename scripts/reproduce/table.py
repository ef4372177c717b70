"""A table at one scale, with the folders, files and commands of its trainings; and how its scripts
speak, fail and write files."""

import json
import os
import platform
import sys

from definitions import HERE, config_path, definition, read_json, read_table, settings_of

USAGE, DATA, RESUMABLE = 2, 3, 75
GO_ON = "run the same again to go on"


class Failure(Exception):
    """One sentence for the user, with the exit code: 1 failed, 2 usage, 3 data missing."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def say(text):
    print(text + "\n", end="", file=sys.stderr, flush=True)  # one write: threads speak in turn


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(partial, path)


def write_json(path, value):
    write_text(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def read_text(path):
    """Empty where there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def remove(path):
    if os.path.exists(path):
        os.remove(path)


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
        self.spec = read_table(name)
        self.options = options
        self.scale = self.spec["scales"][options.scale]
        self.seeds = options.seeds or self.scale.get("seeds", 1)

    def runs(self):
        return [(cell, seed) for seed in range(1, self.seeds + 1) for cell in self.spec["cells"]]

    def definition(self, cell):
        return definition(self.spec, cell, self.options.scale)

    def todo(self):
        """Runs without a result, and those whose result is of another definition."""
        missing, different = [], []
        for cell, seed in self.runs():
            path = self.result_of(cell, seed)
            if not os.path.exists(path):
                missing.append((cell, seed))
            elif read_json(path).get("definition") != self.definition(cell):
                different.append((cell, seed))
        return missing, different

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

    def write_result(self, path, value, reports=""):
        """With folders of this machine by name, so that the file says the same anywhere."""
        text = json.dumps(value)
        folders = {"{out}": self.options.out, "{data}": self.options.data, "{reports}": reports}
        for name, folder in folders.items():
            if folder:
                text = text.replace(json.dumps(folder)[1:-1], name)
        write_json(path, json.loads(text))

    def program(self, name):
        path = os.path.join(self.options.bin, name)
        if not os.access(path, os.X_OK):
            raise Failure(
                USAGE,
                f"there is no program {path}; build it with scripts/test.sh or name its "
                "folder with --bin",
            )
        return path

    def training(self, cell, seed, folder):
        command = [self.program("lctrain"), "--config", config_path(cell, self.options.scale)]
        settings = settings_of(self.spec, cell, self.options.scale)
        for setting in [self.filled(setting) for setting in settings] + [
            f"run.seed={seed}",
            f"run.name={cell['name']}",
            "run.threads=1",
            f"run.out_dir={folder}",
        ]:
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
