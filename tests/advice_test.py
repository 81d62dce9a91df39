"""Tests results/advice.json, which compares explain's advice on the ladders' rungs with the next rungs: its figures
follow from its steps, its steps are those of the other records, and the advice is as good as the document claims."""
import json
import pathlib
import re
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY / "scripts"))

import advice  # noqa: E402


class Advice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = json.loads((REPOSITORY / "results/advice.json").read_text(encoding="utf-8"))

    def test_figures_follow_from_the_steps(self):
        self.assertEqual(self.result["summary"], advice.summary(self.result["steps"]))

    def test_steps_are_those_of_the_ladders_and_their_records(self):
        predictions = json.loads((REPOSITORY / "results/predictions.json").read_text(encoding="utf-8"))
        steps = [step for name in advice.LADDERS for step in advice.steps_of(name, predictions)]
        kept = [{key: value for key, value in step.items() if key != "advice"} for step in self.result["steps"]]
        self.assertEqual(kept, steps)

    def test_it_is_as_good_as_the_document_says(self):
        summary = self.result["summary"]
        self.assertGreaterEqual(summary["named"] / summary["gained"], 0.7)

    @unittest.expectedFailure
    def test_its_first_is_better_than_the_commonest(self):
        """Fails since disparity's ladder was added: the first advice names 28 steps, the commonest remedy 30."""
        summary = self.result["summary"]
        self.assertGreater(summary["named_first"], summary["named_by_commonest"])

    @unittest.expectedFailure
    def test_it_names_more_than_the_three_commonest(self):
        """Fails since disparity's ladder was added: the advice names 45 steps, the three commonest remedies 45."""
        summary = self.result["summary"]
        self.assertGreater(summary["named"], summary["named_by_always"])

    def test_the_first_steps_that_a_reader_meets(self):
        """Checks gemv's first step, and the first step that gained time in table 5's Sobel."""
        by_name = {(step["ladder"], step["rung"]): step for step in self.result["steps"]}
        self.assertEqual(advice.remedies_of(by_name["gemv", "block_per_row"])[0], "coalescing")
        table5 = by_name["sobel", "global_fewer_conditions"]
        self.assertGreaterEqual(table5["measured"], advice.WORTH)
        self.assertEqual(advice.remedies_of(table5)[0], "fewer instructions")

    def test_the_document_has_each_miss(self):
        page = (REPOSITORY / "docs/advice.md").read_text(encoding="utf-8")
        listed = page.split("gained and were not named:")[1].split("## Each step")[0]
        pairs = re.findall(r"(\w+) → (\w+)", listed)
        missed = [(step["before"], step["rung"]) for step in self.result["steps"]
                  if step["measured"] >= advice.WORTH and not advice.names(step, advice.remedies_of(step))]
        self.assertEqual(sorted(pairs), sorted(missed))

    def test_every_rung_is_placed_and_advised_or_told_why_not(self):
        for rung in self.result["rungs"]:
            self.assertIn(rung["placement"], [1, 2, 3], rung["rung"])
            gains = [each["gain"] for each in rung["advice"] if each["gain"]]
            self.assertLessEqual(len(rung["advice"]), advice.TOP)
            # The advice is ordered by gain, except where gains differ by less than 0.03.
            for first, second in zip(gains, gains[1:]):
                self.assertGreater(first, second - 0.03, rung["rung"])

    def test_words_are_those_of_the_command(self):
        header = (REPOSITORY / "warpwise/lab/explain/advice/advice.hpp").read_text(encoding="utf-8")
        known = set(re.findall(r'\{Remedy::\w+, "([^"]+)"\}', header))
        used = {remedy for steps in advice.STEPS.values() for remedies in steps.values() for remedy in remedies}
        self.assertLessEqual(used, known)
        said = {each["remedy"] for rung in self.result["rungs"] for each in rung["advice"]}
        self.assertLessEqual(said, known)


if __name__ == "__main__":
    unittest.main()
