"""python -m warpwise.ray: runs files through a pipeline into a folder, on one machine or many."""

from __future__ import annotations

import argparse
import sys
import time

import warpwise

from ._process import MANIFEST, Counts, process
from ._work import Row

SHOWN = 20  # failures printed on standard error; the manifest lists all


class Progress:
    """Shows a status line on a terminal, the first failures, and the rate."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.counts = {"made": 0, "there": 0, "failed": 0}
        self.on_terminal = sys.stderr.isatty()

    def __call__(self, row: Row) -> None:
        self.counts[row.status] += 1
        if row.status == "failed" and self.counts["failed"] <= SHOWN:
            self._print(f"warpwise: {row.input!r}: {row.reason}\n")
        if self.on_terminal and time.monotonic() - self.last > 0.2:
            self.last = time.monotonic()
            self._print(self.text())

    def text(self) -> str:
        rate = self.counts["made"] / (time.monotonic() - self.start)
        return ", ".join(f"{number} {status}" for status, number in self.counts.items()) + f"; {rate:.1f} made a second"

    def _print(self, text: str) -> None:
        sys.stderr.write(("\r\x1b[K" if self.on_terminal else "") + text)
        sys.stderr.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m warpwise.ray", description="Process pictures and video frames with a pipeline, and write PNG "
        "files, named by their inputs and work, and OUT/manifest.jsonl. The same command again continues an interrupted run.")
    parser.add_argument("inputs", nargs="+", metavar="INPUTS", help="files and folders of files")
    parser.add_argument("out", metavar="OUT", help="output folder, created if needed")
    parser.add_argument("--pipeline", required=True, help="stages between bars: 'ycbcr32 | sobel | threshold window=31'")
    parser.add_argument("--cluster", help="local: start Ray on this machine; auto, HOST:PORT or ray://HOST:PORT: a running Ray; default: no Ray")
    parser.add_argument("--workers", type=int, help="number of workers at a time (default: the cluster's number of CPUs)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    progress = Progress()
    try:
        counts: Counts = process(arguments.inputs, arguments.out, arguments.pipeline, cluster=arguments.cluster,
                                 device=arguments.device, workers=arguments.workers, progress=progress)
    except warpwise.InvalidArgument as error:
        print(f"warpwise: {error}", file=sys.stderr)
        return 2
    except BlockingIOError:
        print(f"warpwise: another run writes into {arguments.out}", file=sys.stderr)
        return 1
    except (OSError, RuntimeError, warpwise.Error) as error:
        print(f"warpwise: {error}", file=sys.stderr)
        return 1
    print(f"{progress.text()}; {arguments.out}/{MANIFEST}")
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
