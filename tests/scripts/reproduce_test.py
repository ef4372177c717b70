"""scripts/reproduce: each training is made once and kept while its definition stays, a cut one goes
on."""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from reproduce_case import ReproduceCase, read, write


class Table(ReproduceCase):
    def test_each_training_is_made_once(self):
        done = self.run_script("transformer_xl_enwik8", "--seeds", "2", "--jobs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.trainings(), 4)
        result = read(self.result("vanilla.seed2"))
        self.assertEqual(result["measures"]["bits per symbol"]["value"], 2.2)
        self.assertEqual(result["training_tokens"], 2048)
        self.assertIn("model.type=vanilla", result["settings"])
        command = result["measures"]["bits per symbol"]["protocol"]["command"]
        run = "{out}/desk/transformer_xl_enwik8/vanilla.seed2"
        self.assertTrue(command.startswith(f"lceval --checkpoint {run} "), command)
        self.assertIn("2.150 (2.100 to 2.200)", done.stdout)
        self.assertIn("-0.0500 bits per byte (-0.0600 to -0.0400)", done.stdout)
        self.assertIn("| 1.11 |", done.stdout)
        again = self.run_script("transformer_xl_enwik8", "--seeds", "2")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.trainings(), 4)
        self.assertEqual(again.stdout, done.stdout)

    def test_what_was_stopped_goes_on(self):
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1", STOPPED="1")
        self.assertEqual(stopped.returncode, 75, stopped.stderr)
        self.assertIn("run the same again", stopped.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.work, "results")))
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)

    def test_a_dry_run_says_what_would_be_done(self):
        tables = ["transformer_xl_ablation", "infini_passkey"]
        done = self.run_script(*tables, "--dry-run", "--data", "/texts")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in (
            "9 to do. Cost of each: about 2 to 3 CPU minutes.",
            "  all with data.path=null data.train=/texts/wikitext-103/wiki.test.tokens",
            "  n_xl_full, seed 1: configs/desk/transformer_xl/wikitext103_base.json model.type=vanilla",
            "  then measured: perplexity; best; at memory; recl\n",
            "3 to do. Cost of each: about 2 to 3 CPU minutes.",
        ):
            self.assertIn(text, done.stderr)
        self.assertEqual(
            done.stderr.splitlines()[-1],
            "Trainings to do: 12, about 24 to 36 CPU minutes, evaluations aside.",
        )
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.trainings(), 0)

    def test_costs_in_words_are_not_summed_up(self):
        done = self.run_script("transformer_xl_large", "infini_pg19", "--paper", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 to do. Cost of each: 19.7 billion tokens on enwik8", done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1], "Trainings to do: 7.")

    def test_bad_calls(self):
        self.assertEqual(self.run_script("no_such_table").returncode, 2)
        self.assertEqual(self.run_script("infini_passkey", "--seeds", "0").returncode, 2)
        os.remove(os.path.join(self.work, "lctrain"))
        missing = self.run_script("infini_passkey")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("there is no program", missing.stderr)

    def test_a_table_without_the_scale_is_left_out(self):
        done = self.run_script("infini_pg19", "infini_passkey", "--paper", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("infini_passkey has no paper scale, only desk; left out.", done.stderr)
        self.assertIn("4 to do", done.stderr)

    def test_refused_cells_are_shown_together(self):
        tables = ["transformer_xl_enwik8", "infini_pg19", "--seeds", "2"]
        refused = self.run_script(*tables, REFUSED="vanilla infini")
        self.assertEqual(refused.returncode, 2)
        for cell in (
            "transformer_xl_enwik8, vanilla: lctrain: vanilla is refused",
            "infini_pg19, infini: lctrain: infini is refused",
            "infini_pg19, vanilla: ",
            "3 of 6 trainings are refused, so none is started",
        ):
            self.assertIn(cell, refused.stderr)
        self.assertEqual(self.trainings(), 0)
        without_data = self.run_script(*tables, REFUSED="vanilla", REFUSED_AS="3")
        self.assertEqual(without_data.returncode, 3)

    def test_results_of_another_definition(self):
        tree = self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        before = read(self.result("transformer_xl_against_vanilla.seed1"))
        defined = read(self.result("vanilla.seed1"))["definition"]
        self.assertEqual(before["made_from"]["cells"]["vanilla"], defined)

        self.change_table(lambda spec: spec["cells"][1]["settings"].append("train.steps=7"))
        for more in ([], ["--dry-run"]):
            stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1", *more)
            self.assertEqual(stopped.returncode, 2)
            self.assertIn("--again", stopped.stderr)
            self.assertIn(self.result("vanilla.seed1"), stopped.stderr)
            self.assertNotIn(self.result("transformer_xl.seed1"), stopped.stderr)
        self.assertEqual(self.trainings(), 2)

        again = self.run_script("transformer_xl_enwik8", "--seeds", "1", "--again")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.trainings(), 3)
        self.assertIn("train.steps=7", self.lines()[2])
        self.assertEqual(self.lines(".resumed"), [])
        self.assertIn("vanilla.seed1.old1", again.stderr)
        self.assertTrue(os.path.exists(self.run_file("vanilla.seed1.old1/seed")))
        after = read(self.result("transformer_xl_against_vanilla.seed1"))
        self.assertNotEqual(after["made_from"]["cells"]["vanilla"], defined)
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual((done.returncode, self.trainings()), (0, 3))

        config = os.path.join(tree, "configs/desk/transformer_xl/enwik8_base.json")
        with open(config, "a", encoding="utf-8") as file:
            file.write("\n")
        changed = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(changed.returncode, 2)
        self.assertIn(self.result("transformer_xl.seed1"), changed.stderr)

    def test_results_of_other_measures_or_without_a_definition(self):
        self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        result = read(self.result("vanilla.seed1"))
        definition = result.pop("definition")
        write(self.result("vanilla.seed1"), result)
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(stopped.returncode, 2)
        self.assertIn(self.result("vanilla.seed1"), stopped.stderr)
        write(self.result("vanilla.seed1"), {**result, "definition": definition})
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        self.change_table(lambda spec: spec["measures"][0]["arguments"]["desk"].append("--json"))
        stopped = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(stopped.returncode, 2)
        self.assertNotIn(self.result("vanilla.seed1"), stopped.stderr)  # has arguments of its own
        self.assertIn(self.result("transformer_xl.seed1"), stopped.stderr)
        text, messages = self.readme_with_results()
        self.assertIn("| windowed Transformer |", text)
        self.assertNotIn("| Transformer-XL |", text)
        self.assertNotIn("-0.0500", text)
        self.assertIn("transformer_xl.seed1.json has another definition", messages)

    def test_joints_are_made_anew_when_their_arguments_change(self):
        self.copy_of_scripts()
        self.assertEqual(self.run_script("transformer_xl_enwik8", "--seeds", "1").returncode, 0)
        self.change_table(lambda spec: spec["joint"][1]["arguments"]["desk"].append("--repeat=1"))
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual((done.returncode, self.trainings()), (0, 2), done.stderr)
        speed = read(self.result("speed.seed1"))
        self.assertIn("--repeat=1", speed["made_from"]["arguments"])
        shutil.rmtree(self.run_file("transformer_xl.seed1"))
        os.remove(self.result("speed.seed1"))
        done = self.run_script("transformer_xl_enwik8", "--seeds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("speed, seed 1, is not made", done.stderr)

    def test_the_plot_is_there_before_its_result(self):
        done = self.run_script("compressive_functions")
        self.assertEqual(done.returncode, 0, done.stderr)
        mass = self.result("attention_mass.seed1", "desk/compressive_functions")
        plot = mass[:-5] + ".svg"
        self.assertLessEqual(os.stat(plot).st_mtime_ns, os.stat(mass).st_mtime_ns)
        command = read(mass)["protocol"]["command"]
        self.assertTrue(command.endswith(" --out {reports} --json --threads 1 --quiet"), command)
        self.assertEqual(
            [name for name in os.listdir(os.path.dirname(mass)) if name.endswith(".partial")], []
        )

    def test_after_a_failed_cell_none_is_started(self):
        failed = self.run_script("transformer_xl_enwik8", "--seeds", "3", FAILS="transformer_xl")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(self.trainings(), 1)

    def test_ctrl_c(self):
        process = subprocess.Popen(
            self.command("transformer_xl_enwik8", "--seeds", "2"),
            env={**os.environ, "CALLS": self.calls, "SLOW": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        began = self.run_file("transformer_xl.seed1/began")
        for _ in range(300):
            if os.path.exists(began):
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, messages)
        self.assertIn("stopped; run the same again to go on", messages)
        self.assertNotIn("Traceback", messages)
        self.assertTrue(os.path.exists(self.run_file("transformer_xl.seed1/ended")))
        self.assertEqual(self.trainings(), 1)

    def test_cpu_seconds_of_cut_trainings_count(self):
        only = ["transformer_xl_enwik8", "--seeds", "1"]
        self.assertEqual(self.run_script(*only, BUSY="1", STOPPED="1").returncode, 75)
        with open(self.run_file("transformer_xl.seed1.cpu_seconds"), encoding="ascii") as file:
            self.assertGreater(float(file.read()), 0.02)
        self.assertEqual(self.run_script(*only).returncode, 0)
        with open(self.run_file("transformer_xl.seed1.cpu_seconds"), encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), 2)

    def test_the_published_lengths(self):
        tables = ["transformer_xl_enwik8", "transformer_xl_large", "compressive_functions"]
        tables.append("compressive_wikitext103")
        done = self.run_script(*tables, "--paper")
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = self.lines(".lceval")
        large = [line for line in asked if "transformer_xl_large/" in line]
        self.assertEqual(len(large), 3)  # each by the measure of its own
        self.assertIn("--segment 128 --memory 3800 --clamp 1000 --span reference", large[0])
        self.assertIn("--segment 128 --memory 1600 --clamp 1000 --span reference", large[2])
        xl = [line for line in asked if "/transformer_xl.seed1" in line]
        self.assertIn("--segment 80 --memory 2100 --clamp 820 --span reference", xl[0])
        vanilla = [line for line in asked if "/vanilla.seed1" in line]
        self.assertIn("--stride 1", vanilla[0])
        functions = [line for line in asked if "compressive_functions/" in line]
        self.assertIn("--compressed 3072", functions[0])
        words = [line for line in asked if "compressive_wikitext103/" in line]
        self.assertIn("/compressive.seed1 --compressed 1536", words[0])
        self.assertNotIn("--compressed", words[1])  # Transformer-XL
        self.assertTrue(any("compressed=512,1024,2048,3072,4096" in line for line in asked))
        self.assertNotIn("train.steps", " ".join(self.lines()))


if __name__ == "__main__":
    unittest.main()
