"""Runs files through a pipeline into a folder, in this process or on a cluster."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import pathlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import warpwise

from ._cluster import ATTEMPTS, on_cluster
from ._files import PARTIAL, VIDEOS, version
from ._pipeline import Pipeline
from ._work import FileActor, Row, Work, reason_of

MANIFEST = "manifest.jsonl"
# Files of one task: enough to make its start cheap, and few enough to lose little when a worker dies.
INPUTS_OF_TASK = 16
# A dying worker loses its whole task. Files of tasks that failed at every attempt are tried again one by one: a file that
# kills its worker then does not stop the others.
ROUNDS = (INPUTS_OF_TASK, 1)
# Formats of Pillow that are ignored in folders. Pillow only writes PALM and PDF, runs Ghostscript for EPS, knows MPEG
# only by name, and has no decoders for the others.
NO_PICTURES = ("BUFR", "EPS", "GRIB", "HDF5", "MPEG", "PALM", "PDF", "WMF")


class Counts(NamedTuple):
    """Numbers of pictures and frames: written by this run, found from an earlier run, and failed."""

    made: int
    there: int
    failed: int


def process(inputs: Sequence[str], out: str, pipeline: str, *, cluster: Optional[str] = None, device: str = "cpu",
            workers: Optional[int] = None, progress: Callable[[Row], None] = lambda row: None) -> Counts:
    """Runs a pipeline on each picture and each frame of each video. Writes PNG files and manifest.jsonl into a folder.

    inputs    files and folders. Every worker must see them, and `out`, under the same path
    out       folder for the results, created if needed. It is left out of the inputs, and of input folders
    pipeline  stages as in `warpwise stream`, the same as for PipelineActor
    cluster   None: this process alone; "local": a new Ray on this machine; "auto" or "ray://HOST:PORT": a running Ray
    device    "cpu" or "cuda"; with "cuda" workers share the GPUs
    workers   number of workers, by default and at most the number of the cluster's CPUs
    progress  called with each row of the manifest

    A result's name is a hash of the input's path, its bytes, the frame's number, the pipeline, and the versions of
    Warpwise, the decoders and the encoder. Existing results are not computed again, so a second run continues an
    interrupted one.

    The manifest lists a file that fails with the reason, and a folder that cannot be read. A full disk ends the run; the
    manifest then lists all inputs that were not done. A run that ends replaces the manifest of the run before.

    Raises:
    - TypeError: `inputs` is one path
    - InvalidArgument, NoCudaDevice: an argument is invalid, `out` is the only input; Ray, its resources or a GPU are missing
    - OSError: the manifest cannot be written
    - BlockingIOError: another run writes into `out`
    """
    Pipeline(pipeline, encoded=True)
    if workers is not None and workers < 1:
        raise warpwise.InvalidArgument(f"workers is {workers}, but must be 1 or more")
    out = os.path.abspath(out)
    paths, unread = inputs_of(inputs, out)
    os.makedirs(os.path.join(out, PARTIAL), exist_ok=True)
    counts = {"made": 0, "there": 0, "failed": 0}
    with _alone_in(out), _manifest_in(out) as manifest:
        work = Work(pipeline, out, device, version(), 0 if cluster is None else 1)
        for row in itertools.chain(unread, _rows(paths, work, cluster, workers)):
            counts[row.status] += 1
            said = {key: value for key, value in row._asdict().items() if value not in ("", None) and key != "out_is_full"}
            manifest.write(json.dumps(said) + "\n")
            progress(row)
    return Counts(**counts)


def inputs_of(paths: Sequence[str], out: str) -> tuple[list[str], list[Row]]:
    """Returns the named files, and all pictures and videos below the named folders, each path once; and a row for each
    folder that cannot be read. Leaves `out` out, since its pictures are results."""
    from PIL import Image

    if isinstance(paths, (str, bytes, os.PathLike)):  # a str would be a list of characters, and / be walked
        raise TypeError("inputs is one path, but must be a list of paths")
    known = (*(suffix for suffix, format in Image.registered_extensions().items() if format not in NO_PICTURES), *VIDEOS)
    out = os.path.realpath(out)
    found: dict[str, None] = {}
    unread: dict[str, Row] = {}

    def add_unread(error: OSError) -> None:
        folder = os.fspath(error.filename)
        unread[folder] = Row(folder, None, "failed", "", reason_of(error))

    others = [path for path in map(os.path.abspath, paths) if os.path.realpath(path) != out]
    if paths and not others:
        raise warpwise.InvalidArgument(f"{out} is the only input, and the folder for the results")
    for path in others:
        if os.path.isdir(path):
            for folder, folders, files in os.walk(path, onerror=add_unread):
                folders[:] = sorted(name for name in folders if os.path.realpath(os.path.join(folder, name)) != out)
                found.update((os.path.join(folder, name), None) for name in sorted(files) if name.lower().endswith(known))
        elif os.path.exists(path) and not os.path.isfile(path):
            raise warpwise.InvalidArgument(f"{path} is neither a file nor a folder")
        else:
            found[path] = None
    return list(found), list(unread.values())


@contextlib.contextmanager
def _alone_in(out: str) -> Iterator[None]:
    """Locks `out` and removes unfinished files of dead workers. The system unlocks it if this process dies."""
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
    """Opens the manifest under a name with .partial, and renames it when the run ends without an exception."""
    path = os.path.join(out, MANIFEST)
    with open(path + ".partial", "w") as file:
        yield file
    os.replace(path + ".partial", path)


def _rows(paths: list[str], work: Work, cluster: Optional[str], workers: Optional[int]) -> Iterator[Row]:
    """Yields rows for every input, each result once, even if a task ran twice."""
    seen: set[tuple[str, Optional[int]]] = set()
    left = dict.fromkeys(paths)
    with contextlib.ExitStack() as stack:
        rows_of = _here(work) if cluster is None else stack.enter_context(on_cluster(work, cluster, workers))
        for inputs_of_task in ROUNDS:
            for row in rows_of(list(left), inputs_of_task):
                if row.frame is None:
                    left.pop(row.input, None)
                if (row.input, row.frame) not in seen and row.status != "end":
                    yield row
                seen.add((row.input, row.frame))
                if row.out_is_full:
                    yield from (Row(path, None, "failed", "", "not processed: the disk of OUT is full") for path in left)
                    return
    yield from (Row(path, None, "failed", "", f"its worker died, {len(ROUNDS) * ATTEMPTS} times") for path in left)


def _here(work: Work) -> Callable[[list[str], int], Iterator[Row]]:
    actor = FileActor(work)
    return lambda paths, inputs_of_task: (row for path in paths for row in actor.rows(path))
