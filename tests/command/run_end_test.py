"""Tests how `warpwise run` ends: exit codes after faults, --keep-going, time limits, signals, refused kernels."""

import os
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as ElementTree

import run_support
from run_support import RunTest, line_of, nvcc, setUpModule  # noqa: F401
from support import WARPWISE, read, write

REFUSED = b"""#include <cstdio>
__global__ void turn(int* to) {
  int own = 1;
  asm volatile("vadd.s32.s32.s32 %0, %0, %0;" : "+r"(own));
  to[threadIdx.x] = own;
}
__global__ void add(int* to, int count) { to[threadIdx.x] += count; }
int main(int argc, char**) {
  int* values = nullptr;
  cudaMalloc(&values, 128);
  turn<<<1, 32>>>(values);
  add<<<1, 32>>>(values, argc);
  add<<<1, 32>>>(values + (argc > 1 ? 1 : 0), argc);
  int back[32];
  cudaMemcpy(back, values, sizeof(back), cudaMemcpyDeviceToHost);
}
"""


class ExitCodes(RunTest):
    def test_a_fault_is_an_error(self):
        self.assertEqual(self.run_program("ignored").returncode, 1)
        self.assertEqual(self.run_program("ignored", options=["--error-exitcode", "9"]).returncode, 9)
        self.assertEqual(self.run_program("ignored", options=["--error-exitcode", "0"]).returncode, 0)
        self.assertEqual(self.run_program("sound").returncode, 0)

    def test_a_refusal_is_one_too(self):
        self.assertEqual(self.run_program("refused", options=["--error-exitcode", "0"]).returncode, 1)


class KeepGoing(RunTest):
    def test_other_kernels_run(self):
        done = self.run_program("ignored", options=["--keep-going", "--junit", "report.xml"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.said(done)[-1], "warpwise: 3 launches of 3 kernels, 1 fault")
        suites = ElementTree.parse("report.xml").getroot()
        self.assertEqual([suites.get(name) for name in ["tests", "failures", "errors", "skipped"]], ["3", "1", "0", "0"])

    def test_the_program_is_not_told(self):
        done = self.run_program("bounds", options=["--keep-going", "--check", "all"])
        self.assertEqual((done.returncode, done.stdout), (1, b""), "by the run's code, not by the program's 3")
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 2 kernels, 1 fault")

    def test_a_sound_program_is_as_before(self):
        done = self.run_program("sound", options=["--keep-going", "--check", "all"])
        self.assertEqual((done.returncode, self.said(done)[-1]), (0, "warpwise: 3 launches of 2 kernels, 0 faults"))


class WordsOfCuda(RunTest):
    def test_a_program_gets_the_runtimes_words(self):
        self.assertEqual(self.run_program("bounds").stdout, b"bounds: an illegal memory access was encountered\n")
        self.assertEqual(self.run_program("assert").stdout, b"assert: device-side assert triggered\n")

    def test_without_any_report_the_fault_is_still_told(self):
        environment = dict(os.environ, LD_LIBRARY_PATH=run_support.EMULATED)
        done = subprocess.run([self.program, "bounds"], env=environment, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"\Awarpwise: out_of_bounds in kernel beyond\(int\*\).*\n\Z")
        environment["WARPWISE_EMULATED_MESSAGES"] = "none"
        done = subprocess.run([self.program, "bounds"], env=environment, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (3, b""))


class Multiprocessors(RunTest):
    def test_number(self):
        for options, number in [([], b"8\n"), (["--cc", "8.6"], b"8\n"), (["--sms", "3"], b"3\n"), (["--profile", "h200"], b"132\n"),
                                (["--profile", "h200", "--sms", "16"], b"16\n")]:
            self.assertEqual(self.run_program("multiprocessors", options=options).stdout, number, options)
        for text in ["0", "1025", "x"]:
            self.fail_with(2, "run", "--sms", text, self.program, says=f"--sms got '{text}'")


class Refusals(RunTest):
    """Tests refused kernels: their failed launch and their unwritten memory are no faults of the program."""

    def test_nothing_follows(self):
        write("refused.cu", REFUSED)
        nvcc("-cudart", "shared", "-o", os.path.abspath("refused"), os.path.abspath("refused.cu"))
        done = self.run_command("run", "--check", "all", "./refused")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 1 kernel, 0 faults, 1 kernel not run", done.stderr)
        # A fault of another kernel is still reported.
        done = self.run_command("run", "--check", "all", "./refused", "beyond")
        self.assertIn(b"out_of_bounds in kernel add(int*, int)", done.stderr)

    def test_the_same_program_without_the_kernel(self):
        write("written.cu", REFUSED.replace(b"  turn<<<1, 32>>>(values);\n", b""))
        nvcc("-cudart", "shared", "-o", os.path.abspath("written"), os.path.abspath("written.cu"))
        done = self.run_command("run", "--check", "all", "--keep-going", "./written")
        self.assertIn(b"uninitialised in kernel add(int*, int)", done.stderr)
        self.assertIn(b"leak in the program", done.stderr)


IN_PLACE = b"""#include <thrust/device_vector.h>
#include <thrust/unique.h>
#include <cstdio>
#include <cstring>
#include <vector>

// Closes gaps as thrust::unique() does, without an order of the blocks.
__global__ void close_gaps(int* values) {
  const int own = values[2 * (blockIdx.x * blockDim.x + threadIdx.x)];
  values[blockIdx.x * blockDim.x + threadIdx.x] = own;
}

int main(int argc, char** argv) {
  std::vector<int> numbers(20000);
  for (int i = 0; i < 20000; ++i) numbers[i] = i / 2;
  thrust::device_vector<int> values(numbers);
  if (argc > 1 && std::strcmp(argv[1], "own") == 0) {
    close_gaps<<<10, 1000>>>(thrust::raw_pointer_cast(values.data()));
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
  }
  auto others = values;
  const bool by_key = argc > 1;
  const auto end = by_key ? thrust::unique_by_key(values.begin(), values.end(), others.begin()).first
                          : thrust::unique(values.begin(), values.end());
  std::printf("%d\\n", static_cast<int>(end - values.begin()));
}
"""


class KnownPlaces(RunTest):
    """Tests thrust::unique() in place, whose known race is suppressed. The same race in a program's code is reported."""

    def test_those_of_thrust(self):
        write("in_place.cu", IN_PLACE)
        nvcc("-std=c++17", "-cudart", "shared", "-lineinfo", "-o", os.path.abspath("in_place"), os.path.abspath("in_place.cu"))
        for words in [(), ("by_key",)]:
            done = self.run_command("run", "--check", "races", "--sarif", "report.json", "./in_place", *words)
            self.assertEqual((done.returncode, done.stdout), (0, b"10000\n"), done.stderr)
            self.assertRegex(self.said(done)[-1], r"0 faults, \d suppressed$")
            self.assertIn(b"but only after they have read it", read("report.json"))
            done = self.run_command("run", "--check", "races", "--report-known", "--keep-going", "./in_place", *words)
            self.assertEqual((done.returncode, done.stdout), (1, b"10000\n"), done.stderr)
            faults = [line for line in self.said(done) if line.startswith("warpwise: race in kernel ")]
            self.assertTrue(faults)
            for line in faults:
                self.assertLess(len(line), 900)
                self.assertIn("lines of libraries", line)
        done = self.run_command("run", "--check", "races", "--keep-going", "./in_place", "own")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"race in kernel close_gaps(int*)", done.stderr)


