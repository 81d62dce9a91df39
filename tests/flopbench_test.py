"""Tests scripts/record-flopbench.py: it reads and compares the suite's table. Its record is as good as documented."""
import importlib.util
import json
import pathlib
import statistics
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).parents[1]
SCRIPTS = REPOSITORY / "scripts"
sys.path.insert(0, str(SCRIPTS))

import flopbench  # noqa: E402
import flopbench_tables as tables  # noqa: E402

specification = importlib.util.spec_from_file_location("record_flopbench", SCRIPTS / "record-flopbench.py")
record = importlib.util.module_from_spec(specification)
specification.loader.exec_module(record)

ROW = {"kernelName": "scale", "Kernel Name": "void scale<float, 4>(T1 *)", "Grid Size": "(4, 1, 1)", "Block Size": "(256, 1, 1)",
       "xtime": "2000.0", "spPerf": "1e9", "dpPerf": "5e8", "traffic": "3e9", "intops": "7.0"}


def kernel(mangled, **others):
    return {"mangled_name": mangled, "grid": [4, 1, 1], "block": [256, 1, 1], "launches": 2, "counted": "counts are the sum of 2 launches",
            "warp_instructions": 10, "thread_instructions": 160, "float_operations": {"float32": 8, "float64": 4},
            "instructions_by_class": {"integer": 3, "float32": 5}, "faults": [],
            "prediction": {"time_us": 2, "least_us": 1, "most_us": 3, "rules": "issue", "bounds_us": {"DRAM": 0.5}, "sampled_blocks": 2,
                           "sample": {"warp_instructions": 8, "thread_instructions": 256, "float_operations": {"float32": 20, "float64": 0},
                                      "instructions_by_class": {"integer": 2, "special": 1}}}, **others}


SCALE = "_Z5scaleIfLi4EEvPT_"
FIGURES = {"dram_gb_per_s": 100}


def compared(*kernels):
    timeline = [{"kernel": 0, "time_us": 2}, {"kernel": 1, "time_us": 3}, {"transfer": "to_gpu", "time_us": None}]
    return record.compared("p", ROW, {"kernels": list(kernels), "timeline": timeline}, "status 0\n", FIGURES)


def row(measured, predicted):
    names = ("time_us", "float32", "float64", "integer", "bytes")
    said = dict(zip(names, predicted)) | {"special": False, "least_us": predicted[0] / 2, "most_us": 2 * predicted[0], "rules": "issue"}
    return {"measured": dict(zip(names, measured)), "predicted": said}


class Read(unittest.TestCase):
    def test_names(self):
        for name, parts in [("void k::scale<float, (int)4>(float*)", ("scale", "float,4")), ("add(int*)", ("add", "")),
                            ("f<A<int>, 4u, true>(x)", ("f", "A<int>,4,1")), ("f<(k::Kind)1, (int)-2>(x)", ("f", "1,-2")), (flopbench.demangled(SCALE), ("scale", "float,4"))]:
            self.assertEqual(flopbench.parts_of(name), parts)

    def test_options_of_the_other_compiler(self):
        entry = {"directory": "/there/build", "file": "/there/src/a/main.cu",
                 "command": "clang++ -I/there/src/a -O3 -DN=4 -std=gnu++14 --cuda-gpu-arch=sm_86 -fopenmp -x cuda -c /there/src/a/main.cu -o main.o"}
        self.assertEqual(flopbench.options_of("/here", entry),
                         ("/here/src/a/main.cu", ["-I/here/src/a", "-DN=4", "-std=c++17", "-Xcompiler=-fopenmp"]))

    def test_what_was_measured(self):
        self.assertEqual({name: round(value, 9) for name, value in flopbench.measured(ROW).items()},
                         {"time_us": 2, "float32": 2000, "float64": 1000, "integer": 7, "bytes": 6000})


