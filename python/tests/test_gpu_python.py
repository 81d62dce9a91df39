"""Tests that docs/gpu-python.md is right as it stands, and the Python lines of numba-cuda's calls."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

COMMAND = os.environ.get("WARPWISE") or shutil.which("warpwise")
if COMMAND is None:
    pytest.skip("the command warpwise is not installed here", allow_module_level=True)
if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("numba-cuda is not installed (pip install numba 'numba-cuda[cu13]')", allow_module_level=True)

# The page lies in the repository, or beside a copy of these tests.
PAGE = next((root / "docs/gpu-python.md" for root in pathlib.Path(__file__).resolve().parents
             if (root / "docs/gpu-python.md").is_file()), None)

FAULTY = '''
import numpy as np
from numba import cuda

@cuda.jit(lineinfo=True)
def out_of_bounds(values):
    i = cuda.grid(1)
    values[i + 1] = i  # out_of_bounds

def made():
    return cuda.to_device(np.zeros(64, np.int32))  # made

out_of_bounds[1, 64](made())  # launched
'''
# Threads allocate, launch and free at the same time. The last launch is not awaited.
THREADED = '''
import threading
import numpy as np
from numba import cuda

@cuda.jit
def add(values):
    values[cuda.grid(1)] += 1

def work():
    for _ in range(20):
        values = cuda.to_device(np.zeros(64, np.int32))
        add[1, 64](values)
        assert (values.copy_to_host() == 1).all()
        del values

threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
last = cuda.to_device(np.zeros(64, np.int32))  # kept: freeing an array waits for its launches
add[1, 64](last)  # not awaited
'''


def run(folder, *words):
    return subprocess.run([COMMAND, "run", *words], cwd=folder, capture_output=True, text=True, timeout=300)


def line_of(text, mark):
    return 1 + next(i for i, line in enumerate(text.splitlines()) if line.endswith("# " + mark))


def test_places_of_a_fault(tmp_path):
    """The report names the lines of the fault, the allocation and the launch. python_stacks has other faults."""
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    done = run(tmp_path, "--check", "all", "--error-exitcode", "1", sys.executable, "faulty.py")
    assert done.returncode == 1, done.stderr
    fault = next(said for said in done.stderr.splitlines() if said.startswith("warpwise: out_of_bounds in kernel out_of_bounds(int32[::1]), "))
    assert f"faulty.py:{line_of(FAULTY, 'out_of_bounds')}: " in fault
    assert re.search(rf"allocation \d+ was made by cuMemAlloc called at \S*faulty.py:{line_of(FAULTY, 'made')} in made\b", fault)
    assert re.search(rf"; launched at \S*faulty.py:{line_of(FAULTY, 'launched')}$", fault)


def test_line_of_launch_and_threads(tmp_path):
    (tmp_path / "threaded.py").write_text(THREADED, encoding="utf-8")
    done = run(tmp_path, "--check", "all", "--error-exitcode", "1", "--explain", "costs.json", sys.executable, "threaded.py")
    assert done.returncode == 1, done.stderr
    assert "81 launches of 1 kernel, 1 fault" in done.stderr, done.stderr
    place = f"threaded.py:{line_of(THREADED, 'not awaited')}"
    costs = json.loads((tmp_path / "costs.json").read_text(encoding="utf-8"))
    assert (costs["program"], costs["kernels"][0]["kernel"]) == ("threaded.py", "add")
    assert re.search(rf"^warpwise: unchecked_launch in the program, \w+ called at \S*{place}", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.parametrize("name", ["python-github.yml", "python-gitlab-ci.yml"])
def test_ci_files(name, tmp_path):
    """The files' commands report the page's kernel as right, and one without its barrier as faulty."""
    assert PAGE is not None, "the page is not beside these tests"
    text = (PAGE.parents[1] / "examples/ci" / name).read_text(encoding="utf-8")
    command, = re.findall(r"^ +- (?:run: )?(warpwise run .*)$", text, re.MULTILINE)
    for file, source in re.findall(r"^```python file=(\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        (tmp_path / file).write_text(source, encoding="utf-8")
    environment = dict(os.environ, PATH=os.pathsep.join([os.path.dirname(COMMAND), os.path.dirname(sys.executable), os.environ["PATH"]]))
    right = tmp_path / "smooth.py"
    for code, source in (0, right.read_text(encoding="utf-8")), (1, right.read_text(encoding="utf-8").replace("    cuda.syncthreads()\n", "")):
        right.write_text(source, encoding="utf-8")
        done = subprocess.run(["bash", "-e", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stderr
        kernels = ElementTree.parse(tmp_path / "kernels.xml").getroot()
        assert (kernels.get("tests"), kernels.get("failures")) == ("1", str(code))
        assert len(list(ElementTree.parse(tmp_path / "tests.xml").getroot().iter("testcase"))) == 2


def test_page(tmp_path):
    """Writes the page's files, runs its ```sh (not its ```bash), and looks for its quoted lines; … stands for any text."""
    assert PAGE is not None, "the page is not beside these tests"
    environment = dict(os.environ, PATH=os.pathsep.join(
        [os.path.dirname(COMMAND), os.path.dirname(sys.executable), os.environ["PATH"]]))
    said = ""
    quotes = 0
    for kind, text in re.findall(r"^```([^\n]*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        if kind.startswith("python file="):
            (tmp_path / kind.removeprefix("python file=")).write_text(text, encoding="utf-8")
        elif kind.startswith("diff file="):
            path = tmp_path / kind.removeprefix("diff file=")
            before, after = ("".join(line[1:] for line in text.splitlines(keepends=True) if line[0] in which) for which in (" -", " +"))
            assert path.read_text(encoding="utf-8").count(before) == 1
            path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
        elif kind == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=tmp_path, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            said = done.stdout
        elif not kind:
            quotes += 1
            rest = said
            for quoted in filter(str.strip, re.split(r" ?…\n?", text)):
                assert quoted.strip("\n") in rest, said
                rest = rest.partition(quoted.strip("\n"))[2]
    assert quotes == 2
