"""Runs a pytest suite of GPU code on Warpwise's emulated GPU: `pytest --gpu=emulated --gpu-check=all`.

A fault of a kernel fails the test that launched it. The emulated GPU is the command's: this starts pytest again under
`warpwise run`. It does not import warpwise, so other suites do not load that.
"""

import collections
import json
import os
import pathlib
import shutil
import sys
from collections.abc import Generator
from typing import Any

import pytest

GATHERED = "WARPWISE_EMULATED_GATHER"  # the folder of `warpwise run` to which each process writes its report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --gpu and --gpu-check."""
    group = parser.getgroup("warpwise", "GPU code without a GPU")
    group.addoption("--gpu", choices=["emulated"], help="run GPU code on Warpwise's emulated GPU")
    group.addoption("--gpu-check", metavar="CHECKS", help="what to look for, as warpwise run --check: all, or races,init,…")


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Becomes `warpwise run … pytest` with the same words, unless this process is under it."""
    checks = config.getoption("--gpu-check")
    if config.getoption("--gpu") is None:
        if checks is not None:
            raise pytest.UsageError("--gpu-check needs --gpu=emulated")
        return
    if GATHERED in os.environ:
        return
    command = os.environ.get("WARPWISE") or shutil.which("warpwise")
    if command is None:
        raise pytest.UsageError("--gpu=emulated runs the command warpwise, which is not on the PATH; set WARPWISE=FILE to its path")
    words = [command, "run"]
    if checks is not None:
        words += ["--check", checks]
    # The other tests go on with a sound GPU.
    os.environ["WARPWISE_EMULATED_KEEP_GOING"] = "1"
    os.chdir(config.invocation_params.dir)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command, [*words, sys.executable, "-m", "pytest", *map(str, config.invocation_params.args)])


def pytest_configure(config: pytest.Config) -> None:
    """Watches the tests for faults where the GPU is emulated, in the workers of pytest-xdist too."""
    if config.getoption("--gpu") is not None and GATHERED in os.environ:
        config.pluginmanager.register(Faults(pathlib.Path(os.environ[GATHERED])), "warpwise-faults")


class Faults:
    """Fails tests whose kernels have faults, or whose kernels or CUDA functions the emulated GPU does not run."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._seen: "collections.Counter[str]" = collections.Counter()

    def _new(self) -> "list[str]":
        """Returns what this process has found since the last call."""
        found: "list[str]" = []
        # The process's own report has its number as the second part of the file's name.
        for file in sorted(self._folder.glob(f"*-{os.getpid()}-??????")):
            record = file.read_text(encoding="utf-8")
            for run in json.loads(json.loads(record)["sarif"])["runs"] if record else []:
                said = run["results"] + run["invocations"][0]["toolExecutionNotifications"]
                found += [each["message"]["text"] for each in said if not each.get("suppressions")]
        counted = collections.Counter(found)
        new = counted - self._seen
        self._seen = counted
        return list(new.elements())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> "Generator[None, Any, Any]":
        """Runs a test, and fails it if it has found faults."""
        try:
            result = yield
        except BaseException:
            # The test's own failure stays, with the faults below it.
            item.add_report_section("call", "GPU faults", "\n".join(self._new()))
            raise
        found = self._new()
        if found:
            pytest.fail("\n".join(found), pytrace=False)
        return result
