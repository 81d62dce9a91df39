"""lab from outside, and explain of a rung: what is listed, run, compared and recorded, edited ladders, and
all that can be wrong. What compiles is skipped, saying so, where there is no CUDA compiler."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from support import SAMPLES, WARPWISE, CommandTest, has_gpu, read, runs_rungs, write

FAILED = 1
USAGE = 2
EMULATOR = ["--on", "emulator"]
DOCUMENT = pathlib.Path(SAMPLES).parent / "docs/add-a-rung.md"

SCALAR = """#include "problem.hpp"
extern "C" __global__ void copy(warpwise::ladders::CopyProblem p) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_X + threadIdx.x;
  if (i < p.count) STATEMENT;
}
"""


class LabTest(CommandTest):
    def ladders(self, *arguments):
        return json.loads(self.succeed("lab", "list", *arguments, "--json").stdout)["ladders"]

    def run_json(self, *names, size="33x7"):
        done = self.succeed("lab", "run", *names, *EMULATOR, "--size", size, "--json")
        return json.loads(done.stdout)

    def edited(self, statement=None):
        """A copy of the ladder of copy in `mine`, the scalar rung with this statement."""
        shutil.copytree(self.ladders("copy")[0]["folder"], "mine")
        if statement:
            write("mine/01_scalar.cu", SCALAR.replace("STATEMENT", statement).encode())
        return ["--ladder-dir", "mine"]

    def edit_table(self, before, after):
        text = read("mine/ladder.json").decode()
        self.assertIn(before, text)
        write("mine/ladder.json", text.replace(before, after, 1).encode())

    def refuse(self, *arguments, says, code=USAGE, **options):
        return self.fail_with(code, "lab", *arguments, says=says, **options)


def rungs_of(report):
    return [row for row in report["results"] if not row.get("on_cpu")]


class List(LabTest):
    def test_every_ladder(self):
        ladders = self.ladders()
        self.assertEqual([each["ladder"] for each in ladders],
                         ["convert", "copy", "gemv", "match", "sobel", "threshold"])
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
        self.edit_table('"one int a thread', '"MY OWN int a thread')
        self.assertIn(b"MY OWN int", self.succeed("lab", "list", *mine).stdout)
        self.assertEqual([each["folder"] for each in self.ladders(*mine)], ["mine"])

    def test_a_folder_whose_name_is_not_utf8(self):
        self.edited()
        os.rename("mine", b"m\xffne")
        [ladder] = self.ladders("--ladder-dir", b"m\xffne")
        self.assertEqual(ladder["folder"], "m\ufffdne")

    def test_what_there_is_not(self):
        self.refuse("list", "sobl", says=['no ladder "sobl"', 'did you mean "sobel"?', "threshold"])


class Run(LabTest):
    @runs_rungs
    def test_two_rungs(self):
        report = self.run_json("copy/vector2", "copy/scalar", "copy/vector2")
        self.assertEqual(report["ladder"], "copy")
        self.assertEqual(report["machine"]["device"], "emulator")
        self.assertNotIn("experiment", report)
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
            # A read and a write of each of 231 ints, or of 115 pairs and an int.
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
                                 "sizes": [[64, 64]], "parameters": {"window": [255]}}]
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
        # They are of one size.
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
        for words in ["copy, on emulator", "33x7", "scalar (64)", "1.3", "9.0", "one int a thread"]:
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
        # Not copy.json, which is of the whole ladder.
        self.assertEqual(os.listdir("out"), ["copy-scalar-vector2.json"])
        skipped, ran = rungs_of(json.loads(read("out/copy-scalar-vector2.json")))
        self.assertIn("does not fit", skipped["skipped"])
        self.assertNotIn("counts", skipped)
        self.assertIn("counts", ran)


class Wrong(LabTest):
    """Rungs of an edited ladder that are not right."""

    def run_wrong(self, *arguments, names=("copy/scalar",), size="100x1"):
        os.makedirs("out", exist_ok=True)
        done = self.run_command("lab", "run", *names, "--ladder-dir", "mine", *EMULATOR, "--size",
                                size, "--out", "out", *arguments)
        self.assertEqual(os.listdir("out"), [], "a ladder with a wrong rung is not recorded")
        return done

    def verify_wrong(self, says, code=FAILED):
        done = self.run_command("lab", "verify", "copy/scalar", "copy/vector2", "--ladder-dir", "mine",
                                *EMULATOR)
        self.assertEqual(done.returncode, code, done.stderr)
        said = done.stdout.decode()
        for words in says:
            self.assertIn(words, said)
        self.assertRegex(said, r"copy/vector2 +\d+ right\n")
        self.assertIn("1 of 2 rungs right", said)
        self.assertTrue(done.stderr.endswith(b"warpwise: wrong: copy/scalar\n"), done.stderr)

    @runs_rungs
    def test_a_wrong_pixel(self):
        self.edited("p.dst[i] = p.src[i] + (i == 70 ? 3 : 0)")
        done = self.run_wrong(names=["copy/scalar", "copy/vector2"])
        self.assertEqual(done.returncode, FAILED)
        said = done.stdout.decode()
        found = re.search(r"scalar \(256\) +WRONG: dst at \(70, 0\): expected (-?\d+), got (-?\d+); "
                          r"1 of 100 pixels differ\n", said)
        self.assertTrue(found, said)
        self.assertEqual(int(found[2]) - int(found[1]), 3)
        self.assertEqual(done.stderr, b"warpwise: wrong, and not recorded: copy/scalar\n")
        self.assertIn("vector2 (256)", said)
        self.verify_wrong(["copy/scalar", "WRONG: dst at (70, 0): expected ", "width 255"])
        report = json.loads(self.run_wrong("--json").stdout)
        [row] = rungs_of(report)
        self.assertTrue(row["wrong"].startswith("dst at (70, 0)"))
        self.assertNotIn("counts", row)
        lines = list(csv.DictReader(io.StringIO(self.run_wrong("--csv").stdout.decode())))
        self.assertTrue(lines[-1]["not_run"].startswith("dst at (70, 0): expected "))

    @runs_rungs
    def test_a_pixel_that_was_not_written(self):
        self.edited("if (i != 0) p.dst[i] = p.src[i]")
        self.assertIn(b"WRONG: dst at (0, 0): expected", self.run_wrong().stdout)

    @runs_rungs
    def test_padding_that_was_written(self):
        self.edited("p.dst[i] = p.src[i]; if (reinterpret_cast<unsigned long long>(p.dst) % 512) "
                    "p.dst[p.count] = 0")
        self.verify_wrong(["which belongs to no pixel, was written"])

    @runs_rungs
    def test_out_of_bounds(self):
        self.edited("p.dst[i + 1000000] = p.src[i]")
        done = self.run_wrong(names=["copy/scalar", "copy/vector2"])
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout.decode(), r"WRONG: out_of_bounds at .*01_scalar.cu:4, block \(0, 0, "
                                               r"0\), thread \(0, 0, 0\)")
        self.verify_wrong(["WRONG: out_of_bounds", "01_scalar.cu:4"])
        done = self.run_command("explain", "copy/scalar", "--ladder-dir", "mine", "--size", "100x1")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"line 4", done.stderr)

    @runs_rungs
    def test_a_loop_without_end(self):
        self.edited("while (true) reinterpret_cast<volatile int*>(p.dst)[i] = 0")
        start = time.monotonic()
        said = self.run_wrong(size="64x2").stdout.decode()
        self.assertRegex(said, r"WRONG: budget at .*01_scalar.cu:4, .*: the kernel did not end within "
                               r"100000000 warp instructions: is it a loop without end\?\n")
        self.verify_wrong(["WRONG: budget at", "01_scalar.cu:4"])
        self.assertLess(time.monotonic() - start, 60)

    @runs_rungs
    def test_what_does_not_compile(self):
        self.edited("p.dst[i] = nothing")
        for arguments in [[], ["--json"]]:
            done = self.run_wrong(*arguments)
            self.assertEqual(done.returncode, FAILED)
            said = done.stderr.decode()
            self.assertIn("01_scalar.cu(4): error: identifier \"nothing\" is undefined",
                          said.splitlines()[-1])
            self.assertTrue(said.splitlines()[-1].startswith("warpwise: "))
            self.assertIn("p.dst[i] = nothing", said, "the source's line is shown")
        self.assertEqual(done.stdout, b"")
        self.verify_wrong(["copy/scalar", "WRONG: ", "01_scalar.cu(4)"])

    @runs_rungs
    def test_what_does_not_compile_below_an_assertion(self):
        self.edited("p.dst[i] = p.src[i] %% 32")
        source = read("mine/01_scalar.cu").decode()
        assertion = 'static_assert(BLOCK_X % 32 == 0, "whole warps");'
        write("mine/01_scalar.cu", source.replace("\n", "\n" + assertion + "\n", 1).encode())
        said = self.run_wrong().stderr.decode()
        self.assertIn("01_scalar.cu(5): error: expected an expression", said)
        self.assertEqual(len(re.findall("error: ", said.split("warpwise: ")[0])), 1, said)

    @runs_rungs
    def test_an_assertion(self):
        # A macro looks like a host function, which a file of explain may have and a rung may not.
        for line in ["static_assert(BLOCK_X % 3 == 0);", "#define REQUIRE(x) static_assert(x)\n"
                     "REQUIRE(BLOCK_X % 3 == 0);"]:
            with self.subTest(line):
                shutil.rmtree("mine", ignore_errors=True)
                self.edited("p.dst[i] = p.src[i]")
                source = read("mine/01_scalar.cu").decode()
                write("mine/01_scalar.cu", source.replace("\n", "\n" + line + "\n", 1).encode())
                done = self.run_wrong()
                self.assertEqual(done.returncode, FAILED)
                self.assertIn(b"error: static assertion failed", done.stderr)

    @runs_rungs
    def test_expressions(self):
        self.edited()
        for grid, says in [('["widht"]', ["'widht'", "character 1", "width"]),
                           ('["count - count"]', ["count - count", "is 0"]),
                           ('["1 / (count - count)"]', ["division by zero"]),
                           ('["("]', ["character 2"]),
                           ('[1, 65536]', ["65536", "65535"])]:
            self.edit_table('"file": "01_scalar.cu"', f'"grid": {grid}, "file": "01_scalar.cu"')
            done = self.run_wrong()
            self.assertEqual(done.returncode, USAGE)
            for words in ['mine/ladder.json, rung 1 "scalar", "grid": ', *says]:
                self.assertIn(words, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.edit_table(f'"grid": {grid}, ', "")
        self.edit_table('"file": "01_scalar.cu"', '"grid": ["widht"], "file": "01_scalar.cu"')
        self.verify_wrong(["WRONG: ", 'mine/ladder.json, rung 1 "scalar", "grid": ', "'widht'"])

    @runs_rungs
    def test_other_parts_of_a_line(self):
        self.edited()
        for field, says in [('"kernel": "cpy"', ['"cpy"', "there are: copy"]),
                            ('"textures": {"source": "linear"}', ['"source"', "src, dst"]),
                            ('"scratch": "0 - count"', ["scratch", "negative"]),
                            ('"constants": {"A": "B"}', ["'B'"]),
                            ('"needs": {"what": "it"}', ["'what'"])]:
            self.edit_table('"file": "01_scalar.cu"', f'{field}, "file": "01_scalar.cu"')
            done = self.run_wrong()
            self.assertEqual(done.returncode, USAGE, field)
            for words in ["copy/scalar", *says]:
                self.assertIn(words, done.stderr.decode())
            self.edit_table(f"{field}, ", "")

    @runs_rungs
    def test_files_that_cannot_be_read(self):
        self.edited()
        os.mkfifo("mine/pipe.cu")
        os.mkdir("mine/folder.cu")
        before = "01_scalar.cu"
        for file, named in [("nowhere.cu", "mine/nowhere.cu"), ("pipe.cu", "mine/pipe.cu"),
                            ("folder.cu", "mine/folder.cu"), ("/dev/zero", "/dev/zero"),
                            ("/proc/self/mem", "/proc/self/mem")]:
            self.edit_table(before, file)
            before = file
            done = self.run_wrong()
            self.assertEqual(done.returncode, FAILED)
            self.assertEqual(done.stderr.decode(),
                             f"warpwise: {named} is no file that can be read\n")


class Diff(LabTest):
    @runs_rungs
    def test_two_rungs(self):
        said = self.succeed("lab", "diff", "copy", "scalar", "vector2", *EMULATOR).stdout.decode()
        for words in ["scalar: one int", "--- 01_scalar.cu\n+++ 02_vector.cu\n", "\n+  using Ints",
                      "\n-    p.dst[i] = p.src[i];", "constant VECTOR: - -> 2", "launch: ",
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
        # In the ladder's order, whichever is named first.
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
        self.refuse("diff", "copy/scalar", "scalar", "vector2", says="apart")
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
        self.assertIn("What to know", text)

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
        refuse("copi/scalar", says=["copi/scalar", "did you mean 'copy/scalar'?", "LADDER/RUNG"])
        refuse("copy/figur2", says='did you mean "figure2"?')
        refuse("copy/scalar", "--grid", "1", says=["--grid", "copy/scalar"])
        refuse("sobel", "--ladder-dir", ".", says="--ladder-dir")
        refuse("some.ptx", "--ladder-dir", ".", "--grid", "1", "--block", "1", says="--ladder-dir")


class BadInput(LabTest):
    def test_names(self):
        self.refuse("run", says=["name", "warpwise lab list"])
        for command in ["run", "verify"]:
            self.refuse(command, "sobl", says=['"sobl"', 'did you mean "sobel"?'])
            self.refuse(command, "copy/scaler", says=['"scaler"', 'did you mean "scalar"?', "vector4"])
            self.refuse(command, "copy/", says=["no rung", "scalar"])
            self.refuse(command, "copy/scalar/x", says="no rung")
        for command in ["run", "verify", "list"]:
            self.refuse(command, "copy/figure3", says=['"figure3"', 'did you mean "figure2"?', "scalar"])
            self.refuse(command, "sobel/tabel5", says='did you mean "table5"?')
        self.refuse(says="subcommand")
        self.refuse("walk", says="subcommand")

    def test_options(self):
        def refuse(*arguments, says):
            self.refuse("run", "copy/scalar", *arguments, says=says)
        for text in ["", "3", "3x", "x3", "0x3", "-1x3", "3x3x3", "axb", "1e3x1", "99999999999999999999x1"]:
            refuse("--size", text, says="--size")
        for text in ["", "0", "x", "32x", "x8", "1025", "33x32", "1x1x1x1", "-1", "8,8", "1024x1024x1024", "1x1x65"]:
            refuse("--block", text, says="--block")
        for text in ["", "4.0", "9", "1.3,", "1.3;9.0", "x"]:
            refuse("--cc", text, says=["1.3", "9.0"] if text else "")
        refuse("--on", "moon", says=["'moon'", "auto, gpu, emulator"])
        refuse("--json", "--csv", says=["--json", "--csv"])
        refuse("--out", "nowhere", says=["--out nowhere", "no folder"])
        write("file", b"")
        refuse("--out", "file", says="no folder")
        refuse("--out", "file/below", says="no folder")
        refuse("--sizes", "1x1", says="--sizes")

    def test_folders_that_take_no_file(self):
        """Told before anything runs: fail_with() expects nothing on stdout."""
        def refuse(*arguments, says):
            self.refuse("run", *arguments, *EMULATOR, says=["cannot write", *says], code=FAILED)
        refuse("copy/scalar", "--out", "/proc", says=["/proc/copy-scalar.json", "no file can be made"])
        os.mkdir("out")
        rungs = [f"sobel/{rung['name']}" for rung in self.ladders("sobel")[0]["rungs"]]
        refuse(*rungs[1:], "--out", "out", says=["sobel-", "File name too long"])
        os.makedirs("taken/copy-figure2.json")
        refuse("copy/scalar", "copy/figure2", "--out", "taken", says=["copy-figure2.json", "directory"])
        os.chmod("out", 0o500)
        if not os.access("out", os.W_OK):  # root writes everywhere
            refuse("copy", "--out", "out", says=["out/copy.json", "Permission denied"])

    def test_folders(self):
        self.refuse("run", "copy", "--ladder-dir", ".", says="./ladder.json", code=FAILED)
        self.refuse("run", "copy", "--ladder-dir", "nowhere", says="nowhere/ladder.json", code=FAILED)
        os.makedirs("folder/ladder.json")
        self.refuse("list", "--ladder-dir", "folder", says="folder/ladder.json", code=FAILED)
        self.edited()
        for command in ["list", "run", "verify"]:
            self.refuse(command, "sobel", "--ladder-dir", "mine", says=["mine", "copy", "sobel"])

    def test_tables(self):
        self.edited()
        whole = read("mine/ladder.json").decode()

        def refuse(before, after, *says):
            write("mine/ladder.json", whole.replace(before, after, 1).encode())
            for command in ["list", "run", "verify"]:
                self.refuse(command, "--ladder-dir", "mine", says=["mine/ladder.json", *says])

        refuse(whole, whole[:300], "parse error")
        refuse(whole, "", "parse error")
        refuse(whole, "[" * 1000000, "too deeply")
        refuse('"file": "01', '"fiel": "01', 'rung 1', '"fiel"', 'did you mean "file"?')
        refuse('"name": "vector2"', '"name": "scalar"', 'two rungs named "scalar"')
        refuse('"idea": "two ints', '"idea": "x", "idea": "two ints', '"idea" twice')
        refuse("[4096, 3072]", "[4096, 30720000000000]", '"size"', "30720000000000")
        # Malformed expressions and names that are nowhere, before anything runs, with their place.
        refuse('"file": "01', '"scratch": "2 *", "file": "01', 'rung 1 "scalar", "scratch"', "character 4")
        refuse('"ladder": "copy"', '"ladder": "copi"', 'did you mean "copy"?')
        refuse('"rungs": ["*"]', '"rungs": ["scalr"]', "experiment", '"scalr"', 'did you mean "scalar"?')
        refuse('"name": "figure2"', '"name": "../figure2"', "experiment 1", "letters")

    @runs_rungs
    def test_memory(self):
        for name in ["copy/scalar", "sobel/shipped", "threshold"]:
            start = time.monotonic()
            self.refuse("run", name, *EMULATOR, "--size", "1000000x1000000", code=FAILED,
                        says=["src takes", "this machine's memory"])
            self.fail_with(FAILED, "explain", "copy/scalar", "--size", "1000000x1000000",
                           says=["src takes", "this machine's memory"])
            self.assertLess(time.monotonic() - start, 20)
        self.refuse("run", "copy/scalar", *EMULATOR, "--size", "9223372036854775807x2", says="64 bits")
        self.refuse("run", "match", *EMULATOR, "--size", "1x1", says=["1x1", "block"])

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    @runs_rungs
    def test_without_a_gpu(self):
        for command in ["run", "verify"]:
            self.refuse(command, "copy/scalar", "--on", "gpu", says="CUDA", code=FAILED)

    def test_without_a_compiler(self):
        environment = dict(os.environ, WARPWISE_CUDA_HOME="/nonexistent", XDG_CACHE_HOME=os.getcwd())
        for call in [["lab", "run", "copy/scalar"], ["lab", "verify"],
                     ["lab", "diff", "copy", "scalar", "vector2"], ["explain", "copy/scalar"]]:
            self.fail_with(FAILED, *call, says=["there is no CUDA compiler", "get-nvrtc.sh"],
                           env=environment)
        self.succeed("lab", "list", env=environment)


class Document(LabTest):
    """docs/add-a-rung.md, followed as it stands: ```cuda file=NAME is written into the folder that was
    copied, ```json line goes in front of the shipped rung, each line of ```sh is run."""

    def follow(self, kind, text):
        environment = dict(os.environ, PATH=f"{os.path.dirname(WARPWISE)}:{os.environ['PATH']}")
        tables = list(pathlib.Path(".").glob("*/ladder.json"))
        if kind == "sh":
            for command in text.splitlines():
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], env=environment,
                                      capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, command + "\n" + done.stderr)
                self.assertNotIn("WRONG", done.stdout)
        elif kind.startswith("cuda file="):
            self.assertEqual(len(tables), 1, "the folder is copied before")
            (tables[0].parent / kind.removeprefix("cuda file=")).write_text(text)
        elif kind == "json line":
            lines = tables[0].read_text().splitlines(keepends=True)
            shipped = next(i for i, line in enumerate(lines) if '"shipped": true' in line)
            tables[0].write_text("".join([*lines[:shipped], text, *lines[shipped:]]))
        else:
            self.fail(f"nobody follows ```{kind}")

    @runs_rungs
    def test_is_true(self):
        self.assertTrue(DOCUMENT.exists(), f"{DOCUMENT} is missing")
        blocks = re.findall(r"^```([^\n]+)\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
        kinds = [kind.split()[0] for kind, text in blocks]
        self.assertEqual(set(kinds), {"sh", "cuda", "json"})
        commands = "".join(text for kind, text in blocks if kind == "sh")
        for command in ["lab verify", "lab run", "lab diff", "explain"]:
            self.assertIn(f"warpwise {command} ", commands)
        for kind, text in blocks:
            self.follow(kind, text)
        [folder] = [path.parent for path in pathlib.Path(".").glob("*/ladder.json")]
        [ladder] = self.ladders("--ladder-dir", str(folder))
        [installed] = self.ladders(ladder["ladder"])
        added = [rung["name"] for rung in ladder["rungs"]
                 if rung["name"] not in {each["name"] for each in installed["rungs"]}]
        self.assertEqual(len(added), kinds.count("json"))
        for name in added:
            self.assertIn(f"{ladder['ladder']}/{name}", commands)
            self.assertIn(name, "".join(text for kind, text in blocks if kind == "json line"))


if __name__ == "__main__":
    unittest.main()
