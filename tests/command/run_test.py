"""`warpwise run` from outside: a program on the emulated GPU, its streams and exit codes, faults and reports."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import SANITIZED, WARPWISE, CommandTest, read, write

SOURCE = pathlib.Path(__file__).with_name("run_program.cu")
EMULATED = os.path.join(os.path.dirname(WARPWISE), "..", "lib", "warpwise", "emulated")
FOLDER = None  # where the programs are; their source lies below it, in "its sources"


NVRTC_PROGRAM = r"""
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>
#include <cstdio>
#include <vector>

int main() {
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "extern \"C\" __global__ void twice(int* x) { *x *= 2; }", "twice.cu", 0, nullptr, nullptr);
  const char* option = "--gpu-architecture=sm_90";
  if (nvrtcCompileProgram(program, 1, &option) != NVRTC_SUCCESS) return 1;
  size_t bytes = 0;
  if (nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS) return 2;
  std::vector<char> code(bytes);
  if (nvrtcGetCUBIN(program, code.data()) != NVRTC_SUCCESS) return 3;
  int* x = nullptr;
  cudaMallocManaged(&x, sizeof(int));
  *x = 7;
  CUmodule module;
  CUfunction twice;
  if (cuModuleLoadData(&module, code.data()) != CUDA_SUCCESS) return 4;
  if (cuModuleGetFunction(&twice, module, "twice") != CUDA_SUCCESS) return 5;
  void* arguments[] = {&x};
  if (cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) return 6;
  if (cuCtxSynchronize() != CUDA_SUCCESS) return 7;
  std::printf("%d\n", *x);
}
"""


def compiler():
    return shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


def nvcc(*arguments, code="compute_75"):
    target = f"arch=compute_75,code={code}"
    subprocess.run([compiler(), "-gencode", target, *arguments], cwd=FOLDER, check=True, timeout=300)


def setUpModule():
    global FOLDER
    if SANITIZED:
        raise unittest.SkipTest("a program that is not sanitized cannot load a sanitized runtime")
    if not os.path.exists(os.path.join(EMULATED, "libcudart.so.13")):
        raise unittest.SkipTest("the emulated CUDA runtime was not built")
    if not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")):
        raise unittest.SkipTest("there is no nvcc here")
    folder = tempfile.TemporaryDirectory(prefix="warpwise-run-")
    unittest.addModuleCleanup(folder.cleanup)
    FOLDER = folder.name
    source = os.path.join(FOLDER, "its sources", "run_program.cu")
    os.mkdir(os.path.dirname(source))
    shutil.copy(SOURCE, source)
    nvcc("-cudart", "shared", "-lineinfo", "-o", "program", source)


def line_of(kernel):
    """Where the source says that this kernel does something wrong."""
    lines = SOURCE.read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line.endswith("// the line: " + kernel))


class RunTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = os.path.join(FOLDER, "program")

    def run_program(self, *words, options=(), **more):
        return self.run_command("run", *options, self.program, *words, **more)

    def said(self, done):
        return done.stderr.decode().splitlines()


class Programs(RunTest):
    def test_a_sound_one(self):
        done = self.run_program("sound", options=["--check", "all", "--error-exitcode", "9"])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(self.said(done), ["warpwise: all that ran is exact",
                                           "warpwise: 3 launches of 2 kernels, 0 faults"])
        self.assertEqual(self.run_program("sound", options=["--quiet"]).stderr, b"")

    def test_its_words_are_its_own(self):
        words = ["--check", "--", "-q", "a  b", "", "-h", "--help", "sobel", "*", "$HOME", "--junit=x"]
        done = self.run_program("words", *words, options=["-q"])
        self.assertEqual(done.stdout.decode().splitlines(), [f"[{word}]" for word in words])
        self.assertEqual(done.returncode, 0)

    def test_its_streams(self):
        done = self.run_program("echo", options=["-q"], stdin=b"some\0bytes\n")
        self.assertEqual((done.stdout, done.stderr), (b"some\0bytes\n", b"said\n"))

    def test_its_exit_code(self):
        for code in [0, 1, 2, 77, 255]:
            done = self.run_program("exit", str(code), options=["--error-exitcode", "9"])
            self.assertEqual(done.returncode, code)
        for number in [signal.SIGABRT, signal.SIGTERM, signal.SIGPIPE, signal.SIGKILL]:
            self.assertEqual(self.run_program("signal", str(int(number))).returncode, -number)

    def test_signals_and_variables_are_as_they_were(self):
        environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        self.assertEqual(self.run_program("signals", env=environment).stdout, b"1\n")

    def test_it_replaces_the_command(self):
        with subprocess.Popen([WARPWISE, "run", self.program, "echo"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            running.stdin.write(b"x")
            running.stdin.close()
            running.stdout.read()
            self.assertEqual(running.wait(timeout=60), 0)
        with subprocess.Popen([WARPWISE, "run", self.program, "echo"], stdin=subprocess.PIPE) as running:
            running.send_signal(signal.SIGTERM)
            self.assertEqual(running.wait(timeout=60), -signal.SIGTERM)

    def test_its_gpu(self):
        for options, capability in [([], b"9.0\n"), (["--cc", "8.6"], b"8.6\n"), (["--device", "h100"], b"9.0\n"),
                                    (["--device", "gtx280"], b"1.3\n")]:
            self.assertEqual(self.run_program("properties", options=options).stdout, capability, options)

    def test_one_of_the_search_path(self):
        environment = dict(os.environ, PATH=FOLDER + os.pathsep + os.environ.get("PATH", ""))
        done = self.run_command("run", "-q", "program", "words", "x", env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, b"[x]\n"))


class Faults(RunTest):
    def fault(self, mode, kind, kernel, *says, options=(), code=3):
        """The lines on stderr of a program that ends with `code` after a fault, and its report's results."""
        reports = ["--junit", "report.xml", "--sarif", "report.json"]
        done = self.run_program(mode, options=[*options, *reports])
        self.assertEqual(done.returncode, code, done.stderr)
        first = self.said(done)[0]
        line = line_of(kernel)
        self.assertTrue(first.startswith(f"warpwise: {kind} in kernel {kernel}("), first)
        for words in [*says, f"run_program.cu:{line}: "]:
            self.assertIn(words, first)
        sarif = json.loads(read("report.json"))
        place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"]["startLine"], line)
        [failure] = ElementTree.parse("report.xml").iter("failure")
        self.assertEqual(failure.get("type"), kind)
        self.assertEqual("warpwise: " + failure.get("message"), first)
        return done

    def test_each_kind(self):
        done = self.fault("bounds", "out_of_bounds", "beyond", "block (0,0,0), thread (0,0,0) (32 times)")
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 2 kernels, 1 fault")
        self.assertIn(b"bounds: out_of_bounds in kernel beyond", done.stdout)  # as the program was told
        self.fault("misaligned", "misaligned", "misaligned")
        self.fault("assert", "assertion", "disagrees", "thread (7,0,0)", '"\\"<&>\\""')
        self.fault("endless", "budget", "endless", "1000 warp instructions", options=["--budget", "1000"])

    def test_races_are_for_the_asking(self):
        for check in ["races", "all"]:
            done = self.run_program("race", options=["--check", check])
            self.assertEqual(done.returncode, 3)
            text = done.stderr.decode()
            self.assertIn("race in kernel unordered(int*), block (0,0,0)", text)
            self.assertIn("warpwise: exact except for races: a GPU's order may give another result", text)
            self.assertIn(f"run_program.cu:{line_of('unordered')}", text)
        for options in [[], ["--check", "none"]]:
            self.assertEqual(self.run_program("race", options=options).returncode, 0)

    def test_orders(self):
        self.assertEqual(self.run_program("order", options=["--check", "all"]).returncode, 0)
        done = self.run_program("order", options=["--orders", "2"])
        self.assertEqual(done.returncode, 3)
        first = self.said(done)[0]
        self.assertTrue(first.startswith("warpwise: order_dependent in kernel first_come(int*), block (3,0,0), "), first)
        for words in [f"inlined at {FOLDER}/its sources/run_program.cu:{line_of('first_come')}: ", " of 256 bytes are 0x00000001 in the "
                      "first order and 0x00000004 in order 1; 1 byte differs", "(order 1 of seed 1)"]:
            self.assertIn(words, first)
        self.assertIn(b"of seed 7)", self.run_program("order", options=["--orders", "2", "--seed", "7"]).stderr)
        done = self.run_program("sum", options=["--orders", "8"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"kernel sum(float*): floating-point sums of atomics round differently", done.stderr)
        self.assertEqual(self.run_program("sound", options=["--orders", "8"]).returncode, 0)

    def test_one_that_the_program_ignores(self):
        self.assertEqual(self.run_program("ignored").returncode, 0)
        done = self.run_program("ignored", options=["--error-exitcode", "9", "--quiet"])
        self.assertEqual(done.returncode, 9)
        self.assertEqual(len(self.said(done)), 1, "the fault, and no line that counts")
        # A code of the program's own stays.
        self.assertEqual(self.run_program("bounds", options=["--error-exitcode", "9"]).returncode, 3)

    def test_a_process_that_the_program_forks_is_not_counted(self):
        done = self.run_program("fork", options=["--error-exitcode", "9", "--junit", "report.xml"])
        self.assertEqual(done.returncode, 9)
        self.assertEqual(done.stderr.count(b" launches of "), 1)

    def test_an_abort_leaves_reports(self):
        self.fault("abort", "out_of_bounds", "beyond", code=-signal.SIGABRT)
        self.assertEqual(sorted(os.listdir(".")), ["report.json", "report.xml"])

    def test_a_kernel_that_cannot_be_run(self):
        nvcc("-cudart", "shared", "-o", "machine_code", os.path.join(FOLDER, "its sources", "run_program.cu"), code="sm_75")
        done = self.run_command("run", "--error-exitcode", "9", "--junit", "report.xml", "--sarif", "report.json",
                                os.path.join(FOLDER, "machine_code"), "ignored")
        self.assertEqual(done.returncode, 9)
        self.assertIn(b"scale<int>(int*, int) was not run: the program holds machine code and no PTX", done.stderr)
        self.assertIn(b"0 launches of 0 kernels, 0 faults, 3 kernels not run", done.stderr)
        suite = ElementTree.parse("report.xml").getroot()
        self.assertEqual([suite.get(name) for name in ["tests", "failures", "errors", "skipped"]], ["3", "0", "3", "0"])
        [run] = json.loads(read("report.json"))["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(len(run["invocations"][0]["toolExecutionNotifications"]), 3)

    def test_what_a_program_asks_of_a_kernel_that_cannot_be_run(self):
        """The instruction is named before any launch: programs give up where such a question fails."""
        asks = os.path.join(FOLDER, "asks.cu")
        write(asks, b"""__global__ void turn(int* x) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(*x)); }
int main() { return cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000) == cudaErrorNotSupported ? 3 : 4; }
""")
        nvcc("-cudart", "shared", "-o", "asks", asks)
        done = self.run_command("run", os.path.join(FOLDER, "asks"))
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"kernel turn(int*) was not run: ", done.stderr)
        self.assertIn(b"movmatrix.sync.aligned.m8n8.trans.b16", done.stderr)
        self.assertIn(b"1 kernel not run", done.stderr)

    def test_a_closed_library_is_named(self):
        closed, caller = (os.path.join(FOLDER, name) for name in ("closed.cu", "caller.cu"))
        write(closed, b'__global__ void kernel() {}\nextern "C" int call() { kernel<<<1, 1>>>(); return cudaGetLastError(); }\n')
        write(caller, b'extern "C" int call();\nint main() { return call() == 0; }\n')
        nvcc("-cudart", "shared", "-shared", "-Xcompiler", "-fPIC", "-o", "libcublas_test.so", closed, code="sm_75")
        nvcc("-cudart", "shared", "-o", "caller", caller, "-L.", "-lcublas_test", "-Xlinker", "-rpath=" + FOLDER)
        done = self.run_command("run", "--error-exitcode", "9", os.path.join(FOLDER, "caller"))
        self.assertEqual(done.returncode, 9)
        self.assertIn(b"kernel() was not run: libcublas_test.so cannot be emulated: NVIDIA's libraries hold machine code and no PTX", done.stderr)

    def test_what_nvrtc_makes_is_run_as_ptx(self):
        """Though the program asks for the machine code of the GPU that it finds."""
        write("compiles.cpp", NVRTC_PROGRAM.encode())
        nvcc("-cudart", "shared", "-o", os.path.abspath("compiles"), os.path.abspath("compiles.cpp"), "-lnvrtc", "-lcuda")
        library = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(compiler()))), "lib64")
        done = self.run_command("run", "./compiles", env=dict(os.environ, LD_LIBRARY_PATH=library))
        self.assertEqual((done.returncode, done.stdout), (0, b"14\n"), done.stderr)

    def test_a_function_that_is_not_run(self):
        self.assertEqual(self.run_program("refused").returncode, 1, "never 0")
        done = self.run_program("refused", options=["--error-exitcode", "9", "--junit", "report.xml", "--sarif", "report.json"])
        self.assertEqual(done.returncode, 9)
        self.assertEqual(len(self.said(done)), 2, "once, and the line that counts")
        self.assertIn("does not run cudaIpcGetMemHandle", self.said(done)[0])
        self.assertEqual(self.said(done)[1], "warpwise: 0 launches of 0 kernels, 0 faults, 1 CUDA function not run")
        suite = ElementTree.parse("report.xml").getroot()
        self.assertEqual([suite.get(name) for name in ["tests", "failures", "errors", "skipped"]], ["1", "0", "1", "0"])
        [run] = json.loads(read("report.json"))["runs"]
        [notification] = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("cudaIpcGetMemHandle", notification["message"]["text"])


