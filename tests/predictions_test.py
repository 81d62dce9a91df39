"""Tests results/predictions.json, which compares lab predict with recorded times: its figures follow from its rows."""
import itertools
import json
import pathlib
import re
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import predictions  # noqa: E402


class Predictions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = json.loads((REPOSITORY / "results/predictions.json").read_text(encoding="utf-8"))
        cls.all = [*cls.result["experiments"], *cls.result["documents"]]

    def test_figures_follow_from_the_rows(self):
        for each in self.all:
            with self.subTest(each["study"], experiment=each["experiment"]):
                for figure, value in predictions.summary(each["rows"]).items():
                    self.assertEqual(each[figure], value, figure)
        rows = [{**row, "study": each["study"]} for each in self.result["experiments"] for row in each["rows"]]
        self.assertEqual(self.result["all"], predictions.summary(rows))

    def test_each_experiment_names_its_commit(self):
        self.assertEqual(self.result["commit"], predictions.commits(self.all))

    def test_measured_times_are_those_of_the_records(self):
        for each in self.result["experiments"]:
            with self.subTest(each["record"]):
                record = json.loads((REPOSITORY / each["record"]).read_text(encoding="utf-8"))
                times = {predictions.key(row): row["cold"]["median_us"] for row in record["results"] if row.get("cold")}
                for row in each["rows"]:
                    self.assertAlmostEqual(row["measured_us"], times[predictions.key(row)], delta=0.001)

    def test_they_are_as_good_as_the_document_says(self):
        self.assertGreaterEqual(self.result["all"]["rank_correlation"], 0.98)
        self.assertLessEqual(self.result["all"]["median_error"], 0.25)
        self.assertGreaterEqual(self.result["every_second_rung"]["rank_correlation"], 0.98)
        least = {("convert", "ladder"): 0.95, ("copy", "ladder"): 0.85, ("gemv", "ladder"): 0.8, ("match", "ladder"): 0.95,
                 ("sobel", "ladder"): 0.95, ("threshold", "ladder"): 0.95, ("convert", "table5"): 0.9,
                 ("sobel", "table5"): 0.65}
        for each in self.all:
            floor = least.get((each["study"], each["experiment"]))
            if floor is not None and each["device"] != "9400gt":
                self.assertGreaterEqual(each["rank_correlation"], floor, (each["study"], each["experiment"], each["device"]))

    @unittest.expectedFailure
    def test_document_d_has_its_order(self):
        """Known to fail since the model of sharing: two kernels 1.2 % apart are predicted in reverse, 1 % apart."""
        [table5] = [each for each in self.all if (each["study"], each["experiment"], each["device"]) == ("convert", "table5", "9400gt")]
        self.assertGreaterEqual(table5["rank_correlation"], 0.9)

    def test_the_page_counts_the_kernels_in_the_right_order(self):
        page = " ".join((REPOSITORY / "docs/prediction.md").read_text(encoding="utf-8").split())
        for ladder, least, sentence in [("copy", 1.1, "all {} pairs of kernels that differ by more than 10 % are in the right order"),
                                        ("copy", 1.02, "{} of the {} that differ by more than 2 %"),
                                        ("gemv", 1.1, "{} of {} are in the right order")]:
            right, pairs = self.in_order(ladder, least)
            self.assertIn(sentence.format(right, pairs), page)
            if sentence.startswith("all"):
                self.assertEqual(right, pairs)

    def in_order(self, ladder, least):
        """Returns the number of pairs, apart by at least that factor, in the predicted order, and of all."""
        [rows] = [each["rows"] for each in self.all if (each["study"], each["experiment"]) == (ladder, "ladder")]
        pairs = [(one, other) for one, other in itertools.permutations(rows, 2)
                 if one["size"] == other["size"] and other["measured_us"] >= least * one["measured_us"]]
        return sum(one["predicted_us"] < other["predicted_us"] for one, other in pairs), len(pairs)

    def test_the_page_of_profiles_names_each_figure(self):
        folder = REPOSITORY / "warpwise/lab/predict/devices"
        page = (folder / "README.md").read_text(encoding="utf-8")
        figures = json.loads((folder / "h200.json").read_text(encoding="utf-8"))["figures"]
        self.assertEqual(set(re.findall(r"`(\w+_\w+|multiprocessors)`", page)) - {"compute_capability"}, set(figures))

    def test_the_rank_correlation(self):
        self.assertEqual(predictions.spearman([(1, 10), (2, 20), (3, 30)]), 1)
        self.assertEqual(predictions.spearman([(1, 30), (2, 20), (3, 10)]), -1)
        self.assertAlmostEqual(predictions.spearman([(1, 1), (2, 2), (2, 3), (4, 4)]), 0.9486833)
        self.assertIsNone(predictions.spearman([(1, 1), (1, 2), (1, 3)]))


if __name__ == "__main__":
    unittest.main()