class Compared(unittest.TestCase):
    def test_a_launch_is_the_mean_of_its_launches(self):
        said = compared(kernel(SCALE))["predicted"]
        self.assertEqual({name: said[name] for name in ("time_us", "float32", "float64", "integer", "bytes", "special")},
                         {"time_us": 2, "float32": 4, "float64": 2, "integer": 24, "bytes": 50_000, "special": False})

    def test_an_interrupted_launch_has_the_operations_of_its_sample(self):
        said = compared(kernel(SCALE, counted="stopped: 1 of 4 blocks finished"))["predicted"]
        self.assertEqual({name: said[name] for name in ("time_us", "float32", "float64", "integer", "special", "sampled")},
                         {"time_us": 2, "float32": 40, "float64": 0, "integer": 2 * 64, "special": True, "sampled": True})

    def test_the_first_of_launches_that_differ_has_the_operations_of_its_sample(self):
        report = {"kernels": [kernel(SCALE)], "timeline": [{"kernel": 0, "time_us": 2}, {"kernel": 0, "time_us": 3}]}
        self.assertEqual(record.compared("p", ROW, report, "status 0\n", FIGURES)["predicted"]["float32"], 40)

    def test_names_and_shapes_choose_the_launch(self):
        other = kernel("_Z5scaleIfLi8EEvPT_")
        self.assertIn("predicted", compared(other, kernel(SCALE)))
        self.assertEqual(compared(other)["why"], "never launched")
        self.assertEqual(compared(kernel(SCALE), kernel(SCALE))["why"], "several kernels have its name")
        self.assertEqual(compared(kernel(SCALE, grid=[8, 1, 1]))["why"], "launched with another grid or block")
        # The name of this kernel begins like that of another one, but it is a different kernel.
        self.assertEqual(compared(kernel("_Z9scale_allIfLi4EEvPT_"))["why"], "never launched")

    def test_additions_that_machine_code_repeats(self):
        head = ".visible .entry other(\n)\n{ atom.shared.add.f32 %f1, [%r1], %f2; }\n"
        for text, repeats in [("atom.shared.add.f32 %f1, [%r1], %f2;", True), ("red.shared::cta.relaxed.cta.add.f64 [%r1], %d2;", True),
                              ("atom.shared.add.u32 %r1, [%r2], %r3;", False), ("red.global.add.f32 [%rd1], %f2;", False)]:
            ptx = f"{head}.visible .entry {SCALE}(\n)\n{{ {text} }}\n"
            self.assertEqual(flopbench.repeats_atomics(ptx, SCALE), repeats, text)
            said = record.compared("p", ROW, {"kernels": [kernel(SCALE)], "timeline": []}, "", FIGURES, ptx)["predicted"]
            self.assertEqual(said["repeats"], repeats)
        self.assertFalse(flopbench.repeats_atomics(head, SCALE))

    def test_kernels_that_repeat_have_a_class_of_their_own(self):
        rows = [{"program": "p", "kernel": "k", **row((1, 9, 0, 0, 1), (1, 9, 0, 0, 1))} for _ in range(2)]
        rows[0]["predicted"]["repeats"] = True
        of = tables.parts(rows)
        self.assertEqual((of["repeating"], of["plain"]), ([rows[0]], [rows[1]]))
        self.assertIn("that repeats | 1 of 1", tables.operations({"kernels": rows}))
        self.assertNotIn("that repeats", tables.operations({"kernels": rows[1:]}))

    def test_no_time(self):
        self.assertEqual(compared(kernel(SCALE, prediction={"unavailable": "textures"}))["why"], "textures")
        self.assertEqual(compared({**kernel(SCALE, faults=[{}]), "prediction": None})["why"], "faults")
        for said, why in [("the time limit of 3 s has passed\nstatus 1\n", "not reached, or not sampled, within the time limit"),
                          ("warpwise: kernel k was not run: …\nstatus 1\n", "refused by the emulator"),
                          ("no input\nstatus 255\n", "the program ended with an error"), ("status 0\n", "never launched")]:
            self.assertEqual(record.compared("p", ROW, None, said, FIGURES)["why"], why)


class Figures(unittest.TestCase):
    def test_bounds(self):
        bound = lambda *counts: tables.bound(dict(zip(("float32", "float64", "integer", "bytes"), counts)))
        self.assertEqual(bound(39, 0, 9, 1), "bandwidth")
        self.assertEqual(bound(40, 0, 0, 1), "compute")
        self.assertEqual(bound(0, 1, 0, 1), "compute")
        self.assertEqual(bound(0, 0, 10, 1), "compute")
        self.assertEqual(bound(0, 0, 0, 0), "compute")

    def test_equal_operations_are_equal_in_both_precisions(self):
        self.assertTrue(tables.equal_floats(row((1, 10000, 0, 0, 1), (1, 10099, 0, 0, 1))))
        self.assertFalse(tables.equal_floats(row((1, 10000, 0, 0, 1), (1, 10101, 0, 0, 1))))
        self.assertFalse(tables.equal_floats(row((1, 10000, 0, 0, 1), (1, 10000, 22, 0, 1))))

    def test_few_operations_are_as_exact_as_their_rates(self):
        # The table rounds to 0.015 operations a cycle: in 1440 cycles these are 21.6 operations.
        self.assertTrue(tables.equal_floats(row((1, 0, 100, 0, 1), (1, 0, 121, 0, 1))))
        self.assertFalse(tables.equal_floats(row((1, 0, 100, 0, 1), (1, 0, 122, 0, 1))))

    def test_times(self):
        self.assertEqual(tables.time_factor(row((2, 0, 0, 0, 1), (1, 0, 0, 0, 1))), 2)
        self.assertTrue(tables.in_range(row((2, 0, 0, 0, 1), (1, 0, 0, 0, 1))))
        self.assertFalse(tables.in_range(row((2.1, 0, 0, 0, 1), (1, 0, 0, 0, 1))))


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.record = json.loads((REPOSITORY / "results/flopbench.json").read_text(encoding="utf-8"))
        cls.parts = tables.parts(cls.record["kernels"])

    def share(self, part, holds):
        return sum(map(holds, self.parts[part])) / len(self.parts[part])

    def test_each_kernel_was_compared_or_has_a_reason(self):
        for each in self.record["kernels"]:
            self.assertEqual(("predicted" in each) + ("why" in each), 1, each)
        self.assertEqual(len({each["program"] for each in self.record["kernels"]}), self.record["programs"])
        self.assertGreaterEqual(len(self.parts["compared"]), 50)

    def test_no_kernel_exceeds_the_base_clock(self):
        most = 2 * 32 * 4 * 68 * record.BASE_CLOCK_MHZ
        for each in self.record["kernels"]:
            self.assertLess(each["measured"]["float32"], most * each["measured"]["time_us"], each)

    def test_it_is_as_good_as_the_document_says(self):
        self.assertLessEqual(statistics.median(map(tables.time_factor, self.parts["compared"])), 1.3)
        self.assertGreaterEqual(self.share("compared", tables.same_bound), 0.85)
        self.assertGreaterEqual(self.share("plain", tables.equal_floats), 0.9)


if __name__ == "__main__":
    unittest.main()
