"""Tests run --explain: the predicted time of each launch, the program's timeline, and the kernels to look at first."""

import json
import os
import re
import unittest

import run_support
from run_support import RunTest, nvcc
from support import read, write

PROGRAM = r"""#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
__global__ void add(unsigned* counters, int times) {
  for (int k = 0; k < times; ++k) atomicAdd(counters + blockIdx.x, 1U);
}
__global__ void sums(const float* a, float* result, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[threadIdx.x * n + k];
  result[threadIdx.x] = sum;
}
__global__ void last(float* a) { a[0] = 1; }

int main() {
  constexpr int n = 64;
  constexpr std::size_t bytes = n * n * sizeof(float);
  const std::vector<float> host(n * n, 1.F);
  float* a = nullptr;
  float* b = nullptr;
  float* c = nullptr;
  unsigned* counters = nullptr;
  unsigned* shared = nullptr;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMalloc(&counters, 256 * sizeof(unsigned));
  cudaMallocManaged(&shared, 256 * sizeof(unsigned));
  cudaMemset(counters, 0, 256 * sizeof(unsigned));
  cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) multiply<<<dim3(8, 8), dim3(8, 8)>>>(a, b, c, n);
  cudaMemcpy(a, c, bytes, cudaMemcpyDeviceToDevice);
  add<<<256, 32>>>(counters, 1);
  add<<<256, 32>>>(counters, 9);
  add<<<256, 32>>>(shared, 2);
  sums<<<1, n>>>(a, c, n);
  last<<<1, 1>>>(c);
  unsigned found = 0;
  cudaMemcpy(&found, counters, sizeof(found), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  std::printf("%u %u\n", found, shared[0]);
}
"""

COOPERATIVE = r"""#include <cooperative_groups.h>
__global__ void meet(int* x) {
  x[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
}
int main() {
  int* x = nullptr;
  cudaMalloc(&x, 4 * sizeof(int));
  void* arguments[] = {&x};
  return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), dim3(4), dim3(32), arguments, 0, nullptr);
}
"""

UNWRITTEN = r"""__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] > 0 ? 1 : 0; }
int main() {
  int* from = nullptr;
  int* to = nullptr;
  cudaMalloc(&from, 128);
  cudaMalloc(&to, 128);
  copy<<<1, 32>>>(from, to);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
"""

CUT = r"""__global__ void count(unsigned* to, unsigned long long times) {
  for (unsigned long long k = 0; k < times; ++k) atomicAdd(to, 1U);
}
__global__ void ahead(unsigned* to, unsigned long long times) {
  if (blockIdx.x > 0) return;
  for (unsigned long long k = 0; k < times; ++k) atomicAdd(to, 1U);
}
int main(int words, char**) {
  unsigned* counter = nullptr;
  cudaMalloc(&counter, sizeof(unsigned));
  count<<<4, 32>>>(counter, 10);
  if (words > 1) count<<<4, 32>>>(counter, 1ULL << 40);
  ahead<<<1 << 30, 32>>>(counter, 100'000);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}
"""


