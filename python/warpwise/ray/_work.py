"""Processes one file on a worker."""

from __future__ import annotations

import errno
import functools
import io
import itertools
import json
import os
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple, Optional

import warpwise

from ._actor import Device
from ._files import VIDEOS, BadInput, decode, digest_of, encode, frames, output_name, version, write_once
from ._pipeline import Picture, Pipeline
from ._streams import streamed

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
            for row in self.rows(os.fsdecode(path)):
                yield {"row": [json.dumps(row)]}

    def rows(self, path: str) -> Iterator[Row]:
        """Yields the rows of one file. Every failure becomes a row."""
        frame: Optional[int] = None
        try:
            if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe or a device may never end
                raise BadInput("is no file")
            if path.lower().endswith(VIDEOS):
                with open(path, "rb") as file:
                    digest = digest_of(file)
                for frame, made in enumerate(self._frames(path)):
                    yield self._row(path, digest, frame, made)
                if frame is None:
                    raise BadInput("has no frames")
                yield Row(path, None, "end", "", "")
            else:
                with open(path, "rb") as file:
                    data = file.read()
                yield self._row(path, digest_of(io.BytesIO(data)), None, lambda: self._made(decode(data)))
        except Exception as error:
            where = "" if frame is None else f"at or after frame {frame}: "
            is_full = isinstance(error, OSError) and error.errno in FULL
            yield Row(path, None, "failed", "", where + reason_of(error), is_full)

    def _frames(self, path: str) -> Iterator[Callable[[], bytes]]:
        """Yields a function for each frame of a video. The function makes the file of the frame's result."""
        count = (yield from self._streamed(path)) if self.device.name == "cuda" else 0
        if count is not None:
            for source in itertools.islice(frames(path), count, None):
                yield functools.partial(self._made, source)

    def _streamed(self, path: str) -> Generator[Callable[[], bytes], None, Optional[int]]:
        """Yields a function as _frames() does for each frame that a GPU decodes. Returns their number, or None: all."""
        results = streamed(path, self.pipeline)
        for count in itertools.count():
            try:
                result = next(results)
            except StopIteration as end:
                return None if end.value else count
            yield functools.partial(encode, result, _same)
        raise AssertionError

    def _made(self, source: Picture) -> bytes:
        return encode(self.pipeline(source._replace(pixels=self.device.put(source.pixels))), self.device.get)

    def _row(self, path: str, digest: bytes, frame: Optional[int], made: Callable[[], bytes]) -> Row:
        name = output_name(path, digest, frame, self.pipeline.text)
        if os.path.exists(os.path.join(self.out, name)):
            return Row(path, frame, "there", name, "")
        write_once(self.out, name, made())
        return Row(path, frame, "made", name, "")


def _same(pixels: Any) -> Any:
    return pixels


def reason_of(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
