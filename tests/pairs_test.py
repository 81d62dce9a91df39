#!/usr/bin/env python3
"""The pairs of kernels in tests/pairs: the table is that of the sources, the records are of the table, and the page is of the records."""
import math
import pathlib
import re
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "scripts"))
import pair_tables  # noqa: E402
import pairs  # noqa: E402

FIELDS = {"name", "kind", "sealed", "args", "grid", "block", "shared", "launches", "arch", "slow", "fast", "check", "tolerance"}
ARGUMENT = re.compile(r"(tex2d<f32>\[\d+x\d+\]|[iuf]\d+(\[\d+\]|:[\d.]+))(:random|:iota)?")


def parameters(source, kernel):
    """Returns the number of parameters of a kernel."""
    found = re.search(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?' + kernel + r"\(([^)]*)\)", source)
    return found and found[1].count(",") + 1


class Table(unittest.TestCase):
    def setUp(self):
        self.table = pairs.table()

    def test_each_row_has_its_source_and_each_source_its_row(self):
        names = [pair["name"] for pair in self.table]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 60)
        self.assertEqual({pairs.source(pair) for pair in self.table}, set(pairs.FOLDER.glob("*/*.cu")))

    def test_launches_are_those_of_the_kernels(self):
        for pair in self.table:
            source = pairs.source(pair).read_text(encoding="utf-8")
            self.assertTrue(re.match(r"\A// slow: [\s\S]*\n// fast: ", source), pair["name"])
            for kernel in pairs.KERNELS:
                how = pairs.launch(pair, kernel)
                self.assertEqual(set(how) - FIELDS, set(), pair["name"])
                self.assertEqual(len(how["args"]), parameters(source, kernel), f"{pair['name']}, {kernel}")
                for argument in how["args"]:
                    self.assertRegex(argument, ARGUMENT, pair["name"])
                for shape in (how["grid"], how["block"]):
                    self.assertRegex(shape, r"\A\d+(,\d+){0,2}\Z", pair["name"])

    def test_sealed_pairs_are_of_most_kinds(self):
        kinds = [pair["kind"] for pair in self.table if pair["sealed"]]
        self.assertGreaterEqual(len(kinds), 30)
        self.assertGreaterEqual(len(set(kinds)), 0.8 * len({pair["kind"] for pair in self.table}))


class Judged(unittest.TestCase):
    def test_direction(self):
        self.assertTrue(pairs.right_direction(5.0, 1.2))
        self.assertFalse(pairs.right_direction(5.0, 0.8))
        self.assertFalse(pairs.right_direction(5.0, 1.02))
        self.assertTrue(pairs.right_direction(1.02, 0.98))
        self.assertTrue(pairs.right_direction(1.06, 1.04))

    def test_a_gain_has_the_errors_of_both_times(self):
        """The C++ test Bounds.AGainHasTheErrorsOfBothTimes has the same numbers."""
        least, most = pairs.gain_range({"least_us": 50, "time_us": 100, "most_us": 200}, {"least_us": 20, "time_us": 40, "most_us": 120})
        self.assertAlmostEqual(least, 2.5 / math.exp(math.hypot(math.log(2), math.log(3))))
        self.assertAlmostEqual(most, 2.5 * math.exp(math.hypot(math.log(2), math.log(2))))

    def test_summary(self):
        def row(measured, predicted):
            return pairs.compared({kernel: {"median_us": us} for kernel, us in zip(pairs.KERNELS, measured)},
                                  {kernel: {"time_us": us, "least_us": us - 1, "most_us": us + 1, "rules": "DRAM"} for kernel, us in zip(pairs.KERNELS, predicted)})

        said = pairs.summary([row((100, 10), (50, 10)), row((20, 10), (20, 10)), row((10, 10), (10, 20))])
        self.assertEqual((said["pairs"], said["direction"], said["near"]), (3, 2, 1))
        self.assertEqual((said["median_factor"], said["median_time_error"]), (2, 0))
        self.assertEqual((said["times"], said["in_range"], said["gain_in_range"]), (6, 4, 1))


class Recorded(unittest.TestCase):
    def test_records_are_of_the_table(self):
        for sealed in (False, True):
            names = {pair["name"] for pair in pairs.table() if pair["sealed"] == sealed}
            records = {device: set(measured["pairs"]) for device in pairs.DEVICES if (measured := pairs.read(pairs.measured_path(device, sealed)))}
            self.assertIn(names, records.values(), "one GPU has all")
            for device, measured in records.items():
                self.assertLessEqual(measured, names)
                self.assertEqual(set(pairs.rows(device, sealed)), measured, "each was measured, and predicted")

    def test_ranges_hold_four_of_five_open_times(self):
        for device in pairs.DEVICES:
            said = pairs.summary(list(pairs.rows(device, False).values()))
            self.assertGreaterEqual(said["in_range"], 0.8 * said["times"], device)
            self.assertGreaterEqual(said["gain_in_range"], 0.8 * said["pairs"], device)

    def test_the_page_has_what_is_recorded(self):
        page = (REPOSITORY / "docs/prediction.md").read_text(encoding="utf-8")
        for what in pair_tables.PARTS:
            shown = f"<!-- results: pairs {what} -->\n{pair_tables.rendered(what)}\n<!-- end -->" in page
            self.assertTrue(shown, f"run scripts/render-results.py: the page has another table of {what}")


if __name__ == "__main__":
    unittest.main()