class Interruptions(RunTest):
    def report(self):
        suites = ElementTree.parse("report.xml").getroot()
        return {case.get("name"): [child.get("type") for child in case] for case in suites.iter("testcase")}

    def test_a_time_limit(self):
        begin = time.monotonic()
        done = self.run_program("endless", options=["--time-limit", "1", "--junit", "report.xml"])
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        self.assertEqual(done.returncode, 1)
        first, *_, last = self.said(done)
        self.assertTrue(first.startswith("warpwise: interrupted in kernel endless(int volatile*), block (0,0,0)"), first)
        self.assertIn(f"run_program.cu:{line_of('endless')}", first)
        self.assertIn("the time limit of 1 s has passed", first)
        self.assertEqual(last, "warpwise: 2 launches of 2 kernels, 1 fault")
        self.assertEqual(self.report(), {"void scale<int>(int*, int)": [], "endless(int volatile*)": ["interrupted"]})

    def test_a_time_limit_of_a_forked_child(self):
        """Both processes must end: a child that stayed would keep the output open."""
        done = self.run_program("child", options=["--time-limit", "1"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"interrupted in kernel endless(int volatile*)", done.stderr)

    def test_a_time_limit_outside_of_kernels(self):
        with subprocess.Popen([WARPWISE, "run", "--time-limit", "1", "--error-exitcode", "9", "--junit", "report.xml", self.program, "ready"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            self.assertEqual(running.wait(timeout=60), 9)
            self.assertIn(b"interrupted in the program, the time limit of 1 s has passed", running.stderr.read())
        self.assertEqual(self.report(), {"the program": ["interrupted"]})

    def test_a_time_limit_that_is_kept(self):
        done = self.run_program("sound", options=["--time-limit", "60", "--check", "all"])
        self.assertEqual((done.returncode, self.said(done)[-1]), (0, "warpwise: 3 launches of 2 kernels, 0 faults"))
        for text in ["0", "x", "1000001"]:
            self.fail_with(2, "run", "--time-limit", text, self.program, says=f"--time-limit got '{text}'")

    def test_signals_during_a_kernel(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with subprocess.Popen([WARPWISE, "run", "--keep-going", "--junit", "report.xml", self.program, "beyond_and_endless"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
                self.assertIn(b"out_of_bounds in kernel beyond", running.stderr.readline())
                time.sleep(0.3)
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=60), -number)
                said = running.stderr.read().decode()
            self.assertIn(f"interrupted in kernel endless(int volatile*)", said)
            self.assertIn(f"{signal.Signals(number).name} has ended the run", said)
            self.assertIn("3 launches of 3 kernels, 2 faults", said)
            self.assertEqual(self.report()["beyond(int*)"], ["out_of_bounds"])
            self.assertEqual(self.report()["endless(int volatile*)"], ["interrupted"])

    def test_a_signal_for_the_whole_group(self):
        """timeout(1) sends such a signal. The program gets it twice, because the command forwards it."""
        for _ in range(5):
            with subprocess.Popen([WARPWISE, "run", "--keep-going", self.program, "beyond_and_endless"], start_new_session=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
                running.stderr.readline()
                time.sleep(0.3)
                os.killpg(running.pid, signal.SIGTERM)
                self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)
                said = running.stderr.read().decode()
            self.assertIn("interrupted in kernel endless(int volatile*)", said)
            self.assertIn("SIGTERM has ended the run", said)

    def test_signals_outside_of_kernels(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            with subprocess.Popen([WARPWISE, "run", self.program, "ready"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
                self.assertEqual(running.stdout.readline(), b"ready\n")
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=60), -number)
                self.assertEqual(running.stderr.read(), b"warpwise: 0 launches of 0 kernels, 0 faults\n")

    def test_signals_that_the_program_handles(self):
        done = self.run_program("handles")
        self.assertEqual((done.returncode, done.stdout), (0, b"handled\n"))


if __name__ == "__main__":
    unittest.main()
