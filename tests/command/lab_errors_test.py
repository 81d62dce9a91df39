"""Tests lab from outside: wrong rungs, and bad input. Tests that compile are skipped, with the reason, if
there is no CUDA compiler."""

import csv
import io
import json
import os
import re
import shutil
import time
import unittest

from lab_support import EMULATOR, FAILED, LabTest, USAGE, rungs_of
from support import SANITIZED, has_gpu, read, runs_rungs, write


class Wrong(LabTest):
    """Tests wrong rungs of an edited ladder."""

    def run_wrong(self, *arguments, names=("copy/scalar",), size="100x1"):
        os.makedirs("out", exist_ok=True)
        done = self.run_command("lab", "run", *names, "--ladder-dir", "mine", *EMULATOR, "--size",
                                size, "--out", "out", *arguments)
        self.assertEqual(os.listdir("out"), [], "a ladder with a wrong rung is not recorded")
        return done

    def verify_wrong(self, says, code=FAILED):
        done = self.run_command("lab", "verify", "copy/scalar", "copy/vector2", "--ladder-dir", "mine",
                                *EMULATOR)
        self.assertEqual(done.returncode, code, done.stderr)
        said = done.stdout.decode()
        for words in says:
            self.assertIn(words, said)
        self.assertRegex(said, r"copy/vector2 +\d+ right\n")
        self.assertIn("1 of 2 rungs right", said)
        why = re.search(r"copy/scalar +(?:WRONG: )?(.*)\n", said)[1]
        self.assertIn(f"warpwise: wrong: copy/scalar ({why})\n", done.stderr.decode())

    @runs_rungs
    def test_a_wrong_pixel(self):
        self.edited("p.dst[i] = p.src[i] + (i == 70 ? 3 : 0)")
        done = self.run_wrong(names=["copy/scalar", "copy/vector2"])
        self.assertEqual(done.returncode, FAILED)
        said = done.stdout.decode()
        found = re.search(r"scalar \(256\) +WRONG: dst at \(70, 0\): expected (-?\d+), got (-?\d+); "
                          r"1 of 100 pixels differ\n", said)
        self.assertTrue(found, said)
        self.assertEqual(int(found[2]) - int(found[1]), 3)
        self.assertEqual(done.stderr, b"warpwise: wrong, and not recorded: copy/scalar (" +
                         found[0].split("WRONG: ")[1].strip().encode() + b")\n")
        self.assertIn("vector2 (256)", said)
        self.verify_wrong(["copy/scalar", "WRONG: dst at (70, 0): expected ", "width 255"])
        report = json.loads(self.run_wrong("--json").stdout)
        [row] = rungs_of(report)
        self.assertTrue(row["wrong"].startswith("dst at (70, 0)"))
        self.assertNotIn("counts", row)
        lines = list(csv.DictReader(io.StringIO(self.run_wrong("--csv").stdout.decode())))
        self.assertTrue(lines[-1]["not_run"].startswith("dst at (70, 0): expected "))

    @runs_rungs
    def test_a_pixel_that_was_not_written(self):
        self.edited("if (i != 0) p.dst[i] = p.src[i]")
        self.assertIn(b"WRONG: dst at (0, 0): expected", self.run_wrong().stdout)

    @runs_rungs
    def test_padding_that_was_written(self):
        self.edited("p.dst[i] = p.src[i]; if (reinterpret_cast<unsigned long long>(p.dst) % 512) "
                    "p.dst[p.count] = 0")
        self.verify_wrong(["which belongs to no pixel, was written"])

    @runs_rungs
    def test_out_of_bounds(self):
        self.edited("p.dst[i + 1000000] = p.src[i]")
        done = self.run_wrong(names=["copy/scalar", "copy/vector2"])
        self.assertEqual(done.returncode, FAILED)
        self.assertRegex(done.stdout.decode(), r"WRONG: out_of_bounds at .*01_scalar.cu:4, block \(0, 0, "
                                               r"0\), thread \(0, 0, 0\)")
        self.verify_wrong(["WRONG: out_of_bounds", "01_scalar.cu:4"])
        done = self.run_command("explain", "copy/scalar", "--ladder-dir", "mine", "--size", "100x1")
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b"line 4", done.stderr)

    @unittest.skipIf(SANITIZED, "a kernel's whole budget, twice, takes a minute under sanitizers")
    @runs_rungs
    def test_a_loop_without_end(self):
        self.edited("while (true) reinterpret_cast<volatile int*>(p.dst)[i] = 0")
        start = time.monotonic()
        said = self.run_wrong(size="64x2").stdout.decode()
        self.assertRegex(said, r"WRONG: budget at .*01_scalar.cu:4, .*: the kernel did not end within "
                               r"100000000 warp instructions: is it a loop without end\?\n")
        self.verify_wrong(["WRONG: budget at", "01_scalar.cu:4"])
        self.assertLess(time.monotonic() - start, 60)

    @runs_rungs
    def test_what_does_not_compile(self):
        self.edited("p.dst[i] = nothing")
        for arguments in [[], ["--json"]]:
            done = self.run_wrong(*arguments)
            self.assertEqual(done.returncode, FAILED)
            said = done.stderr.decode()
            self.assertIn("01_scalar.cu(4): error: identifier \"nothing\" is undefined",
                          said.splitlines()[-1])
            self.assertTrue(said.splitlines()[-1].startswith("warpwise: "))
            self.assertIn("p.dst[i] = nothing", said, "the source's line is shown")
        self.assertEqual(done.stdout, b"")
        self.verify_wrong(["copy/scalar", "WRONG: ", "01_scalar.cu(4)"])

    @runs_rungs
    def test_rows_before_an_error_are_kept(self):
        mine = self.edited()
        write("mine/02_vector.cu", b"nothing")
        done = self.run_command("lab", "run", "copy/scalar", "copy/vector2", *mine, *EMULATOR, "--size", "8x8", "--json", "--out", "out")
        self.assertEqual(done.returncode, FAILED)
        for text in [done.stdout, read("out/copy-scalar-vector2-interrupted.json")]:
            report = json.loads(text)
            self.assertTrue(report["interrupted"])
            self.assertEqual([row["rung"] for row in report["results"]], ["scalar"])
        for command in [["run", *EMULATOR], ["predict", "--profile", "h200"]]:
            done = self.run_command("lab", *command, "copy/scalar", "match/shipped", "--size", "4x4", "--json")
            self.assertEqual(done.returncode, USAGE)
            self.assertEqual([row["rung"] for row in json.loads(done.stdout)["results"]], ["scalar"])
            self.assertIn(b"an image of 4x4 is smaller", done.stderr)

    @runs_rungs
    def test_what_does_not_compile_below_an_assertion(self):
        self.edited("p.dst[i] = p.src[i] %% 32")
        source = read("mine/01_scalar.cu").decode()
        assertion = 'static_assert(BLOCK_X % 32 == 0, "whole warps");'
        write("mine/01_scalar.cu", source.replace("\n", "\n" + assertion + "\n", 1).encode())
        said = self.run_wrong().stderr.decode()
        self.assertIn("01_scalar.cu(5): error: expected an expression", said)
        self.assertEqual(len(re.findall("error: ", said.split("warpwise: ")[0])), 1, said)

    @runs_rungs
    def test_an_assertion(self):
        # In the second case the use of a macro looks like a host function. `explain` leaves a file's host functions
        # out, but a rung keeps them.
        for line in ["static_assert(BLOCK_X % 3 == 0);", "#define REQUIRE(x) static_assert(x)\n"
                     "REQUIRE(BLOCK_X % 3 == 0);"]:
            with self.subTest(line):
                shutil.rmtree("mine", ignore_errors=True)
                self.edited("p.dst[i] = p.src[i]")
                source = read("mine/01_scalar.cu").decode()
                write("mine/01_scalar.cu", source.replace("\n", "\n" + line + "\n", 1).encode())
                done = self.run_wrong()
                self.assertEqual(done.returncode, FAILED)
                self.assertIn(b"error: static assertion failed", done.stderr)

    @runs_rungs
    def test_expressions(self):
        self.edited()
        for grid, says in [('["widht"]', ["'widht'", "character 1", "width"]),
                           ('["count - count"]', ["count - count", "is 0"]),
                           ('["1 / (count - count)"]', ["division by zero"]),
                           ('["("]', ["character 2"]),
                           ('[1, 65536]', ["65536", "65535"])]:
            self.edit_table('"file": "01_scalar.cu"', f'"grid": {grid}, "file": "01_scalar.cu"')
            done = self.run_wrong()
            self.assertEqual(done.returncode, USAGE)
            for words in ['mine/ladder.json, rung 1 "scalar", "grid": ', *says]:
                self.assertIn(words, done.stderr.decode())
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.edit_table(f'"grid": {grid}, ', "")
        self.edit_table('"file": "01_scalar.cu"', '"grid": ["widht"], "file": "01_scalar.cu"')
        self.verify_wrong(["WRONG: ", 'mine/ladder.json, rung 1 "scalar", "grid": ', "'widht'"])

    @runs_rungs
    def test_other_parts_of_a_line(self):
        self.edited()
        for field, says in [('"kernel": "cpy"', ['"cpy"', "there are: copy"]),
                            ('"textures": {"source": "linear"}', ['"source"', "src, dst"]),
                            ('"scratch": "0 - count"', ["scratch", "negative"]),
                            ('"constants": {"A": "B"}', ["'B'"]),
                            ('"needs": {"what": "it"}', ["'what'"])]:
            self.edit_table('"file": "01_scalar.cu"', f'{field}, "file": "01_scalar.cu"')
            done = self.run_wrong()
            self.assertEqual(done.returncode, USAGE, field)
            for words in ["copy/scalar", *says]:
                self.assertIn(words, done.stderr.decode())
            self.edit_table(f"{field}, ", "")

    @runs_rungs
    def test_files_that_cannot_be_read(self):
        self.edited()
        os.mkfifo("mine/pipe.cu")
        os.mkdir("mine/folder.cu")
        before = "01_scalar.cu"
        for file, named in [("nowhere.cu", "mine/nowhere.cu"), ("pipe.cu", "mine/pipe.cu"),
                            ("folder.cu", "mine/folder.cu"), ("/dev/zero", "/dev/zero"),
                            ("/proc/self/mem", "/proc/self/mem")]:
            self.edit_table(before, file)
            before = file
            done = self.run_wrong()
            self.assertEqual(done.returncode, FAILED)
            self.assertEqual(done.stderr.decode(),
                             f"warpwise: {os.path.abspath(named)} is no file that can be read\n")


