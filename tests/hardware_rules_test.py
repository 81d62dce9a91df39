#!/usr/bin/env python3
"""Tests that the rules of time in docs/hardware-rules.md name existing tests, and kernels that measure them."""
import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PAGE = (REPOSITORY / "docs/hardware-rules.md").read_text(encoding="utf-8")
PREDICT = REPOSITORY / "warpwise/lab/predict"


def rules():
    """Returns the rows of the table of times: what is slow, the rule, its kernels, and its tests."""
    rows = PAGE.split("\n## Time\n")[1].split("|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows]


class Rules(unittest.TestCase):
    def test_each_has_a_test(self):
        sources = "\n".join(path.read_text(encoding="utf-8") for path in REPOSITORY.glob("warpwise/**/*_test.cpp"))
        for what, _, _, tests in rules():
            names = re.findall(r"`(\w+)\.(\w+)`", tests)
            self.assertTrue(names, what)
            for suite, name in names:
                self.assertRegex(sources, rf"TEST(_F|_P)?\({suite},\s+{name}\)", what)

    def test_kernels_that_measure_them_exist(self):
        kernels = set(re.findall(r'extern "C" __global__ void (\w+)\(', (PREDICT / "micro_kernels.cu").read_text(encoding="utf-8")))
        figures = set(re.findall(r'"(\w+)"', (PREDICT / "measured_profile.cpp").read_text(encoding="utf-8")))
        for what, _, measured_by, _ in rules():
            names = re.findall(r"`(\w+)`", measured_by)
            self.assertTrue(names or measured_by == "none", what)
            self.assertEqual([name for name in names if name not in kernels | figures], [], what)

    def test_what_was_most_wrong_is_measured(self):
        """Pairs of textbook kernels showed these errors, each a factor of two or more."""
        measured = {what for what, _, measured_by, _ in rules() if measured_by != "none"}
        for kind in ("lanes that go down columns", "scattered loads", "scattered stores", "atomics on one address", "spilled registers",
                     "barriers of large blocks", "short blocks", "division, `%`, conversion, double precision"):
            self.assertIn(kind, measured)


if __name__ == "__main__":
    unittest.main()
