"""Tests that each of the scripts of scripts/checks.sh finds what it looks for, in a small tree made here."""

import json
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "scripts"

# A tree that breaks no rule.
GOOD = {
    "warpwise/base/view.hpp": "#pragma once\n",
    "warpwise/gpu/stream.hpp": '#include <cuda_runtime_api.h>\n#include "warpwise/base/view.hpp"\n',
    "warpwise/primitives/copy/backends.hpp": '#include "warpwise/base/view.hpp"\n',
    "warpwise/primitives/copy/copy.hpp": "",
    "docs/a.md": "# A\n",
    "README.md": "# A tree\n\n[here](#a-tree), [a](docs/a.md), `warpwise/base/view.hpp`, `base/view.hpp`\n",
}


def run(script, files):
    """Returns a script's status and lines of output for a repository of these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**GOOD, **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        subprocess.run(["git", "init", "-q", root], check=True)
        done = subprocess.run([sys.executable, SCRIPTS / script, root], capture_output=True, text=True)
    if done.stderr:
        raise AssertionError(done.stderr)
    return done.returncode, done.stdout.splitlines()


class Layers(unittest.TestCase):
    def broken(self, name, include):
        status, lines = run("check-layers.py", {name: f"#pragma once\n#include {include}\n"})
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(f"{name}:2:", lines[0])
        return lines[0]

    def test_a_good_tree(self):
        self.assertEqual(run("check-layers.py", {}), (0, []))

    def test_an_include_that_points_up(self):
        line = self.broken("warpwise/base/frame.hpp", '"warpwise/gpu/stream.hpp"')
        self.assertIn("base may include: nothing else of Warpwise", line)

    def test_a_primitive_that_includes_another(self):
        self.broken("warpwise/primitives/sobel/cpu.cpp", '"warpwise/primitives/copy/copy.hpp"')

    def test_an_include_in_angle_brackets(self):
        self.broken("warpwise/base/frame.hpp", "<warpwise/gpu/stream.hpp>")

    def test_an_include_beside_the_file(self):
        self.broken("warpwise/primitives/sobel/cpu.cpp", '"../copy/copy.hpp"')

    def test_rooms_of_the_emulator(self):
        files = {"warpwise/emulator/runtime/api.hpp": ""}
        status, lines = run("check-layers.py", {
            **files, "warpwise/emulator/ptx/parser.cpp": '#include "warpwise/emulator/runtime/api.hpp"\n'})
        self.assertEqual((status, len(lines)), (1, 1), lines)

    def test_a_room_out_of_reach(self):
        files = {"warpwise/emulator/execute/state.hpp": "",
                 "warpwise/emulator/instructions/operands.hpp": '#include "warpwise/emulator/execute/state.hpp"\n',
                 "warpwise/emulator/decode/decoder.hpp": '#include "warpwise/emulator/instructions/operands.hpp"\n'}
        self.assertEqual(run("check-layers.py", files),
                         (1, ["warpwise/emulator/decode/decoder.hpp: reaches warpwise/emulator/execute/state.hpp by way "
                              "of warpwise/emulator/instructions/operands.hpp: decoding knows nothing of a running kernel"]))

    def test_another_library_s_header_outside_of_its_owner(self):
        self.assertIn("one owner", self.broken("warpwise/cli/pictures/run.cpp", "<cuda_runtime_api.h>"))

    def test_a_test_may_include_what_it_tests_with(self):
        files = {"warpwise/base/view_test.cpp": '#include "warpwise/gpu/stream.hpp"\n'}
        self.assertEqual(run("check-layers.py", files), (0, []))

    def test_a_folder_that_is_no_room(self):
        status, lines = run("check-layers.py", {"warpwise/cellar/a.cpp": ""})
        self.assertEqual(status, 1)
        self.assertIn("is no room", lines[0])

    def test_the_laboratory_knows_no_primitive(self):
        self.broken("warpwise/lab/explain/programs/primitive.cpp", '"warpwise/primitives/copy/copy.hpp"')


class Picture(unittest.TestCase):
    """Compares the picture in docs/architecture.md with the table of check-layers.py."""

    # These rooms have other names in the picture, which draws the rooms below emulator/ as one.
    ROOMS = {"primitives/*": "primitives", "primitives/shared": "shared", "algorithms/*": "algorithms",
             "emulator/runtime": "runtime", "lab/compile": "compile", "lab/measure": "measure", "lab/study": "study",
             "lab/plot": "plot", "lab/report": "report", "lab/predict": "predict", "lab/explain": "explain", "lab/exercise": "exercise"}

    def setUp(self):
        def box(room):
            return self.ROOMS.get(room, room.split("/")[0])
        table = runpy.run_path(str(SCRIPTS / "check-layers.py"))["ROOMS"]
        self.table = {(box(room), box(other)) for room, others in table for other in others
                      if room and room != "studies/*" and box(room) != box(other)}
        page = (SCRIPTS.parent / "docs/architecture.md").read_text()
        picture = page[page.index("```mermaid"):].split("```")[1]
        self.arrows = {(one, other) for one, others in re.findall(r'^ *(\w+)(?:\[".*"\])? --> ([\w &]+)$', picture, re.M)
                       for other in others.split(" & ")}

    def test_no_arrow_is_forbidden(self):
        self.assertEqual(sorted(self.arrows - self.table), [])

    def test_arrows_lead_to_all_that_is_allowed(self):
        reached = set(self.arrows)
        while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
            reached |= more
        self.assertEqual(sorted(self.table - reached), [])


class Documents(unittest.TestCase):
    def broken(self, text):
        status, lines = run("check-docs.py", {"docs/a.md": text})
        self.assertEqual((status, len(lines)), (1, 1), lines)
        return lines[0]

    def test_a_good_tree(self):
        self.assertEqual(run("check-docs.py", {}), (0, []))

    def test_a_link_to_nowhere(self):
        self.assertIn("docs/a.md:3:", self.broken("# A\n\n[b](b.md)\n"))

    def test_a_heading_that_is_not_there(self):
        self.assertIn("no heading", self.broken("[b](../README.md#another-tree)\n"))

    def test_a_path_that_is_not_there(self):
        self.assertIn("names `warpwise/base/nothing.hpp`", self.broken("`warpwise/base/nothing.hpp`\n"))

    def test_a_source_file_that_is_not_there(self):
        self.assertIn("names `nothing.hpp`", self.broken("`view.hpp` and `nothing.hpp`\n"))

    def test_code_that_is_not_where_it_is_quoted_from(self):
        quote = "# A\n\n1. So:\n   ```cpp from=warpwise/gpu/stream.hpp\n   %s\n   #include <cuda_runtime_api.h>\n   ```\n"
        self.assertIn("docs/a.md:4: quotes lines", self.broken(quote % "int other;"))
        source = {"warpwise/gpu/stream.hpp": "#pragma once\n  int stream;\n    #include <cuda_runtime_api.h>\n"}
        self.assertEqual(run("check-docs.py", {**source, "docs/a.md": quote % "int stream;"}), (0, []))

    def test_a_page_that_nothing_links_to(self):
        self.assertEqual(run("check-docs.py", {"docs/b.md": "# B\n"})[1],
                         ["docs/b.md: no other document links to it"])

    def test_a_page_that_its_index_leaves_out(self):
        files = {"docs/c/README.md": "# C\n", "docs/c/d.md": "# D\n",
                 "docs/a.md": "[c](c/README.md), [d](c/d.md)\n"}
        self.assertEqual(run("check-docs.py", files)[1],
                         ["docs/c/d.md: docs/c/README.md does not link to it"])

    def test_code_is_no_link(self):
        text = "```\n[a](nothing.md)\n```\n`[a](nothing.md)` and [b](https://example.org/nothing.md)\n"
        self.assertEqual(run("check-docs.py", {"docs/a.md": text}), (0, []))


class Translations(unittest.TestCase):
    """Tests that a Korean page must equal its original in everything that both languages write alike."""

    ENGLISH = ("# Two steps\n\n[한국어](README.ko.md)\n\nSee [a](docs/a.md): five rungs, 12 warps, `copy`.\n\n"
               "```sh\nwarpwise lab list\n```\n\n| rung | × |\n|---|---|\n| scalar | 1.5 |\n")
    KOREAN = ("# 두 걸음\n\n[English](README.md)\n\n단 5개와 워프 12개의 `copy`: [문서](docs/a.md)\n\n"
              "```sh\nwarpwise lab list\n```\n\n| 단 | × |\n|---|---|\n| scalar | 1.5 |\n")

    def found(self, before="", after="", **files):
        self.assertIn(before, self.KOREAN)
        files = {"README.md": self.ENGLISH, "README.ko.md": self.KOREAN.replace(before, after, 1), **files}
        return run("check-docs.py", files)[1]

    def broken(self, before, after, says):
        [line] = self.found(before, after)
        self.assertTrue(line.startswith("README.ko.md:"), line)
        self.assertIn(says, line)

    def test_a_true_one(self):
        self.assertEqual(self.found(), [])

    def test_other_code(self):
        self.broken("lab list", "lab run", "README.ko.md:7: the code is not that of README.md:7")
        self.broken("`copy`", "`convert`", "code of README.md:5 left out: copy; added: convert")

    def test_other_numbers(self):
        self.broken("12개", "13개", "numbers of README.md:5 left out: 12; added: 13")
        self.broken("1.5", "1.6", "numbers of README.md:11 left out: 1.5; added: 1.6")
        self.broken("단 5개", "단 6개", "added: 6")

    def test_another_link(self):
        self.broken("(docs/a.md)", "(README.md)", "links of README.md:5 left out: docs/a.md; added: README.md")

    def test_another_part(self):
        self.broken("| scalar | 1.5 |\n", "", 'is "| 2 lines" where README.md:11 has "| 3 lines"')
        self.broken("```sh\nwarpwise lab list\n```\n\n", "", 'where README.md:7 has "```"')
        self.broken("# 두", "## 두", 'is "##" where')

    def test_pages_below_docs(self):
        page = {"docs/a.md": "# A\n\n[한국어](ko/a.md)\n\n8 warps\n"}
        self.assertEqual(self.found(**page, **{"docs/ko/a.md": "# 가\n\n[English](../a.md)\n\n워프 8개\n"}), [])
        [line] = self.found(**page, **{"docs/ko/a.md": "# 가\n\n[English](../a.md)\n\n워프 9개\n"})
        self.assertIn("docs/ko/a.md:5: numbers of docs/a.md:5", line)
        self.assertIn("docs/ko/b.md: is a translation of docs/b.md, which is not there",
                      self.found(**{"docs/ko/b.md": "# 나\n"}))

    @unittest.skipUnless((SCRIPTS.parent / ".git").exists(), "this is no git checkout")
    def test_the_projects_own(self):
        done = subprocess.run([sys.executable, SCRIPTS / "check-docs.py"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
class Prose(unittest.TestCase):
    PLAIN = "".join(f"int f{i}();  \n// Returns the number {i}.\n" for i in range(150))

    def kinds(self, files):
        status, lines = run("check-prose.py", files)
        return status, [line.split(":")[0] for line in lines if "are allowed" in line]

    def test_a_share_of_comments_is_allowed(self):
        one = "// Of two the first.\nint f();\n"
        self.assertEqual(self.kinds({"a.cpp": one + self.PLAIN}), (0, []))
        self.assertEqual(self.kinds({"a.cpp": one + one + self.PLAIN}), (1, ["comments"]))
        self.assertEqual(self.kinds({"a.cpp": one}), (1, ["comments"]))
        self.assertEqual(self.kinds({"a.cpp": one + one + self.PLAIN + '#include "b.hpp"\n\n' * 60}), (1, ["comments"]))
        self.assertEqual(self.kinds({"a_test.cpp": one}), (0, []))
        self.assertEqual(self.kinds({"a.py": "# Where is it?\n"}), (0, []))

    def test_places(self):
        status, lines = run("check-prose.py", {"docs/b.md": "# What\n\nIt is here. Where it was, it stays.\n\n| Of | a table |\n"})
        self.assertEqual((status, lines[0]), (1, "docs/b.md:3: Where it was, it stays."))

    def test_long_sentences_and_lines(self):
        self.assertEqual(self.kinds({"docs/b.md": "It has " + 29 * "many " + "words.\n"}), (1, ["long"]))
        self.assertEqual(self.kinds({"docs/b.md": "x" * 201 + "\n"}), (1, ["wide"]))
        # A sentence continues in the next line, and a list item ends the sentence before it.
        half = "many " * 15
        self.assertEqual(self.kinds({"docs/b.md": f"It has {half}\n{half}words.\n"}), (1, ["long"]))
        self.assertEqual(self.kinds({"docs/b.md": f"- It has {half}\n- {half}words.\n"}), (0, []))
        made = "<!-- results: a b -->\n" + "x" * 201 + "\n<!-- end -->\n"
        self.assertEqual(self.kinds({"docs/b.md": made + "```\n" + "x" * 201 + "\n```\n"}), (0, []))


    def test_korean_sentences(self):
        for text, kinds in (("커널을 실행하고 줄의 비용을 셉니다. 결과는 표에 나옵니다.", []), ("커널을 실행합니다. 이는 비용을 셉니다.", ["korean sentences"]),
                            ("커널을 실행하고 " + 20 * "많이 " + "셉니다.", ["korean long"]), ("커널을 실행하고 비용을 센다.", ["korean plain"])):
            self.assertEqual(self.kinds({"docs/a.ko.md": text + "\n"}), (1 if kinds else 0, kinds))


@unittest.skipUnless((SCRIPTS.parent / ".git").exists(), "this is no git checkout")
class Site(unittest.TestCase):
    def setUp(self):
        self.site = runpy.run_path(str(SCRIPTS / "site/conf.py"))

    def test_the_menu_has_each_page_once(self):
        pages = [line for line in self.site["contents"]().splitlines() if (SCRIPTS.parent / f"{line}.md").is_file()]
        self.assertEqual(sorted(pages), sorted(set(pages)))
        wanted = {f"docs/{page.stem}" for page in (SCRIPTS.parent / "docs").glob("*.md")}
        self.assertEqual(wanted - set(pages), set())

    def test_links_to_folders(self):
        source = ["[a](../warpwise/lab), [b](../warpwise/base/), [c](lab.md#x), [d](../warpwise/lab#columns)"]
        self.site["adapt"](None, "docs/architecture", source)
        self.assertEqual(source, ["[a](../warpwise/lab/README.md), b, [c](lab.md#x), [d](../warpwise/lab/README.md#columns)"])


class Lines(unittest.TestCase):
    FILES = {"a.cpp": "int a;\nint b;\n", "a_test.cpp": "int c;\n", "pages.md": "# A\n", "tests/picture.png": "\n" * 9}

    def lines(self, **budget):
        budget = {"tests": 1, "pages": 10, "scripts": 0, "c++": 10, "python": 0} | budget
        return run("check-lines.py", {**self.FILES, "scripts/line-budget.json": json.dumps(budget)})

    def test_within_the_budget(self):
        self.assertEqual(self.lines(), (0, []))

    def test_above_the_budget(self):
        self.assertEqual(self.lines(tests=0), (1, ["tests: 1 lines, and the budget is 0"]))
        self.assertEqual(self.lines(**{"c++": 5}), (1, ["c++: 6 lines, and the budget is 5"]))


class Docstrings(unittest.TestCase):
    LIST = {"warpwise/CMakeLists.txt":
            "target_sources(warpwise PUBLIC FILE_SET HEADERS FILES\n  base/pair.hpp)\n"}

    def lines(self, header):
        return run("check-docstrings.py", {**self.LIST, "warpwise/base/pair.hpp": header})

    def test_what_has_docstrings(self):
        header = ("/// The name of it.\nnamespace warpwise {\n/// Two.\nstruct Pair {\n  int a;\n"
                  "  int sum() const;\n};\n/// Adds.\nint add(int a, int b);\nnamespace detail {\n"
                  "int hidden(int a);\n}\n}\n")
        self.assertEqual(self.lines(header), (0, []))

    def test_declarations_that_share_one(self):
        header = "namespace warpwise {\n/// In words.\nint name_of(int a);\nint name_of(float a);\n%sint next(int a);\n}\n"
        self.assertEqual(self.lines(header % ""), (0, []))
        self.assertEqual(self.lines(header % "\n")[0], 1)

    def test_what_has_none(self):
        status, lines = self.lines("namespace warpwise {\nstruct Pair {\n  int a;\n};\nint add(int a, int b);\n}\n")
        self.assertEqual((status, len(lines)), (1, 2), lines)
        self.assertIn("warpwise/base/pair.hpp:2:", lines[0])

    def test_a_parameter_that_does_not_exist(self):
        status, lines = self.lines("namespace warpwise {\n/// Adds. \\param c  one\nint add(int a, int b);\n}\n")
        self.assertEqual(status, 1)
        self.assertIn("'c'", "".join(lines))

    def test_no_headers(self):
        self.assertEqual(run("check-docstrings.py", {})[0], 1)


if __name__ == "__main__":
    unittest.main()
