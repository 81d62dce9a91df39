"""Tests scripts/build-progress.py: its estimates from the objects compiled so far, and its output for a small build."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/build-progress.py"
sys.path.insert(0, str(SCRIPT.parent))
import ninja_log  # noqa: E402
specification = importlib.util.spec_from_file_location("build_progress", SCRIPT)
progress = importlib.util.module_from_spec(specification)
specification.loader.exec_module(progress)


class Estimates(unittest.TestCase):
    def test_time_left_is_scaled_by_the_objects_so_far(self):
        expected = {str(number): 10 for number in range(60)}
        taken = {"0": 20, "1": 20}  # twice as long as expected
        self.assertAlmostEqual(progress.seconds_left(expected, taken, jobs=3, elapsed=20), 2 * 600 / 3 - 20)

    def test_the_slowest_object_is_waited_for(self):
        expected = {"a": 100, "b": 20}
        self.assertAlmostEqual(progress.seconds_left(expected, {"b": 20}, jobs=8, elapsed=20), 80)

    def test_no_estimate_from_little(self):
        self.assertIsNone(progress.seconds_left({"a": 10, "b": 100}, {"a": 5}, jobs=2, elapsed=5))
        self.assertIsNone(progress.seconds_left({"a": 10}, {}, jobs=2, elapsed=5))

    def test_seconds_come_from_the_last_build_or_the_record(self):
        last, record = {"a": 1, "b": 3}, {"a": 10, "b": 20, "c": 30}
        self.assertEqual(progress.known_seconds(["a", "b"], last, record), {"a": 1, "b": 3})
        self.assertEqual(progress.known_seconds(["a", "b", "c"], last, record), record)
        self.assertEqual(progress.known_seconds(list("abcde"), {**last, "c": 2, "d": 2}, {})["e"], 2)
        self.assertIsNone(progress.known_seconds(["d", "e"], last, record))

    def test_words(self):
        self.assertEqual(progress.words("cpu", 30.2, 3, 9, None), "cpu: 30 s, 3 of 9 steps")
        self.assertEqual(progress.words("cpu", 119.8, 3, 9, 200), "cpu: 2 min, 3 of 9 steps, about 3 min left")
        self.assertEqual(progress.words("cpu", 150, 8, 9, 20), "cpu: 2 min 30 s, 8 of 9 steps, about a minute left")
        self.assertEqual(progress.words("cpu", 150, 9, 9, 20), "cpu: 2 min 30 s, 9 of 9 steps")


class Builds(unittest.TestCase):
    """Ninja builds three objects, one after another. Each takes 0.4 s."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpwise-progress-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        rule = "rule cc\n  command = sleep 0.4 && touch $out\n  description = Building CXX object $out\n"
        (self.folder / "build.ninja").write_text(rule + "".join(f"build {name}.o: cc\n" for name in "abc"))
        (self.folder / "CMakeCache.txt").write_text(f"CMAKE_MAKE_PROGRAM:FILEPATH={shutil.which('ninja')}\n")

    def build(self, *options):
        ninja = subprocess.Popen(["ninja", "-j1", "-C", self.folder], stdout=subprocess.PIPE)
        done = subprocess.run([sys.executable, SCRIPT, self.folder, "--every", "0.5", *options],
                              stdin=ninja.stdout, capture_output=True, text=True, check=True, timeout=60)
        ninja.stdout.close()
        self.assertEqual(ninja.wait(), 0)
        self.assertEqual(done.stdout, "")
        return done.stderr.splitlines()

    def test_lines_count_the_steps(self):
        lines = self.build()
        self.assertRegex(lines[0], r"^warpwise-progress-\w+: \d s, [12] of 3 steps$")
        self.assertEqual(self.build(), [])  # nothing is left to do

    def test_nothing_is_left_in_the_folder(self):
        self.build("--target", "a.o")
        self.assertFalse((self.folder / "progress.ninja").exists())

    def test_objects_to_compile_and_their_seconds(self):
        self.assertEqual(progress.objects_to_compile(self.folder, None), ["a.o", "b.o", "c.o"])
        self.assertEqual(progress.objects_to_compile(self.folder, "b.o"), ["b.o"])
        self.build()
        seconds = ninja_log.seconds(ninja_log.logged(self.folder))
        self.assertEqual(sorted(seconds), ["a.o", "b.o", "c.o"])
        self.assertTrue(all(0.3 < each < 20 for each in seconds.values()), seconds)


if __name__ == "__main__":
    unittest.main()
