"""Tests that the object that each command prints with --json fits docs/command.schema.json."""

import json
import os
import pathlib
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

from run_support import EMULATED
from support import HAS_IMAGES, HAS_VIDEO, CommandTest, help_pages, npy, png, ramp, runs_rungs, sample, write

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/command.schema.json"
EXAMPLE = str(pathlib.Path(__file__).resolve().parents[2] / "examples/transpose.cu")
LAUNCH = ["--grid", "8,8", "--block", "32,32", "--arg", "f32[65536]", "--arg", "f32[65536]:iota", "--arg", "i32:256"]


@unittest.skipIf(jsonschema is None, "Python's jsonschema is not installed (scripts/packages.sh --test)")
class Schema(CommandTest):
    def setUp(self):
        super().setUp()
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)
        for name, step in [("a.npy", 3), ("b.npy", 5)]:
            write(name, npy("|u1", (40, 64), ramp(40 * 64, step)))

    def check(self, *arguments, code=0):
        done = self.run_command(*arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        report = json.loads(done.stdout)
        error = jsonschema.exceptions.best_match(self.validator.iter_errors(report))
        self.assertIsNone(error, f"{arguments}: {error and (error.message, list(error.absolute_path))}")
        return report

    def calls(self):
        """Returns for each subcommand a call with --json, by the subcommand's words."""
        stream = ["test:bars", "null", "--frames", "2", "--size", "64x40"]
        return {("convert",): ["a.npy", "out.npy", "--to", "gray8"], ("sobel",): ["a.npy", "out.npy"],
                ("threshold",): ["a.npy", "out.npy", "--mean", "mean.npy"],
                ("match",): ["a.npy", "b.npy", "out.csv", "--block-size", "8"],
                ("disparity",): ["a.npy", "b.npy", "out.pfm", "--max-disparity", "8"], ("find",): ["a.npy", "b.npy"],
                ("track",): ["a.npy", "b.npy", "out.csv", "--box", "9,9,8,8", "--search", "4"],
                ("gemv",): [sample("matrix.npy"), sample("vector.npy"), "y.npy"], ("stream",): stream, ("devices",): [],
                ("lab", "list"): [], ("lab", "occupancy"): ["--block-threads", "64,1000", "--cc", "1.3,9.0"],
                ("explain",): [EXAMPLE], ("lab", "run"): ["copy/scalar", "--on", "emulator", "--size", "64x64"],
                ("lab", "predict"): ["copy/scalar", "--profile", "h200", "--size", "4096x1"]}

    def test_every_command_with_json_is_run_here(self):
        with_json = {tuple(page.path[1:]) for page in help_pages() for option in page.options if "--json" in option.names}
        self.assertEqual(with_json, set(self.calls()))

    def test_each_command(self):
        for words, arguments in self.calls().items():
            if words[0] not in ("lab", "explain") or words[-1] in ("list", "occupancy"):
                with self.subTest(command=words):
                    self.check(*words, *arguments)

    def test_one_stage_of_a_stream(self):
        few = ["test:bars", "null", "--frames", "2", "--size", "64x40"]
        for command in [["sobel"], ["convert", "--to", "i444"], ["threshold", "--window", "3"], ["match"], ["disparity"]]:
            self.assertEqual(self.check(*command, *few)["command"], command[0])

    def test_failures(self):
        write("broken.npy", b"\x93NUMPY\x01\0")
        report = self.check("sobel", "a.npy", "broken.npy", "out", "--keep-going", code=1)
        self.assertEqual(report["errors"][0]["input"], "broken.npy")

    @unittest.skipUnless(HAS_IMAGES, "not every image module is in this build")
    def test_folders_and_what_is_dropped(self):
        os.mkdir("in")
        write("in/a.png", png(16, 8, 8, 6, ramp(16 * 8 * 4)))
        write("in/notes.txt", b"x")
        self.assertIn("skipped", self.check("sobel", "in", "out"))
        self.assertIn("not_held", self.check("stream", "in", "pipe.y4m"))

    @unittest.skipUnless(HAS_VIDEO, "the module for videos is not in this build")
    def test_a_video(self):
        self.check("stream", sample("street.avi"), "null", "--frames", "2")
        self.check("track", sample("street.avi"), "out.csv", "--box", "300,250,40,40")

    @unittest.skipUnless(HAS_IMAGES and HAS_VIDEO, "not every module is in this build")
    def test_frames_of_more_than_8_bits(self):
        os.mkdir("in")
        write("in/a.png", png(16, 8, 16, 0, ramp(16 * 8 * 2)))
        report = self.check("stream", "in", "deep.mkv", "--pipeline", "sobel")
        self.assertEqual(report["source"]["frames"]["depth"], 16)

    @runs_rungs
    def test_the_laboratory(self):
        calls = self.calls()
        for words in [("explain",), ("lab", "run"), ("lab", "predict")]:
            self.check(*words, *calls[words])
        self.check("explain", EXAMPLE, "--kernel", "transpose_naive", *LAUNCH)
        self.check("explain", EXAMPLE, EXAMPLE, "--kernel", "transpose_naive", "--kernel", "transpose_tiled", *LAUNCH)
        self.check("lab", "run", "copy/scalar", "widths", "--on", "emulator", "--size", "64x64")

    @runs_rungs
    @unittest.skipUnless(os.path.exists(os.path.join(EMULATED, "libcudart.so.13")), "no emulated CUDA runtime in this build")
    def test_a_primitive_explained(self):
        self.check("explain", "sobel", "--size", "64x48")

    def test_the_schema_is_not_empty_words(self):
        report = self.check("sobel", "a.npy", "out.npy")
        for change in [{"command": "blur"}, {"more": 1}, {"milliseconds": -1}, {"files": [{"input": "a.npy"}]}]:
            self.assertFalse(self.validator.is_valid({**report, **change}), change)
        del report["backend"]
        self.assertFalse(self.validator.is_valid(report))


if __name__ == "__main__":
    unittest.main()
