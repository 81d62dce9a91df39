"""Tests the scripts that keep CI's records: minutes.py, summary.py and nightly.py."""

import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MINUTES, SUMMARY, NIGHTLY = (runpy.run_path(str(ROOT / f"scripts/{name}.py")) for name in ["minutes", "summary", "nightly"])


def run_of(commit="aaaa", cores=2, **seconds):
    parts = [{"part": name, "wall_s": cpu, "cpu_s": cpu} for name, cpu in seconds.items()]
    return {"date": "2026-11-27", "commit": commit, "cores": cores, "parts": parts}


class Minutes(unittest.TestCase):
    def test_time_of_the_children_of_a_command(self):
        busy = "import time\nwhile time.process_time() < 1.2: pass"
        part, status = MINUTES["timed"]("busy", ["sh", "-c", f"{sys.executable} -c '{busy}'; exit 3"])
        self.assertEqual((part["part"], status), ("busy", 3))
        self.assertIn(part["cpu_s"], [1, 2])

    def test_a_run_within_the_limit(self):
        self.assertIsNone(MINUTES["check"](run_of(a=2400, b=2400), None))

    def test_a_run_beyond_it_names_what_grew(self):
        before = run_of("bbbb", a=2400, b=1400, c=500)
        message = MINUTES["check"](run_of(a=2300, b=2000, c=501, d=60), before)
        first, *grown = message.splitlines()
        self.assertIn("40.5 min of CPU a core, and 40 are allowed", first)
        self.assertIn("bbbb", first)
        self.assertEqual([line.strip() for line in grown],
                         ["b: 2000 s of CPU, 1400 s then", "d: 60 s of CPU, 0 s then", "c: 501 s of CPU, 500 s then"])

    def test_a_run_beyond_it_and_no_record(self):
        self.assertIn("No run is recorded", MINUTES["check"](run_of(a=7000), None))

    def test_a_slow_machine_is_allowed_more(self):
        slow = run_of(a=7000)
        self.assertIsNotNone(MINUTES["check"](slow, None))
        slow["parts"][0]["pace_s"] = 2 * MINUTES["PACE_S"]
        self.assertIsNone(MINUTES["check"](slow, None))
        fast = run_of(a=4000)
        fast["parts"][0]["pace_s"] = MINUTES["PACE_S"] / 2
        self.assertIn("66.7 min of CPU a core", MINUTES["check"](fast, None))

    def test_the_pace_is_a_compilation(self):
        part, _ = MINUTES["timed"]("busy", ["true"])
        self.assertGreater(part["pace_s"], 0.1)

    def test_more_cores(self):
        self.assertIsNone(MINUTES["check"](run_of(cores=4, a=7000), None))

    def test_a_part_that_was_not_run(self):
        run = run_of(a=60)
        run["parts"].append({"part": "fuzz", "skipped": "no clang"})
        self.assertIn("fuzz                  not run: no clang", MINUTES["table"](run))
        self.assertIsNone(MINUTES["check"](run, None))

    def test_what_is_written_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "new", "minutes.json")
            self.assertIsNone(MINUTES["read"](path))
            for run in [run_of(), run_of(a=1, b=2)]:
                MINUTES["write"](path, run)
                self.assertEqual(MINUTES["read"](path), run)


