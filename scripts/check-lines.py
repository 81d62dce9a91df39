#!/usr/bin/env python3
"""Checks that the tree has no more lines than its budget, so that growth is a decision.

    scripts/check-lines.py [ROOT]              ROOT: of the repository, this one unless given
    scripts/check-lines.py --record [ROOT]     makes the present lines the budget, scripts/line-budget.json

Counts the lines of the files that git knows, by part: the product's C++ and CUDA, its Python, tests (with benches and
code for tests), scripts (with CMake files), and pages. Prints each part that is above its budget; ends with status 1 if
there is any.
"""
import json
import pathlib
import re
import subprocess
import sys

BUDGET = "scripts/line-budget.json"
TEXT = re.compile(r"\.(cpp|hpp|cu|cuh|inc|h|py|sh|cmake|txt|md)$|^\.ci/run$")
# A file belongs to the first part whose pattern matches its name.
PARTS = {
    "tests": re.compile(r"^(tests|bench)/|(_test|_testing|_bench)\.\w+$|(^|/)(test_|fake_)[^/]*$|^python/tests/"),
    "pages": re.compile(r"\.md$"),
    "scripts": re.compile(r"^(scripts|cmake)/.*\.(py|sh|cmake)$|CMakeLists\.txt$|^\.ci/run$"),
    "c++": re.compile(r"\.(cpp|hpp|cu|cuh|inc|h)$"),
    "python": re.compile(r"\.py$"),
}


def lines_by_part(root):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
    sums = dict.fromkeys(PARTS, 0)
    for name in sorted(set(listed.stdout.splitlines())):
        part = next((part for part, pattern in PARTS.items() if pattern.search(name)), None)
        if part and TEXT.search(name) and (root / name).is_file():
            sums[part] += (root / name).read_bytes().count(b"\n")
    return sums


def main():
    arguments = [each for each in sys.argv[1:] if each != "--record"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    found = lines_by_part(root)
    if "--record" in sys.argv:
        (root / BUDGET).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return 0
    budget = json.loads((root / BUDGET).read_text(encoding="utf-8"))
    above = [part for part in PARTS if found[part] > budget[part]]
    for part in above:
        print(f"{part}: {found[part]:,} lines, and the budget is {budget[part]:,}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
