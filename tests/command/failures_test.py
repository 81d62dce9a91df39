"""Makes calls fail one after another: memory, files, a full disk. Ends the process at any moment.

A result is whole or missing, an old result stays, and the next run works.
"""

import os
import random
import signal
import subprocess
import time
import unittest

from support import NIGHTLY, SANITIZED, WARPWISE, CommandTest, read, write

LIBRARY = os.environ["WARPWISE_FAIL_AT"]
# (arguments, outputs). The files have Warpwise's own formats, because other libraries have failures of their own.
CALLS = [(["sobel", "in.pgm", "out.pgm"], ["out.pgm"]),
         (["convert", "in.pgm", "out.npy", "--to", "rgb24"], ["out.npy"]),
         (["threshold", "in.pgm", "out.bmp", "--window", "5"], ["out.bmp"]),
         (["sobel", "in.pgm", "other.pgm", "folder/"], ["folder/in.pgm", "folder/other.pgm"])]
EVERY = 1 if NIGHTLY else 29  # bytes between the sizes of the full disk that are tried


@unittest.skipIf(SANITIZED, "the sanitizer has its own malloc")
class Failures(CommandTest):
    def setUp(self):
        super().setUp()
        dice = random.Random(5)
        for name in ["in.pgm", "other.pgm"]:
            write(name, b"P5 40 30 255\n" + dice.randbytes(1200))

    def run_failing(self, arguments, calls, number):
        """Returns the ended process and how many calls or bytes it counted."""
        done = subprocess.run([WARPWISE, *arguments], capture_output=True, timeout=60, env=dict(
            os.environ, LD_PRELOAD=LIBRARY, WARPWISE_FAIL=f"{calls} {number}", WARPWISE_FAIL_FROM="in.pgm",
            WARPWISE_FAIL_COUNT="count"))
        count = int(read("count"))
        os.remove("count")
        return done, count

    def results(self, arguments, outputs):
        """Returns the outputs of a run without failures, and removes them."""
        self.succeed(*arguments)
        right = {name: read(name) for name in outputs}
        self.remove(outputs)
        return right

    def remove(self, outputs):
        for name in outputs:
            if os.path.exists(name):
                os.remove(name)

    def check(self, done, right, says):
        """Checks that outputs are complete or the old files, and no other file is left. A failure takes one line."""
        if done.returncode == 0:
            self.assertEqual({name: read(name) for name in right}, right)
        else:
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            for name in right:
                self.assertIn(read(name), [b"before", right[name]])
        for folder in {os.path.dirname(name) or "." for name in right}:
            if os.path.isdir(folder):
                self.assertEqual([name for name in os.listdir(folder) if name.startswith(".warpwise")], [])

    def each_failure(self, calls, says):
        for arguments, outputs in CALLS:
            right = self.results(arguments, outputs)
            number, failed = 1, 0
            while True:
                for name in outputs:
                    write(name, b"before")
                with self.subTest(" ".join(arguments), number=number):
                    done, count = self.run_failing(arguments, calls, number)
                    self.check(done, right, says)
                    failed += done.returncode
                if count < number:
                    break
                number += 1
            self.assertGreater(failed, 0, arguments)

    def test_each_allocation(self):
        self.each_failure("memory", b"not enough memory")

    def test_each_write(self):
        self.each_failure("write", b"No space left")

    def test_each_rename(self):
        self.each_failure("rename", b"No space left")

    def test_each_file_made(self):
        self.each_failure("create", b"No space left")

    def test_each_close(self):
        """On a network disk, close() may report that the data could not be stored."""
        self.each_failure("close", b"Input/output error")

    def test_a_disk_that_is_full(self):
        """The old file stays as it is."""
        for arguments, outputs in CALLS[:3]:
            right = self.results(arguments, outputs)
            size = len(right[outputs[0]])
            for room in [*range(0, size, EVERY), size - 1]:
                with self.subTest(" ".join(arguments), room=room):
                    write(outputs[0], b"before")
                    done, _ = self.run_failing(arguments, "full", room)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn(b"No space left", done.stderr)
                    self.assertEqual(read(outputs[0]), b"before")
            done, _ = self.run_failing(arguments, "full", size)
            self.check(done, right, b"")

    def test_killed_at_any_moment(self):
        dice = random.Random(6)
        for arguments, outputs in CALLS:
            right = self.results(arguments, outputs)
            begin = time.monotonic()
            self.succeed(*arguments)
            whole = time.monotonic() - begin
            for _ in range(200 if NIGHTLY else 10):
                for name in outputs:
                    write(name, b"before")
                process = subprocess.Popen([WARPWISE, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(dice.uniform(0, 1.5 * whole))
                process.send_signal(signal.SIGKILL)
                process.wait()
                for name in outputs:
                    self.assertIn(read(name), [b"before", right[name]])
            self.succeed(*arguments)  # the next run works with any files left over
            for name in outputs:
                self.assertEqual(read(name), right[name])


if __name__ == "__main__":
    unittest.main()