class Summary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name, "release")
        (self.build / "reports").mkdir(parents=True)
        self.ctest = ""

    def program(self, name, status="run", inner="", cases=None):
        self.ctest += f'<testcase name="{name}" time="2.5" status="{status}">{inner}</testcase>'
        if cases is not None:
            (self.build / f"reports/{name}.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")

    def summary(self):
        (self.build / "reports/ctest.xml").write_text(f"<testsuite>{self.ctest}</testsuite>")
        tests, seconds = SUMMARY["of_build"](self.build)
        return SUMMARY["text"](tests, {("release", name): time for name, time in seconds.items()})

    def last(self):
        return self.summary()[-1]

    def test_cases_and_programs(self):
        self.program("a_test", cases='<testcase name="x" classname="A" time="0.5"/><testcase name="y" classname="A" time="1"/>')
        self.program("plain")
        lines = self.summary()
        self.assertEqual(lines[-1], "Tests: 3 passed, 0 failed, 0 skipped")
        self.assertEqual(lines[-3:-1], ["      1.0 s  release: a_test A.y", "      0.5 s  release: a_test A.x"])

    def test_a_case_that_failed_is_counted_once(self):
        self.program("a_test", "fail", '<failure message="Failed"/>',
                     '<testcase name="x" time="1"><failure message="1 is not 2"/></testcase><testcase name="y" time="1"/>')
        lines = self.summary()
        self.assertEqual(lines[-1], "Tests: 1 passed, 1 failed, 0 skipped")
        self.assertEqual(lines[:2], ["FAILED release: a_test x", "    1 is not 2"])

    def test_a_program_that_died(self):
        self.program("a_test", "fail", '<failure message="SEGFAULT"/><system-out>last words</system-out>')
        lines = self.summary()
        self.assertEqual(lines[-1], "Tests: 0 passed, 1 failed, 0 skipped")
        self.assertIn("    last words", lines)

    def test_a_program_that_fails_although_its_cases_pass(self):
        self.program("a_test", "fail", '<failure message="a leak"/>', '<testcase name="x" time="1"/>')
        self.assertEqual(self.last(), "Tests: 1 passed, 1 failed, 0 skipped")

    def test_a_program_that_is_not_there(self):
        self.program("a_test", "notrun", '<skipped message="Unable to find executable: a_test"/>')
        self.assertEqual(self.last(), "Tests: 0 passed, 1 failed, 0 skipped")

    def test_a_program_whose_filter_fits_nothing(self):
        self.program("a_test", cases="")
        self.assertEqual(self.last(), "Tests: 0 passed, 1 failed, 0 skipped")

    def test_reasons_of_skips_are_counted(self):
        skipped = '<testcase name="{}" time="0"><skipped message="{}"/></testcase>'
        self.program("a_test", cases=skipped.format("x", "a_test.cpp:12&#10;no GPU&#10;") + skipped.format("y", "no GPU"))
        self.program("b", "notrun", '<skipped message="SKIP_RETURN_CODE=77"/><system-out>no network</system-out>')
        lines = self.summary()
        self.assertEqual(lines[-1], "Tests: 0 passed, 0 failed, 3 skipped")
        self.assertEqual(lines[:3], ["Skipped:", "      2  no GPU", "      1  no network"])

    def test_no_report(self):
        tests, _ = SUMMARY["of_build"](self.build)
        self.assertEqual([test.result for test in tests], ["failed"])


