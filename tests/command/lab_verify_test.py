"""Every rung of every ladder computes what the reference does, at each size, alignment and block shape of
its table, in the emulator."""

import concurrent.futures
import json
import os
import subprocess
import unittest

from support import SANITIZED, WARPWISE, CommandTest, runs_rungs


class Verify(CommandTest):
    @runs_rungs
    def test_every_rung(self):
        ladders = json.loads(self.succeed("lab", "list", "--json").stdout)["ladders"]
        rungs = {each["ladder"]: [rung["name"] for rung in each["rungs"]] for each in ladders}
        if SANITIZED:  # several times slower: the first rung and the shipped one
            rungs = {ladder: [names[0], names[-1]] for ladder, names in rungs.items()}

        def verify(ladder):
            names = [f"{ladder}/{rung}" for rung in rungs[ladder]]
            return subprocess.run([WARPWISE, "lab", "verify", *names, "--on", "emulator"],
                                  capture_output=True, text=True, timeout=550)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = dict(zip(rungs, pool.map(verify, rungs)))
        for ladder, result in done.items():
            with self.subTest(ladder):
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                *lines, summary = result.stdout.splitlines()
                self.assertEqual([line.split()[0] for line in lines],
                                 [f"{ladder}/{rung}" for rung in rungs[ladder]])
                for line in lines:
                    self.assertRegex(line, r" [1-9]\d* right")
                count = len(lines)
                self.assertTrue(summary.startswith(f"{count} of {count} rungs right"), summary)


if __name__ == "__main__":
    unittest.main()
