"""Tests `bench` from outside: its list, refused calls, and its Python part. scripts/gpu-bundle.sh tests its times."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import WARPWISE, CommandTest

SOURCES = pathlib.Path(__file__).resolve().parents[2]


def listing():
    return subprocess.run([WARPWISE, "bench", "--list"], capture_output=True, text=True, check=False)


HAS_CASES = "built without CUDA" not in listing().stderr


@unittest.skipUnless(HAS_CASES, "the command is built without CUDA, so its bench has no cases")
class Bench(CommandTest):
    def test_list_needs_no_gpu(self):
        lines = self.succeed("bench", "--list").stdout.decode().splitlines()
        primitives = {line.split()[0] for line in lines}
        self.assertLessEqual({"convert", "copy", "disparity", "find", "gemv", "match", "sobel", "threshold"}, primitives)
        for peer in ("NPP ", "cuBLAS ", "cudaMemcpyAsync"):
            self.assertTrue(any(peer in line for line in lines), peer)

    def test_names_and_filters_select(self):
        lines = self.succeed("bench", "sobel", "--filter", "l2", "--list").stdout.decode().splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^sobel .*l2")

    def test_bad_input(self):
        self.fail_with(2, "bench", "sobl", says=["sobl", "did you mean", "sobel"])
        self.fail_with(2, "bench", "--filter", "nothing has this", says=["--list"])
        self.fail_with(2, "bench", "--fail-on-regression", "5", says=["--against"])
        for percent in ("x", "-1", "5%"):
            self.fail_with(2, "bench", "--against", "r.json", "--fail-on-regression", percent, says=["--fail-on-regression"])
        self.fail_with(1, "bench", "--against", "nowhere.json", says=["nowhere.json"])
        pathlib.Path("record.json").write_text('{"rows": []}', encoding="utf-8")
        self.fail_with(2, "bench", "--against", "record.json", says=["record.json", "no record of warpwise bench"])
        pathlib.Path("machine.json").write_text("[]", encoding="utf-8")
        self.fail_with(2, "bench", "--machine", "machine.json", says=["machine.json", "JSON object"])
        self.fail_with(1, "bench", "--out", "nowhere/bench.json", says=["nowhere"])
        self.assertFalse(pathlib.Path("nowhere").exists())


class PythonPeers(unittest.TestCase):
    def run_script(self, cases, path=None):
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder) / "rows.json"
            (pathlib.Path(folder) / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
            subprocess.run([path or sys.executable, str(SOURCES / "bench/python_peers.py"), f"{folder}/cases.json", str(rows)],
                           check=True, timeout=60)
            return json.loads(rows.read_text(encoding="utf-8"))

    def test_what_is_missing_is_named(self):
        report = self.run_script([{"primitive": "copy", "variant": "u8 image", "width": 64, "height": 48, "case": 0}])
        self.assertEqual(set(report["libraries"]) | set(report["missing"]), {"NumPy", "OpenCV", "PyTorch", "CuPy", "kornia-rs", "CV-CUDA"})
        self.assertFalse(set(report["libraries"]) & set(report["missing"]))
        for row in report["rows"]:
            self.assertEqual((row["width"], row["case"]), (64, 0))
            self.assertTrue(row.get("reason") or min(row["us"]) > 0)

    @unittest.skipUnless(HAS_CASES, "the command is built without CUDA, so its bench has no cases")
    def test_every_kind_of_work_is_a_case_of_the_bench(self):
        listed = listing().stdout
        work = re.findall(r'\("(\w+)", r"([^"]+)", \w+\)', (SOURCES / "bench/python_peers.py").read_text(encoding="utf-8"))
        self.assertGreater(len(work), 5)
        for primitive, pattern in work:
            self.assertRegex(listed, rf"(?m)^{primitive} +{pattern} +warpwise ")


if __name__ == "__main__":
    unittest.main()
