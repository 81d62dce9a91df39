"""Tests scripts/mutants.py: the places that it chooses, the text that it writes, and its record of a small project."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "scripts"))

import mutant_choice  # noqa: E402
import mutant_places  # noqa: E402
import mutants  # noqa: E402
import recording  # noqa: E402

SOURCE = r'''#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#if 1 < 2 && 3 == 3
#endif
// In a comment: a < b && c + 1
/* 4 <= 5
   if (a == b) */
static_assert(1 + 1 == 2);
template <int n = 7>
int times(int x) {
  return x * n;
}
constexpr int two() { return 1 + 1; }

int least(int a, int b) {
  if (a < b) a = b;
  return b > a ? a : b;
}

int count(const std::vector<int>& values, int limit) {
  int found = 0;
  for (const int value : values) {
    const bool fits = value < limit && static_cast<unsigned>(value) != 8U;
    if (fits) ++found;
  }
  return found + times<5>(1) - two();
}

int main(int, char** argv) {
  const std::string text = "x < 9 && 3  +  4" + std::string(1, '+');
  if (text.size() == 3) throw std::string("3 < 4");
  std::printf("%d", count({1, 2, 3, 8}, std::atoi(argv[1])));
}
'''
PROJECT = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
enable_testing()
include_directories(${PROJECT_SOURCE_DIR})
add_executable(small warpwise/small.cpp)
foreach(name near far slow)
  if(name STREQUAL slow)
    add_test(NAME ${name}_test COMMAND small ${name} CONFIGURATIONS nightly)
    set_tests_properties(${name}_test PROPERTIES LABELS nightly)
  else()
    add_test(NAME ${name}_test COMMAND small ${name})
  endif()
  set_tests_properties(${name}_test PROPERTIES PASS_REGULAR_EXPRESSION right)
endforeach()
""",
    "warpwise/small.cpp": r"""#include <cstdio>
#include <string>
bool is_more(int a, int b) { return a > b; }
bool is_both(bool a, bool b) { return a && b; }
int difference(int a, int b) { return a - b; }
int main(int, char** argv) {
  const std::string name = *++argv;
  std::printf("%s", (name == "near"   ? !is_more(1, 1)
                     : name == "slow" ? !is_both(true, false)
                                      : difference(1, 0) == 1)
                        ? "right"
                        : "wrong");
}
""",
}


def numbered(text):
    """Makes a mutant of every place of a text and numbers it; places inside of others are left out."""
    found, end = [], 0
    for place in mutant_places.places(text):
        if place["start"] >= end:
            found.append({"number": len(found) + 1, **place})
            end = place["end"]
    return found


class Places(unittest.TestCase):
    def setUp(self):
        self.places = mutant_places.places(SOURCE)
        self.changes = {(place["before"], place["after"]) for place in self.places}

    def test_only_code_in_functions_is_changed(self):
        first = SOURCE.split("int least")[0].count("\n") + 1
        allowed = range(first, SOURCE.count("\n") + 1)
        self.assertEqual([place for place in self.places if place["line"] not in allowed], [])
        mask = mutant_places.masked(SOURCE)
        self.assertEqual(len(mask), len(SOURCE))
        for text in ("4 <= 5", "x < 9", "3  +", "3 < 4", "<5>", "<unsigned>", "#if", "n = 7"):
            self.assertNotIn(text, mask)

    def test_every_kind_of_change(self):
        for change in [("value < limit", "value <= limit"),
                       ("value < limit && static_cast<unsigned>(value) != 8U",
                        "value < limit || static_cast<unsigned>(value) != 8U"),
                       ("static_cast<unsigned>(value) != 8U", "static_cast<unsigned>(value) == 8U"),
                       ("found + times<5>(1)", "found - times<5>(1)"),
                       ("found + times<5>(1) - two()", "found + times<5>(1) + two()"),
                       ("fits", "!(fits)"), ("8U", "9U"), ("0", "1")]:
            self.assertIn(change, self.changes)

    def test_places_that_are_the_same_or_only_a_message_are_left_out(self):
        for before in ("a < b", "b > a", '"3 < 4"'):
            self.assertNotIn(before, [each for each, after in self.changes if not after.startswith("!")])
        self.assertNotIn("5", [before for before, _ in self.changes])  # an argument of a template

    def test_the_environment_switches_one_mutant_on(self):
        chosen = numbered(SOURCE)
        by_before = {each["before"]: each["number"] for each in chosen}
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / mutant_places.HEADER).write_text(mutant_places.HEADER_TEXT, encoding="utf-8")
            (folder / "a.cpp").write_text(mutant_places.switched(SOURCE, chosen), encoding="utf-8")
            compiler = os.environ.get("CXX", "c++")
            subprocess.run([compiler, "-std=c++20", "-I", name, folder / "a.cpp", "-o", folder / "a"], check=True)

            def said(number, limit):
                return subprocess.run([folder / "a", str(limit)], capture_output=True, text=True, check=True,
                                      env={**os.environ, "WARPWISE_MUTANT": str(number)}).stdout
            self.assertEqual(said(0, 3), "5")  # 5 = 2 + 5 - 2
            self.assertEqual(said(by_before["fits"], 3), "5")  # of the four, two do not fit either way
            self.assertEqual(said(by_before["fits"], 2), "6")
            self.assertEqual(said(by_before["0"], 3), "6")
            self.assertEqual(said(len(chosen) + 1, 3), "5")


