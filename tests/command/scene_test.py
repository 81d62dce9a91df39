#!/usr/bin/env python3
"""Tests the source scene: of `warpwise stream`, whose frames OpenGL draws."""

import functools
import json
import os
import resource
import unittest

from support import HAS_SCENE, SANITIZED, CommandTest, draws, gpu_environment, npy_parts

FAILED, USAGE = 1, 2
SMALL = ["--size", "64x48"]


@unittest.skipUnless(HAS_SCENE, "this build has no module for frames that OpenGL draws")
@unittest.skipIf(SANITIZED, "OpenGL's drivers leak in their own code")
class SceneTest(CommandTest):
    def stream(self, *arguments, backend="cpu", **options):
        return self.succeed("stream", "scene:", *arguments, "--backend", backend, **options)

    def report(self, *arguments, **options):
        return json.loads(self.stream(*arguments, "--json", **options).stdout)


@unittest.skipUnless(draws(), "no driver draws with OpenGL here (scripts/packages.sh --test)")
class Frames(SceneTest):
    def test_report(self):
        report = self.report("null", *SMALL, "--fps", "60", "--frames", "3")
        self.assertEqual((report["read"], report["written"]), (3, 3))
        frames = report["source"]["frames"]
        self.assertEqual((frames["width"], frames["height"], frames["format"], frames["fps"]), (64, 48, "rgba32", 60))
        self.assertTrue(report["source"]["name"].startswith("scene: ("), report["source"]["name"])
        self.assertNotIn("interop", report)

    def test_frames_turn_and_are_the_same_each_time(self):
        first = self.stream("pipe:rgb24", *SMALL, "--frames", "4").stdout
        self.assertEqual(first, self.stream("pipe:rgb24", *SMALL, "--frames", "4", "--format", "rgb24").stdout)
        frames = {first[i:i + 64 * 48 * 3] for i in range(0, len(first), 64 * 48 * 3)}
        self.assertEqual(len(frames), 4)

    def test_edges_are_those_of_sobel(self):
        self.stream("frames/%d.npy", *SMALL, "--frames", "2", "--format", "rgb24")
        edges = self.stream("pipe:gray8", *SMALL, "--frames", "2", "--pipeline", "sobel").stdout
        for i in (1, 2):
            self.succeed("sobel", f"frames/{i}.npy", "edges.npy", "--backend", "cpu")
            part = edges[(i - 1) * 64 * 48:i * 64 * 48]
            self.assertEqual(npy_parts("edges.npy")[2], part)
            self.assertGreater(sum(value > 128 for value in part), 100)

    def test_more_than_memory_holds(self):
        name = self.report("null", *SMALL, "--frames", "1")["source"]["name"]
        if "llvmpipe" not in name:
            self.skipTest("only of Mesa's llvmpipe is it known what it takes: " + name)
        size = ["--size", "16384x16384"]  # 1 GiB of colours, and 1 GiB of depth
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (3 << 29, 3 << 29))
        self.fail_with(FAILED, "stream", "scene:", "null", *size, says="16384x16384", preexec_fn=limit)

    def test_on_a_gpu(self):
        environment = gpu_environment()
        if environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")
        for pipeline in ["", "sobel", "ycbcr32 | sobel | threshold window=5", "match block-size=8 search=2"]:
            words = [*SMALL, "--frames", "5", "--pipeline", pipeline]
            wanted = self.stream("pipe:rgb24", *words).stdout
            for more in [[], ["--no-interop"]]:
                done = self.stream("pipe:rgb24", *words, *more, backend="cuda", env=environment)
                self.assertEqual(done.stdout, wanted, (pipeline, more))
                told = b", by the host (--no-interop)\n" if more else b", shared with CUDA\n"
                # OpenGL may draw on another device than CUDA's. The command then says why frames pass through the host.
                # Either message is right here.
                self.assertTrue(told in done.stderr or not more and b", by the host (OpenGL" in done.stderr,
                                done.stderr)
        taken = self.report("null", *SMALL, "--frames", "2", backend="cuda", env=environment)["interop"]
        self.assertEqual(taken["taken"], "why_not" not in taken)
        if "LD_LIBRARY_PATH" in environment and "emulated" in environment["LD_LIBRARY_PATH"]:
            self.assertTrue(taken["taken"])
        refused = self.report("null", *SMALL, "--frames", "2", "--no-interop", backend="cuda", env=environment)
        self.assertEqual(refused["interop"], {"taken": False, "why_not": "--no-interop"})


class Refusals(SceneTest):
    def test_called_wrongly(self):
        self.fail_with(USAGE, "stream", "scene:1280x720@60", "null", says=["scene:", "--size", "--fps"])
        self.fail_with(USAGE, "stream", "scene:", "null", "--fps", "0", says="'0' is no rate")
        if draws():
            self.fail_with(USAGE, "stream", "scene:", "null", "--format", "nv12", says=["nv12", "rgba32"])
            self.fail_with(USAGE, "stream", "scene:", "null", "--size", "1000000x2", says="at most")

    def test_without_a_driver(self):
        nowhere = dict(os.environ, __EGL_VENDOR_LIBRARY_FILENAMES=os.path.abspath("none.json"))
        self.fail_with(FAILED, "stream", "scene:", "null", env=nowhere, says=["OpenGL 3.3", "libegl-mesa0"])


if __name__ == "__main__":
    unittest.main()
