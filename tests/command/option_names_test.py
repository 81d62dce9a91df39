"""Tests that an option's name means the same in all subcommands, and that one version's former spellings work."""

import collections
import json
import unittest

from support import CommandTest, help_pages, npy, ramp, read, write

# Options whose values may be written in several ways that mean the same: a file or a folder for results, the threads of
# a block, one value or a list, a table on standard output or in a file beside another report.
SEVERAL_FORMS = {"--out": {"FILE", "FILE.json", "FILE.svg", "FILE.html", "DIR"}, "--block": {"X[,Y[,Z]]", "XxY"},
                 "--cc": {"X.Y", "LIST"}, "--shared": {"N", "LIST"}, "--registers": {"N", "LIST"},
                 "--csv": {"", "FILE"}}


class Names(CommandTest):
    def setUp(self):
        super().setUp()
        write("a.npy", npy("|u1", (40, 64), ramp(40 * 64, 3)))
        write("b.npy", npy("|u1", (40, 64), ramp(40 * 64, 5)))

    def same(self, now, before, former, name, output=None):
        """Runs the new and the former spelling: both give the same result, and standard error names the former one."""
        new = self.succeed(*now)
        kept = read(output) if output else new.stdout
        old = self.succeed(*before)
        self.assertEqual(read(output) if output else old.stdout, kept)
        self.assertEqual(new.stderr, b"")
        self.assertEqual(old.stderr.decode(), f"warpwise: {former} is now {name}; the next version takes only that\n")

    def test_former_spellings_are_read_and_said(self):
        match = ["match", "a.npy", "b.npy", "out.csv", "--search", "4"]
        self.same([*match, "--block-size", "8"], [*match, "--block", "8"], "--block", "--block-size", "out.csv")
        pair = ["disparity", "a.npy", "b.npy", "out.pfm", "--max-disparity", "8"]
        self.same([*pair, "--block-size", "5"], [*pair, "--block=5"], "--block", "--block-size", "out.pfm")
        self.same([*pair, "--consistency", "-1"], [*pair, "--check", "-1"], "--check", "--consistency", "out.pfm")
        stream = ["stream", "test:noise", "out.y4m", "--frames", "2", "--size", "64x40", "--pipeline"]
        self.same([*stream, "match block-size=8 search=2"], [*stream, "match block=8 search=2"], "block=", "block-size=",
                  "out.y4m")
        table = ["lab", "occupancy", "--json"]
        self.same([*table, "--block-threads", "64"], [*table, "--threads", "64"], "--threads", "--block-threads")
        self.same([*table, "--block-threads", "64", "--profile", "gtx280"],
                  [*table, "--block-threads", "64", "--device", "gtx280"], "--device", "--profile")

    def test_a_former_spelling_is_as_strict(self):
        said = self.run_command("lab", "predict", "copy", "--device", "h20").stderr.decode()
        self.assertIn("h200", said.splitlines()[-1])
        self.assertEqual(self.run_command("match", "a.npy", "b.npy", "out.csv", "--block", "0").returncode, 2)

    def test_no_help_shows_a_former_spelling(self):
        for words, former in [(["match"], "--block "), (["disparity"], "--check"), (["explain"], "--device"),
                              (["lab", "report"], "--from"), (["run"], "--budget"), (["bench"], "--json FILE")]:
            self.assertNotIn(former, self.succeed(*words, "--help").stdout.decode())

    def test_each_name_has_one_kind_of_value(self):
        forms = collections.defaultdict(lambda: collections.defaultdict(list))
        for page in help_pages():
            for option in page.options:
                for name in option.names:
                    forms[name][option.value.removesuffix(" REQUIRED")].append(" ".join(page.path[1:]))
        for name, by_form in forms.items():
            known = SEVERAL_FORMS.get(name, set())
            if len(by_form) > 1:
                self.assertLessEqual(set(by_form), known, f"{name}: {json.dumps(by_form)}")


if __name__ == "__main__":
    unittest.main()