class Reports(unittest.TestCase):
    """Tests reports of unittest files, as tests/support/run_unittest.py writes them."""

    FILE = '''import sys, unittest
class A(unittest.TestCase):
    def test_good(self): self.assertEqual(sys.argv[1:], ["one"])
    def test_bad(self): self.assertEqual(1, 2, "\\x1b")
    def test_part(self):
        for i in range(3):
            with self.subTest(i): self.assertNotEqual(i, 1)
    @unittest.skip("no moon")
    def test_moon(self): pass
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no disk")
    def test_one(self): pass
'''

    def test_each_outcome(self):
        with tempfile.TemporaryDirectory() as folder:
            file, report = pathlib.Path(folder, "a_test.py"), pathlib.Path(folder, "reports/a.xml")
            file.write_text(self.FILE)
            done = subprocess.run([sys.executable, ROOT / "tests/support/run_unittest.py", report, file, "one"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            cases = [SUMMARY["of_case"]("release", "a", case)
                     for case in SUMMARY["xml"].parse(report).getroot().iter("testcase")]
        results = {case.case: (case.result, case.why.splitlines()[-1:]) for case in cases}
        self.assertEqual(results.pop("A.test_moon"), ("skipped", ["no moon"]))
        self.assertEqual(results.pop("A.test_good"), ("passed", []))
        self.assertEqual({name: result for name, (result, why) in results.items()},
                         {"A.test_bad": "failed", "A.test_part": "failed", "B.setUpClass": "failed"})


class Nightly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "results").mkdir()
        (self.root / "tests/fuzz").mkdir(parents=True)
        (self.root / "warpwise/io").mkdir(parents=True)
        (self.root / "tests/fuzz/CMakeLists.txt").write_text(
            "foreach(source io/npy.cpp\n io/y4m.cpp)\n target_sources(parsers PRIVATE x)\nendforeach()\n")
        for name in ["npy.cpp", "npy.hpp", "pause.cpp"]:
            (self.root / "warpwise/io" / name).write_text("")
        self.git("init", "-q")
        self.commit(0)

    def git(self, *arguments, **environment):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.root, check=True,
                              capture_output=True, text=True, env={**os.environ, **environment}).stdout.strip()

    def commit(self, day):
        time = f"{1700000000 + 86400 * day} +0000"
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", GIT_COMMITTER_DATE=time, GIT_AUTHOR_DATE=time)

    def record(self, failures=(), known=None, commit=None, parts=("fuzz", "asan tests", "tsan tests")):
        kept = {"date": "2023-11-14", "commit": commit or self.git("rev-parse", "HEAD"), "cores": 2,
                "parts": [{"part": name} for name in parts],
                "results": {"failures": list(failures)}, "known": known or {}}
        (self.root / "results/nightly.json").write_text(json.dumps(kept))

    def check(self):
        return NIGHTLY["check"](self.root)

    def test_no_record(self):
        self.assertEqual(self.check(), ["there is no results/nightly.json"])

    def test_a_record_of_today(self):
        self.record()
        self.commit(1)
        self.assertEqual(self.check(), [])

    def test_a_record_of_fifteen_days_ago(self):
        self.record()
        self.commit(14)
        self.assertEqual(self.check(), [])
        self.commit(15)
        self.assertRegex(self.check()[0], "15 days older")

    def test_a_record_of_301_commits_ago(self):
        self.record()
        # One git process makes all commits, because a process for each would take long.
        for count in [300, 1]:
            head = self.git("rev-parse", "HEAD")
            stream = "".join(f"commit refs/heads/many\ncommitter a <a@b> {1700000000 + n} +0000\ndata 0\n"
                             + (f"from {head}\n" if n == 0 else "") + "\n" for n in range(count))
            subprocess.run(["git", "fast-import", "--quiet", "--force"], cwd=self.root, input=stream, text=True, check=True)
            self.git("checkout", "-q", "-f", "--detach", "many")
            wrong = self.check()
            self.assertEqual(len(wrong), 0 if count == 300 else 1, wrong)
        self.assertIn("301 commits", wrong[0])

    def test_a_commit_that_is_not_there(self):
        self.record(commit="0123456789ab")
        self.assertIn("is not in this history", self.check()[0])

    def test_failures_need_a_reason(self):
        self.record(["release: a", "release: b"], {"release: a": "a driver that has a defect", "release: b": " "})
        self.assertEqual(self.check(), ['release: b failed, and "known" has no reason for it'])

    def test_a_record_keeps_the_reasons_of_what_still_fails(self):
        self.record([], {"release: a": "old", "release: b": "mended"})
        (self.root / "build").mkdir()
        (self.root / "build/minutes.json").write_text(json.dumps(run_of(commit=self.git("rev-parse", "HEAD"), a=1, **{"fuzz": 1, "asan tests": 1, "tsan tests": 1})))
        (self.root / "build/tests.json").write_text(json.dumps({"passed": 1, "failed": 1, "skipped": 0, "failures": ["release: a"]}))
        NIGHTLY["record"](self.root)
        kept = json.loads((self.root / "results/nightly.json").read_text())
        self.assertEqual((kept["known"], kept["results"]["passed"], kept["parts"][0]["part"]), ({"release: a": "old"}, 1, "a"))
        self.assertEqual(self.check(), [])

    def test_a_section_that_was_run_again(self):
        self.record(["release: a"], {"release: a": "old"})
        (self.root / "warpwise/io/pause.cpp").write_text("int a;\n")
        self.commit(1)
        self.assertEqual(self.changed("sanitized"), ["warpwise/io/pause.cpp"])
        (self.root / "build").mkdir()
        (self.root / "build/minutes.json").write_text(json.dumps(run_of(commit=self.git("rev-parse", "HEAD"), **{"asan tests": 1, "tsan tests": 1})))
        (self.root / "build/tests.json").write_text(json.dumps({"passed": 2, "failed": 1, "skipped": 0, "failures": ["asan: b"]}))
        NIGHTLY["record"](self.root, "sanitizers")
        self.assertEqual(self.changed("sanitized"), [])
        self.assertEqual(self.check(), ['asan: b failed, and "known" has no reason for it'])
        kept = json.loads((self.root / "results/nightly.json").read_text())
        self.assertEqual((kept["known"], kept["again"]["sanitizers"]["results"]["passed"]), ({"release: a": "old"}, 2))

    def again(self, section, failures=(), dirty="", **parts):
        (self.root / "build").mkdir(exist_ok=True)
        (self.root / "build/minutes.json").write_text(json.dumps(run_of(commit=self.git("rev-parse", "HEAD") + dirty, **parts)))
        (self.root / "build/tests.json").write_text(json.dumps({"passed": 2, "failed": len(failures), "skipped": 0, "failures": list(failures)}))
        NIGHTLY["record"](self.root, section)

    def test_a_section_mends_its_own_failures_and_parts(self):
        self.record(["asan: a", "fuzz: b", "release: c"], {"release: c": "old"}, parts=("asan tests", "tsan tests"))
        self.assertEqual(len(self.check()), 3)
        self.again("sanitizers", **{"asan tests": 1, "tsan tests": 1})
        self.assertEqual(self.check(), ['it has no part "fuzz"', 'fuzz: b failed, and "known" has no reason for it'])
        self.again("fuzz", fuzz=1)
        self.assertEqual(self.check(), [])
        self.assertEqual(self.changed("parsers"), [])

    def test_a_section_that_was_not_run_is_not_recorded(self):
        with self.assertRaisesRegex(SystemExit, "no whole run"):
            self.again("fuzz", fuzz=1)
        self.record()
        with self.assertRaisesRegex(SystemExit, "was not run"):
            self.again("fuzz", **{"asan tests": 1})
        with self.assertRaisesRegex(SystemExit, "not committed"):
            self.again("fuzz", dirty="-dirty", fuzz=1)

    def changed(self, choice="parsers"):
        return NIGHTLY["changed"](self.root, choice)

    def test_parsers_that_changed(self):
        everything = self.changed()  # there is no record yet
        self.assertIn("warpwise/io/y4m.cpp", everything)
        self.record()
        (self.root / "warpwise/io/pause.cpp").write_text("int a;\n")
        self.commit(1)
        self.assertEqual(self.changed(), [])
        for name in ["warpwise/io/npy.hpp", "tests/fuzz/npy_fuzz.cpp"]:
            (self.root / name).write_text("int a;\n")
        self.commit(2)
        self.assertEqual(self.changed(), ["tests/fuzz/npy_fuzz.cpp", "warpwise/io/npy.hpp"])
        (self.root / "warpwise/io/npy.hpp").write_text("// What it is for.\nint a;  // one\n")
        self.record()
        (self.root / "warpwise/io/npy.hpp").write_text("// Its purpose.\nint a;\n")
        self.commit(3)
        self.assertEqual(self.changed(), [])
        (self.root / "warpwise/io/npy.hpp").write_text('const char* a = "//";\n')
        self.commit(4)
        self.assertEqual(self.changed(), ["warpwise/io/npy.hpp"])
        self.record(commit="0123456789ab")
        self.assertEqual(self.changed(), everything)

    def test_a_parser_that_moved_has_not_changed(self):
        text = '#include "{}"\nint a;\n'
        (self.root / "warpwise/io/old.cpp").write_text(text.format("warpwise/io/npy.hpp"))
        self.commit(1)
        self.record()
        (self.root / "warpwise/io/old.cpp").rename(self.root / "warpwise/io/y4m.cpp")
        (self.root / "warpwise/io/y4m.cpp").write_text(text.format("warpwise/npy/npy.hpp"))
        self.commit(2)
        self.assertEqual(self.changed(), [])
        (self.root / "warpwise/io/y4m.cpp").write_text(text.format("warpwise/npy/other.hpp"))
        self.assertEqual(self.changed(), ["warpwise/io/y4m.cpp"])

    def test_a_record_without_a_part_vouches_for_nothing(self):
        for part, choice in [("fuzz", "parsers"), ("asan tests", "sanitized"), ("tsan tests", "sanitized")]:
            self.record(parts={"fuzz", "asan tests", "tsan tests"} - {part})
            self.assertEqual(self.check(), [f'it has no part "{part}"'])
            self.assertNotEqual(self.changed(choice), [])

    def test_a_picture_that_is_gone(self):
        (self.root / "old.png").write_bytes(b"\x89PNG\xff")
        self.commit(1)
        self.record()
        (self.root / "old.png").unlink()
        self.commit(2)
        self.assertEqual(self.changed(), [])

    def test_sanitized_sources_that_changed(self):
        self.record()
        for name in ["lab/a.cpp", "io/README.md"]:
            (self.root / "warpwise" / name).parent.mkdir(exist_ok=True)
            (self.root / "warpwise" / name).write_text("int a;\n")
        self.commit(1)
        self.assertEqual(self.changed("sanitized"), [])
        (self.root / "warpwise/io/pause.cpp").write_text("int a;\n")
        self.assertEqual(self.changed("sanitized"), ["warpwise/io/pause.cpp"])

    def test_the_projects_own_parsers(self):
        for name in NIGHTLY["parsers"](ROOT):
            if not name.endswith(".hpp"):
                self.assertTrue((ROOT / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
