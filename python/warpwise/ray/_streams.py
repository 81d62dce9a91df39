"""Videos that `warpwise stream` decodes and computes on a GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Generator, Sequence

import numpy

import warpwise

from ._files import first_frame
from ._pipeline import Picture, Pipeline, shown

# For these codecs, and for all frames that are taken here, the GPU's decoders give the same bytes as the CPU's.
CODECS = ("h264", "hevc", "vp8", "vp9")
ON_GPU = ("--backend", "cuda", "--decode", "gpu")


def streamed(path: str, pipeline: Pipeline, place: Sequence[str] = ON_GPU) -> Generator[Picture, None, bool]:
    """Yields a pipeline's results for a video's frames, as grey or RGB. The command decodes and computes them.

    place  the command's options for the device that decodes and computes

    Returns True after the last frame's result, or False if there is no command, the codec is not in CODECS, or the
    stream has failed. The caller then makes the remaining results. Raises BadInput for a video that is not taken.
    """
    command = os.environ.get("WARPWISE") or shutil.which("warpwise")
    codec, first = first_frame(path)
    if command is None or codec not in CODECS:
        return False
    try:
        result = shown(pipeline(first))
    except warpwise.InvalidArgument:
        return False
    # PyAV takes the first track, and a cover picture's codec is none of CODECS. Without --track the command may take another track.
    words = [command, "stream", path, f"pipe:{result.format}", "--no-autorotate", "--track", "1", *place]
    if pipeline.text:
        words += ["--pipeline", pipeline.text]
    try:
        started = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    with started as process:
        assert process.stdout is not None
        try:
            while len(pixels := process.stdout.read(result.pixels.nbytes)) == result.pixels.nbytes:
                yield result._replace(pixels=numpy.frombuffer(pixels, numpy.uint8).reshape(result.pixels.shape))
            return process.wait() == 0 and not pixels
        finally:
            process.kill()
