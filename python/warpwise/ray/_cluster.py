"""A run's files on Ray: one that is started here, or a cluster that is there."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional

import warpwise

from ._work import FileActor, Row, Work

ATTEMPTS = 3  # at a task whose worker dies


@contextlib.contextmanager
def on_cluster(work: Work, address: str, workers: Optional[int]) -> Iterator[Callable[[list[str], int], Iterator[Row]]]:
    """Gives a function that takes paths and the number of them in a task, and yields rows as tasks end; those of tasks whose
    workers died ATTEMPTS times are not among them."""
    ray = _started(address, workers)
    try:
        there = {resource: int(ray.cluster_resources().get(resource, 0)) for resource in ("CPU", "GPU")}
        for resource in ("CPU", "GPU") if work.device == "cuda" else ("CPU",):
            if there[resource] == 0:
                raise warpwise.InvalidArgument(f"the cluster has no {resource}s")
        # Ray Data runs nowhere but in a cluster, and this process may be a client of one. What it prints stays there, too.
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
        # Rows are small, and pictures do not go through the object store: 256 MiB are many times what is needed.
        ray.init("local", num_cpus=workers or len(os.sched_getaffinity(0)), object_store_memory=1 << 28, include_dashboard=False,
                 **quiet)
    else:
        ray.init(address, **quiet)
    return ray


def share_of_gpu(workers: int, gpus: int) -> float:
    """What each worker asks for, so that all of them fit: decoding and encoding keep a core busy twenty times as long as stages
    and copies keep a GPU. Ray counts ten-thousandths."""
    on_each = -(-workers // gpus)
    return 10000 // on_each / 10000


class Run:
    """What Ray Data is asked for, in a process of the cluster."""

    def __init__(self, work: Work, workers: int, needs: dict[str, float]) -> None:
        self.work = work
        self.workers = workers
        self.needs = needs
        self.rows: Iterator[Row] = iter(())

    def begin(self, paths: list[str], inputs_of_task: int) -> None:
        self.rows = self._rows(paths, inputs_of_task)

    def next_rows(self) -> list[Row]:
        """Those of the next half second, at least one; none at the end."""
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
        context.max_errored_blocks = -1  # their inputs are tried again by the caller
        # With few files each worker gets some, too.
        inputs_of_task = max(1, min(inputs_of_task, len(paths) // (2 * self.workers)))
        tables = [pyarrow.table({"input": paths[i:i + inputs_of_task]}) for i in range(0, len(paths), inputs_of_task)]
        # A batch is a table; Ray wants its size in words where GPUs are asked for.
        rows = ray.data.from_arrow(tables).map_batches(
            FileActor, fn_constructor_args=(self.work,), batch_size=inputs_of_task, batch_format="numpy",
            compute=ray.data.ActorPoolStrategy(size=min(self.workers, len(tables))), max_restarts=-1,
            max_task_retries=ATTEMPTS - 1, **self.needs)
        for batch in rows.iter_batches(batch_size=None):
            for text in batch["row"]:
                yield Row(*json.loads(str(text)))
