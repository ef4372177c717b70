"""scripts/reproduce: what the tables ask for, and how their results are shown."""

import os
import shutil
import subprocess
import unittest

from reproduce_case import FOLDER, ROOT, ReproduceCase, read

import definitions
import show_tables
import table
import values


class Tables(unittest.TestCase):
    def for_each_table(self, check):
        for name in table.table_names():
            with self.subTest(table=name):
                check(definitions.read_table(name))

    def test_every_table_at_its_scales(self):
        self.for_each_table(self.check_scales)

    def check_scales(self, spec):
        names = [cell["name"] for cell in spec["cells"]]
        for part in spec["measures"] + spec.get("joint", []):
            self.assertLessEqual(set(part.get("cells", [])), set(names))
        for scale in spec["scales"]:
            for cell in spec["cells"]:
                self.check_positions(spec, cell, scale)
                self.assertEqual(len(definitions.definition(spec, cell, scale)), 64)
                self.assertTrue(definitions.measures_of(spec, cell, scale))

    def check_positions(self, spec, cell, scale):
        """Of compressed slots, "separate" ones need a scheme with a projection."""
        model = read(definitions.config_path(cell, scale))["model"]
        settings = definitions.settings_of(spec, cell, scale)
        if "model.type=compressive" in settings and model["positions"]["scheme"] == "rotary":
            self.assertIn("model.compressive.compressed_positions=distance", settings)

    def test_what_the_paper_has_stands_beside_it(self):
        self.for_each_table(self.check_paper)

    def check_paper(self, spec):
        for joint in spec.get("joint", []):
            self.assertEqual("paper" in joint, "(paper: " in joint.get("label", ""))
        for part in [spec] + spec.get("joint", []):
            paper = part.get("paper")
            for row in paper["rows"] if isinstance(paper, dict) else []:
                self.assertEqual(len(row), len(paper["head"]))

    def test_words_on_what_was_found(self):
        self.for_each_table(self.check_found)

    def check_found(self, spec):
        for scale, text in spec.get("found", {}).items():
            self.assertIn(scale, spec["scales"])
            self.assertIsInstance(text, str)

    def test_the_budget_of_the_desk(self):
        minutes = trainings = 0
        for name in table.table_names():
            spec = definitions.read_table(name)
            if desk := spec["scales"].get("desk"):
                trainings += len(spec["cells"]) * desk["seeds"]
                minutes += len(spec["cells"]) * desk["seeds"] * desk["cpu_minutes"][1]
        self.assertEqual(trainings, 41)  # as README.md says
        self.assertLessEqual(minutes, 600)


class Shown(ReproduceCase):
    def test_results_of_one_seed_and_of_several(self):
        self.copy_of_scripts()
        self.change_table(lambda spec: spec.update(found={"desk": "memory helps."}))
        self.change_table(lambda spec: spec.pop("found", None), "transformer_xl_text8")
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "2").returncode, 0)
        self.assertEqual(self.run_script("transformer_xl_text8").returncode, 0)
        text, _ = self.readme_with_results()
        several, one = text.split("### Transformer-XL on ")[1:]
        self.assertIn("Texts: `data.path=enwik8/enwik6`.", several)
        self.assertIn("| run | bits per symbol | paper: bits per symbol |", several)
        self.assertIn("| Transformer-XL | 2.150 (2.100 to 2.200) | 1.06 | 2,048 |", several)
        self.assertIn("\n\nHere: memory helps.\n", several)
        self.assertIn("| run | bits per symbol | 95% interval | paper: bits per symbol |", one)
        self.assertIn("| Transformer-XL | 2.100 | 2.020 to 2.164 | - | 2,048 |", one)
        self.assertRegex(one, r"of all tables of `--desk`: 6, with \d+ CPU seconds \(0.0 hours\)")
        self.assertNotIn("Here: ", one)

    def test_the_numbers_of_the_paper_follow_ours(self):
        self.assertEqual(self.run_script("infini_pg19").returncode, 0)
        done = self.run_script("infini_pg19")
        ours, paper = done.stdout.split("The paper:\n\n")
        self.assertIn("| a | - |", ours)
        self.assertIn("| Infini-attention | 1.6M | 114 times |", paper)
        passkey = self.run_script("infini_passkey", "--seeds", "1").stdout
        self.assertIn("| delta rule, 400 steps | 100, 100, 100 |", passkey)

    def test_differences_without_a_number_or_an_interval(self):
        line = show_tables.comparison_line
        of_bits = {"bits_per_byte": 0.25, "bits_low": 0.2, "bits_high": 0.3}
        self.assertEqual(
            line("a", {"difference": of_bits}),
            "- a: +0.2500 bits per byte (+0.2000 to +0.3000), below zero: the first is better",
        )
        few = {"nats_per_token": -0.5, "nats_low": None, "nats_high": None}
        self.assertEqual(
            line("a", {"difference": few}),
            "- a: -0.5000 nats per token (too few blocks for an interval), below zero: the first "
            "is better",
        )
        self.assertEqual(
            line("a", {"difference": {"nats_per_token": None}}),
            "- a: none, since a loss wasn't finite",
        )

    def test_a_readme_that_is_filled_stays_as_it_is(self):
        self.copy_of_scripts()
        before = self.readme()
        self.assertEqual(self.run_script("transformer_xl_text8").returncode, 0)
        filled, _ = self.readme_with_results()
        self.assertNotEqual(filled, before)
        self.assertEqual(self.show_tables()[0], filled)
        shutil.rmtree(os.path.join(self.folder, "results"))
        self.assertNotIn("###", self.show_tables()[0])

    def test_the_readme_shows_the_results_that_are_kept(self):
        if not shutil.which("git"):
            self.skipTest("there is no git to tell kept results from those of trainings that run")
        self.copy_of_scripts()
        for name in kept_results():
            path = os.path.join(self.folder, os.path.relpath(os.path.join(ROOT, name), FOLDER))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                shutil.copy(os.path.join(ROOT, name), path)
            except FileNotFoundError:
                self.skipTest(f"{name} is kept, but a training has just removed it")
        written = self.readme()
        self.assertEqual(self.show_tables()[0], written, "run scripts/reproduce/show_tables.py")

    def test_kept_results_name_no_folder_of_a_machine(self):
        for name in kept_results():
            if not name.endswith(".json"):
                continue
            with self.subTest(result=name), open(os.path.join(ROOT, name), encoding="utf-8") as file:
                self.assertNotRegex(file.read(), r'["\s=]/\w')


