"""Tests `lab occupancy` from outside: the documents' examples, tables, and bad input."""

import csv
import io
import json
import unittest

from lab_support import LabTest


class Calculator(LabTest):
    def rows(self, *arguments):
        return json.loads(self.succeed("lab", "occupancy", *arguments, "--json").stdout)["occupancy"]

    def test_the_documents_examples(self):
        # Document A: 4 blocks of 256 threads fill a GTX 280's SM, with at most 16 registers a thread and 4 KB a block.
        [row] = self.rows("--cc", "1.3", "--block-threads", "256")
        self.assertEqual(row, {"compute_capability": "1.3", "threads": 256, "registers": 0, "shared_bytes": 0,
                               "blocks_per_sm": 4, "warps_per_sm": 32, "occupancy": 1.0, "limited_by": "warps",
                               "registers_up_to": 16, "shared_bytes_up_to": 4096})
        full, registers, shared = self.rows("--cc", "1.3", "--block-threads", "256", "--registers", "16,17")  \
            + self.rows("--cc", "1.3", "--block-threads", "256", "--registers", "16", "--shared", "4097")
        self.assertEqual((full["blocks_per_sm"], full["occupancy"]), (4, 1))
        self.assertEqual((registers["blocks_per_sm"], registers["limited_by"]), (3, "registers"))
        self.assertEqual((shared["blocks_per_sm"], shared["limited_by"]), (3, "shared memory"))
        # An SM holds at most 8 blocks, and a block has at most 512 threads.
        [small] = self.rows("--cc", "1.3", "--block-threads", "64")
        self.assertEqual((small["blocks_per_sm"], small["occupancy"], small["limited_by"]), (8, 0.5, "blocks"))
        # Document D: an SM of CC 1.0 or 1.1 has 768 threads, which are 3 blocks of 256.
        rows = self.rows("--cc", "1.0,1.1", "--block-threads", "256")
        self.assertEqual([(row["blocks_per_sm"], row["warps_per_sm"], row["occupancy"]) for row in rows], [(3, 24, 1)] * 2)

    def test_a_gpu_stands_for_its_compute_capability(self):
        self.assertEqual(self.rows("--profile", "gtx280", "--block-threads", "256"), self.rows("--cc", "1.3", "--block-threads", "256"))
        # With a list of compute capabilities, the device's own must be in the list.
        both = self.rows("--cc", "1.3,9.0", "--profile", "gtx280", "--block-threads", "256")
        self.assertEqual([row["compute_capability"] for row in both], ["1.3", "9.0"])
        self.fail_with(2, "lab", "occupancy", "--profile", "gtx280", "--cc", "9.0", "--block-threads", "256",
                       says=["--cc must contain 1.3", "gtx280"])
        self.fail_with(2, "lab", "occupancy", "--profile", "gtx28", "--block-threads", "256", says=["gtx28", "gtx280"])

    def test_more_than_up_to_costs_a_block(self):
        for cc in ["1.0", "1.3", "2.0", "3.7", "6.0", "7.5", "8.6", "9.0", "12.0"]:
            for threads in ["32", "96", "128", "256", "512"]:
                [row] = self.rows("--cc", cc, "--block-threads", threads, "--registers", "16", "--shared", "2000")
                registers, shared = str(row["registers_up_to"]), str(row["shared_bytes_up_to"])
                [kept] = self.rows("--cc", cc, "--block-threads", threads, "--registers", registers, "--shared", "2000")
                self.assertEqual(kept["blocks_per_sm"], row["blocks_per_sm"])
                done = self.run_command("lab", "occupancy", "--cc", cc, "--block-threads", threads, "--registers",
                                        str(int(registers) + 1), "--shared", "2000", "--json")
                if done.returncode == 0:
                    [more] = json.loads(done.stdout)["occupancy"]
                    self.assertLess(more["blocks_per_sm"], row["blocks_per_sm"])
                [kept] = self.rows("--cc", cc, "--block-threads", threads, "--registers", "16", "--shared", shared)
                self.assertEqual(kept["blocks_per_sm"], row["blocks_per_sm"])

    def test_a_table(self):
        done = self.succeed("lab", "occupancy", "--cc", "1.3,9.0", "--block-threads", "128:1024:128", "--registers",
                            "16,32", "--shared", "0:8192:4096", "--csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual(len(rows), 2 * 8 * 2 * 3)
        self.assertEqual(sorted({int(row["threads"]) for row in rows}), list(range(128, 1025, 128)))
        # A row for an impossible launch gives the reason; all other rows have their values.
        large = [row for row in rows if row["compute_capability"] == "1.3" and int(row["threads"]) > 512]
        self.assertEqual(len(large), 4 * 2 * 3)
        for row in large:
            self.assertIn("a block has 512 at most", row["cannot_run"])
            self.assertEqual(row["occupancy"], "")
        [one] = [row for row in rows if row["compute_capability"] == "9.0" and row["threads"] == "1024" and
                 row["registers"] == "32" and row["shared_bytes"] == "8192"]
        self.assertEqual((one["blocks_per_sm"], one["occupancy"], one["limited_by"]), ("2", "1", "warps"))
        code, shown = self.on_terminal("lab", "occupancy", "--cc", "1.3,9.0", "--block-threads", "32:1024:32",
                                       "--shared", "4096", streams=("stdout",))
        self.assertEqual(code, 0)
        self.assertRegex(shown.decode(), r"1\.3 +256 +0 +4096 +4 +32 +100\.0% +warps +16 +4096\r\n")
        runs = [line for line in shown.decode().split("\r\n") if "cannot" not in line]
        self.assertLessEqual(max(map(len, runs)), 80)

    def test_bad_input(self):
        self.refuse("occupancy", says=["--block-threads"])
        self.refuse("occupancy", "--block-threads", "64", "--cc", "1.4", says=["1.4", "1.3, 2.0", "12.1"])
        self.refuse("occupancy", "--block-threads", "2000", says=["2000 threads", "9.0", "1024 at most"])
        self.refuse("occupancy", "--block-threads", "64", "--registers", "256", says=["256 registers", "255 at most"])
        self.refuse("occupancy", "--block-threads", "64", "--shared", "300000", says=["300000", "232448 at most"])
        self.refuse("occupancy", "--block-threads", "512", "--registers", "33", "--cc", "1.3", says=["16384 at most"])
        for threads in ["0", "-1", "x", "", "64,", "64:", "64:32", "32:64:0", "32:64:8:8", "1.5", "9999999999"]:
            with self.subTest(threads):
                self.refuse("occupancy", f"--block-threads={threads}", says=["--block-threads"])
        self.refuse("occupancy", "--block-threads", "1:2147483647", says=["1000000"])
        self.refuse("occupancy", "--block-threads", "1:1024", "--shared", "0:9999", says=["10240000 rows"])
        self.refuse("occupancy", "--block-threads", "64", "--csv", "--json", says=["exclude"])


if __name__ == "__main__":
    unittest.main()
