"""Tests the pace of streams (`stream --realtime`) and their number of frames."""

import subprocess
import sys
import time
import unittest

from stream_test import SMALL, StreamTest, random_y4m
from support import SANITIZED, WARPWISE, write


class RealTime(StreamTest):
    def test_it_keeps_the_pace(self):
        start = time.monotonic()
        report = self.report("test:bars", "null", *SMALL, "--fps", "50", "--frames", "51", "--realtime")
        self.assertGreaterEqual(time.monotonic() - start, 0.95)
        self.assertGreaterEqual(report["seconds"], 0.9)
        if not SANITIZED:
            self.assertLess(report["seconds"], 3)
        self.assertEqual(report["read"], 51)
        self.assertEqual(report["read"], report["written"] + report["dropped"])
        self.assertEqual(report["frames_at_a_time"], 1)

    def test_a_slow_reader_gets_the_newest(self):
        # A frame of 2 MB exceeds a pipe's buffer, and the reader takes a fifth of a second for each frame.
        command = subprocess.Popen([WARPWISE, "stream", "test:bars", "pipe:rgb24", "--size", "960x720", "--fps", "50",
                                    "--frames", "50", "--realtime", "--backend", "cpu"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        start, frames = time.monotonic(), 0
        while len(command.stdout.read(3 * 960 * 720)) > 0:
            frames += 1
            time.sleep(0.2)
        taken = time.monotonic() - start
        said = command.stderr.read().decode()
        command.stdout.close()
        command.stderr.close()
        self.assertEqual(command.wait(10), 0)
        self.assertLess(frames, 30)
        self.assertLess(taken, 6)
        self.assertIn(f"{frames} frames", said)
        self.assertIn(f"{50 - frames} dropped", said)

    def test_frames(self):
        for frames in ["1", "7", "1000"]:
            self.assertEqual(self.report("test:bars", "null", *SMALL, "--frames", frames)["written"], int(frames))
        write("in.y4m", random_y4m(4, 4, 3))
        self.assertEqual(self.report("in.y4m", "null", "--frames", "9")["written"], 3)


if __name__ == "__main__":
    sys.exit(unittest.main())
