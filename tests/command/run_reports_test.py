"""Tests the reports of `warpwise run`, and the suppressions of faults in them."""

import json
import os
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import run_support
from run_support import EMULATED, RunTest, line_of, nvcc, setUpModule  # noqa: F401
from support import read, write


class Reports(RunTest):
    def report(self, mode, *options, code):
        """Runs the program in the folder above the sources. Returns both reports."""
        files = [os.path.join(self._folder.name, name) for name in ["report.xml", "report.json"]]
        done = self.run_program(mode, options=["--junit", files[0], "--sarif", files[1], *options], cwd=run_support.FOLDER)
        self.assertEqual(done.returncode, code, done.stderr)
        return ElementTree.parse(files[0]).getroot(), json.loads(read(files[1]))

    def test_junit(self):
        suites, _ = self.report("ignored", code=1)
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
        # A program without launches writes a report too, which replaces an earlier one.
        suites, sarif = self.report("words", code=0)
        self.assertEqual(suites.get("tests"), "0")

    def test_the_folder_is_the_one_it_was_started_in(self):
        done = self.run_command("run", "--junit", "here.xml", "--sarif", os.path.join(self._folder.name, "there.json"),
                                "./program", "elsewhere", cwd=run_support.FOLDER)
        self.assertEqual(done.returncode, 1)
        suites = ElementTree.parse(os.path.join(run_support.FOLDER, "here.xml")).getroot()
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
        nvcc("-cudart", "shared", "-o", "plain", os.path.join(run_support.FOLDER, "its sources", "run_program.cu"))
        done = self.run_command("run", "--sarif", "report.json", os.path.join(run_support.FOLDER, "plain"), "bounds")
        self.assertIn(b"no source line (compile with -lineinfo; numba: lineinfo=True)", done.stderr)
        [result] = json.loads(read("report.json"))["runs"][0]["results"]
        self.assertEqual(result["locations"][0]["physicalLocation"],
                         {"artifactLocation": {"uri": "plain"}, "region": {"startLine": 1}})

    def test_the_launch_has_a_place(self):
        write("work.cu", b"""__global__ void beyond(int* values) { values[threadIdx.x + 64] = 1; }
void launch(int* values, cudaStream_t stream) {
  beyond<<<1, 32, 0, stream>>>(values);
}
int main(int count, char**) {
  int* values = nullptr;
  cudaStream_t stream;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaStreamCreate(&stream);
  if (count == 1) {
    launch(values, stream);
    return 0;
  }
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  launch(values, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
}
""")
        nvcc("-g", "-cudart", "shared", "-o", os.path.abspath("work"), os.path.abspath("work.cu"))
        for words, place in [([], r"work.cu:3 in launch\(int\*, CUstream_st\*\)"), (["graph"], "work.cu:20 in main")]:
            for options in [[], ["--orders", "2"], ["--check", "all"]]:
                done = self.run_command("run", "--sarif", "report.json", *options, "./work", *words)
                self.assertRegex(self.said(done)[0], rf"^warpwise: out_of_bounds in kernel beyond.*; launched at \S*{place}$")
                self.assertRegex(json.loads(read("report.json"))["runs"][0]["results"][0]["message"]["text"], place + "$")

    def test_the_places_are_lines_of_the_source_in_optimised_programs_too(self):
        """Calls of CUDA's headers and of the compiler's stubs come first, as functions or as inlined code."""
        write("work.cu", b"""template <class T>
__global__ void beyond(T* values) {
  values[threadIdx.x + 64] = 1;
}
static __global__ void also_beyond(int* values) {
  values[threadIdx.x + 64] = 1;
}
int main(int count, char**) {
  int* values = nullptr;
  cudaMalloc(&values, 64 * sizeof(int));
  if (count == 1) {
    beyond<<<1, 32>>>(values);
  } else {
    also_beyond<<<1, 32>>>(values);
  }
  return cudaFree(values) == cudaSuccess;
}
""")
        for optimised in [[], ["-O2"]]:
            nvcc("-g", *optimised, "-cudart", "shared", "-o", os.path.abspath("work"), os.path.abspath("work.cu"))
            for words, line in [([], 12), (["also"], 14)]:
                done = self.run_command("run", "./work", *words)
                self.assertRegex(self.said(done)[0], r"cudaMalloc called at \S*work.cu:10 in main; "
                                                     rf"launched at \S*work.cu:{line} in main$")

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
                         b"warpwise: every result is exact\nwarpwise: 3 launches of 2 kernels, 0 faults\n")
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

    def test_control_characters_reach_no_terminal(self):
        said = self.suppressed("race in else\x1b[31mwhere because x\n", "sound")
        self.assertIn(r"warpwise: line 1 of the suppressions covered no fault: race in else\x1b[31mwhere because x", said)
        write("no\x1b[31mprogram", b"#!/no/such\n")
        os.chmod("no\x1b[31mprogram", 0o755)
        done = self.run_command("run", "./no\x1b[31mprogram")
        self.assertEqual(done.returncode, 1)
        self.assertIn(rb"no\x1b[31mprogram cannot be started", done.stderr)

    def test_a_fault_of_several_launches_is_one(self):
        said = self.suppressed("race in unordered because nobody reads the result\n", "races")
        self.assertEqual(said[-1], "warpwise: 21 launches of 2 kernels, 0 faults, 2 suppressed")
        self.assertEqual(len(json.loads(read("report.json"))["runs"][0]["results"]), 2)

    def test_known_faults_end_no_kernel(self):
        write("known.txt", b"race in many_races because nobody reads it\n")
        done = self.run_program("many", options=["--check", "races", "--suppressions", "known.txt"])
        self.assertEqual((done.returncode, done.stdout), (0, b"14\n"), done.stderr)
        self.assertEqual(self.said(done)[-1], "warpwise: 2 launches of 2 kernels, 0 faults, 1 suppressed")
        # Faults that no suppression covers are reported and count.
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



if __name__ == "__main__":
    unittest.main()
