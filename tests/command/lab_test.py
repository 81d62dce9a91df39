"""Tests lab from outside, and explain of a rung: lists, runs, comparisons, records, and the document on
adding a rung. Tests that compile are skipped, with the reason, if there is no CUDA compiler."""

import csv
import io
import json
import os
import pathlib
import shutil
import unittest

from lab_support import EMULATOR, FAILED, FollowedDocument, LabTest, USAGE, rungs_of
from support import read, runs_rungs, write


class List(LabTest):
    def test_every_ladder(self):
        ladders = self.ladders()
        self.assertEqual([each["ladder"] for each in ladders],
                         ["convert", "copy", "disparity", "find", "gemv", "match", "sobel", "threshold"])
        for ladder in ladders:
            with self.subTest(ladder["ladder"]):
                self.assertTrue(os.path.exists(os.path.join(ladder["folder"], "ladder.json")))
                self.assertTrue(any(rung["rows"] for rung in ladder["rungs"]))
                self.assertTrue(ladder["rungs"][-1]["shipped"])
                names = [rung["name"] for rung in ladder["rungs"]]
                self.assertEqual(len(names), len(set(names)))
                for rung in ladder["rungs"]:
                    self.assertTrue(os.path.isfile(rung["file"]), rung["file"])
                    self.assertTrue(rung["idea"])
                    self.assertTrue(rung["blocks"])
                for experiment in ladder["experiments"]:
                    self.assertTrue(experiment["rungs"] and experiment["sizes"])
                    self.assertLessEqual(set(experiment["rungs"]), set(names))

    def test_text(self):
        said = self.succeed("lab", "list").stdout.decode()
        for ladder in self.ladders():
            self.assertIn(f"{ladder['ladder']}: {ladder['about']}\n", said)
            for each in [*ladder["rungs"], *ladder["experiments"]]:
                self.assertRegex(said, rf"\n  (experiment )?{each['name']} ")
        one = self.succeed("lab", "list", "gemv").stdout.decode()
        self.assertTrue(one.startswith("gemv: "))
        self.assertNotIn("sobel:", one)

    def test_only_what_is_named(self):
        def listed(*names):
            return [([rung["name"] for rung in each["rungs"]],
                     [experiment["name"] for experiment in each["experiments"]])
                    for each in self.ladders(*names)]
        self.assertEqual(listed("copy/vector2", "copy/scalar"), [(["scalar", "vector2"], [])])
        [(rungs, experiments)] = listed("copy/figure2")
        self.assertEqual(experiments, ["figure2"])
        self.assertEqual(rungs, ["scalar", "vector2", "vector4", "shipped"])
        self.assertEqual(listed("copy/scalar", "copy"), listed("copy"))
        text = self.succeed("lab", "list", "copy/scalar").stdout.decode()
        self.assertIn("\n  scalar ", text)
        self.assertNotIn("vector2", text)

    def test_a_folder_of_ones_own(self):
        mine = self.edited()
        self.edit_table('"a thread copies one int', '"a thread copies MY OWN int')
        self.assertIn(b"MY OWN int", self.succeed("lab", "list", *mine).stdout)
        self.assertEqual([each["folder"] for each in self.ladders(*mine)], [os.path.abspath("mine")])

    def test_a_folder_whose_name_is_not_utf8(self):
        self.edited()
        os.rename("mine", b"m\xffne")
        [ladder] = self.ladders("--ladder-dir", b"m\xffne")
        self.assertEqual(ladder["folder"], os.path.abspath("m\ufffdne"))

    def test_what_there_is_not(self):
        self.refuse("list", "sobl", says=['no ladder "sobl"', 'did you mean "sobel"?', "threshold"])


