"""Tests that the program that scripts/demo.sh builds first writes the same bytes as the command."""

import os
import subprocess
import unittest

from support import WARPWISE, CommandTest, read, sample, write

FIRST_PICTURE = os.path.join(os.path.dirname(WARPWISE), "first_picture")


class FirstPicture(CommandTest):
    def run_first_picture(self, *arguments):
        return subprocess.run([FIRST_PICTURE, *arguments], capture_output=True, text=True, timeout=60)

    def test_same_bytes_as_the_command(self):
        for name in ["rubberwhale1.png", "sudoku.png"]:  # one in colour, one in grey
            with self.subTest(name):
                done = self.run_first_picture(sample(name), "first.png")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.succeed("sobel", sample(name), "edges.png")
                self.assertEqual(read("first.png"), read("edges.png"))

    def test_refusals_leave_nothing(self):
        write("bad.png", b"\x89PNG\r\n\x1a\n")
        for arguments, code, says in [(["bad.png"], 2, "IN.png"), (["none.png", "out.png"], 1, "none.png"),
                                      (["bad.png", "out.png"], 1, "damaged")]:
            done = self.run_first_picture(*arguments)
            self.assertEqual(done.returncode, code, arguments)
            self.assertIn(says, done.stderr)
            self.assertEqual(os.listdir("."), ["bad.png"])


if __name__ == "__main__":
    unittest.main()
