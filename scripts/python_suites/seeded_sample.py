"""A plugin for pytest: keeps a part of each file's tests, the same one each time, for suites of very many tests."""
import collections
import random


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, help="the most tests of a file")


def pytest_collection_modifyitems(config, items):
    # Jitify takes minutes of the CPU for each source that it reads, and no GPU.
    items[:] = [item for item in items if "jitify" not in item.name.replace("no-jitify", "").lower() and "RawJitify" not in item.nodeid]
    if not config.getoption("--sample"):
        return
    files = collections.defaultdict(list)
    for item in items:
        files[item.path].append(item)
    kept = set()
    for tests in files.values():
        names = sorted(item.nodeid for item in tests)
        kept.update(names if len(names) <= config.getoption("--sample") else random.Random(1).sample(names, config.getoption("--sample")))
    items[:] = [item for item in items if item.nodeid in kept]
