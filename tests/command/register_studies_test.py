"""Tests the exact figures of the studies of registers, occupancy and widths (rows A3, A4, B2, B3 of docs/sources.md)
from outside. Tests that compile are skipped, with the reason, if there is no CUDA compiler."""

import json
import os
import unittest

from lab_support import EMULATOR, LabTest
from support import runs_rungs


class Studies(LabTest):
    def counted(self, name, *arguments):
        report = json.loads(self.succeed("lab", "run", name, *EMULATOR, "--json", *arguments).stdout)
        return report["results"]

    def test_are_listed_with_their_rows(self):
        studies = {each["study"]: each for each in self.studies()}
        for name, rows in [("spills", {"A3"}), ("occupancy", {"A4"}), ("widths", {"B2", "B3"})]:
            self.assertEqual({row for each in studies[name]["rungs"] for row in each["rows"]}, rows)
        listed = self.succeed("lab", "list").stdout.decode()
        for row in ["A3", "A4", "B2", "B3"]:
            self.assertRegex(listed, rf"\n  \w+ +{row} ")

    @runs_rungs
    def test_a_cap_on_registers(self):
        rows = self.counted("spills", "--cc", "9.0")
        takes = {(row["rung"], row.get("axes", {}).get("CAP")): row["resources"][0] for row in rows}
        capped = [takes["capped", cap] for cap in [64, 56, 48, 40, 32, 24]]
        # With each lower cap there are fewer registers and more spills. The occupancy rises until all of an SM's warps
        # are in use.
        self.assertEqual([each["registers"] for each in capped], [64, 56, 48, 40, 32, 24])
        spills = [each["spill_bytes"] for each in capped]
        self.assertEqual(spills, sorted(set(spills)))
        self.assertGreater(spills[0], 0)
        self.assertEqual([each["occupancy"] for each in capped], [0.5, 0.5625, 0.625, 0.75, 1, 1])
        for name in ["uncapped", "shared_buffer", "texture"]:
            self.assertEqual(takes[name, None]["spill_bytes"], 0)
            self.assertLess(takes[name, None]["occupancy"], 0.5)
        self.assertGreater(takes["uncapped", None]["registers"], 64)
        self.assertLess(takes["shared_buffer", None]["registers"], 40)
        # If each lane reads its own row, a request takes 32 sectors. If the block reads its rows together, a request
        # takes 4. Stores are coalesced.
        loads = {row["rung"]: row["counts"][0]["global_load"] for row in rows}
        self.assertEqual(loads["uncapped"]["transactions_32"], 32 * loads["uncapped"]["requests"])
        self.assertEqual(loads["shared_buffer"]["transactions_32"], 4 * loads["shared_buffer"]["requests"])
        self.assertEqual(loads["texture"]["requests"], 0)
        shared = [row for row in rows if row["rung"] == "shared_buffer"][0]["counts"][0]
        self.assertEqual(shared["shared_load"]["passes"], shared["shared_load"]["requests"])

    @runs_rungs
    def test_what_does_not_fit_is_skipped_with_the_reason(self):
        rows = self.counted("spills", "--cc", "1.3")
        [shared] = [row for row in rows if row["rung"] == "shared_buffer"]
        self.assertIn("33280 bytes of dynamic shared memory does not fit", shared["skipped"])
        # A half-warp reads 16 rows, and each row takes a transaction.
        [plain] = [row for row in rows if row["rung"] == "uncapped"]
        loads = plain["counts"][0]["global_load"]
        self.assertEqual(loads["transactions_32"], 32 * loads["requests"])

    @runs_rungs
    def test_shared_memory_forces_the_occupancy(self):
        for cc in ["9.0", "8.6", "7.5"]:
            rows = self.counted("occupancy", "--cc", cc, "--size", "256x4")
            full = {"9.0": 8, "8.6": 6, "7.5": 4}[cc]
            for name in ["one_load", "two_loads", "four_loads"]:
                occupancy = {row["axes"]["BLOCKS"]: row["resources"][0]["occupancy"] for row in rows
                             if row["rung"] == name}
                self.assertEqual(occupancy, {blocks: min(blocks, full) / full for blocks in range(1, 9)})

    @runs_rungs
    def test_a_half_and_a_quarter_of_the_instructions(self):
        rows = self.counted("widths/copies", "--cc", "9.0")
        self.assertEqual(len(rows), 9)
        for row in rows:
            words = {"copy4": 1, "copy8": 2, "copy16": 4}[row["rung"]]
            counts = row["counts"][0]
            warps = 4096 * 4 // 32 // words
            self.assertEqual(counts["warp_instructions"], 18 * warps)
            self.assertEqual(counts["global_load"]["requests"], warps)
            self.assertEqual(counts["global_store"]["requests"], warps)
            # All bytes of each sector are used.
            self.assertEqual(counts["global_load"]["transactions_32"], 4096 * 4 * 4 // 32)

    @runs_rungs
    def test_the_machine_code_of_the_copies(self):
        report = json.loads(self.succeed("lab", "run", "widths", *EMULATOR, "--json").stdout)
        accesses = {row["rung"]: row["resources"][0].get("global_instructions") for row in report["results"]}
        if "missing" in report:
            self.assertIn("nvdisasm", report["missing"])
            self.assertEqual(set(accesses.values()), {None})
            self.skipTest(report["missing"])
        none = {f"{name}_{bits}": 0 for name in ["ldg", "stg"] for bits in [32, 64, 128]}
        for names, bits in [(["copy4", "one_element"], 32), (["copy8", "two_elements"], 64),
                            (["copy16", "four_elements"], 128)]:
            for name in names:
                self.assertEqual(accesses[name], {**none, f"ldg_{bits}": 1, f"stg_{bits}": 1})

    @runs_rungs
    def test_without_a_disassembler_it_is_said(self):
        # This toolkit has no nvdisasm, and neither PATH nor CUDA's usual folders lead to one.
        home = os.path.join(os.getcwd(), "toolkit")
        os.mkdir(home)
        compiler = {**os.environ, "WARPWISE_CUDA_HOME": home}
        done = self.run_command("lab", "run", "widths/copy4", *EMULATOR, "--size", "256x1", env=compiler)
        if b"there is no CUDA compiler" in done.stderr:
            self.skipTest("without the toolkit there is no compiler here")
        self.assertIn(b"ldg_32, ldg_64, ldg_128, stg_32, stg_64, stg_128 are not known: there is no disassembler",
                      done.stdout)

    @runs_rungs
    def test_states_outgrow_the_registers(self):
        rows = self.counted("widths/registers", "--cc", "9.0", "--size", "256x4")
        takes = {(row["rung"], row["axes"]["STATE"]): row["resources"][0] for row in rows}
        for state in [4, 16, 32, 64, 96]:
            one, two, four = (takes[name, state] for name in ["one_element", "two_elements", "four_elements"])
            self.assertEqual(one["spill_bytes"], 0)
            self.assertEqual(two["spill_bytes"], 0)
            self.assertEqual(four["spill_bytes"] > 0, state >= 64)
            self.assertLess(one["registers"], two["registers"])
            self.assertLess(two["registers"], four["registers"])
            self.assertGreaterEqual(one["occupancy"], two["occupancy"])
            self.assertGreaterEqual(two["occupancy"], four["occupancy"])


if __name__ == "__main__":
    unittest.main()
