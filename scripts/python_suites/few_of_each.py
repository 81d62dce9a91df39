"""A plugin for pytest: keeps a few cases of each test function, the same ones each time, for suites with very many."""
import collections
import random

import pytest


def pytest_addoption(parser):
    parser.addoption("--few", type=int, default=1, help="the most cases of a test function")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    cases = collections.defaultdict(list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item.nodeid)
    kept = set()
    for names in cases.values():
        kept.update(random.Random(1).sample(sorted(names), min(len(names), config.getoption("--few"))))
    items[:] = [item for item in items if item.nodeid in kept]
