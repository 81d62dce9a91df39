"""A plugin for pytest: keeps a part of each file's tests, the same one each time, for suites of very many tests."""
import collections
import random
import re

import pytest


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, help="the most tests of a file")
    parser.addoption("--whole", default="(?!)", help="a regular expression of files whose tests all run")


@pytest.hookimpl(trylast=True)  # after -m
def pytest_collection_modifyitems(config, items):
    # Jitify takes minutes of the CPU for each source that it reads, and no GPU.
    items[:] = [item for item in items if "jitify" not in item.name.replace("no-jitify", "").lower() and "RawJitify" not in item.nodeid]
    count = config.getoption("--sample")
    files = collections.defaultdict(list)
    for item in items:
        files[item.path].append(item)
    kept = set()
    for path, tests in files.items():
        names = sorted(item.nodeid for item in tests)
        is_whole = len(names) <= count or re.search(config.getoption("--whole"), str(path))
        kept.update(names if is_whole else random.Random(1).sample(names, count))
    items[:] = [item for item in items if item.nodeid in kept]