def kept_results():
    """Those that git knows, or all where it knows nothing: trainings may be adding to them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "scripts/reproduce/results"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return listed.stdout.split("\0")[:-1]
    return [
        os.path.relpath(os.path.join(place, name), ROOT)
        for place, _, names in os.walk(os.path.join(FOLDER, "results"))
        for name in names
    ]


class Values(unittest.TestCase):
    def test_rows_of_runs(self):
        result = {"runs": [{"name": "a", "slices": [{"slice": 1}, {"slice": 2}]}, {"name": "b"}]}
        self.assertEqual(
            values.rows_at(result, "runs/slices"),
            [{"name": "a", "slice": 1}, {"name": "a", "slice": 2}],
        )
        self.assertEqual(values.value_at({"carried": {"bytes": 5}}, "carried.bytes"), 5)
        self.assertEqual(
            [values.shown(value) for value in (None, 1234, 0.123456, True, False)],
            ["-", "1,234", "0.1235", "yes", "no"],
        )

    def test_paths(self):
        value = {"sweep": [{"memory": 3, "perplexity": 9.0}, {"memory": 5, "perplexity": 7.0}]}
        self.assertEqual(values.value_at(value, "sweep.1.memory"), 5)
        self.assertEqual(values.value_at(value, "sweep.*.perplexity"), 7.0)
        self.assertEqual(values.value_at(value, "sweep.*.perplexity", "memory"), 5)
        self.assertIsNone(values.value_at(value, "sweep.2.memory"))
        self.assertIsNone(values.value_at(value, "absent.1"))

    def test_the_least_of_a_list_is_one_of_its_numbers(self):
        value = {"sweep": [{"memory": 3, "perplexity": None}, {"memory": 5, "perplexity": 7.0}]}
        self.assertEqual(values.value_at(value, "sweep.*.perplexity"), 7.0)
        self.assertEqual(values.value_at(value, "sweep.*.perplexity", "memory"), 5)
        for without in ({"sweep": value["sweep"][:1]}, {"sweep": []}):
            self.assertIsNone(values.value_at(without, "sweep.*.perplexity"))
            self.assertIsNone(values.value_at(without, "sweep.*.perplexity", "memory"))

    def test_intervals_have_the_unit_of_the_value(self):
        def interval(path, tokenizer="byte", ends=(1.4, 1.5)):
            low, high = ends
            protocol = {
                "intervals": {"nats_low": low, "nats_high": high},
                "tokenizer": {"type": tokenizer},
            }
            return values.interval({"protocol": protocol}, path, 3)

        self.assertEqual(interval("bits_per_token"), "2.020 to 2.164")
        self.assertEqual(interval("bits_per_byte"), "2.020 to 2.164")
        self.assertEqual(interval("perplexity"), "4.055 to 4.482")
        for path in ("bits_per_byte", "word_perplexity"):
            self.assertEqual(interval(path, "sentencepiece"), "1.400 to 1.500 nats per token")
        words = {"word_perplexity_low": 38.5, "word_perplexity_high": 42.125}
        protocol = {"intervals": {"nats_low": 1.4, "nats_high": 1.5, **words}}
        measured = {"protocol": protocol}
        self.assertEqual(values.interval(measured, "word_perplexity", 2), "38.50 to 42.12")
        self.assertEqual(interval("sweep.*.perplexity"), "-")
        self.assertEqual(interval("perplexity", ends=(None, None)), "-")
        self.assertEqual(interval("perplexity", ends=(1.4, 710.0)), "4.055 to inf")
        for unmeasured in ({}, {"protocol": None}, {"protocol": {}}):
            self.assertEqual(values.interval(unmeasured, "perplexity", 3), "-")


if __name__ == "__main__":
    unittest.main()
