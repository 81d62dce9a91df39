"""Tests `lab exercise` from outside: follows docs/exercises.md and docs/teaching.md as they stand, and makes a student's mistakes.
exercise_test.cpp in warpwise/lab/exercise tests all exercises."""

import csv
import os
import pathlib
import re
import unittest
import xml.etree.ElementTree

from lab_support import FAILED, USAGE, FollowedDocument
from support import SAMPLES, SANITIZED, help_pages, read, runs_rungs, write

ROOT = pathlib.Path(SAMPLES).parent


class Exercise(FollowedDocument):
    def exercise(self, *arguments):
        return self.succeed("lab", "exercise", *arguments).stdout.decode()

    def refused(self, *arguments, says, code=USAGE):
        self.fail_with(code, "lab", "exercise", *arguments, says=says)

    def marks(self, *arguments, says):
        """Checks the output of `check` for a kernel that does not get all marks."""
        done = self.run_command("lab", "exercise", "check", *arguments)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(says, done.stderr.decode())
        return done.stdout.decode()

    @runs_rungs
    def test_the_students_page_is_true(self):
        commands, _ = self.follow_document("exercises.md", {"", "sh", "diff"})
        for command in ["list", "start", "hint", "check"]:
            self.assertIn(f"warpwise lab exercise {command}", commands)
        self.assertRegex(self.exercise("list"), r"padding +7 of 7 ")

    @runs_rungs
    @unittest.skipIf(SANITIZED, "a sanitizer needs more memory than the limit")
    def test_the_teachers_page_is_true(self):
        os.symlink(ROOT / "examples", "examples")
        self.follow_document("teaching.md", {"", "sh"})
        with open("marks.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual([(row["student"], row["passed"], row["of"]) for row in rows],
                         [("class/ann", "7", "7"), ("class/ben", "6", "7")])
        suites = xml.etree.ElementTree.parse("marks.xml").getroot()
        self.assertEqual([suite.get("failures") for suite in suites], ["0", "1"])

    def test_the_students_page_lists_all_exercises(self):
        names = re.findall(r"^(\w+)", self.exercise("list"), re.MULTILINE)
        self.assertEqual(len(names), 16)
        for page in ["docs/exercises.md", "docs/ko/exercises.md"]:
            self.assertEqual(re.findall(r"^\| `(\w+)` \|", (ROOT / page).read_text(), re.MULTILINE), names)

    def test_start_keeps_what_is_there(self):
        self.exercise("start", "race", "mine")
        self.assertEqual(sorted(os.listdir("mine")), ["exercise.txt", "kernel.cu", "task.ko.md", "task.md"])
        self.assertRegex(self.exercise("list"), r"race +started ")
        self.refused("start", "race", "mine", says="is not empty")
        self.refused("start", "rase", "other", says='did you mean "race"')
        self.assertFalse(os.path.exists("other"))

    def test_the_first_of_two_folders_is_listed(self):
        for name in "bcad":
            self.exercise("start", "race", name)
            write(f"{name}/exercise.txt", f"race {name} of 6\n".encode())
        self.assertRegex(self.exercise("list"), r"race +a of 6 ")
        write("exercise.txt", b"race 5 of 6\n")
        self.assertRegex(self.exercise("list"), r"race +5 of 6 ")

    def test_a_folder_without_an_exercise(self):
        for command in ["check", "hint", "solution"]:
            self.refused(command, says="holds no exercise")
        for folder, says in [(".", "no exercise.txt"), ("none", "there is no such folder")]:
            done = self.run_command("lab", "exercise", "grade", folder, "--csv", "marks.csv")
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(says, done.stdout.decode())
            self.assertIn(f"not marked: {folder}: ", done.stderr.decode())
            self.assertIn(says, read("marks.csv").decode())

    @runs_rungs
    def test_check_in_the_folder_itself(self):
        self.exercise("start", "race", "mine")
        os.chdir("mine")
        said = self.marks(says="exercise hint")
        self.assertIn("line 11: race", said)
        [command] = re.findall(r"warpwise (explain .*)", said)
        self.assertIn("kernel.cu --kernel relax", command)
        write("kernel.cu", self.exercise("solution").encode())
        self.assertIn("All 6 marks", self.exercise("check"))
        self.assertIn("Nothing is left", self.exercise("hint"))

    @runs_rungs
    def test_a_kernel_that_prints(self):
        self.exercise("start", "race", "mine")
        printing = read("mine/kernel.cu").replace(b"  __syncthreads();", b'  printf("%d", thread);\n  __syncthreads();', 1)
        write("mine/kernel.cu", printing)
        self.assertRegex(self.marks("mine", says="exercise hint"), "and what it prints: warpwise explain ")

    @runs_rungs
    def test_hints_come_in_steps(self):
        self.exercise("start", "transpose", "mine")
        first, second, third = (self.exercise("hint", "mine") for _ in range(3))
        for hint in [first, second, third]:
            self.assertIn("kernel.cu, line 9: 1.125 sectors", hint)
            self.assertIn("  if (x < width && y < height) out[x * height + y]", hint)
            self.assertIn("1024 warp stores move 32768 sectors", hint)
        self.assertNotIn("shared memory", first)
        self.assertIn("hint mine\" again says more", first)
        self.assertIn("into shared memory", second)
        self.assertNotIn("no more hints", second)
        self.assertIn("no more hints", third)
        # If the kernel misses another mark, the hints begin with that mark's first one.
        write("mine/kernel.cu", b"wrong")
        self.assertIn("kernel.cu(1): error", self.exercise("hint", "mine"))
        self.assertIn("Read the first message", self.exercise("hint", "mine"))

    @runs_rungs
    def test_hints_go_on_in_another_language(self):
        self.exercise("start", "transpose", "mine")
        self.assertNotIn("shared memory", self.exercise("hint", "mine"))
        self.assertIn("타일을 행을 따라 공유 메모리에", self.exercise("hint", "mine", "--lang", "ko"))
        self.assertIn("no more hints", self.exercise("hint", "mine"))

    @runs_rungs
    def test_another_fault_begins_its_own_hints(self):
        self.exercise("start", "race", "mine")
        for _ in range(3):
            said = self.exercise("hint", "mine")
        self.assertIn("no more hints", said)
        # The mark is the same, and the fault is another one.
        outside = self.exercise("solution", "mine").replace("data[at] = ", "data[at + 1] = ")
        write("mine/kernel.cu", outside.encode())
        said = self.exercise("hint", "mine")
        self.assertIn("out_of_bounds", said)
        self.assertIn("again says more", said)

    @runs_rungs
    def test_korean(self):
        self.exercise("start", "transpose", "mine", "--lang", "ko")
        self.assertIn("전치 행렬의 쓰기를 병합한다", self.exercise("list", "--lang", "ko"))
        said = self.run_command("lab", "exercise", "check", "mine", "--lang", "ko")
        self.assertIn("수 하나의 전역 메모리 섹터: 1.125(0.27 이하)", said.stdout.decode())
        self.assertIn("다음에 할 일", said.stderr.decode())
        self.assertIn("섹터 32개", self.exercise("hint", "mine", "--lang", "ko"))
        if not SANITIZED:  # a sanitizer needs more memory than the limit
            self.exercise("grade", "mine", "--lang", "ko", "--csv", "marks.csv")
            self.assertIn("섹터", read("marks.csv").decode())
        self.refused("check", "--lang", "ko", says="연습 문제가 없습니다")
        self.refused("check", "mine", "--lang", "fr", says="--lang got 'fr', it needs one of en, ko")

    @runs_rungs
    def test_the_commands_it_names_take_its_folder(self):
        said = self.exercise("start", "race", "it's mine")
        self.assertIn(r"""check 'it'\''s mine'".""", said)
        said = self.marks("it's mine", says=r"""exercise hint 'it'\''s mine'" says""")
        self.assertIn(r"explain 'it'\''s mine/kernel.cu' --kernel", said)

    @runs_rungs
    def test_marks_that_cannot_be_kept_are_shown(self):
        self.exercise("start", "race", "mine")
        os.chmod("mine", 0o555)
        self.addCleanup(os.chmod, "mine", 0o755)
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        self.assertIn("line 11: race", self.marks("mine", says="exercise.txt"))
        self.assertIn("line 11: race", self.exercise("hint", "mine"))

    @runs_rungs
    def test_control_characters_are_escaped(self):
        self.exercise("start", "race", "mine")
        write("mine/kernel.cu", b'#error "\x1b]0;title\x07"\n' + read("mine/kernel.cu"))
        said = self.marks("mine", says="0 of 6")
        self.assertIn("title", said)
        self.assertNotIn("\x1b", said)

    @runs_rungs
    def test_a_grade_that_cannot_be_written(self):
        self.exercise("start", "race", "mine")
        self.refused("grade", "mine", "--csv", "no/marks.csv", says="no/marks.csv", code=FAILED)
        self.refused("grade", "mine", "--junit", "same", "--csv", "./same", says="--junit and --csv name the same file")
        for option in ["--junit", "--csv"]:
            self.refused("grade", "mine", option, "", says="the name of a file is empty")

    def test_limits(self):
        for option in ["--seconds", "--memory", "--jobs"]:
            self.refused("grade", ".", option, "0", says=option)

    def test_help_names_all(self):
        pages = {" ".join(page.path) for page in help_pages()}
        for command in ["list", "start", "check", "hint", "solution", "grade"]:
            self.assertIn(f"warpwise lab exercise {command}", pages)


if __name__ == "__main__":
    unittest.main()
