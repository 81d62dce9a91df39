"""A plugin for pytest: keeps a sample of the tests of each file or function, the same one each time, for suites of very many tests."""
import collections
import random
import re

import pytest


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, help="the most tests of each")
    parser.addoption("--each", choices=["file", "function"], default="file")
    parser.addoption("--whole", default="(?!)", help="a regular expression of files whose tests all run")


@pytest.hookimpl(trylast=True)  # runs after pytest has applied -m
def pytest_collection_modifyitems(config, items):
    # Jitify takes minutes of CPU time for each source that it reads, and does not use the GPU.
    items[:] = [item for item in items if "jitify" not in item.name.replace("no-jitify", "").lower() and "RawJitify" not in item.nodeid]
    count = config.getoption("--sample")
    groups = collections.defaultdict(list)
    for item in items:
        groups[item.nodeid.split("[" if config.getoption("--each") == "function" else "::")[0]].append(item.nodeid)
    kept = set()
    for group, names in groups.items():
        names.sort()
        is_whole = len(names) <= count or re.search(config.getoption("--whole"), group)
        kept.update(names if is_whole else random.Random(1).sample(names, count))
    items[:] = [item for item in items if item.nodeid in kept]
