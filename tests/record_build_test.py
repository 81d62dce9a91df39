"""Tests scripts/record-build.py: the values that it reads from the demo's output and files, and from Ninja's log."""

import importlib.util
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/record-build.py"
sys.path.insert(0, str(SCRIPT.parent))
specification = importlib.util.spec_from_file_location("record_build", SCRIPT)
record_build = importlib.util.module_from_spec(specification)
specification.loader.exec_module(record_build)

SAID = """Built warpwise_first_picture of build/release in 20 s, 31 s of CPU (CPU and CUDA paths)
A first picture after 20 s: /root/with-cuda/demo-output/first-edges.png
Built build/release in 300 s, 570 s of CPU (CPU and CUDA paths)
"""


class FakeSystem:
    """Stands in for a Debian system: a script leaves files and prints lines, as the demo does."""

    def __init__(self, root):
        self.root = root

    def run(self, clone, command):
        if command == "scripts/demo.sh":
            (clone / "demo-output").mkdir()
            (clone / "demo-output/first-edges.png").write_bytes(b"a picture")
        else:
            library = self.root / "root/installed/lib"
            library.mkdir(parents=True)
            (library / "libwarpwise.so.0.1").write_bytes(bytes(100))
            (library / "libwarpwise.so").symlink_to("libwarpwise.so.0.1")
            (library / "other").write_bytes(bytes(11))
        return SAID, {"wall_s": 330.0, "cpu_s": 640.0}


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warpwise-record-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.clone = self.root / "clone"
        (self.clone / "build/release/lib").mkdir(parents=True)

    def test_a_demo_has_the_seconds_of_both_builds(self):
        demo = record_build.demo(FakeSystem(self.root), self.clone, True)
        self.assertEqual(demo["build"], {"wall_s": 320, "cpu_s": 601})
        self.assertEqual((demo["cuda"], demo["wall_s"], demo["cpu_s"]), (True, 330.0, 640.0))
        self.assertLess(abs(demo["first_picture_s"]), 10)

    def test_objects_the_longest_first(self):
        (self.clone / "build/release/.ninja_log").write_text(
            "# ninja log v5\n0\t1500\t1\ta.cpp.o\tf\n0\t99\t1\tlib/a.so\tf\n10\t2250\t1\tcmake_pch.hxx.gch\tf\n7\t", encoding="utf-8")
        self.assertEqual(list(record_build.objects(self.clone).items()), [("cmake_pch.hxx.gch", 2.2), ("a.cpp.o", 1.5)])

    def test_sizes_count_no_link(self):
        (self.clone / "build/release/lib/libwarpwise.so").write_bytes(bytes(100))
        wheel = self.root / "a.whl"
        wheel.write_bytes(bytes(7))
        system = FakeSystem(self.root)
        self.assertEqual(record_build.sizes(system, self.clone, wheel), {"library": 100, "installation": 111, "wheel": 7})


if __name__ == "__main__":
    unittest.main()