class Run(LabTest):
    @runs_rungs
    def test_two_rungs(self):
        report = self.run_json("copy/vector2", "copy/scalar", "copy/vector2")
        self.assertEqual(report["ladder"], "copy")
        self.assertEqual(report["machine"]["device"], "emulator")
        self.assertNotIn("experiment", report)
        self.assertEqual(report["named_rungs"], ["scalar", "vector2"])
        self.assertTrue(report["method"])
        self.assertEqual([row["rung"] for row in rungs_of(report)], ["scalar", "vector2"])
        self.assertEqual(rungs_of(report), report["results"], "the CPU's rows are for whole ladders")
        for row in rungs_of(report):
            self.assertEqual(row["size"], [33, 7])
            self.assertEqual(row["block"], [256, 1, 1])
            self.assertEqual(row["rows"], ["B1", "B2"])
            [counts], [resources] = row["counts"], row["resources"]
            self.assertEqual(counts["compute_capability"], "9.0")
            self.assertGreater(counts["warp_instructions"], 0)
            # 231 ints are read and written, each alone (231 references), or as 115 pairs and one int (116).
            accesses = {"scalar": 231, "vector2": 116}[row["rung"]]
            self.assertAlmostEqual(counts["references_per_pixel"], 2 * accesses / 231)
            self.assertGreater(resources["registers"], 0)
            self.assertGreater(resources["occupancy"], 0)

    @runs_rungs
    def test_references_are_those_of_threads(self):
        for ladder, rung, expected in [("copy", "scalar", 2), ("gemv", "texture", 3)]:
            [row] = rungs_of(self.run_json(f"{ladder}/{rung}", size="1x1"))
            self.assertEqual(row["counts"][0]["references_per_pixel"], expected, rung)

    @runs_rungs
    def test_a_whole_ladder_has_rows_of_the_cpu(self):
        for names in [["copy"], ["copy/scalar", "copy"]]:
            rows = self.run_json(*names)["results"]
            cpu = [row for row in rows if row.get("on_cpu")]
            self.assertEqual([row["rung"] for row in cpu[:2]], ["cpu reference", "cpu 1 thread"])
            self.assertEqual(rows[:len(cpu)], cpu)
            self.assertGreater(len(rows), len(cpu) + 2)

    @runs_rungs
    def test_plain_loops_that_take_long_are_skipped(self):
        shutil.copytree(self.ladders("threshold")[0]["folder"], "mine")
        table = json.loads(read("mine/ladder.json"))
        table["experiments"] = [{"name": "wide", "title": "A wide window", "rungs": ["shipped"], "cpu": True,
                                 "axes": {"sizes": [[64, 64]], "window": [255]}}]
        write("mine/ladder.json", json.dumps(table).encode())
        done = self.succeed("lab", "run", "threshold/wide", "--ladder-dir", "mine", *EMULATOR, "--size",
                            "600x500", "--json")
        reference, library = json.loads(done.stdout)["results"][:2]
        self.assertRegex(reference["skipped"], r"plain loops would take about \d+ s")
        self.assertNotIn("time", reference)
        self.assertIn("time", library)

    @runs_rungs
    def test_the_documents_figures(self):
        said = self.succeed("lab", "run", "sobel/global_plain", "sobel/global_unrolled", *EMULATOR)
        self.assertIn(b"the document's figures are of a GeForce GTX 280 at 4096x3072", said.stdout)
        self.assertIn(b"29612.0 us x1 ", said.stdout)
        self.assertIn(b"8441.0 us x3.51 ", said.stdout)
        done = self.succeed("lab", "run", "sobel/global_plain", "sobel/global_unrolled", *EMULATOR, "--csv")
        row = list(csv.DictReader(io.StringIO(done.stdout.decode())))[1]
        self.assertEqual(float(row["document_time_us"]), 8441)
        self.assertAlmostEqual(float(row["document_speedup_over_first"]), 29612 / 8441)
        # The document's figures are for another size, so the row has none.
        [row] = self.run_json("sobel/global_plain")["results"]
        self.assertNotIn("document_time_us", row)

    @runs_rungs
    def test_counts_of_match_fill_warps_with_blocks(self):
        report = json.loads(self.succeed("lab", "run", "match/candidate_per_thread", *EMULATOR,
                                         "--json").stdout)
        [row] = report["results"]
        self.assertGreaterEqual(row["size"][0] // row["parameters"]["block"], 32)
        self.assertGreater(row["counts"][0]["transactions_per_request"], 28)

    @runs_rungs
    def test_two_ladders(self):
        reports = self.run_json("gemv/shipped", "copy/scalar")
        self.assertEqual([each["ladder"] for each in reports], ["gemv", "copy"])

    @runs_rungs
    def test_an_experiment(self):
        os.mkdir("out")
        done = self.succeed("lab", "run", "threshold/windows_large", *EMULATOR, "--size", "64x6", "--csv",
                            "--out", "out", "--cc", "1.3,9.0")
        self.assertEqual(os.listdir("out"), ["threshold-windows_large.json"])
        report = json.loads(read("out/threshold-windows_large.json"))
        self.assertEqual(report["experiment"], "windows_large")
        self.assertEqual(report["rows"], ["C1", "C2"])
        [experiment] = [each for each in self.ladders("threshold")[0]["experiments"]
                        if each["name"] == "windows_large"]
        windows = experiment["parameters"]["window"]
        self.assertEqual([(row["parameters"]["window"], row["rung"]) for row in report["results"]],
                         [(window, rung) for window in windows for rung in experiment["rungs"]])
        for row in report["results"]:
            self.assertEqual([each["compute_capability"] for each in row["counts"]], ["1.3", "9.0"])
            self.assertEqual([each["registers_from"] for each in row["resources"]],
                             ["sm_90 (nearest to 1.3)", "sm_90"])
        names, *lines = csv.reader(io.StringIO(done.stdout.decode()))
        self.assertEqual(len(lines), 2 * len(report["results"]))
        for line in lines:
            self.assertEqual(len(line), len(names))
            row = dict(zip(names, line))
            self.assertEqual((row["ladder"], row["width"], row["height"]), ("threshold", "64", "6"))
            self.assertGreater(int(row["warp_instructions"]), 0)
            self.assertEqual(row["not_run"], "")
            self.assertEqual(row["cold_us"], "")

    @runs_rungs
    def test_text(self):
        said = self.succeed("lab", "run", "copy/scalar", *EMULATOR, "--size", "33x7", "--block", "64",
                            "--cc", "1.3,9.0").stdout.decode()
        self.assertNotIn("\x1b", said)
        for words in ["copy, on emulator", "33x7", "scalar (64)", "1.3", "9.0", "a thread copies one int"]:
            self.assertIn(words, said)
        self.assertNotIn("cpu", said)
        self.assertIn("cpu 1 thread", self.succeed("lab", "run", "copy", *EMULATOR, "--size", "3x7").stdout.decode())

    @runs_rungs
    def test_block_is_not_for_the_shipped_rung(self):
        done = self.succeed("lab", "run", "sobel/shipped", "sobel/four_pixels", *EMULATOR, "--size",
                            "65x9", "--block", "16x2", "--json")
        blocks = {row["rung"]: row["block"] for row in rungs_of(json.loads(done.stdout))}
        self.assertEqual(blocks["four_pixels"], [16, 2, 1])
        self.assertNotEqual(blocks["shipped"], [16, 2, 1])

    @runs_rungs
    def test_what_does_not_fit_is_skipped(self):
        self.edited()
        self.edit_table('"file": "01_scalar.cu"', '"file": "01_scalar.cu", "shared": "1000000"')
        os.mkdir("out")
        done = self.succeed("lab", "run", "copy/scalar", "copy/vector2", "--ladder-dir", "mine",
                            *EMULATOR, "--size", "9x9", "--out", "out")
        self.assertIn(b"skipped: a block of 256 threads and 1000000 bytes", done.stdout)
        # The name is not copy.json, which is that of a run of the whole ladder.
        self.assertEqual(os.listdir("out"), ["copy-scalar-vector2.json"])
        skipped, ran = rungs_of(json.loads(read("out/copy-scalar-vector2.json")))
        self.assertIn("does not fit", skipped["skipped"])
        self.assertNotIn("counts", skipped)
        self.assertIn("counts", ran)


class Diff(LabTest):
    @runs_rungs
    def test_two_rungs(self):
        said = self.succeed("lab", "diff", "copy", "scalar", "vector2", *EMULATOR, "--profile", "rtx4090").stdout.decode()
        for words in ["scalar: a thread copies one int", "--- 01_scalar.cu\n+++ 02_vector.cu\n", "\n+  using Ints",
                      "\n-    p.dst[i] = p.src[i];", "constant VECTOR: - -> 2", "launch: ", "modelled for a", "4090",
                      "scalar (256)", "vector2 (256)"]:
            self.assertIn(words, said)

    @runs_rungs
    def test_what_the_shipped_rung_includes(self):
        said = self.succeed("lab", "diff", "copy", "in_flight4", "shipped", *EMULATOR).stdout.decode()
        kernel = pathlib.Path(self.ladders("copy")[0]["folder"]).parent / "kernel.cuh"
        lines = [line for line in kernel.read_text().splitlines() if "__global__" in line or "__device__" in line]
        self.assertTrue(lines)
        for line in lines:
            self.assertIn(f"\n+{line}\n", said)

    @runs_rungs
    def test_shared_headers_of_the_ladder(self):
        self.edited()
        write("mine/common.cuh", b"constexpr int common = 1;\n")
        for name in ["01_scalar.cu", "02_vector.cu"]:
            text = read(f"mine/{name}").decode()
            write(f"mine/{name}", text.replace('#include "problem.hpp"',
                                               '#include "problem.hpp"\n#include "common.cuh"').encode())
        write("mine/other.cuh", b"constexpr int common = 2;\n")
        text = read("mine/02_vector.cu").decode()
        write("mine/02_vector.cu", text.replace("common.cuh", "other.cuh").encode())
        said = self.succeed("lab", "diff", "copy", "scalar", "vector2", "--ladder-dir", "mine",
                            *EMULATOR).stdout.decode()
        self.assertIn("\n-constexpr int common = 1;\n", said)
        self.assertIn("\n+constexpr int common = 2;\n", said)
        self.assertNotIn("struct CopyProblem", said)

    @runs_rungs
    def test_two_of_one_file(self):
        said = self.succeed("lab", "diff", "copy", "vector4", "vector2", *EMULATOR).stdout.decode()
        self.assertIn("Both are 02_vector.cu.\nconstant VECTOR: 4 -> 2\n", said)
        # Rungs come in the ladder's order, not in the order of the arguments.
        self.assertLess(said.index("vector4: "), said.index("vector2: "))

    @runs_rungs
    def test_a_wrong_one(self):
        mine = self.edited("p.dst[i] = 0")
        done = self.run_command("lab", "diff", "copy", "scalar", "vector2", *mine, *EMULATOR)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"WRONG: dst at (0, 0)", done.stdout)

    def test_calls(self):
        for arguments in [[], ["copy"], ["copy", "scalar"]]:
            self.refuse("diff", *arguments, says="LADDER RUNG1 RUNG2")
        self.refuse("diff", "copy", "scalar", "vector", says=['"vector"', 'did you mean "vector2"?'])
        self.refuse("diff", "copi", "scalar", "vector2", says='did you mean "copy"?')
        self.refuse("diff", "copy/scalar", "scalar", "vector2", says="separate arguments")
        self.refuse("diff", "copy", "scalar", "vector2", "vector4", says="vector4")


