"""Tests the scripts behind docs/how-it-is-tested.md: soak.py's definition of growth, and sums of records."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import coverage  # noqa: E402
import fuzzing  # noqa: E402
import recording  # noqa: E402
import soak  # noqa: E402


def samples(memory, handles, threads, count=200):
    return {"seconds": list(range(count)), "resident_kib": [memory(i) for i in range(count)], "handles": [handles(i) for i in range(count)],
            "threads": [threads(i) for i in range(count)]}


class Soak(unittest.TestCase):
    def wrong(self, memory=lambda i: 50000 + 500 * (i % 3), handles=lambda i: 3 + i % 2, threads=lambda i: 5):
        return soak.judged(samples(memory, handles, threads))[1]

    def test_flat(self):
        self.assertEqual(self.wrong(), [])

    def test_a_start_may_grow(self):
        self.assertEqual(self.wrong(memory=lambda i: min(1000 * i, 15000)), [])

    def test_growth(self):
        self.assertEqual(self.wrong(memory=lambda i: 50000 + 20 * i), ["memory rose by 3580 KiB"])
        self.assertEqual(self.wrong(handles=lambda i: 3 + i // 100), ["handles rose from 3 to 4"])
        self.assertEqual(self.wrong(threads=lambda i: 5 + i // 175), ["threads rose from 5 to 6"])

    def test_too_few_samples(self):
        self.assertEqual(soak.judged(samples(lambda i: 1, lambda i: 1, lambda i: 1, 5))[1], ["too few samples"])


class Fuzzing(unittest.TestCase):
    def test_sessions_add_up(self):
        record = {"date": "", "targets": {}}
        figures = {"runs": 10, "cpu_seconds": 3, "corpus_before": 1, "corpus_after": 2, "findings": 0}
        head = {"date": "2026-01-02", "commit": "a", "compiler": "c", "seed": 1}
        for _ in range(2):
            fuzzing.add(record, {**head, "targets": {"png": figures}})
        self.assertEqual(record["date"], "2026-01-02")
        png = record["targets"]["png"]
        self.assertEqual((png["runs"], png["cpu_seconds"], png["findings"], png["sessions"]), (20, 6, 0, [{**head, **figures}] * 2))


class Coverage(unittest.TestCase):
    def test_rooms(self):
        for path, rooms in [("warpwise/io/bmp.cpp", ["io"]), ("warpwise/emulator/device.cpp", ["emulator"]),
                            ("warpwise/emulator/observe/races.cpp", ["emulator/observe", "races"]),
                            ("warpwise/primitives/sobel/cpu.cpp", ["primitives/sobel"]), ("warpwise/live/gl/scene.cpp", ["live"])]:
            self.assertEqual(coverage.rooms_of(path), ["whole", *rooms])

    def test_product(self):
        for path in ["warpwise/io/npy_test.cpp", "warpwise/warpwise.hpp", "warpwise/primitives/sobel/kernel.cuh", "tests/a/b.cpp",
                     "warpwise/rules/test_accesses.hpp"]:
            self.assertFalse(coverage.is_product(path), path)
        self.assertTrue(coverage.is_product("warpwise/io/npy.cpp"))


class Text(unittest.TestCase):
    def test_deeper_levels_stand_on_one_line(self):
        self.assertEqual(recording.text_of({"a": [1, {"b": []}], "c": {}}, 2), '{\n "a": [\n  1,\n  {"b": []}\n ],\n "c": {}\n}')


if __name__ == "__main__":
    unittest.main()
