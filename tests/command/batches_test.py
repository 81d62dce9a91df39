"""Tests calls with many files, several at a time."""

import functools
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import unittest

from support import SANITIZED, WARPWISE, CommandTest, gpu_environment, npy, ramp, read, write


class Batches(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir("in")
        for i in range(40):  # the sizes differ, so that the files do not end in their order
            width = 400 if i % 5 == 0 else 8 + i
            write(f"in/{i:02}.npy", npy("|u1", (width, width), ramp(width * width, i)))

    def run_with(self, jobs, *options):
        done = self.succeed("threshold", "in", "out", "--window", "31", "--mean", "means", "--jobs",
                            str(jobs), "--backend", "cpu", *options)
        results = {f"{folder}/{name}": read(f"{folder}/{name}") for folder in ["out", "means"]
                   for name in os.listdir(folder)}
        shutil.rmtree("out")
        shutil.rmtree("means")
        return done.stdout, results

    def test_results_and_order_of_one_job(self):
        lines, results = self.run_with(1)
        self.assertEqual(len(results), 80)
        order = [line.split(b",")[0] for line in lines.splitlines()]
        self.assertEqual(order, sorted(order))
        for jobs in [2, 4, 40, 256]:
            for threads in [[], ["--threads", "1"], ["--threads", "9"]]:
                lines, again = self.run_with(jobs, *threads)
                self.assertEqual(again, results)
                self.assertEqual([line.split(b",")[0] for line in lines.splitlines()], order)

    def test_json_has_the_order(self):
        for jobs in [1, 4]:
            report = json.loads(self.run_with(jobs, "--json")[0])
            self.assertEqual(report["jobs"], jobs)
            self.assertEqual([file["input"] for file in report["files"]],
                             [f"in/{i:02}.npy" for i in range(40)])

    def test_jobs_share_the_threads(self):
        for jobs, threads, each in [(1, 8, 8), (4, 8, 2), (3, 8, 2), (4, 2, 1)]:
            report = json.loads(self.run_with(jobs, "--threads", str(threads), "--json")[0])
            self.assertEqual(report["device"], f"{each} thread{'' if each == 1 else 's'}")
        self.assertEqual(json.loads(self.run_with(40, "--json")[0])["jobs"], 40)
        done = self.succeed("sobel", "in", "out", "--threads", "3", "--backend", "cpu", "--json")
        self.assertEqual(json.loads(done.stdout)["jobs"], 3)

    def test_open_files_bound_the_jobs(self):
        for most, jobs in [(100, 12), (40, 1)]:
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most, most))
            done = self.succeed("sobel", "in", "out", "--backend", "cpu", "--jobs", "40", "--json",
                                preexec_fn=limit)
            self.assertEqual(json.loads(done.stdout)["jobs"], jobs)

    def test_a_gpu_gives_the_files_of_the_cpu(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        # The picture exceeds a job's ring buffer of page-locked memory, and is no multiple of the buffer's parts.
        write("in/large.npy", npy("<f4", (1050, 1000), bytes(4 * 1050 * 1000 - 4) + struct.pack("<f", 7)))
        self.succeed("sobel", "in", "cpu", "--backend", "cpu")
        for jobs in [1, 3]:
            done = self.succeed("sobel", "in", "cuda", "--backend", "cuda", "--jobs", str(jobs), "--json",
                                env=environment)
            report = json.loads(done.stdout)
            self.assertEqual((report["backend"], report["jobs"]), ("cuda", jobs))
            self.assertEqual(len(report["files"]), 41)
            for file in report["files"]:
                self.assertGreaterEqual(file["milliseconds"]["upload"], 0)
                self.assertGreater(file["milliseconds"]["compute"], 0)
                name = os.path.basename(file["input"])
                self.assertEqual(read(f"cuda/{name}"), read(f"cpu/{name}"), name)
            shutil.rmtree("cuda")

    @unittest.skipIf(SANITIZED, "AddressSanitizer keeps memory, and reserves terabytes of addresses")
    def test_memory_is_bounded(self):
        side = 6000  # a picture is over 32 MiB: malloc gives freed blocks back to the system
        shutil.rmtree("in")
        os.mkdir("in")
        for i in range(6):
            write(f"in/{i}.npy", npy("|u1", (side, side), bytes(side * side)))

        def peak(jobs, addresses=resource.RLIM_INFINITY):
            """Returns the peak memory in bytes."""
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (addresses, addresses))
            command = subprocess.Popen([WARPWISE, "sobel", "in", "out", "--backend", "cpu", "--jobs",
                                        str(jobs)], stdout=subprocess.DEVNULL, preexec_fn=limit)
            _, status, used = os.wait4(command.pid, 0)
            command.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(command.returncode, 0)
            return used.ru_maxrss * 1024

        one = peak(1)
        self.assertGreater(one, 2 * side * side)
        self.assertLess(peak(3), 3.3 * one)
        # The command expects a file to need eight times its size. Half of the address space has room for two files.
        self.assertLess(peak(6, addresses=5 * 8 * side * side), 2.3 * one)


if __name__ == "__main__":
    sys.exit(unittest.main())
