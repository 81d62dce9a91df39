"""Tests `warpwise run` from outside: a program on the emulated GPU, its streams, exit codes and faults."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import run_support
from run_support import EMULATED, NVRTC_PROGRAM, RunTest, compiler, line_of, nvcc, setUpModule  # noqa: F401
from support import WARPWISE, read, write


class Programs(RunTest):
    def test_a_sound_one(self):
        done = self.run_program("sound", options=["--check", "all", "--error-exitcode", "9"])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(self.said(done), ["warpwise: every result is exact",
                                           "warpwise: 3 launches of 2 kernels, 0 faults"])
        self.assertEqual(self.run_program("sound", options=["--quiet"]).stderr, b"")

    def test_strict_alone_looks_for_races_of_threads(self):
        for program, says in [("race", "exact except for races: a GPU's order may give another result"),
                              ("sound", "every result is exact if no streams race")]:
            done = self.run_program(program, options=["--check", "strict"])
            self.assertIn("warpwise: " + says, self.said(done))

    def test_its_words_are_its_own(self):
        words = ["--check", "--", "-q", "a  b", "", "-h", "--help", "sobel", "*", "$HOME", "--junit=x"]
        done = self.run_program("words", *words, options=["-q"])
        self.assertEqual(done.stdout.decode().splitlines(), [f"[{word}]" for word in words])
        self.assertEqual(done.returncode, 0)
        for options in [["-q", "--"], ["-q", "--check", "all", "--"], ["--quiet", "--check=all", "--"]]:
            done = self.run_program("words", *words, options=options)
            self.assertEqual(done.stdout.decode().splitlines(), [f"[{word}]" for word in words])

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

    def test_it_ends_with_its_program(self):
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
        for options, capability in [([], b"9.0\n"), (["--cc", "8.6"], b"8.6\n"), (["--profile", "h100"], b"9.0\n"),
                                    (["--profile", "gtx280"], b"1.3\n")]:
            self.assertEqual(self.run_program("properties", options=options).stdout, capability, options)

    def test_one_of_the_search_path(self):
        environment = dict(os.environ, PATH=run_support.FOLDER + os.pathsep + os.environ.get("PATH", ""))
        done = self.run_command("run", "-q", "program", "words", "x", env=environment)
        self.assertEqual((done.returncode, done.stdout), (0, b"[x]\n"))


class Faults(RunTest):
    def fault(self, mode, kind, kernel, *says, options=(), code=3):
        """Runs a program that ends with `code` after a fault. Returns its lines on stderr, and its report's results."""
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
        self.assertEqual(done.stdout, b"bounds: an illegal memory access was encountered\n", "CUDA's words")
        self.fault("misaligned", "misaligned", "misaligned")
        self.fault("assert", "assertion", "disagrees", "thread (7,0,0)", '"\\"<&>\\""')
        self.fault("endless", "budget", "endless", "1000 warp instructions", options=["--end-after", "1000"])
        self.assertIn(b"together with those of the kernels that it launches", self.run_command("run", "--help").stdout)

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
        for words in [f"{run_support.FOLDER}/its sources/run_program.cu:{line_of('first_come')} (in /", " of 256 bytes are 0x00000001 in the "
                      "first order and 0x00000004 in order 1; 1 byte differs", "(order 1 of seed 1)"]:
            self.assertIn(words, first)
        self.assertIn(b"of seed 7)", self.run_program("order", options=["--orders", "2", "--seed", "7"]).stderr)
        done = self.run_program("sum", options=["--orders", "8"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"kernel sum(float*): floating-point sums of atomics round differently", done.stderr)
        self.assertEqual(self.run_program("sound", options=["--orders", "8"]).returncode, 0)

    def test_the_engine_changes_no_result(self):
        for engine in ["automatic", "interpreter", "machine-code"]:
            self.assertEqual(self.run_program("sound", options=["--engine", engine]).returncode, 0)
            done = self.run_program("bounds", options=["--engine", engine])
            self.assertEqual(done.returncode, 3)
            self.assertEqual(self.said(done), self.said(self.run_program("bounds")))

    def test_one_that_the_program_ignores(self):
        done = self.run_program("ignored", options=["--error-exitcode", "9", "--quiet"])
        self.assertEqual(done.returncode, 9)
        self.assertEqual(len(self.said(done)), 1, "the fault, and no line that counts")
        # The program's own exit code, 3, is kept.
        self.assertEqual(self.run_program("bounds", options=["--error-exitcode", "9"]).returncode, 3)

    def test_a_process_that_the_program_forks_is_not_counted(self):
        done = self.run_program("fork", options=["--error-exitcode", "9", "--junit", "report.xml"])
        self.assertEqual(done.returncode, 9)
        self.assertEqual(done.stderr.count(b" launches of "), 1)

    def test_a_block_that_is_too_large_is_an_error_of_the_program(self):
        done = self.run_program("too_large")
        self.assertEqual((done.returncode, done.stdout), (0, b"cudaErrorInvalidValue\n"))
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 2 kernels, 0 faults")

    def test_a_variable_that_is_freed(self):
        done = self.run_program("frees_variable", options=["--check", "memory"])
        self.assertEqual((done.returncode, done.stdout), (1, b"cudaErrorInvalidValue\n"))
        self.assertRegex(self.said(done)[0], "^warpwise: invalid_free in the program, cudaFree called at .*"
                                             "byte 0 of variable 'variable' of 4 bytes, which no CUDA function allocated")

    def test_an_abort_leaves_reports(self):
        self.fault("abort", "out_of_bounds", "beyond", code=-signal.SIGABRT)
        self.assertEqual(sorted(os.listdir(".")), ["report.json", "report.xml"])

    def test_a_kernel_that_cannot_be_run(self):
        nvcc("-cudart", "shared", "-o", "machine_code", os.path.join(run_support.FOLDER, "its sources", "run_program.cu"), code="sm_75")
        done = self.run_command("run", "--error-exitcode", "9", "--junit", "report.xml", "--sarif", "report.json",
                                os.path.join(run_support.FOLDER, "machine_code"), "ignored")
        self.assertEqual(done.returncode, 9)
        self.assertIn(b"scale<int>(int*, int) was not run: the program holds machine code and no PTX", done.stderr)
        self.assertIn(b"0 launches of 0 kernels, 0 faults, 3 kernels not run", done.stderr)
        suite = ElementTree.parse("report.xml").getroot()
        self.assertEqual([suite.get(name) for name in ["tests", "failures", "errors", "skipped"]], ["3", "0", "3", "0"])
        [run] = json.loads(read("report.json"))["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual(len(run["invocations"][0]["toolExecutionNotifications"]), 3)

    def test_what_a_program_asks_of_a_kernel_that_cannot_be_run(self):
        """The message names the instruction before any launch, because programs give up if such a query fails."""
        asks = os.path.join(run_support.FOLDER, "asks.cu")
        write(asks, b"""__global__ void turn(int* x) { asm volatile("vadd.s32.s32.s32 %0, %0, %0;" : "+r"(*x)); }
int main() { return cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000) == cudaErrorNotSupported ? 3 : 4; }
""")
        nvcc("-cudart", "shared", "-o", "asks", asks)
        done = self.run_command("run", os.path.join(run_support.FOLDER, "asks"))
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"kernel turn(int*) was not run: ", done.stderr)
        self.assertIn(b"vadd.s32.s32.s32", done.stderr)
        self.assertIn(b"1 kernel not run", done.stderr)

    def test_a_closed_library_is_named(self):
        closed, caller = (os.path.join(run_support.FOLDER, name) for name in ("closed.cu", "caller.cu"))
        write(closed, b'__global__ void kernel() {}\nextern "C" int call() { kernel<<<1, 1>>>(); return cudaGetLastError(); }\n')
        write(caller, b'extern "C" int call();\nint main() { return call() == 0; }\n')
        nvcc("-cudart", "shared", "-shared", "-Xcompiler", "-fPIC", "-o", "libcublas_test.so", closed, code="sm_75")
        nvcc("-cudart", "shared", "-o", "caller", caller, "-L.", "-lcublas_test", "-Xlinker", "-rpath=" + run_support.FOLDER)
        done = self.run_command("run", "--error-exitcode", "9", os.path.join(run_support.FOLDER, "caller"))
        self.assertEqual(done.returncode, 9)
        self.assertIn(b"kernel() was not run: libcublas_test.so cannot be emulated: NVIDIA's libraries hold machine code and no PTX", done.stderr)

    def test_what_nvrtc_makes_is_run_as_ptx(self):
        """The program asks for machine code for the GPU that it finds, and gets PTX."""
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
        self.assertEqual(line.count("may have reached a branch"), 2)  # for the approximation and for the atomic
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
        nvcc("-cudart", "shared", "-o", "no_ptx", os.path.join(run_support.FOLDER, "its sources", "run_program.cu"), code="sm_75")
        done = self.run_command("run", os.path.join(run_support.FOLDER, "no_ptx"), "ignored")
        self.assertEqual(done.returncode, 1, "a program that looks at no error")
        self.assertNotIn(b"exact", done.stderr, "nothing ran")

    def test_faults_alone_are_no_refusal(self):
        self.assertEqual(self.run_program("ignored", options=["--error-exitcode", "0"]).returncode, 0)


class Explain(RunTest):
    def test_several_kernels(self):
        done = self.run_program("sound", options=["--explain", "-", "-q"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertIn("program: 3 launches of 2 kernels", text)
        self.assertIn("scale<int>, 2 launches", text)
        self.assertIn("ordered, 1 launch\n", text)
        self.assertIn("Advice", text)
        self.assertIn("Fidelity: counts are exact if no threads race", text)
        self.assertIn("counts are the sum of 2 launches", text)

    def test_json(self):
        done = self.run_program("inexact", options=["--explain", "report.json", "-q", "--cc", "8.6"])
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        report = json.loads(read("report.json"))
        self.assertEqual(report["program"], "program")
        self.assertEqual(set(report), {"program", "kernels", "device", "gpu", "predicted_us", "look_first", "timeline"})
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
        self.run_program("race", options=["--check", "races", "--explain", "race.html", "-q"])
        self.assertIn("Exact except for races: ", read("race.html").decode())
        self.run_program("race", options=["--check", "races", "--explain", "race.txt", "-q"])
        self.assertIn("Fidelity: counts are exact, except for races.\n", read("race.txt").decode())
        self.run_program("sound", options=["--check", "races", "--explain", "sound.txt", "-q"])
        self.assertIn("Fidelity: counts are exact.\n", read("sound.txt").decode())
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
        done = self.run_program("signal", str(int(signal.SIGTERM)), options=["--explain", "told.txt"])
        self.assertEqual(done.returncode, -signal.SIGTERM)
        self.assertIn(b"0 launches of 0 kernels", read("told.txt"))
        done = self.run_program("signal", str(int(signal.SIGKILL)), options=["--explain", "none.txt"])
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertIn(b"nothing to explain: ", done.stderr)
        self.assertFalse(os.path.exists("none.txt"))
        self.fail_with(1, "run", "--explain", "missing/report.txt", self.program, "words", "x", says="missing/report.txt")


class Refusals(RunTest):
    def test_no_program(self):
        self.fail_with(2, "run", says="run needs PROGRAM")
        self.fail_with(1, "run", "./missing", says="./missing: there is no such file")
        self.fail_with(1, "run", "missing", says="no program of this name in PATH")
        self.fail_with(1, "run", "/", says="/ is a folder")
        write("plain", b"text")
        self.fail_with(1, "run", "./plain", says="./plain is not executable")
        write("host.cu", b"int main() {}\n")
        for name in ["host.cu", "./host.cu"]:
            self.fail_with(1, "run", name, says=f"{name} is source code: compile it first, nvcc")

    def test_a_static_runtime(self):
        """nvcc links this runtime by default."""
        program = os.path.join(run_support.FOLDER, "static")
        nvcc("-lineinfo", "-o", "static", os.path.join(run_support.FOLDER, "its sources", "run_program.cu"))
        done = self.run_command("run", program, "sound")
        self.assertEqual(self.said(done)[-1], "warpwise: 3 launches of 2 kernels, 0 faults")
        done = self.run_command("run", program, "bounds")
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"run_program.cu:{line_of('beyond')}: ", self.said(done)[0])
        subprocess.run(["strip", program], check=True, timeout=60)
        self.fail_with(1, "run", program, says=[program, "without its symbols", "nvcc -cudart shared"])

    def test_reports_in_one_file(self):
        for other in ["--junit", "--sarif"]:
            self.fail_with(2, "run", "--explain", "report", other, "./report", self.program,
                           says=f"--explain and {other} name the same file")

    def test_a_runtime_that_does_not_give_way(self):
        os.mkdir("real")
        shutil.copy(os.path.join(EMULATED, "libcudart.so.13"), "real")
        nvcc("-cudart", "shared", "-o", "bound", os.path.join(run_support.FOLDER, "its sources", "run_program.cu"),
             "-Xlinker", "--disable-new-dtags", "-Xlinker", "-rpath=" + os.path.abspath("real"))
        bound = os.path.join(run_support.FOLDER, "bound")
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
        program = os.path.join(run_support.FOLDER, "program")
        self.fail_with(2, "run", "--check", "rces", program, says=["--check got 'rces'", "memory, races, init"])
        self.fail_with(2, "run", "--check", "races,none", program, says="'none' is no check")
        self.fail_with(2, "run", "--chek", "races", program, says="'--chek'")
        self.fail_with(2, "run", "--cc", "1.4", program, says="1.4")
        self.fail_with(2, "run", "--profile", "h20", program, says=["h20", "h200"])
        self.fail_with(2, "run", "--cc", "8.6", "--profile", "h200", program, says="--profile replaces --cc")
        for code in ["-1", "256", "x", ""]:
            self.fail_with(2, "run", "--error-exitcode", code, program, says="--error-exitcode got")
        self.fail_with(2, "run", "--orders", "1", program, says="--orders got '1'")
        self.fail_with(2, "run", "--engine", "fast", program, says="automatic, interpreter, machine-code")
        self.fail_with(2, "run", "--seed", "1", program, says="--seed needs --orders")
        self.fail_with(2, "run", "--end-after", "0", program, says="--end-after got '0'")

    def test_reports_that_cannot_be_written(self):
        program = os.path.join(run_support.FOLDER, "program")
        for option in ["--junit", "--sarif"]:
            self.fail_with(1, "run", option, "missing/report", program, "words", "x", says="missing/report")
            self.fail_with(2, "run", option, "-", program, "words", "x", says=f"{option} -: a report needs")
            self.fail_with(2, "run", option, "/dev/null", program, says="regular file")
        for first, second in [("--junit", "--sarif"), ("--explain", "--junit"), ("--explain", "--sarif")]:
            self.fail_with(2, "run", first, "report", second, "./report", program, says="the same file")


if __name__ == "__main__":
    unittest.main()
