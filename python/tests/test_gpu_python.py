"""docs/gpu-python.md, followed as it stands, and kernels of numba-cuda on the emulated GPU: what they compute, and the
Python lines of their faults."""

import importlib.util
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

# In the repository, or beside a copy of these tests.
PAGE = next((root / "docs/gpu-python.md" for root in pathlib.Path(__file__).resolve().parents
             if (root / "docs/gpu-python.md").is_file()), None)

COMPUTES = '''
import numpy as np
from numba import cuda, int32
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

@cuda.jit(device=True)
def square(x):
    return x * x

@cuda.jit
def squares(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] = square(values[i])

@cuda.jit
def reverse(values):
    shared = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    shared[t] = values[t]
    cuda.syncthreads()
    values[t] = shared[63 - t]

@cuda.jit
def rows(matrix):
    grid, column = cuda.cg.this_grid(), cuda.grid(1)
    for row in range(1, matrix.shape[0]):
        matrix[row, column] = matrix[row - 1, matrix.shape[1] - 1 - column] + 1
        grid.sync()

@cuda.jit
def histogram(values, bins, largest):
    i = cuda.grid(1)
    cuda.atomic.add(bins, values[i] % 8, 1)
    cuda.atomic.max(largest, 0, values[i])

@cuda.jit
def random(states, values):
    i = cuda.grid(1)
    values[i] = xoroshiro128p_uniform_float32(states, i)

values = np.arange(1000)
device = cuda.to_device(values)
squares[8, 128](device)
assert np.array_equal(device.copy_to_host(), values ** 2)
values = np.arange(64, dtype=np.int32)
reverse[1, 64](values)
assert np.array_equal(values, np.arange(64)[::-1])
matrix = np.zeros((8, 256), dtype=np.int32)
rows[4, 64](matrix)
assert (matrix[7] == 7).all()
bins, largest = np.zeros(8, np.int32), np.zeros(1, np.int32)
histogram[8, 128](np.arange(1024, dtype=np.int32), bins, largest)
assert (bins == 128).all() and largest[0] == 1023
numbers = np.zeros(256, np.float32)
random[2, 128](create_xoroshiro128p_states(256, seed=1), numbers)
assert 0.4 < numbers.mean() < 0.6 and np.unique(numbers).size > 250
'''
FAULTY = '''
import numpy as np
from numba import cuda, int32

@cuda.jit(lineinfo=True)
def out_of_bounds(values, other):
    i = cuda.grid(1)
    values[i + 1] = i  # out_of_bounds

@cuda.jit(lineinfo=True)
def shared_race(values, other):
    shared = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    shared[t] = t
    values[t] = shared[63 - t]  # shared_race

@cuda.jit(lineinfo=True)
def global_race(values, other):
    values[0] = values[0] + cuda.grid(1)  # global_race

@cuda.jit(lineinfo=True)
def uninitialised(values, other):
    t = cuda.threadIdx.x
    if other[t] > 0:  # uninitialised
        values[t] = 1

@cuda.jit(lineinfo=True)
def barrier(values, other):
    t = cuda.threadIdx.x
    if t < 32:
        cuda.syncthreads()  # barrier
        values[t] = 1
    else:
        values[t] = 2

def made():
    return cuda.to_device(np.zeros(64, np.int32))  # made

KERNEL[1, 64](made(), cuda.device_array(64, np.int32))  # launched
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
add[1, 64](cuda.to_device(np.zeros(64, np.int32)))  # not awaited
'''


def run(folder, *words):
    return subprocess.run([COMMAND, "run", *words], cwd=folder, capture_output=True, text=True, timeout=300)


def test_results(tmp_path):
    (tmp_path / "computes.py").write_text(COMPUTES, encoding="utf-8")
    done = run(tmp_path, "--check", "all", "--error-exitcode", "1", sys.executable, "computes.py")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^warpwise: \d+ launches of 5 kernels, 0 faults$", done.stderr, re.MULTILINE), done.stderr


def line_of(text, mark):
    return 1 + next(i for i, line in enumerate(text.splitlines()) if line.endswith("# " + mark))


@pytest.mark.parametrize("kernel", ["out_of_bounds", "shared_race", "global_race", "uninitialised", "barrier"])
def test_lines_of_faults(kernel, tmp_path):
    line = line_of(FAULTY, kernel)
    (tmp_path / "faulty.py").write_text(FAULTY.replace("KERNEL", kernel), encoding="utf-8")
    done = run(tmp_path, "--check", "all", "--error-exitcode", "1", sys.executable, "faulty.py")
    assert done.returncode == 1, done.stderr
    kind = kernel.removeprefix("shared_").removeprefix("global_")
    faults = [said for said in done.stderr.splitlines() if said.startswith(f"warpwise: {kind} in kernel __main__::{kernel}(")]
    assert any(f"faulty.py:{line}: " in said for said in faults), done.stderr
    if kernel == "out_of_bounds":
        assert re.search(rf"allocation \d+ was made by cuMemAlloc called at \S*faulty.py:{line_of(FAULTY, 'made')} in made\b", faults[0])
        assert re.search(rf"; launched at \S*faulty.py:{line_of(FAULTY, 'launched')}$", faults[0])


def test_line_of_launch_and_threads(tmp_path):
    (tmp_path / "threaded.py").write_text(THREADED, encoding="utf-8")
    done = run(tmp_path, "--check", "all", "--error-exitcode", "1", sys.executable, "threaded.py")
    assert done.returncode == 1, done.stderr
    assert "81 launches of 1 kernel, 1 fault" in done.stderr, done.stderr
    place = f"threaded.py:{line_of(THREADED, 'not awaited')}"
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
    """Files are written, ```sh is run (```bash is not), and quoted lines are said; … stands for what is left out."""
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
