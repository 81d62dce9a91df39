"""Runs a pytest suite of GPU code on Warpwise's emulated GPU: `pytest --warpwise=all`.

A fault of a kernel fails the test that launched it. The fixture gpu_counts lets a test limit what its kernels cost. `warpwise run` has the emulated GPU, so the plugin
starts pytest again under this command. The plugin does not import warpwise, so that other suites do not load it.
"""

import collections
import ctypes
import json
import os
import pathlib
import shutil
import sys
import types
import unittest
from collections.abc import Generator
from typing import Any

import pytest

GATHERED = "WARPWISE_EMULATED_GATHER"  # the folder of `warpwise run` to which each process writes its report
ASKED_FOR = "WARPWISE_PYTEST_CHECKS"  # the words with which this plugin has started pytest again
SKIPS = (pytest.skip.Exception, unittest.SkipTest)  # the exceptions by which a test skips itself
UNCOUNTED = "gpu_counts_not_checked"  # set on a test that asks for counts while nothing is counted


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --warpwise and --warpwise-explain."""
    group = parser.getgroup("warpwise", "GPU code without a GPU")
    group.addoption("--warpwise", nargs="?", const="", metavar="CHECKS",
                    help="run GPU code on Warpwise's emulated GPU. CHECKS are those of warpwise run --check: all, or races,init,…")
    group.addoption("--warpwise-explain", metavar="FILE",
                    help="with --warpwise, write the costs of all kernels: FILE.html, FILE.json, or text")


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Replaces this process by `warpwise run … pytest` with the same words, unless it runs under `warpwise run` already."""
    checks, page = config.getoption("--warpwise"), config.getoption("--warpwise-explain")
    if checks is None:
        if page:
            raise pytest.UsageError("--warpwise-explain needs --warpwise: only the emulated GPU counts costs")
        return
    # A word after "--warpwise " is taken as CHECKS, though the user may mean a test file.
    if "--warpwise" in map(str, config.invocation_params.args) and os.path.exists(checks.split("::")[0]):
        raise pytest.UsageError(f"--warpwise takes '{checks}' as its checks: write --warpwise=all, or --warpwise as the last word")
    if page and config.getoption("numprocesses", None):
        raise pytest.UsageError("--warpwise-explain shows the kernels of one process: leave out -n")
    asked = (["--check", checks] if checks else []) + (["--explain", page] if page else [])
    if GATHERED in os.environ:
        if asked and os.environ.get(ASKED_FOR) != " ".join(asked):
            raise pytest.UsageError("warpwise run has started pytest, so its options come too late: "
                                    f"write warpwise run {' '.join(asked)}, or start pytest alone")
        return
    command = os.environ.get("WARPWISE") or shutil.which("warpwise")
    if command is None:
        raise pytest.UsageError("--warpwise runs the command warpwise, which is not on the PATH; set WARPWISE=FILE to its path")
    words = [command, "run", "--keep-going", *asked]  # after a fault, the other tests go on with a working GPU
    os.environ[ASKED_FOR] = " ".join(asked)
    own = getattr(sys, "orig_argv", None)  # from Python 3.10 on
    own = own[1:] if own else ["-m", "pytest", *map(str, config.invocation_params.args)]
    os.chdir(config.invocation_params.dir)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command, [*words, sys.executable, *own])


def pytest_configure(config: pytest.Config) -> None:
    """Watches the tests for faults if the GPU is emulated, in the workers of pytest-xdist too."""
    if config.getoption("--warpwise") is not None and GATHERED in os.environ:
        config.pluginmanager.register(Faults(pathlib.Path(os.environ[GATHERED])), "warpwise-faults")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says how many tests' counts were not checked."""
    reports = [each for group in terminalreporter.stats.values() for each in group if getattr(each, "when", "") == "call"]
    unchecked = sum((UNCOUNTED, True) in map(tuple, each.user_properties) for each in reports)
    if unchecked:
        terminalreporter.write_line(f"warpwise: without --warpwise nothing is counted; tests with unchecked gpu_counts: {unchecked}")


@pytest.fixture
def gpu_counts(request: pytest.FixtureRequest) -> "Generator[Any, None, None]":
    """Gives the counts of the kernels that the test's process has launched since the fixture began.

    Its attributes are `launches`, the fields of warpwise.emulator.ExecutionCounts (warp_instructions, divergent_branches, …) and those of
    MemoryCounts for the emulated GPU (global_load, shared_store, …): gpu_counts.global_load.transactions_32. Another name is an
    AttributeError with all names. Without --warpwise every comparison with a count is true, and pytest's summary says how many tests this
    concerns. Write `count == 0` there, not `not count`: bool(), int() and float() raise a TypeError, because nothing is counted.
    """
    if request.config.getoption("--warpwise") is None:
        request.node.user_properties.append((UNCOUNTED, True))
        yield Uncounted()
        return
    counts = Counts()
    counts.runtime.warpwise_emulated_count(True)
    yield counts
    counts.runtime.warpwise_emulated_count(False)


