"""`warpwise tune`: what it says of the user's file, and without a GPU."""

import os
import pathlib
import unittest

from support import CommandTest, has_gpu

LINE = ('copy.block_threads=128 kind=any size=2^22 verdict=faster gain=1.200 case="u8 image 4096x3072" '
        'why="8 us beside 9 us" cc=9.0 sms=132 driver=13000 source=0123456789abcdef gpu="NVIDIA H200"')


class Tune(CommandTest):
    def environment(self, **more):
        return dict(os.environ, XDG_CACHE_HOME=os.getcwd(), **more)

    def write(self, text):
        os.makedirs("warpwise", exist_ok=True)
        pathlib.Path("warpwise/tuning-1.txt").write_bytes(text.encode())

    def listing(self, **more):
        return self.succeed("tune", "--list", env=self.environment(**more)).stdout.decode()

    def test_list_without_a_file(self):
        self.assertEqual(self.listing(), os.path.join(os.getcwd(), "warpwise/tuning-1.txt") + "\n")
        self.assertFalse(os.path.exists("warpwise"))

    def test_list_says_why_a_line_has_no_effect(self):
        self.write("warpwise tuning 1\n" + LINE + "\nnonsense\n" + LINE[:50])
        lines = self.listing().splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[1], "of another driver|of another GPU|there is no GPU here|of other sources")
        self.assertIn("block_threads=128 of any from 2^22", lines[1])
        self.assertIn("no list of NAME=VALUE", lines[2])
        self.assertIn("it has no end", lines[3])

    def test_list_of_another_version_and_of_no_file(self):
        self.write("warpwise tuning 7\n" + LINE + "\n")
        self.assertIn('does not begin with "warpwise tuning 1"', self.listing())
        self.write("x" * (1 << 20) + "x")
        self.assertIn("not read: it is larger than", self.listing())
        self.assertIn("WARPWISE_TUNING=off", self.listing(WARPWISE_TUNING="off"))

    def test_control_characters_reach_no_terminal(self):
        self.write("warpwise tuning 1\n" + LINE.replace("8 us", "\033[2J\007") + "\n")
        self.assertNotIn("\033", self.listing())

    def has_cuda(self):
        return b"built without CUDA" not in self.run_command("tune", env=self.environment()).stderr

    def test_bad_input(self):
        environment = self.environment()
        if not has_gpu() and not self.has_cuda():
            self.skipTest("this build has no CUDA path")
        self.fail_with(2, "tune", "coopy", says=["coopy", "did you mean", "copy"], env=environment)
        for budget in ("0", "-3", "x", "nan"):
            self.fail_with(2, "tune", "--budget", budget, says=["--budget"], env=environment)

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_needs_a_gpu(self):
        says = "no CUDA device" if self.has_cuda() else "built without CUDA"
        self.fail_with(1, "tune", says=[says], env=self.environment())
        self.assertFalse(os.path.exists("warpwise"))


if __name__ == "__main__":
    unittest.main()
