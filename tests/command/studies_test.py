"""Tests studies from outside: their tables and the tables' schema, the installed studies, and the document on
adding a study. Tests that compile are skipped, with the reason, if there is no CUDA compiler."""

import copy
import csv
import io
import json
import os
import pathlib
import shutil
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None
from lab_support import EMULATOR, FAILED, FollowedDocument, LabTest, USAGE
from support import SAMPLES, read, runs_rungs, write

SOURCES = pathlib.Path(SAMPLES).parent / "warpwise"
TABLES = sorted([*SOURCES.glob("primitives/*/ladder/ladder.json"), *SOURCES.glob("studies/*/study.json")])
LONGEST_LINE = 119


class Schema(LabTest):
    def setUp(self):
        super().setUp()
        if jsonschema is None:
            self.skipTest("Python's jsonschema is not installed (scripts/packages.sh --test)")
        schema = json.loads((SOURCES / "lab/study/study.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def test_every_table(self):
        self.assertGreaterEqual(len(TABLES), 7)
        for path in TABLES:
            with self.subTest(path):
                table = json.loads(path.read_text())
                self.assertEqual([error.message for error in self.validator.iter_errors(table)], [])
                self.assertEqual((path.parent / table["$schema"]).resolve(),
                                 (SOURCES / "lab/study/study.schema.json").resolve())
                longest = max(path.read_text().splitlines(), key=len)
                self.assertLessEqual(len(longest), LONGEST_LINE, longest)
                # A table may state the needs that all its rungs have in common once, under "defaults".
                common = table.get("defaults", {}).get("needs", {})
                for rung in table.get("rungs", table.get("kernels", [])):
                    for need, meaning in rung.get("needs", {}).items():
                        self.assertNotEqual(common.get(need), meaning, rung["name"])

    def test_broken_tables_are_refused_by_the_schema_and_by_the_command(self):
        """Makes changes to a table, each of which the schema and the command must refuse."""
        def at(table, *path):
            for step in path:
                table = table[step]
            return table
        def put(*path, value):
            return lambda table: at(table, *path[:-1]).__setitem__(path[-1], value)
        def remove(*path):
            return lambda table: at(table, *path[:-1]).pop(path[-1])
        ladder = [
            put("sizes", value=[1, 1]), remove("about"), put("size", value=[0, 1]), put("size", value=[1, 2, 3]),
            put("rungs", value=[]), put("rungs", 0, "fiel", value="x"), remove("rungs", 0, "name"),
            put("rungs", 0, "name", value="a/b"), put("rungs", 0, "blocks", value=[]),
            put("rungs", 0, "grid", value=[1, 2, 3, 4]), put("rungs", 0, "needs", value=["a"]),
            put("rungs", 0, "idea", value=[1]), put("rungs", 0, "document", value={"time_us": 0}),
            put("experiments", 0, "sizes", value=[[1, 1]]), put("experiments", 0, "axes", "blocks", value="some"),
            put("experiments", 0, "rungs", value=[]), put("document", value={"device": "x", "cpu": {}})]
        study = [
            remove("problem"), remove("problem", "reference"), put("rungs", value=[]),
            put("problem", "arguments", 0, "type", value="f64"), put("problem", "arguments", 0, "fill", value="one"),
            remove("problem", "arguments", 0, "elements"), put("problem", "arguments", 2, "value", value=None),
            put("kernels", 0, "shipped", value=True), put("kernels", 0, "after", value="x"),
            put("axes", "stride", value=[]), put("axes", "stride", value=[0.5]), put("report", value=["time"]),
            put("experiments", 0, "cpu", value=True), put("experiments", 1, "knee", value={"axis": "stride"}),
            put("experiments", 1, "knee", value={"axis": "stride", "of": "registers"}),
            put("experiments", 1, "knee", value={"axis": "stride", "of": "cold_us", "rule": 1}),
            put("experiments", 1, "knee", value="stride")]
        for source, changes in [(SOURCES / "primitives/copy/ladder", ladder), (SOURCES / "studies/banks", study)]:
            shutil.copytree(source, "mine")
            [path] = [path for path in pathlib.Path("mine").iterdir() if path.name in ("ladder.json", "study.json")]
            right = json.loads(path.read_text())
            for number, change in enumerate(changes):
                with self.subTest(source=source.name, change=number):
                    table = copy.deepcopy(right)
                    change(table)
                    self.assertTrue(list(self.validator.iter_errors(table)), "the schema takes it")
                    path.write_text(json.dumps(table))
                    self.refuse("list", "--study-dir", "mine", says=str(path))
            shutil.rmtree("mine")


class Banks(LabTest):
    def test_is_listed(self):
        [study] = self.studies("banks")
        self.assertEqual(study["study"], "banks")
        self.assertEqual([rung["name"] for rung in study["rungs"]],
                         ["conflict", "no_conflict", "no_read", "strided", "padded"])
        self.assertEqual(study["axes"]["parameters"]["stride"], list(range(1, 33)))
        self.assertIn("banks", [each["study"] for each in self.studies()])
        self.assertIn("banks: ", self.succeed("lab", "list").stdout.decode())

    def counted(self, name, *arguments):
        report = json.loads(self.succeed("lab", "run", name, *EMULATOR, "--json", *arguments).stdout)
        return report["results"]

    @runs_rungs
    def test_the_documents_counts(self):
        """The document counts the transactions of a tenth of the grid of 3840*3840 threads, and the conflicts."""
        rows = self.counted("banks/table1", "--cc", "1.3", "--size", "3840x384")
        self.assertEqual([row["rung"] for row in rows], ["conflict", "no_conflict", "no_read"])
        for row, degree in zip(rows, [16, 1, None]):
            [counts] = row["counts"]
            for access in [counts["global_load"], counts["global_store"]]:
                self.assertEqual([access[f"transactions_{width}"] for width in (32, 64, 128)], [0, 92160, 0])
            loads = counts["shared_load"]
            self.assertEqual(loads["requests"], 0 if degree is None else 3840 * 384 // 32)
            # On CC 1.x, each half-warp is a request of its own, so a warp's request counts as two.
            self.assertEqual(loads["passes"], 2 * (degree or 0) * loads["requests"])
        self.assertEqual(rows[0]["document_time_us"], 2179.21)

    @runs_rungs
    def test_strides(self):
        rows = self.counted("banks", "--size", "256x1")
        strided = {row["parameters"]["stride"]: row["counts"][0]["shared_load"] for row in rows
                   if row["rung"] == "strided"}
        self.assertEqual(list(strided), list(range(1, 33)))
        for stride, counts in strided.items():
            ways = stride & -stride
            self.assertEqual(counts["passes"], ways * counts["requests"], stride)
        padded = {row["parameters"]["stride"]: row["counts"][0]["shared_load"] for row in rows
                  if row["rung"] == "padded"}
        for stride in [1, 2, 4, 8, 16, 32]:
            self.assertLess(padded[stride]["passes"], 2.5 * padded[stride]["requests"], stride)
        # A kernel that fixes its stride is measured at one point.
        self.assertEqual(sum(row["rung"] == "conflict" for row in rows), 1)

    @runs_rungs
    def test_axes_are_columns(self):
        done = self.succeed("lab", "run", "banks/widths", *EMULATOR, "--size", "256x1", "--csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual(len(rows), 2 * 3 * 32)
        self.assertEqual({row["WORDS"] for row in rows}, {"1", "2", "4"})
        self.assertEqual(rows[0]["study"], "banks")
        text = self.succeed("lab", "run", "banks/table1", *EMULATOR, "--size", "256x1").stdout.decode()
        self.assertIn("shared_load_passes", text)
        self.assertRegex(text, r"\nno_conflict \(256\) stride 16 ")

    @runs_rungs
    def test_diff_and_explain(self):
        said = self.succeed("lab", "diff", "banks", "conflict", "no_conflict", *EMULATOR).stdout.decode()
        self.assertIn("constant READ: 2 -> 1", said)
        report = json.loads(self.succeed("explain", "banks/strided", "--size", "256x1", "--json").stdout)
        self.assertEqual(report["primitive"], "banks/strided")


class Latency(LabTest):
    def test_is_listed(self):
        [study] = self.studies("latency")
        self.assertEqual([rung["name"] for rung in study["rungs"]], ["add", "multiply", "divide"])
        self.assertEqual([each["name"] for each in study["experiments"]],
                         ["additions", "multiplications", "divisions", "stores", "figure4"])
        self.assertEqual({row for each in study["experiments"] for row in each["rows"]}, {"A5"})

    def counted(self, experiment):
        report = self.run_json("latency/" + experiment, size="64x8")
        self.assertEqual(report["knee"], {"axis": "OPS", "of": "cold_us"})
        self.assertEqual(report["knees"], [], "without times there is none")
        return report["results"]

    @runs_rungs
    def test_operations_add_up_and_accesses_stay(self):
        warps = 64 * 8 // 32
        for experiment in ["additions", "multiplications", "divisions", "stores"]:
            curves = {}
            for row in self.counted(experiment):
                key = (row["parameters"]["loads"], row["parameters"]["stores"])
                curves.setdefault(key, []).append((row["axes"]["OPS"], row["counts"][0]))
            self.assertGreaterEqual(len(curves), 3, experiment)
            # The code of a division has two instructions: a mov.f32 of the dividend and a div.rn.f32.
            each = 2 if experiment == "divisions" else 1
            for (loads, stores), points in curves.items():
                # The kernel with no operations loads one constant less than the others, so it is left out.
                (first, at_first), *others = points[1:]
                for operations, counts in others:
                    self.assertEqual(counts["warp_instructions"] - at_first["warp_instructions"],
                                     each * (operations - first) * warps, (experiment, loads, stores))
                for _, counts in points:
                    for access, of_a_thread in [("global_load", loads), ("global_store", stores)]:
                        self.assertEqual(counts[access]["requests"], of_a_thread * warps)
                        self.assertEqual(counts[access]["transactions_32"], 4 * of_a_thread * warps)

    @runs_rungs
    def test_figure_4_has_two_shapes_of_one_work(self):
        shapes = {}
        for row in self.counted("figure4"):
            shapes.setdefault(tuple(row["block"]), []).append(row["counts"][0]["warp_instructions"])
        self.assertEqual(list(shapes), [(32, 4, 1), (32, 16, 1)])
        self.assertEqual(*shapes.values())


class Barriers(LabTest):
    def test_is_listed(self):
        [study] = self.studies("barriers")
        self.assertEqual([rung["name"] for rung in study["rungs"]], ["global", "warp_stage", "block_stage"])
        self.assertEqual({row for each in study["experiments"] for row in each["rows"]}, {"A6"})

    @runs_rungs
    def test_equal_loads_and_arithmetic(self):
        """The kernels have equal loads and arithmetic. One has no copy, one has barriers. Resident blocks vary."""
        warps, values = 256 * 2 // 32, 8
        for experiment, resident in [("few_warps", 2), ("many_warps", 8)]:
            rungs = {}
            for row in self.run_json("barriers/" + experiment, size="256x2")["results"]:
                [counts] = row["counts"]
                rungs.setdefault(row["rung"], []).append((row["axes"]["OPS"], counts["warp_instructions"]))
                self.assertEqual(counts["global_load"]["requests"], values * warps)
                self.assertEqual(counts["global_load"]["transactions_32"], 4 * values * warps)
                copies = 0 if row["rung"] == "global" else values * warps
                for access in ["shared_load", "shared_store"]:
                    self.assertEqual(counts[access], {"requests": copies, "passes": copies})
                self.assertEqual(counts["barriers"], 2 * values * warps if row["rung"] == "block_stage" else 0)
                self.assertEqual(row["resources"][0]["occupancy"], resident / 8)
            self.assertEqual(list(rungs), ["global", "warp_stage", "block_stage"])
            for name, points in rungs.items():
                # The instructions grow only by those of the loop of 16 multiplications.
                (first, at_first), *others = points[1:]
                for operations, instructions in others:
                    self.assertEqual(instructions - at_first, values * warps * (operations - first) // 16 * 20, name)


def transactions(access):
    return [access[f"transactions_{width}"] for width in (32, 64, 128)]


class Counted(LabTest):
    def counted(self, name, *arguments):
        """Returns each row of an experiment with the emulator's counts, for one compute capability."""
        report = json.loads(self.succeed("lab", "run", name, *EMULATOR, "--json", *arguments).stdout)
        return [(row, row["counts"][0]) for row in report["results"]]

    def rows_of_documents(self, name):
        [study] = self.studies(name)
        return {row for each in [*study["rungs"], *study["experiments"]] for row in each["rows"]}


class Transactions(Counted):
    def test_is_listed(self):
        self.assertEqual(self.rows_of_documents("transactions"), {"A2", "D1"})

    @runs_rungs
    def test_the_documents_counts(self):
        """In table 2, a half-warp takes one transaction of 64 bytes, or sixteen of 32 bytes."""
        done = self.counted("transactions/table2", "--cc", "1.3", "--size", "1024x1024")
        self.assertEqual([row["rung"] for row, counts in done], ["test1", "test2"])
        self.assertEqual([transactions(counts["global_load"]) for row, counts in done],
                         [[0, 65536, 0], [1048576, 0, 0]])
        # The document's counters saw a tenth of the grid of 4096 blocks: 409 or 410 whole blocks.
        self.assertEqual([65536 // 4096 * 409, 1048576 // 4096 * 410], [6544, 104960])
        self.assertEqual([row["document_time_us"] for row, counts in done], [100.80, 2458.34])

    @runs_rungs
    def test_strides(self):
        """Compares each rule at each stride with the number of segments that the words of the lanes touch."""
        def segments(first, lanes, step, segment):
            return len({(first + lane) * step // segment for lane in range(lanes)})
        def lines(stride, size):  # segments for each warp, half-warp or quarter: the mean over warps
            lanes = 32 if size <= 4 else 128 // size
            return sum(segments(first, lanes, stride * size, 128) for first in range(0, 128, lanes)) / 4
        def in_order(stride, size):  # only adjacent words of at least 4 bytes share a transaction
            return 32 if stride > 1 or size < 4 else 4 if size == 16 else 2
        rules = {"1.1": in_order, "2.0": lines,
                 "9.0": lambda stride, size: segments(0, 32, stride * size, 32)}
        done = self.counted("transactions/strides", "--cc", ",".join(rules))
        self.assertEqual(len(done), 5 * 32)
        for row, _ in done:
            stride, bits = (row["parameters"][name] for name in ("stride", "bits"))
            self.assertEqual([counts["load_transactions_per_request"] for counts in row["counts"]],
                             [rule(stride, bits // 8) for rule in rules.values()], (stride, bits))

    @runs_rungs
    def test_misalignment(self):
        """The adjacent words of a warp need one sector more if they do not begin at the start of a sector."""
        for row, counts in self.counted("transactions/misalignment", "--cc", "9.0"):
            size, first = row["parameters"]["bits"] // 8, row["parameters"]["offset"]
            inside = first * size % 32 != 0
            self.assertEqual(counts["load_transactions_per_request"], size + inside, row["parameters"])
        done = self.counted("transactions/misalignment", "--cc", "1.1")
        for row, counts in done:
            if row["parameters"]["bits"] == 32:
                self.assertEqual(counts["load_transactions_per_request"],
                                 2 if row["parameters"]["offset"] % 16 == 0 else 32)

    @runs_rungs
    def test_pixels_of_three_bytes(self):
        """Document D, figure 3: two of the four positions straddle segments, of 64 bytes for words of 2 bytes."""
        done = self.counted("transactions/figure3", "--cc", "1.3")
        by_place = {(row["parameters"]["bits"], row["axes"]["AT"]): counts for row, counts in done}
        half_warps = 1024 * 16 // 16
        self.assertEqual([transactions(by_place[16, begin]["global_load"]) for begin in (0, 48, 96, 144)],
                         [[0, half_warps, 0], [2 * half_warps, 0, 0], [2 * half_warps, 0, 0], [0, half_warps, 0]])
        # GPUs without segments serve each lane alone, wherever the pixels are.
        for row, counts in self.counted("transactions/figure3", "--cc", "1.1"):
            if row["parameters"]["bits"] < 32:
                self.assertEqual(transactions(counts["global_load"]), [16 * half_warps, 0, 0])


class Organisations(Counted):
    @runs_rungs
    def test_the_documents_table(self):
        """Table 2 of the document: 48 loads and 64 pixels by 48, 64 and 16 threads."""
        done = self.counted("organisations/table2")
        self.assertEqual({row["rung"]: (counts["executed_threads"], counts["idle_threads"],
                                        round(counts["thread_efficiency_percent"], 1))
                          for row, counts in done},
                         {"input": (144, 32, 77.8), "output": (128, 16, 87.5), "input_output": (112, 0, 100)})
        for row, counts in done:
            self.assertEqual(counts["references_per_pixel"] * 64, 112)
        self.assertEqual(self.rows_of_documents("organisations"), {"D2"})

    @runs_rungs
    def test_without_shared_memory(self):
        """Each of 64 threads loads three bytes and stores a pixel. No thread idles, but there are more instructions."""
        [(row, counts)] = self.counted("organisations/unoptimised")
        self.assertEqual((counts["executed_threads"], counts["idle_threads"]), (256, 0))


class Shapes(Counted):
    def test_is_listed(self):
        self.assertEqual(self.rows_of_documents("shapes"), {"D3"})
        [study] = self.studies("shapes")
        self.assertEqual({rung["name"]: rung["blocks"][0] for rung in study["rungs"]},
                         {"unoptimised": [32, 16, 1], "input": [96, 1, 1], "output": [128, 1, 1],
                          "input_output": [64, 2, 1]})
        for rung in study["rungs"]:
            # Heights are powers of two. Widths are the least width of the rung times powers of two.
            least = min(x for x, y, z in rung["blocks"])
            powers = [1 << k for k in range(11)]
            self.assertEqual(sorted(rung["blocks"]), sorted([least * x, y, 1] for x in powers for y in powers
                                                            if least * x * y <= 1024))

    @runs_rungs
    def test_the_documents_best(self):
        """No other shape that fills 768 threads with at most 8 blocks executes fewer instructions."""
        done = self.counted("shapes/figure9")
        self.assertEqual(len(done), 28 + 15 + 15 + 28)
        for name, best in [("input", [96, 1, 1]), ("output", [128, 1, 1]), ("input_output", [64, 2, 1])]:
            instructions = {tuple(row["block"]): counts["warp_instructions"] for row, counts in done
                            if row["rung"] == name}
            filling = [count for (x, y, z), count in instructions.items() if 8 * x * y >= 768]
            self.assertEqual(instructions[tuple(best)], min(filling), name)
            self.assertGreater(max(filling), 1.2 * min(filling))


class OnesOwn(LabTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(SOURCES / "studies/banks", "mine")
        self.mine = ["--study-dir", "mine", *EMULATOR]

    @runs_rungs
    def test_a_wrong_kernel_is_not_measured(self):
        source = read("mine/01_table1.cu").decode()
        write("mine/01_table1.cu", source.replace("out[i] = result;", "out[i] = result + (i == 70);").encode())
        os.mkdir("out")
        done = self.run_command("lab", "run", "banks/table1", *self.mine, "--size", "256x1", "--out", "out")
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout.decode(), r"no_read \(256\).*WRONG: out at \(70, 0\): expected \d+, got \d+")
        self.assertEqual(os.listdir("out"), [])
        done = self.run_command("lab", "verify", "banks/no_read", *self.mine)
        self.assertEqual(done.returncode, FAILED)

    @runs_rungs
    def test_what_only_an_experiment_has_is_verified(self):
        table = json.loads(read("mine/study.json"))
        table["verify"] = [[64, 33], [1024, 1]]
        table["axes"]["stride"] = [3, 16]
        [widths] = [each for each in table["experiments"] if each["name"] == "widths"]
        widths["axes"] = {"WORDS": [1, 4], "stride": [3, 5], "blocks": [[64], [128]]}
        table["experiments"].append({**widths, "name": "again"})
        write("mine/study.json", json.dumps(table).encode())
        done = self.succeed("lab", "verify", "banks/strided", "banks/no_read", *self.mine)
        # Each case runs with and without memory after the buffers. The table's two strides run at two sizes. The
        # experiment has eight points. The points that the table lacks run at one size.
        self.assertRegex(done.stdout.decode(), r"banks/strided +22 right\n")
        self.assertRegex(done.stdout.decode(), r"banks/no_read +4 right\n")
        source = read("mine/02_strides.cu").decode()
        write("mine/02_strides.cu", source.replace("if (is_inside) words", "if (is_inside && WORDS < 4) words").encode())
        done = self.run_command("lab", "verify", "banks/strided", *self.mine)
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout.decode(), r"WRONG: out at .*width 1024.*WORDS 4\)")

    @runs_rungs
    def test_a_reference_that_fails_is_told(self):
        write("mine/reference.cu", b'extern "C" __global__ void reference(unsigned* out, const unsigned*, '
                                   b"long long, int) { out[1 << 30] = 1; }\n")
        done = self.run_command("lab", "run", "banks/table1", *self.mine, "--size", "256x1")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"WRONG: the reference kernel: out_of_bounds", done.stdout)

    def test_calls(self):
        self.refuse("run", "bank", says=["banks"])
        self.refuse("run", "banks/conflicts", says=['no kernel and no experiment "conflicts"', '"conflict"'])
        self.refuse("verify", "sobel", *self.mine, says=["mine", "the study banks"])
        self.fail_with(USAGE, "explain", "banks/table1", says="experiment")


class Document(FollowedDocument):
    @runs_rungs
    def test_is_true(self):
        commands, blocks = self.follow_document("add-a-study.md", {"", "sh", "cuda", "json"})
        for command in ["lab list", "lab verify", "lab run", "explain"]:
            self.assertIn(f"warpwise {command} ", commands)
        [folder] = [path for path in pathlib.Path(".").iterdir() if path.is_dir()]
        files = sorted(path.name for path in folder.iterdir())
        text = (pathlib.Path(SAMPLES).parent / "docs/add-a-study.md").read_text()
        numbers = ["no", "one", "two", "three", "four", "five"]
        self.assertIn(f"{numbers[len(files)]} files in one new folder", text.replace("\n", " "))
        self.assertEqual([name for name in files if name.endswith(".json")], ["study.json"])


class Readme(FollowedDocument):
    @runs_rungs
    def test_its_small_study_is_true(self):
        self.follow_document("../warpwise/lab/README.md", {"", "sh", "cuda", "json"})
        table = json.loads(pathlib.Path("my-study/study.json").read_text())
        schema = json.loads((SOURCES / "lab/study/study.schema.json").read_text())
        required = schema["$defs"]["study"]["required"]
        self.assertEqual(sorted(table), sorted([*required, "axes"]), "the page says that a study needs all but axes")


if __name__ == "__main__":
    unittest.main()