class Fields(types.SimpleNamespace):
    """Holds a group of counts, such as gpu_counts.global_load."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"gpu_counts has no {name} here, but {', '.join(vars(self))}")


class Counts:
    """Holds the sums of counts over launches, which the emulated runtime of this process keeps."""

    def __init__(self) -> None:
        self.runtime = ctypes.CDLL("libcudart.so.13")
        self.runtime.warpwise_emulated_counts.restype = ctypes.c_char_p

    def __getattr__(self, name: str) -> Any:
        counts = json.loads(self.runtime.warpwise_emulated_counts(), object_hook=lambda fields: Fields(**fields))
        return getattr(counts, name)


class Uncounted:
    """Stands for a count on a real GPU: arithmetic with it gives it again, and every comparison with it is true."""

    def __getattr__(self, name: str) -> "Uncounted":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __format__(self, _: str) -> str:
        return "uncounted"

    def __repr__(self) -> str:
        return "uncounted"


def _same(own: Uncounted, *_: Any) -> Uncounted:
    return own


def _same_pair(own: Uncounted, _: Any) -> "tuple[Uncounted, Uncounted]":
    return own, own


def _holds(*_: Any) -> bool:
    return True


def _has_no_value(own: Uncounted) -> Any:
    raise TypeError("without --warpwise nothing is counted, and a count has no value: compare it, as in gpu_counts.launches == 0")


for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]:
    setattr(Uncounted, f"__{name}__", _same)
    setattr(Uncounted, f"__r{name}__", _same)
for name in ["divmod", "rdivmod"]:
    setattr(Uncounted, f"__{name}__", _same_pair)
for name in ["neg", "pos", "abs", "round", "ceil", "floor", "trunc"]:
    setattr(Uncounted, f"__{name}__", _same)
for name in ["lt", "le", "eq", "ne", "gt", "ge"]:
    setattr(Uncounted, f"__{name}__", _holds)
for name in ["bool", "int", "float", "index"]:
    setattr(Uncounted, f"__{name}__", _has_no_value)


def _report_touches() -> None:
    """Makes the emulated runtime, if this process has loaded it, report accesses that its next call would report."""
    try:
        runtime = ctypes.CDLL("libcudart.so.13", mode=os.RTLD_NOLOAD)
    except OSError:
        return
    runtime.warpwise_emulated_report_touches()


class Faults:
    """Fails tests whose kernels have faults, or whose kernels or CUDA functions the emulated GPU does not run."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._seen: "collections.Counter[str]" = collections.Counter()

    def _new(self) -> "list[str]":
        """Returns the faults that this process has found since the last call."""
        _report_touches()
        found: "list[str]" = []
        # The second part of a file's name is the number of the process that wrote the file.
        for file in sorted(self._folder.glob(f"*-{os.getpid()}-??????")):
            record = file.read_text(encoding="utf-8")
            for run in json.loads(json.loads(record)["sarif"])["runs"] if record else []:
                said = run["results"] + run["invocations"][0]["toolExecutionNotifications"]
                found += [each["message"]["text"] for each in said if not each.get("suppressions")]
        counted = collections.Counter(found)
        new = counted - self._seen
        self._seen = counted
        return list(new.elements())

    def _watched(self, item: pytest.Item, phase: str) -> "Generator[None, Any, Any]":
        """Runs a part of a test, and fails the test if faults were found. A test's own failure stays, with the faults below it."""
        try:
            result = yield
        except BaseException as ended:
            found = self._new()
            if not found or not isinstance(ended, SKIPS):
                item.add_report_section(phase, "GPU faults", "\n".join(found))
                raise
        else:
            found = self._new()
            if not found:
                return result
            kept = getattr(item, "_excinfo", None) or []  # pytest reports how a unittest.TestCase ended in place of this failure
            kept[:] = [each for each in kept if not each.errisinstance(SKIPS)]
            if kept:
                item.add_report_section(phase, "GPU faults", "\n".join(found))
                return result
        pytest.fail("\n".join(found), pytrace=False)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> "Generator[None, Any, Any]":
        """Watches the fixtures that a test needs."""
        return (yield from self._watched(item, "setup"))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> "Generator[None, Any, Any]":
        """Watches the test itself."""
        return (yield from self._watched(item, "call"))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> "Generator[None, Any, Any]":
        """Watches the ends of the fixtures."""
        return (yield from self._watched(item, "teardown"))
