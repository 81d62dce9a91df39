"""Files through a pipeline into a folder, by this process or by a cluster."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import warpwise

from ._cluster import ATTEMPTS, on_cluster
from ._files import PARTIAL, VIDEOS, version
from ._pipeline import Pipeline
from ._work import FileActor, Row, Work

MANIFEST = "manifest.jsonl"
# So many that starting a task costs little beside them, so few that little is done again when a worker dies.
INPUTS_OF_TASK = 16


class Counts(NamedTuple):
    """Pictures and frames: written now, found written, and not to be had."""

    made: int
    there: int
    failed: int


def process(inputs: Sequence[str], out: str, pipeline: str, *, cluster: Optional[str] = None, device: str = "cpu",
            workers: Optional[int] = None, progress: Callable[[Row], None] = lambda row: None) -> Counts:
    """Runs a pipeline on each picture and on each frame of each video, and writes PNG files and manifest.jsonl into a folder.

    inputs    files and folders, which every worker must see under the same name; so must they `out`
    pipeline  stages as of `warpwise stream`: those that PipelineActor takes
    cluster   None for this process alone, "local" for a Ray of its own, "auto" or "ray://HOST:PORT" for one that is there
    device    "cpu" or "cuda"; workers then share the GPUs
    workers   how many there are at a time, by default as many as the cluster has CPUs, which are also the most
    progress  is called with each row of the manifest

    A result's name is a hash of the input's path, its bytes, the frame's number, the pipeline, and the versions of Warpwise and of
    what decodes and encodes. What is there already is not computed again, so a run that was broken off goes on where it was.
    A file that fails is in the manifest with the reason, and a full disk ends the run, with all that was not done in it. The
    manifest is of one run: it replaces that of the run before. Raises InvalidArgument for a pipeline that is none, OSError where the manifest cannot be written, and BlockingIOError where another
    run writes into `out`.
    """
    Pipeline(pipeline)
    if workers is not None and workers < 1:
        raise warpwise.InvalidArgument(f"workers is {workers}, and is 1 or more")
    paths = inputs_of(inputs)
    out = os.path.abspath(out)
    os.makedirs(os.path.join(out, PARTIAL), exist_ok=True)
    counts = {"made": 0, "there": 0, "failed": 0}
    with _alone_in(out), _manifest_in(out) as manifest:
        for row in _rows(paths, Work(pipeline, out, device, version(), 0 if cluster is None else 1), cluster, workers):
            counts[row.status] += 1
            said = {key: value for key, value in row._asdict().items() if value not in ("", None) and key != "out_is_full"}
            manifest.write(json.dumps(said) + "\n")
            progress(row)
    return Counts(**counts)


def inputs_of(paths: Iterable[str]) -> list[str]:
    """Files as they are named, and of folders the pictures and videos in them and below; each once."""
    from PIL import Image

    known = (*Image.registered_extensions(), *VIDEOS)
    found: dict[str, None] = {}
    for path in map(os.path.abspath, paths):
        if os.path.isdir(path):
            for folder, folders, files in os.walk(path):
                folders.sort()
                found.update((os.path.join(folder, name), None) for name in sorted(files) if name.lower().endswith(known))
        elif os.path.exists(path) and not os.path.isfile(path):
            raise warpwise.InvalidArgument(f"{path} is neither a file nor a folder")
        else:
            found[path] = None
    return list(found)


@contextlib.contextmanager
def _alone_in(out: str) -> Iterator[None]:
    """Holds a lock, which the system takes back when this process dies, and removes what dead workers left unfinished."""
    with open(os.path.join(out, PARTIAL, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove_partial(out)
        try:
            yield
        finally:
            _remove_partial(out)


def _remove_partial(out: str) -> None:
    for path in pathlib.Path(out, PARTIAL).iterdir():
        if path.name != "lock":
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _manifest_in(out: str) -> Iterator[Any]:
    """One without .partial is that of a run that came to its end."""
    path = os.path.join(out, MANIFEST)
    with open(path + ".partial", "w") as file:
        yield file
    os.replace(path + ".partial", path)


def _rows(paths: list[str], work: Work, cluster: Optional[str], workers: Optional[int]) -> Iterator[Row]:
    """Of every input, each result once, whatever is done twice."""
    seen: set[tuple[str, Optional[int]]] = set()
    left = dict.fromkeys(paths)
    with contextlib.ExitStack() as stack:
        rows_of = _here(work) if cluster is None else stack.enter_context(on_cluster(work, cluster, workers))
        # A worker that dies takes its task along. What is left of tasks whose workers died again and again is tried file by file,
        # so that one that kills its workers takes no other along.
        for inputs_of_task in (INPUTS_OF_TASK, 1):
            for row in rows_of(list(left), inputs_of_task):
                if row.frame is None:
                    left.pop(row.input, None)
                if (row.input, row.frame) not in seen and row.status != "end":
                    yield row
                seen.add((row.input, row.frame))
                if row.out_is_full:
                    yield from (Row(path, None, "failed", "", "not done: the disk of OUT is full") for path in left)
                    return
    yield from (Row(path, None, "failed", "", f"its worker died, {ATTEMPTS} times") for path in left)


def _here(work: Work) -> Callable[[list[str], int], Iterator[Row]]:
    actor = FileActor(work)
    return lambda paths, inputs_of_task: (row for path in paths for row in actor.rows(path))
