"""Tests that each CUDA source stays within its budget of kernels and of code: instances_test.py NM BUDGET FOLDER

BUDGET is a JSON file: {"primitives/sobel/cuda": {"kernels": 72, "kib": 760}, ...}. A kernel is an instance of a
template. "kib" is the size of the object file, with its machine code and PTX. FOLDER holds the objects.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

NM, BUDGET, FOLDER = sys.argv[1:]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def kernels_of(path):
    """Counts the stubs that start kernels, by the guard variable that each of them has."""
    return len(re.findall(r"^\w+ \w _ZGVZL?\d+__device_stub__", said(NM, path), re.M))


def kib_of(path):
    return path.stat().st_size / 1024


class Instances(unittest.TestCase):
    budget = json.loads(pathlib.Path(BUDGET).read_text(encoding="utf-8"))
    objects = {path.relative_to(FOLDER).as_posix().removesuffix(".cu.o"): path for path in pathlib.Path(FOLDER).rglob("cuda*.cu.o")}

    def test_each_source_has_a_budget(self):
        self.assertEqual(set(self.budget), set(self.objects))

    def test_none_exceeds_it(self):
        for source, path in self.objects.items():
            with self.subTest(source):
                allowed = self.budget[source]
                self.assertLessEqual(kernels_of(path), allowed["kernels"],
                                     f"{source} has more kernels than {BUDGET} allows: make a template argument a value, or "
                                     "raise the budget and write why in docs/decisions")
                self.assertLessEqual(kib_of(path), allowed["kib"], f"{source} has more KiB than {BUDGET} allows")

    def test_the_budget_is_no_larger_than_needed(self):
        for source, path in self.objects.items():
            with self.subTest(source):
                self.assertGreaterEqual(kernels_of(path), 0.9 * self.budget[source]["kernels"], "lower the budget")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
