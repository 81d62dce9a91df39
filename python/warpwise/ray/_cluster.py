"""Runs files on Ray: on a cluster started here, or on an existing one."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional

import warpwise

from ._work import FileActor, Row, Work

ATTEMPTS = 3  # attempts at a task whose worker dies


@contextlib.contextmanager
def on_cluster(work: Work, address: str, workers: Optional[int]) -> Iterator[Callable[[list[str], int], Iterator[Row]]]:
    """Yields a function rows_of(paths, inputs_of_task), which yields rows as tasks end. A task whose worker died
    ATTEMPTS times yields no rows."""
    ray = _started(address, workers)
    try:
        there = {resource: int(ray.cluster_resources().get(resource, 0)) for resource in ("CPU", "GPU")}
        for resource in ("CPU", "GPU") if work.device == "cuda" else ("CPU",):
            if there[resource] == 0:
                raise warpwise.InvalidArgument(f"the cluster has no {resource}s")
        # Ray Data must run inside the cluster, and this process may be only a client. Ray Data's output stays there, too.
        count = min(workers or there["CPU"], there["CPU"])
        needs = {"num_cpus": 1.0}
        if work.device == "cuda":
            needs["num_gpus"] = share_of_gpu(count, there["GPU"])
        run = ray.remote(num_cpus=0)(Run).remote(work, count, needs)

        def rows_of(paths: list[str], inputs_of_task: int) -> Iterator[Row]:
            ray.get(run.begin.remote(paths, inputs_of_task))
            while rows := ray.get(run.next_rows.remote()):
                yield from rows
        yield rows_of
    finally:
        ray.shutdown()


def _started(address: str, workers: Optional[int]) -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise warpwise.InvalidArgument(f"for --cluster Ray is needed: pip install 'warpwise[ray]' ({error})") from None
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address == "local":
        # Rows are small and pictures do not pass through the object store, so 256 MiB is ample.
        ray.init("local", num_cpus=workers or len(os.sched_getaffinity(0)), object_store_memory=1 << 28, include_dashboard=False,
                 **quiet)
    else:
        ray.init(address, **quiet)
    return ray


def share_of_gpu(workers: int, gpus: int) -> float:
    """Returns the share of a GPU that each worker requests, so that all workers fit, in Ray's unit of 1/10000.

    Workers can share a GPU: decoding and encoding take a core twenty times as long as stages and copies take the GPU.
    """
    on_each = -(-workers // gpus)
    return 10000 // on_each / 10000


class Run:
    """Drives Ray Data from a process of the cluster."""

    def __init__(self, work: Work, workers: int, needs: dict[str, float]) -> None:
        self.work = work
        self.workers = workers
        self.needs = needs
        self.rows: Iterator[Row] = iter(())

    def begin(self, paths: list[str], inputs_of_task: int) -> None:
        self.rows = self._rows(paths, inputs_of_task)

    def next_rows(self) -> list[Row]:
        """Returns the rows of the next half second, at least one; an empty list at the end."""
        rows: list[Row] = []
        end = time.monotonic() + 0.5
        for row in self.rows:
            rows.append(row)
            if time.monotonic() > end:
                break
        return rows

    def _rows(self, paths: list[str], inputs_of_task: int) -> Iterator[Row]:
        if not paths:
            return
        import pyarrow
        import ray.data

        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.max_errored_blocks = -1  # the caller retries their inputs
        # With few files tasks are smaller, so that each worker gets at least one.
        inputs_of_task = max(1, min(inputs_of_task, len(paths) // (2 * self.workers)))
        # Paths are bytes, since names of files need not be UTF-8, and pyarrow's text must be.
        names = [os.fsencode(path) for path in paths]
        tables = [pyarrow.table({"input": names[i:i + inputs_of_task]}) for i in range(0, len(names), inputs_of_task)]
        # A batch is one table. Ray needs batch_size if GPUs are requested.
        rows = ray.data.from_arrow(tables).map_batches(
            FileActor, fn_constructor_args=(self.work,), batch_size=inputs_of_task, batch_format="numpy",
            compute=ray.data.ActorPoolStrategy(size=min(self.workers, len(tables))), max_restarts=-1,
            max_task_retries=ATTEMPTS - 1, **self.needs)
        for batch in rows.iter_batches(batch_size=None):
            for text in batch["row"]:
                yield Row(*json.loads(str(text)))