def setUpModule():
    run_support.setUpModule()
    for name, source in [("times", PROGRAM), ("cooperative", COOPERATIVE), ("unwritten", UNWRITTEN), ("cut", CUT)]:
        path = os.path.join(run_support.FOLDER, f"{name}.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        nvcc("-cudart", "shared", "-lineinfo", "-o", name, path)


class Times(RunTest):
    def explained(self, name, *options, code=0):
        done = self.run_command("run", "--explain", "report.json", "-q", *options,
                                os.path.join(run_support.FOLDER, name))
        self.assertEqual(done.returncode, code, done.stderr)
        return done, json.loads(read("report.json"))

    def test_the_program_is_as_without_it(self):
        self.assertEqual(self.explained("times")[0].stdout, b"320 64\n")

    def both_predictions(self, profile):
        """Returns what `run` and `explain` predict of the same launches, by kernel."""
        _, report = self.explained("times", "--profile", profile)
        write("times.cu", PROGRAM.encode())
        square = f"f32[{64 * 64}]"
        for which, options in [(0, ["--kernel", "multiply", "--grid", "8,8", "--block", "8,8", "--arg", square, "--arg", square,
                                    "--arg", square, "--arg", "i32:64"]),
                               (2, ["--kernel", "sums", "--grid", "1", "--block", "64", "--arg", square, "--arg", square,
                                    "--arg", "i32:64"])]:
            done = self.succeed("explain", "times.cu", *options, "--profile", profile, "--json")
            own, alone = report["kernels"][which]["prediction"], json.loads(done.stdout)["prediction"]
            self.assertEqual(own["rules"], alone["rules"])
            yield which, own, alone

    def test_a_launch_has_the_time_that_explain_predicts(self):
        # Below CC 7.0 neither command reads machine code, so both predict the same.
        profile = json.loads(read(os.path.join(os.path.dirname(__file__), "../../warpwise/lab/predict/devices/h200.json")))
        write("old.json", json.dumps({**profile, "compute_capability": "6.1"}).encode())
        for which, own, alone in self.both_predictions("old.json"):
            self.assertAlmostEqual(own["time_us"], alone["time_us"], delta=0.01 * alone["time_us"], msg=which)

    def test_explain_knows_the_order_of_loads_in_machine_code(self):
        for which, own, alone in self.both_predictions("h200"):
            if which == 2:
                self.assertAlmostEqual(own["time_us"], alone["time_us"], delta=0.01 * alone["time_us"])
            else:  # `run` assumes that more of the loop's loads overlap
                self.assertLess(own["time_us"], alone["time_us"])
                self.assertGreater(own["most_us"], alone["time_us"])

    def test_the_timeline(self):
        _, report = self.explained("times")
        self.assertEqual((report["device"], report["gpu"]), ("h200", "NVIDIA H200"))
        events = report["timeline"]
        self.assertEqual([each.get("transfer", each.get("kernel")) for each in events],
                         ["fill", "to_gpu", 0, "within_gpu", 1, 1, 1, 2, 3, "from_gpu"])
        self.assertEqual([each["times"] for each in events], [1, 1, 3, 1, 1, 1, 1, 1, 1, 1])
        self.assertEqual([each["bytes"] for each in events if "bytes" in each], [1024, 16384, 16384, 4])
        at = 0
        for each in events:
            self.assertAlmostEqual(each["start_us"], at)
            known = each.get("transfer") not in ["to_gpu", "from_gpu"]
            self.assertEqual(each["time_us"] is not None, known)
            at += (each["time_us"] or 0) * each["times"]
        self.assertAlmostEqual(report["predicted_us"], at)
        # A copy reads and writes, so it takes twice its bytes over the profile's bandwidth; a fill only writes.
        launch = report["kernels"][0]["prediction"]["launch_us"]
        self.assertAlmostEqual(events[3]["time_us"], launch + 2 * 16384 / 4150e3, places=4)
        self.assertAlmostEqual(events[0]["time_us"], launch + 1024 / 4150e3, places=4)

    def test_a_launch_that_does_more_takes_longer(self):
        _, report = self.explained("times")
        once, nine, twice = [each["time_us"] for each in report["timeline"] if each.get("kernel") == 1]
        self.assertEqual(report["kernels"][1]["launches"], 3)
        prediction = report["kernels"][1]["prediction"]
        self.assertAlmostEqual(once, prediction["time_us"] - prediction["launch_us"] + prediction["next_launch_us"])
        self.assertLess(once, twice)
        self.assertLess(twice, nine)

    def test_the_kernels_to_look_at_first(self):
        done, report = self.explained("times")
        first = report["look_first"]
        self.assertEqual(len(first), 3)
        times = {}
        for each in report["timeline"]:
            if "kernel" in each:
                times[each["kernel"]] = times.get(each["kernel"], 0) + each["time_us"] * each["times"]
        longest = sorted(times, key=times.get, reverse=True)[:3]
        self.assertEqual([each["kernel"] for each in first], longest)
        for each in first:
            self.assertAlmostEqual(each["time_us"], times[each["kernel"]])
        self.assertEqual(done.stderr, b"", "-q")
        done = self.run_command("run", "--explain", "report.html", os.path.join(run_support.FOLDER, "times"))
        self.assertRegex(done.stderr.decode().splitlines()[-1],
                         r"warpwise: report.html: look first at \w+ \(\d+ %\), \w+ \(\d+ %\), \w+ \(\d+ %\), of [0-9.]+ us on "
                         r"an NVIDIA H200, modelled$")

    def test_text_and_page(self):
        program = os.path.join(run_support.FOLDER, "times")
        text = self.succeed("run", "--explain", "-", "-q", program).stdout.decode()
        self.assertIn("Time on an NVIDIA H200, modelled: ", text)
        self.assertIn("The time of 2 copies of 16,388 bytes in all is not known", " ".join(text.split()))
        self.assertRegex(text, r"Look first at\n *[0-9.]+ %  [0-9.]+ us  \w+ \(\d below\): ")
        self.assertRegex(text, r"\n +[0-9.]+ +[0-9.]+  3 x multiply \(1 below\)\n")
        self.assertRegex(text, r"\n +[0-9.]+ not known  copy to the GPU, 16,384 bytes\n")
        self.succeed("run", "--explain", "page.html", "-q", program)
        page = read("page.html").decode()
        links = re.findall(r'<a href="#([^"]+)"', page)
        self.assertGreaterEqual(len(links), 3 + 4)
        for link in links:
            self.assertIn(f'<section id="{link}">', page)
        self.assertIn("Look first at", page)
        self.assertIn("copies to the GPU", page)

    def test_another_gpu(self):
        report = self.explained("times", "--profile", "t4")[1]
        self.assertEqual(report["device"], "t4")
        self.assertGreater(report["predicted_us"], 0)

    def test_operations_of_floats(self):
        operations = {each["kernel"]: each["float_operations"] for each in self.explained("times")[1]["kernels"]}
        self.assertEqual(operations["multiply"], {"float32": 3 * 2 * 64**3, "float64": 0})
        self.assertEqual(operations["last"], {"float32": 0, "float64": 0})

    def cut(self, *arguments):
        done = self.run_command("run", "--explain", "report.json", "-q", "--time-limit", "3", os.path.join(run_support.FOLDER, "cut"), *arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        return json.loads(read("report.json"))

    def test_a_time_limit_leaves_a_launch_with_the_time_of_its_sample(self):
        count, ahead = self.cut()["kernels"]
        self.assertEqual((count["launches"], count["counted"], count["faults"]), (1, "", []))
        self.assertGreater(count["prediction"]["time_us"], 0)
        self.assertEqual([each["kind"] for each in ahead["faults"]], ["interrupted"])
        self.assertIn("stopped", ahead["counted"])
        self.assertGreater(ahead["prediction"]["time_us"], 0)

    def test_a_time_limit_leaves_out_part_of_a_later_launch(self):
        report = self.cut("twice")
        self.assertEqual([(each["kernel"], each["launches"], each["faults"]) for each in report["kernels"]], [("count", 1, [])])
        self.assertEqual([each["times"] for each in report["timeline"]], [1])

    def test_blocks_that_wait_for_each_other(self):
        report = self.explained("cooperative")[1]
        self.assertIn("cooperative launch", report["kernels"][0]["prediction"]["unavailable"])
        self.assertEqual([each["time_us"] for each in report["timeline"]], [None])
        self.assertEqual(report["look_first"], [])

    def test_checks_find_what_they_find_without_it(self):
        done, report = self.explained("unwritten", "--check", "init", code=3)
        self.assertIn(b"uninitialised", done.stderr)
        self.assertEqual([each["kind"] for each in report["kernels"][0]["faults"]], ["uninitialised"])


if __name__ == "__main__":
    unittest.main()
