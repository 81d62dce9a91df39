"""Processes one file on a worker."""

from __future__ import annotations

import errno
import functools
import io
import json
import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional

import warpwise

from ._actor import Device
from ._files import VIDEOS, BadInput, decode, digest_of, encode, frames, output_name, version, write_once
from ._pipeline import Picture, Pipeline

FULL = (errno.ENOSPC, errno.EDQUOT)


class Row(NamedTuple):
    """A line of the manifest: the outcome for a picture or for a frame of a video."""

    input: str
    frame: Optional[int]  # None for a picture, and in the last row of a video
    status: str  # "made", "there" (from an earlier run), "failed", or "end" of a video, which is not in the manifest
    output: str  # below OUT, or ""
    reason: str  # or ""
    out_is_full: bool = False


class Work(NamedTuple):
    """The work for each file.

    version  version() in the process that started the run
    threads  most threads that a worker uses for the stages; 0: no limit
    """

    pipeline: str
    out: str
    device: str
    version: str
    threads: int


class FileActor:
    """Reads files, writes results and yields the manifest's rows; an actor for `map_batches`, like `PipelineActor`."""

    def __init__(self, work: Work) -> None:
        if version() != work.version:
            raise RuntimeError(f"this worker has {version()}, and the run was started with {work.version}: results would differ")
        if work.threads:
            warpwise.limit_threads(work.threads)
        self.pipeline = Pipeline(work.pipeline)
        self.out = work.out
        self.device = Device(work.device)

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for path in batch["input"]:
            for row in self.rows(str(path)):
                yield {"row": [json.dumps(row)]}

    def rows(self, path: str) -> Iterator[Row]:
        """Yields the rows of one file. Every failure becomes a row."""
        frame: Optional[int] = None
        try:
            if path.lower().endswith(VIDEOS):
                with open(path, "rb") as file:
                    digest = digest_of(file)
                for frame, source in enumerate(frames(path)):
                    yield self._row(path, digest, frame, functools.partial(_same, source))
                if frame is None:
                    raise BadInput("has no frames")
                yield Row(path, None, "end", "", "")
            else:
                with open(path, "rb") as file:
                    data = file.read()
                yield self._row(path, digest_of(io.BytesIO(data)), None, functools.partial(decode, data))
        except Exception as error:
            where = "" if frame is None else f"at or after frame {frame}: "
            is_full = isinstance(error, OSError) and error.errno in FULL
            yield Row(path, None, "failed", "", where + _reason(error), is_full)

    def _row(self, path: str, digest: bytes, frame: Optional[int], source: Callable[[], Picture]) -> Row:
        name = output_name(path, digest, frame, self.pipeline.text)
        if os.path.exists(os.path.join(self.out, name)):
            return Row(path, frame, "there", name, "")
        picture = source()
        result = self.pipeline(picture._replace(pixels=self.device.put(picture.pixels)))
        write_once(self.out, name, encode(result, self.device.get))
        return Row(path, frame, "made", name, "")


def _same(picture: Picture) -> Picture:
    return picture


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