class Explain(LabTest):
    @runs_rungs
    def test_a_rung(self):
        done = self.succeed("explain", "copy/vector4", "--size", "64x16", "--json", "--cc", "1.3,9.0")
        report = json.loads(done.stdout)
        self.assertEqual(report["primitive"], "copy/vector4")
        self.assertEqual(report["size"], [64, 16])
        self.assertEqual(list(report["by_cc"]), ["1.3", "9.0"])
        counts = report["by_cc"]["9.0"]["global_load"]
        self.assertEqual(counts["bytes_requested"], 4096)
        self.assertEqual(counts["bytes_moved"], 4096)
        self.assertTrue(any("to[i] = from[i]" in line["source"] for line in report["lines"]))
        text = self.succeed("explain", "threshold/separable").stdout.decode()
        self.assertIn("2 kernels launched", text)
        self.assertIn("Advice", text)

    @runs_rungs
    def test_an_edited_one(self):
        mine = self.edited("p.dst[i] = p.src[i]")
        done = self.succeed("explain", "copy/scalar", *mine, "--size", "33x1", "--json")
        lines = json.loads(done.stdout)["lines"]
        self.assertTrue(all(line["file"].endswith("mine/01_scalar.cu") for line in lines), lines)

    def test_calls(self):
        def refuse(*arguments, says):
            self.fail_with(USAGE, "explain", *arguments, says=says)
        refuse("copy/scala", says=['"scala"', 'did you mean "scalar"?'])
        refuse("copy/", says="scalar")
        refuse("copy/figure2", says="experiment")
        refuse("copi/scalar", says=["copi/scalar", 'did you mean "copy/scalar"?', "LADDER/RUNG"])
        refuse("copy/figur2", says='did you mean "figure2"?')
        refuse("copy/scalar", "--grid", "1", says=["--grid", "copy/scalar"])
        refuse("sobel", "--ladder-dir", ".", says="--ladder-dir")
        refuse("some.ptx", "--ladder-dir", ".", "--grid", "1", "--block", "1", says="--ladder-dir")


class Document(FollowedDocument):
    @runs_rungs
    def test_is_true(self):
        commands, blocks = self.follow_document("add-a-rung.md", {"", "sh", "cuda", "json"})
        for command in ["lab verify", "lab run", "lab diff", "explain"]:
            self.assertIn(f"warpwise {command} ", commands)
        [folder] = [path.parent for path in pathlib.Path(".").glob("*/ladder.json")]
        [ladder] = self.ladders("--ladder-dir", str(folder))
        [installed] = self.ladders(ladder["ladder"])
        added = [rung["name"] for rung in ladder["rungs"]
                 if rung["name"] not in {each["name"] for each in installed["rungs"]}]
        self.assertEqual(len(added), sum(kind == "json line" for kind, text in blocks))
        for name in added:
            self.assertIn(f"{ladder['ladder']}/{name}", commands)
            self.assertIn(name, "".join(text for kind, text in blocks if kind == "json line"))


if __name__ == "__main__":
    unittest.main()