class BadInput(LabTest):
    def test_names(self):
        self.refuse("run", says=["name", "warpwise lab list"])
        for command in ["run", "verify"]:
            self.refuse(command, "sobl", says=['"sobl"', 'did you mean "sobel"?'])
            self.refuse(command, "copy/scaler", says=['"scaler"', 'did you mean "scalar"?', "vector4"])
            self.refuse(command, "copy/", says=["no rung", "scalar"])
            self.refuse(command, "copy/scalar/x", says="no rung")
        for command in ["run", "verify", "list"]:
            self.refuse(command, "copy/figure3", says=['"figure3"', 'did you mean "figure2"?', "scalar"])
            self.refuse(command, "sobel/tabel5", says='did you mean "table5"?')
        self.refuse(says="subcommand")
        self.refuse("walk", says="subcommand")

    def test_options(self):
        def refuse(*arguments, says):
            self.refuse("run", "copy/scalar", *arguments, says=says)
        for text in ["", "3", "3x", "x3", "0x3", "-1x3", "3x3x3", "axb", "1e3x1", "99999999999999999999x1"]:
            refuse("--size", text, says="--size")
        for text in ["", "0", "x", "32x", "x8", "1025", "33x32", "1x1x1x1", "-1", "8,8", "1024x1024x1024", "1x1x65"]:
            refuse("--block", text, says="--block")
        for text in ["", "4.0", "4", "9.", "1.3,", "1.3;9.0", "x"]:
            refuse("--cc", text, says=["1.3", "9.0"] if text else "")
        refuse("--on", "moon", says=["'moon'", "auto, gpu, emulator"])
        refuse("--json", "--csv", says=["--json", "--csv"])
        refuse("--sizes", "1x1", says="--sizes")

    def test_empty_names_of_files(self):
        for call in [["lab", "run", "copy/scalar", "--out", ""], ["lab", "run", "copy/scalar", "--plot", ""],
                     ["lab", "plot", "", "--out", "x.svg"], ["lab", "report", "--out", ""], ["lab", "report", "--records", ""],
                     ["lab", "list", "--ladder-dir", ""], ["lab", "exercise", "start", "copy", ""],
                     ["lab", "exercise", "check", ""], ["lab", "exercise", "grade", ""], ["explain", "copy/scalar", "--ladder-dir", ""],
                     ["run", "--junit", "", "true"], ["run", "--suppressions", "", "true"], ["bench", "--against", ""],
                     ["devices", "--write-profile", ""]]:
            self.fail_with(USAGE, *call, says="the name of a file is empty")

    def test_folders_that_take_no_file(self):
        """A folder that takes no file is reported before anything runs: fail_with() expects nothing on stdout."""
        def refuse(*arguments, says):
            self.refuse("run", *arguments, *EMULATOR, says=["cannot write", *says], code=FAILED)
        write("file", b"")
        for folder in ["file", "file/below", "/proc/new"]:
            self.refuse("run", "copy/scalar", *EMULATOR, "--out", folder, code=FAILED,
                        says="cannot make the folder " + folder)
        refuse("copy/scalar", "--out", "/proc", says=["/proc/copy-scalar.json", "no file can be made"])
        os.mkdir("out")
        rungs = [f"sobel/{rung['name']}" for rung in self.ladders("sobel")[0]["rungs"]]
        refuse(*rungs[1:], "--out", "out", says=["sobel-", "File name too long"])
        os.makedirs("taken/copy-figure2.json")
        refuse("copy/scalar", "copy/figure2", "--out", "taken", says=["copy-figure2.json", "directory"])
        os.chmod("out", 0o500)
        if not os.access("out", os.W_OK):  # root may write everywhere
            refuse("copy", "--out", "out", says=["out/copy.json", "Permission denied"])

    def test_folders(self):
        self.refuse("run", "copy", "--ladder-dir", ".", says="./ladder.json", code=FAILED)
        self.refuse("run", "copy", "--ladder-dir", "nowhere", says="nowhere/ladder.json", code=FAILED)
        os.makedirs("folder/ladder.json")
        self.refuse("list", "--ladder-dir", "folder", says="folder/ladder.json", code=FAILED)
        self.edited()
        for command in ["list", "run", "verify"]:
            self.refuse(command, "sobel", "--ladder-dir", "mine", says=["mine", "copy", "sobel"])

    def test_tables(self):
        self.edited()
        whole = read("mine/ladder.json").decode()

        def refuse(before, after, *says):
            write("mine/ladder.json", whole.replace(before, after, 1).encode())
            for command in ["list", "run", "verify"]:
                self.refuse(command, "--ladder-dir", "mine", says=["mine/ladder.json", *says])

        refuse(whole, whole[:300], "parse error")
        refuse(whole, "", "parse error")
        refuse(whole, "[" * 1000000, "too deeply")
        refuse('"file": "01', '"fiel": "01', 'rung 1', '"fiel"', 'did you mean "file"?')
        refuse('"name": "vector2"', '"name": "scalar"', 'two rungs named "scalar"')
        refuse('"idea": "two ints', '"idea": "x", "idea": "two ints', '"idea" twice')
        refuse("[4096, 3072]", "[4096, 30720000000000]", '"size"', "30720000000000")
        # Malformed expressions and unknown names are refused before anything runs. The message names the place.
        refuse('"file": "01', '"scratch": "2 *", "file": "01', 'rung 1 "scalar", "scratch"', "character 4")
        refuse('"ladder": "copy"', '"ladder": "copi"', 'did you mean "copy"?')
        refuse('"rungs": ["*"]', '"rungs": ["scalr"]', "experiment", '"scalr"', 'did you mean "scalar"?')
        refuse('"name": "figure2"', '"name": "../figure2"', "experiment 1", "letters")

    @runs_rungs
    def test_memory(self):
        for name in ["copy/scalar", "sobel/shipped", "threshold"]:
            start = time.monotonic()
            self.refuse("run", name, *EMULATOR, "--size", "1000000x1000000", code=FAILED,
                        says=["src takes", "this machine's memory"])
            self.fail_with(USAGE, "explain", "copy/scalar", "--size", "1000000x1000000",
                           says=["too large", "268435456 pixels"])
            self.assertLess(time.monotonic() - start, 20)
        self.refuse("run", "copy/scalar", *EMULATOR, "--size", "9223372036854775807x2", says="64 bits")
        self.refuse("run", "match", *EMULATOR, "--size", "1x1", says=["1x1", "block"])

    @unittest.skipIf(has_gpu(), "there is a GPU here")
    @runs_rungs
    def test_without_a_gpu(self):
        for command in ["run", "verify"]:
            self.refuse(command, "copy/scalar", "--on", "gpu", says="CUDA", code=FAILED)

    def test_without_a_compiler(self):
        environment = dict(os.environ, WARPWISE_CUDA_HOME="/nonexistent", XDG_CACHE_HOME=os.getcwd())
        for call in [["lab", "run", "copy/scalar"], ["lab", "verify"],
                     ["lab", "diff", "copy", "scalar", "vector2"], ["explain", "copy/scalar"]]:
            self.fail_with(FAILED, *call, says=["there is no CUDA compiler", "get-nvrtc.sh"],
                           env=environment)
        self.succeed("lab", "list", env=environment)


if __name__ == "__main__":
    unittest.main()
