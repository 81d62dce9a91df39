"""Tests explain --html: the page has the same figures as --json, is complete, and loads nothing from elsewhere.
report_browser_test.py shows it in a browser."""

import html
import json
import os
import re
import unittest

from explain_support import FAILED, NAIVE_LINE, SHAPE, USAGE, ExplainTest, TRANSPOSE, compiles
from explain_primitives_test import has_primitives
from page_support import PageTest
from support import runs_rungs, write

OUT_OF_BOUNDS = """extern "C" __global__ void far(int* p) {
  p[threadIdx.x + 1000] = 1; // <script>alert("no markup")</script>
}
"""


class KernelPage(PageTest, ExplainTest):
    def page(self, *arguments):
        self.succeed("explain", *arguments, "--html", "page.html")
        return self.checked_page("page.html")

    @runs_rungs
    def test_it_says_what_the_json_does(self):
        name = "gemv/thread_per_row"
        page, text = self.page(name, "--cc", "1.3,9.0")
        said = json.loads(self.succeed("explain", name, "--cc", "1.3,9.0", "--json").stdout)
        shown = html.unescape(text)
        self.assertEqual(page.texts["h1"], [f"Costs of {name}"])
        for advice in said["advice"]:
            self.assertIn(advice["text"], shown)
            self.assertIn(advice["rule"], shown)
            for part in advice.get("example", {}).values():
                self.assertIn(part, shown)
        self.assertIn(said["placement"]["text"], shown)
        for bound, us in said["prediction"]["bounds_us"].items():
            self.assertEqual(f'<th scope="row">{bound}</th>' in text, us > 0, bound)
        for capability, counts in said["by_cc"].items():
            self.assertIn(f"CC {capability}: occupancy ", text)
            for kind in ("global_load", "global_store"):
                made = sum(counts[kind]["transactions"].values())
                self.assertIn(f'<th scope="row">{capability}</th><td>{kind.replace("_", " ")}</td>'
                              f'<td class="n">{counts[kind]["requests"]}</td><td class="n">{made}</td>', text)
        shares = [f"{100 * line['warp_instructions'] / said['warp_instructions']:.1f} %" for line in said["lines"]]
        self.assertEqual(sorted(re.findall(r"%\">([\d.]+ %)</i>", text)), sorted(shares))
        self.assertRegex(text, r"<em class=\"bad\">CC 9.0: global read [\d.]+ transactions, ideal ")

    @compiles
    def test_a_file_is_shown_whole(self):
        page, text = self.page("transpose.cu", "--kernel", "naive", "--define", "PAD=0", *SHAPE)
        code = re.sub(r"<[^>]*>", "", re.sub(r"<(i|em)( [^>]*)?>.*?</\1>", "", text.rpartition("<code>")[2].partition("</code>")[0]))
        self.assertEqual(html.unescape(code), TRANSPOSE)
        lines = text.rpartition("<code>")[2].split("<span>")
        self.assertIn("global write 32 transactions, ideal 4", lines[NAIVE_LINE])
        self.assertIn("naive-1", page.ids)

    @has_primitives
    def test_a_primitive_has_each_launch(self):
        page, text = self.page("find", "--size", "65x33")
        self.assertEqual(page.texts["h1"], ["Costs of find"])
        self.assertEqual(len(page.texts["h2"]), 2)
        self.assertIn("differences.cuh", text)

    @compiles
    def test_faults_are_told_and_texts_are_no_markup(self):
        write("far.cu", OUT_OF_BOUNDS.encode())
        arguments = ["far.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]"]
        done = self.run_command("explain", *arguments, "--html", "page.html")
        self.assertEqual(done.returncode, FAILED)
        page, text = self.checked_page("page.html")
        self.assertIn("Faults", page.texts["h3"])
        self.assertIn("at line 2: ", text)
        self.assertIn("alert(&quot;no markup&quot;)", text)

    @compiles
    def test_refusals_leave_nothing_behind(self):
        write("far.cu", OUT_OF_BOUNDS.encode())
        shape = ["--grid", "1", "--block", "32", "--arg", "i32[2000]"]
        for arguments, says, code in [(["far.cu", *shape, "--json"], "excludes", USAGE),
                                      (["far.cu", "--html"], "--html", USAGE),
                                      (["nowhere.cu", *shape], "nowhere.cu", FAILED)]:
            with self.subTest(says):
                done = self.run_command("explain", *arguments, *([] if arguments[-1] == "--html" else ["--html", "page.html"]))
                self.assertEqual(done.returncode, code)
                self.assertIn(says, done.stderr.decode())
                self.assertFalse(os.path.exists("page.html"))
        done = self.run_command("explain", "far.cu", *shape, "--html", "no/where.html")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("no/where.html", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