class Choice(unittest.TestCase):
    TEXTS = {"warpwise/rules/a.cpp": SOURCE, "warpwise/io/b.cpp": SOURCE, "warpwise/io/b_test.cpp": SOURCE,
             "warpwise/primitives/copy/kernel.cuh": "__device__ int next(int i) {\n  return i + 1;\n}\n"}

    def test_the_same_seed_gives_the_same(self):
        def of(seed, accepts=lambda file, text: True):
            return mutant_choice.choose(self.TEXTS, seed, accepts)
        self.assertEqual(of(1), of(1))
        self.assertNotEqual(of(1), of(2))
        places = [(each["file"], each["line"]) for each in of(1)]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual({file for file, _ in places}, set(self.TEXTS) - {"warpwise/io/b_test.cpp"})
        refused = of(1)[-1]
        others = of(1, lambda file, text: refused["after"] not in text)
        self.assertNotIn(refused["after"], [each["after"] for each in others])


class Run(unittest.TestCase):
    def test_a_small_project(self):
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
            root = pathlib.Path(name) / "root"
            for file, text in PROJECT.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text, encoding="utf-8")
            git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root)]
            for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
                subprocess.run([*git, *words], check=True)
            for module, table, value in [
                    (recording, "REPOSITORY", root), (mutants, "BUILDS", {"release": []}),
                    (mutants, "NEAREST", [("warpwise/", "^near")]),
                    (mutant_choice, "AREAS", {"cli": (6, r"warpwise/.+\.cpp")})]:
                stack.enter_context(mock.patch.object(module, table, value))
            said = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            out = pathlib.Path(name) / "mutants.json"
            command = ["mutants.py", "run", "--folder", f"{name}/folder", "--out", str(out)]
            for more, status in [(["--limit-minutes", "0"], 1), ([], 1), (["--limit-minutes", "0"], 1)]:
                with mock.patch.object(sys, "argv", command + more):
                    self.assertEqual(mutants.main(), status)  # the last like the second: CI's set misses one
            record = json.loads(out.read_text(encoding="utf-8"))
        self.assertEqual({each["before"]: [each[key] and each[key]["test"] for key in ("ci", "whole")]
                          for each in record["mutants"]},
                         {"a > b": ["near_test", "near_test"], "a && b": [None, "slow_test"], "a - b": [None, None]})
        self.assertEqual({each["before"]: each["reached_by"] for each in record["mutants"]},
                         {"a > b": 1, "a && b": 1, "a - b": 1})
        self.assertIn("3 mutants are left to test", said.getvalue())
        self.assertIn("CI's set kills 1 of the 2 mutants that all tests kill: less than 95%.", said.getvalue())
        self.assertIn("Survivors:\n", said.getvalue())


if __name__ == "__main__":
    unittest.main()
