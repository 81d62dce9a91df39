#!/usr/bin/env python3
"""Tests rungs of the ladders in the place of a stage of `warpwise stream`: they give the same bytes as the stage, on a
GPU or on the emulated one. Skipped, with the reason, without such a GPU or a compiler for rungs."""

import json
import unittest

from support import CommandTest, gpu_environment, has_gpu, runs_rungs

USAGE = 2
SIZE = "64x48"
# The stage, the options that its rungs need, the ladder, the format of the frames, and that of the results.
STAGES = [("sobel", "border=replicate", "sobel", "rgb24", "gray8"),
          ("threshold window=15 offset=-3", "method=exact-mean", "threshold", "gray8", "gray8"),
          ("ycbcr32", "matrix=bt601", "convert", "rgb24", "ycbcr32")]


class RungStageTest(CommandTest):
    def stream(self, pipeline, source, sink, *options, **more):
        return self.succeed("stream", "test:noise", f"pipe:{sink}", "--format", source, "--size", SIZE,
                            "--frames", "3", "--pipeline", pipeline, *options, **more).stdout

    def rungs_of(self, ladder):
        [listed] = json.loads(self.succeed("lab", "list", ladder, "--json").stdout)["ladders"]
        return [rung["name"] for rung in listed["rungs"]]


class OnAGpu(RungStageTest):
    def setUp(self):
        super().setUp()
        self.environment = gpu_environment()
        if self.environment is None:
            self.skipTest("there is neither a GPU nor an emulated one in this build")

    @runs_rungs
    def test_each_rung_gives_the_bytes_of_its_stage(self):
        for stage, options, ladder, source, sink in STAGES:
            expected = self.stream(f"{stage} {options}", source, sink, "--backend", "cpu")
            self.assertGreater(len(set(expected)), 1)
            for rung in self.rungs_of(ladder):
                pipeline = f"{stage} {options} rung={rung}"
                self.assertEqual(self.stream(pipeline, source, sink, "--backend", "cuda", env=self.environment),
                                 expected, pipeline)

    @runs_rungs
    def test_several_in_a_chain(self):
        chain = "sobel border=replicate{} | threshold window=9 method=exact-mean{}"
        expected = self.stream(chain.format("", ""), "bgr24", "gray8", "--backend", "cpu")
        rungs = chain.format(" rung=method_i", " rung=shipped")
        self.assertEqual(self.stream(rungs, "bgr24", "gray8", "--backend", "cuda", env=self.environment), expected)

    @runs_rungs
    def test_shipped_is_a_rung_like_the_others(self):
        said = self.succeed("stream", "test:noise", "null", "--size", SIZE, "--frames", "1", "--backend", "cuda",
                            "--pipeline", "ycbcr32 matrix=bt601 rung=shipped | sobel", "--json",
                            env=self.environment).stdout
        self.assertEqual([step["stage"] for step in json.loads(said)["stages"]],
                         ["ycbcr32 matrix=bt601 rung=shipped", "gray8", "sobel"])
        self.refuse("ycbcr32 matrix=bt709 rung=shipped", "bt601")
        self.refuse("sobel rung=shipped", "border=replicate")

    def refuse(self, pipeline, says, source="rgb24", size=SIZE):
        self.fail_with(USAGE, "stream", "test:bars", "null", "--format", source, "--size", size, "--pipeline",
                       pipeline, "--backend", "cuda", says=says, env=self.environment)

    @runs_rungs
    def test_sizes_that_a_rung_is_not_for(self):
        self.refuse("threshold window=5 method=exact-mean rung=texture",
                    ["rung=texture' cannot follow the source, giving gray8 33x17", "multiple of 32 bytes"],
                    "gray8", "33x17")
        self.refuse("threshold window=2053 method=exact-mean rung=prefix",
                    ["rung=prefix' cannot follow", "windows of up to 2051"], "gray8")

    @runs_rungs
    def test_what_no_rung_computes(self):
        self.refuse("sobel rung=method_i", "border=replicate")
        self.refuse("sobel border=replicate norm=l2 rung=method_i", "norm=l1")
        self.refuse("sobel border=replicate rung=method_j", ["sobel", "method_i"])
        self.refuse("ycbcr32 | sobel border=replicate rung=method_i",
                    ["'ycbcr32', giving ycbcr32 64x48, converted to gray8", "take rgba32"])
        self.refuse("ycbcr32 matrix=bt709 rung=input", "the source, giving rgba32 64x48, converted to rgb24",
                    "rgba32")
        self.refuse("threshold window=9 rung=prefix", "method=exact-mean")
        self.refuse("threshold window=9 method=exact-mean offset=0.5 rung=prefix", "whole offset")
        self.refuse("ycbcr32 matrix=bt709 rung=warp", "bt601")
        self.refuse("rgb24 rung=warp", "rung")


class OnACpu(RungStageTest):
    def test_rungs_need_a_gpu(self):
        says = "--backend cuda" if has_gpu() else "no CUDA device"
        self.fail_with(USAGE, "stream", "test:bars", "null", "--pipeline", "sobel border=replicate rung=method_i",
                       "--backend", "cpu", says=["rungs need a GPU", says])


if __name__ == "__main__":
    unittest.main()