class Fidelity(RunTest):
    def test_one_line(self):
        done = self.run_program("inexact")
        self.assertEqual(done.returncode, 0, done.stderr)
        [line] = [line for line in self.said(done) if "exact" in line]
        self.assertIn("not exact: approximate functions", line)
        self.assertEqual(line.count("may have reached a branch"), 2)  # both: what the branch decides, and the atomic's
        self.assertIn("the order of threads", line)

    def test_all_of_it(self):
        done = self.run_program("inexact", options=["--fidelity", "--quiet"])
        text = done.stderr.decode()
        self.assertIn("exact: everything not named below", text)
        for kind, line in [("approximate functions", "approximate"), ("the order of threads", "atomic")]:
            part = text[text.index("modelled: " + kind):]
            first = part.splitlines()[1]
            self.assertIn("inexact(float*, unsigned int*): ", first)
            self.assertTrue(first.endswith(f"run_program.cu:{line_of(line)}"), first)
        self.assertNotIn("scale", text)

    def test_what_was_not_run(self):
        done = self.run_program("refused", options=["--fidelity"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"not run: cudaIpcGetMemHandle", done.stderr)
        nvcc("-cudart", "shared", "-o", "no_ptx", os.path.join(FOLDER, "its sources", "run_program.cu"), code="sm_75")
        done = self.run_command("run", os.path.join(FOLDER, "no_ptx"), "ignored")
        self.assertEqual(done.returncode, 1, "a program that looks at no error")
        self.assertNotIn(b"exact", done.stderr, "nothing ran")

    def test_faults_alone_are_no_refusal(self):
        self.assertEqual(self.run_program("ignored").returncode, 0)


class Explain(RunTest):
    def test_several_kernels(self):
        done = self.run_program("sound", options=["--explain", "-", "-q"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertIn("program: 3 launches of 2 kernels", text)
        self.assertIn("scale<int>, 2 launches", text)
        self.assertIn("ordered, 1 launch\n", text)
        self.assertIn("Advice", text)
        self.assertIn("Fidelity: all that ran is exact if no threads race.", text)
        self.assertIn("counts are the sum of 2 launches", text)

    def test_json(self):
        done = self.run_program("inexact", options=["--explain", "report.json", "-q", "--cc", "8.6"])
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        report = json.loads(read("report.json"))
        self.assertEqual(report["program"], "program")
        self.assertEqual(set(report), {"program", "kernels"})
        self.assertEqual([each["kernel"] for each in report["kernels"]], ["scale<int>", "inexact"])
        self.assertEqual([each["launches"] for each in report["kernels"]], [1, 1])
        inexact = report["kernels"][1]
        reads = {line["line"]: line["by_cc"]["8.6"]["global_load"]["requests"] for line in inexact["lines"]
                 if line["by_cc"]["8.6"].get("global_load", {}).get("requests")}
        self.assertEqual(reads, {line_of("approximate"): 1, line_of("decided"): 1}, "__ldg at the line that calls it")
        self.assertTrue(all(line["file"].endswith("run_program.cu") for line in inexact["lines"]))
        self.assertTrue(inexact["advice"])
        kinds = {each["modelled"]: each for each in inexact["fidelity"]}
        self.assertEqual(sorted(kinds), ["approximation", "order"])
        self.assertTrue(kinds["approximation"]["may_reach_branch"])

    def test_a_page(self):
        self.run_program("sound", options=["--explain", "page.html", "-q"])
        page = read("page.html").decode()
        self.assertIn("<h1>", page)
        self.assertIn("scale&lt;int&gt;", page)
        self.assertIn("counts are the sum of 2 launches", page)
        self.assertIn("All that ran is exact if no threads race.", page)
        self.run_program("words", options=["--explain", "none.html", "-q"])
        self.assertIn("The program launched no kernel.", read("none.html").decode())
        self.run_program("inexact", options=["--explain", "inexact.html", "-q"])
        self.assertIn("may have reached a branch", read("inexact.html").decode())

    def test_where_the_ends_of_processes_are_ignored(self):
        ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for code in ["0", "77"]:
            done = self.run_program("exit", code, options=["--explain", "report.txt"], preexec_fn=ignore)
            self.assertEqual(done.returncode, int(code), done.stderr)
            self.assertTrue(os.path.exists("report.txt"))

    def test_signals_reach_the_program(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM]:
            with subprocess.Popen([WARPWISE, "run", "--explain", "none.txt", self.program, "ready"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
                self.assertEqual(running.stdout.readline(), b"ready\n")
                running.send_signal(number)
                self.assertEqual(running.wait(timeout=60), -number)
                self.assertEqual(running.stdout.read(), b"", "the program has ended too")

    def test_it_ends_as_the_program(self):
        self.assertEqual(self.run_program("exit", "77", options=["--explain", "report.txt"]).returncode, 77)
        self.assertEqual(self.run_program("bounds", options=["--explain", "report.txt"]).returncode, 3)
        self.assertIn(b"out_of_bounds", read("report.txt"))
        done = self.run_program("signal", str(int(signal.SIGTERM)), options=["--explain", "none.txt"])
        self.assertEqual(done.returncode, -signal.SIGTERM)
        self.assertIn(b"did not end normally", done.stderr)
        self.assertFalse(os.path.exists("none.txt"))
        self.fail_with(1, "run", "--explain", "missing/report.txt", self.program, "words", "x", says="missing/report.txt")


class Reports(RunTest):
    def report(self, mode, *options, code):
        """Both of a run in the folder that the sources lie below."""
        files = [os.path.join(self._folder.name, name) for name in ["report.xml", "report.json"]]
        done = self.run_program(mode, options=["--junit", files[0], "--sarif", files[1], *options], cwd=FOLDER)
        self.assertEqual(done.returncode, code, done.stderr)
        return ElementTree.parse(files[0]).getroot(), json.loads(read(files[1]))

    def test_junit(self):
        suites, _ = self.report("ignored", code=0)
        self.assertEqual(suites.tag, "testsuites")
        [suite] = suites
        self.assertEqual(suite.get("name"), "program")
        for element in [suites, suite]:
            self.assertEqual([element.get(name) for name in ["tests", "failures", "errors", "skipped"]],
                             ["3", "1", "0", "1"])
        sound, faulty, skipped = suite
        self.assertEqual([case.get("name") for case in suite],
                         ["void scale<int>(int*, int)", "beyond(int*)", "ordered(int*)"])
        for case in suite:
            self.assertEqual((case.tag, case.get("classname")), ("testcase", "program"))
            self.assertGreaterEqual(float(case.get("time")), 0)
        self.assertEqual(list(sound), [])
        [failure] = faulty
        self.assertEqual((failure.tag, failure.text.strip()), ("failure", failure.get("message")))
        self.assertEqual((faulty.get("file"), faulty.get("line")),
                         ("its sources/run_program.cu", str(line_of("beyond"))))
        self.assertEqual([child.tag for child in skipped], ["skipped"])

    def test_junit_holds_any_text(self):
        suites, _ = self.report("assert", code=3)
        [failure] = suites.iter("failure")
        self.assertIn('< limit && "\\"<&>\\""', failure.text)

    def test_sarif(self):
        _, sarif = self.report("race", "--check", "races", code=3)
        self.assertEqual(sarif["version"], "2.1.0")
        self.assertIn("sarif-2.1.0", sarif["$schema"])
        [run] = sarif["runs"]
        driver = run["tool"]["driver"]
        self.assertEqual(driver["name"], "Warpwise")
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(rules[:7], ["out_of_bounds", "misaligned", "deadlock", "budget", "trap", "assertion", "race"])
        self.assertEqual(len(set(rules)), len(rules), "each kind of fault once")
        self.assertTrue(all(rule["shortDescription"]["text"] for rule in driver["rules"]))
        self.assertTrue(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(len(run["results"]), 2, "the write and the read that nothing orders")
        for result in run["results"]:
            self.assertEqual((result["ruleId"], result["level"]), ("race", "error"))
            self.assertIn("unordered(int*)", result["message"]["text"])
            [location] = result["locations"]
            self.assertEqual(location["physicalLocation"]["artifactLocation"], {"uri": "its%20sources/run_program.cu"})
            self.assertEqual(location["logicalLocations"], [{"name": "unordered(int*)", "kind": "function"}])
        lines = {result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run["results"]}
        self.assertIn(line_of("unordered"), lines)

    def test_a_sound_run_has_reports_too(self):
        suites, sarif = self.report("sound", "--check", "all", code=0)
        self.assertEqual((suites.get("tests"), suites.get("failures")), ("2", "0"))
        self.assertEqual(sarif["runs"][0]["results"], [])
        # So does one that launches nothing, in place of what was there.
        suites, sarif = self.report("words", code=0)
        self.assertEqual(suites.get("tests"), "0")

    def test_the_folder_is_the_one_it_was_started_in(self):
        done = self.run_command("run", "--junit", "here.xml", "--sarif", os.path.join(self._folder.name, "there.json"),
                                "./program", "elsewhere", cwd=FOLDER)
        self.assertEqual(done.returncode, 0)
        suites = ElementTree.parse(os.path.join(FOLDER, "here.xml")).getroot()
        self.assertEqual(suites.get("failures"), "1")
        [result] = json.loads(read("there.json"))["runs"][0]["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                         "its%20sources/run_program.cu")

    def test_a_source_elsewhere_has_an_absolute_place(self):
        self.run_program("bounds", options=["--sarif", "report.json"])
        [result] = json.loads(read("report.json"))["runs"][0]["results"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertTrue(uri.startswith("file:///") and uri.endswith("/its%20sources/run_program.cu"), uri)

    def test_without_line_information(self):
        nvcc("-cudart", "shared", "-o", "plain", os.path.join(FOLDER, "its sources", "run_program.cu"))
        done = self.run_command("run", "--sarif", "report.json", os.path.join(FOLDER, "plain"), "bounds")
        self.assertIn(b"no source line (nvcc -lineinfo)", done.stderr)
        [result] = json.loads(read("report.json"))["runs"][0]["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"],
                         {"artifactLocation": {"uri": "plain"}, "region": {"startLine": 1}})

    def test_without_the_command(self):
        environment = dict(os.environ, LD_LIBRARY_PATH=EMULATED, WARPWISE_EMULATED_CHECK="races",
                           WARPWISE_EMULATED_JUNIT="report.xml", WARPWISE_EMULATED_ERROR_EXITCODE="7")
        def alone(mode, **variables):
            return subprocess.run([self.program, mode], env={**environment, **variables}, capture_output=True, timeout=60)
        done = alone("ignored")
        self.assertEqual((done.returncode, done.stderr), (7, b""))
        self.assertEqual(ElementTree.parse("report.xml").getroot().get("failures"), "1")
        self.assertEqual(alone("race").returncode, 3)
        self.assertEqual(alone("sound", WARPWISE_EMULATED_MESSAGES="all").stderr,
                         b"warpwise: all that ran is exact\nwarpwise: 3 launches of 2 kernels, 0 faults\n")
        for name, text in [("CHECK", "rces"), ("MESSAGES", "some"), ("FIDELITY", "yes"), ("ERROR_EXITCODE", "256"), ("ERROR_EXITCODE", "1x"),
                           ("ORDERS", "0"), ("SEED", "-1")]:
            done = alone("sound", **{"WARPWISE_EMULATED_" + name: text})
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), rf"\Awarpwise: WARPWISE_EMULATED_{name} got '{text}', it needs .*\n\Z")
        done = alone("sound", WARPWISE_EMULATED_JUNIT="missing/report.xml")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"\Awarpwise: .*missing/report.xml cannot be written: No such file.*\n\Z")


class Suppressions(RunTest):
    def suppressed(self, text, *words, code=0):
        write("known.txt", text.encode())
        done = self.run_program(*words, options=["--check", "races", "--suppressions", "known.txt", "--junit", "report.xml",
                                                 "--sarif", "report.json", "--error-exitcode", "9"])
        self.assertEqual(done.returncode, code, done.stderr)
        return self.said(done)

    def test_by_function(self):
        said = self.suppressed("# both sides\nrace in unordered because nobody reads the result\n", "race")
        self.assertIn("warpwise: exact except for races: a GPU's order may give another result", said)
        self.assertEqual(said[-1], "warpwise: 2 launches of 2 kernels, 0 faults, 2 suppressed")
        self.assertEqual(ElementTree.parse("report.xml").getroot().get("failures"), "0")
        results = json.loads(read("report.json"))["runs"][0]["results"]
        self.assertEqual([result["suppressions"] for result in results],
                         [[{"kind": "external", "justification": "nobody reads the result"}]] * 2)

    def test_by_line_and_the_rest_is_reported(self):
        line = line_of("unordered")
        said = self.suppressed(f"race at run_program.cu:{line} because of the other side\nrace in elsewhere because x\n", "race", code=3)
        self.assertTrue(said[0].startswith("warpwise: race in kernel unordered(int*)"), said)
        self.assertIn("warpwise: line 2 of the suppressions covered no fault: race in elsewhere because x", said)
        self.assertEqual(said[-1], "warpwise: 2 launches of 2 kernels, 1 fault, 1 suppressed")
        results = json.loads(read("report.json"))["runs"][0]["results"]
        self.assertEqual(["suppressions" in result for result in results], [False, True])

    def test_a_fault_of_several_launches_is_one(self):
        said = self.suppressed("race in unordered because nobody reads the result\n", "races")
        self.assertEqual(said[-1], "warpwise: 21 launches of 2 kernels, 0 faults, 2 suppressed")
        self.assertEqual(len(json.loads(read("report.json"))["runs"][0]["results"]), 2)

    def test_known_faults_end_no_kernel(self):
        write("known.txt", b"race in many_races because nobody reads it\n")
        done = self.run_program("many", options=["--check", "races", "--suppressions", "known.txt"])
        self.assertEqual((done.returncode, done.stdout), (0, b"14\n"), done.stderr)
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 2 kernels, 0 faults, 1 suppressed")
        # Others do, and are told, whatever else is known.
        write("known.txt", b"race in another because nobody reads it\n")
        done = self.run_program("many", options=["--check", "races", "--suppressions", "known.txt"])
        self.assertIn(b"stopped after 1048576 faults", done.stderr)
        self.assertNotEqual(done.stdout, b"14\n")

    def test_the_program_goes_on(self):
        said = self.suppressed("out_of_bounds at run_program.cu in beyond because it is a test\n", "ignored")
        self.assertEqual(said[-1], "warpwise: 3 launches of 3 kernels, 0 faults, 1 suppressed")

    def test_refusals(self):
        for text, says in [("race in f\n", "line 1, 'race in f': it gives no reason"), ("#\nrce in f because x", "line 2, 'rce")]:
            write("known.txt", text.encode())
            self.fail_with(2, "run", "--suppressions", "known.txt", self.program, "sound", says=["--suppressions known.txt", says])
        self.fail_with(1, "run", "--suppressions", "missing", self.program, "sound", says="missing cannot be read")
        environment = dict(os.environ, LD_LIBRARY_PATH=EMULATED, WARPWISE_EMULATED_SUPPRESSIONS="known.txt")
        done = subprocess.run([self.program, "sound"], env=environment, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"a file of suppressions: line 2, 'rce in f because x'", done.stderr)


class Refusals(RunTest):
    def test_no_program(self):
        self.fail_with(2, "run", says="run needs PROGRAM")
        self.fail_with(1, "run", "./missing", says="./missing: there is no such file")
        self.fail_with(1, "run", "missing", says="no program of this name in PATH")
        self.fail_with(1, "run", "/", says="/ is a folder")
        write("plain", b"text")
        self.fail_with(1, "run", "./plain", says="./plain is not executable")

    def test_no_shared_runtime(self):
        nvcc("-o", "static", os.path.join(FOLDER, "its sources", "run_program.cu"))
        for program in [os.path.join(FOLDER, "static"), "/bin/sh"]:
            self.fail_with(1, "run", program, says=[program, "libcudart.so.13", "nvcc -cudart shared"])

    def test_what_starts_programs_is_told_how(self):
        write("script", f"#!/bin/sh\n'{self.program}' ignored\n".encode())
        os.chmod("script", 0o755)
        self.fail_with(1, "run", "/bin/sh", says=["/bin/sh does not load", "WARPWISE_EMULATED_CHECK=all"])
        said = self.fail_with(1, "run", "./script", says="./script is a script")
        variables = re.findall(r"(\w+)=(\S+)", said)
        self.assertIn("WARPWISE_EMULATED_ERROR_EXITCODE", dict(variables))
        done = subprocess.run(["./script"], env={**os.environ, **dict(variables)}, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"out_of_bounds in kernel", done.stderr)

    def test_reports_in_one_file(self):
        for other in ["--junit", "--sarif"]:
            self.fail_with(2, "run", "--explain", "report", other, "./report", self.program,
                           says=f"--explain and {other} name the same file")

    def test_a_runtime_that_does_not_give_way(self):
        os.mkdir("real")
        shutil.copy(os.path.join(EMULATED, "libcudart.so.13"), "real")
        nvcc("-cudart", "shared", "-o", "bound", os.path.join(FOLDER, "its sources", "run_program.cu"),
             "-Xlinker", "--disable-new-dtags", "-Xlinker", "-rpath=" + os.path.abspath("real"))
        bound = os.path.join(FOLDER, "bound")
        self.fail_with(1, "run", bound, says=["bound cannot be loaded: libwarpwise_emulator.so"])
        environment = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(os.path.dirname(EMULATED)))
        self.fail_with(1, "run", bound, says=["real/libcudart.so.13", "RPATH"], env=environment)

    def test_a_library_of_the_program_may_need_the_runtime(self):
        write("main.c", b"int work(void); int main(void) { return work(); }")
        write("work.cu", b"extern \"C\" int work() { int n = 0; cudaGetDeviceCount(&n); return n == 1 ? 5 : 6; }")
        here = os.getcwd()
        nvcc("-cudart", "shared", "-shared", "-Xcompiler", "-fPIC", "-o", here + "/libwork.so", here + "/work.cu")
        subprocess.run(["cc", "main.c", "-o", "main", "-L.", "-lwork", "-Wl,--allow-shlib-undefined", "-Wl,-rpath," + here],
                       check=True, timeout=60)
        self.assertEqual(self.run_command("run", "./main").returncode, 5)

    def test_options(self):
        program = os.path.join(FOLDER, "program")
        self.fail_with(2, "run", "--check", "rces", program, says=["--check got 'rces'", "memory, races, init"])
        self.fail_with(2, "run", "--check", "races,none", program, says="'none' is no check")
        self.fail_with(2, "run", "--chek", "races", program, says="'--chek'")
        self.fail_with(2, "run", "--cc", "1.4", program, says="1.4")
        self.fail_with(2, "run", "--device", "h20", program, says=["h20", "h200"])
        self.fail_with(2, "run", "--cc", "8.6", "--device", "h200", program, says="--device replaces --cc")
        for code in ["0", "256", "x", ""]:
            self.fail_with(2, "run", "--error-exitcode", code, program, says="--error-exitcode got")
        self.fail_with(2, "run", "--orders", "1", program, says="--orders got '1'")
        self.fail_with(2, "run", "--seed", "1", program, says="--seed needs --orders")
        self.fail_with(2, "run", "--budget", "0", program, says="--budget got '0'")

    def test_reports_that_cannot_be_written(self):
        program = os.path.join(FOLDER, "program")
        for option in ["--junit", "--sarif"]:
            self.fail_with(1, "run", option, "missing/report", program, "words", "x", says="missing/report")
            self.fail_with(2, "run", option, "-", program, "words", "x", says=f"{option} -: a report needs")
            self.fail_with(2, "run", option, "/dev/null", program, says="regular file")
        for first, second in [("--junit", "--sarif"), ("--explain", "--junit"), ("--explain", "--sarif")]:
            self.fail_with(2, "run", first, "report", second, "./report", program, says="the same file")


if __name__ == "__main__":
    unittest.main()
