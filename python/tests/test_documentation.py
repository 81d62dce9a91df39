"""Tests that the examples in docstrings give the results that they show, and that the stubs match the modules."""

import doctest
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

import warpwise

SHOWN = [name for name in warpwise.__all__ if ">>>" in (getattr(warpwise, name).__doc__ or "")]


@pytest.mark.parametrize("name", SHOWN)
def test_examples(name):
    text = getattr(warpwise, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_every_primitive_has_an_example():
    assert set(SHOWN) == {
        "Chain", "Tracker", "convert", "copy", "disparity", "find", "gemv", "match", "sobel", "threshold"}


def test_types(tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text("from pathlib import Path\nfrom typing import Any\nimport numpy\nimport warpwise\n"
                       "from warpwise import emulator\n"
                       "image = numpy.zeros((4, 4), numpy.uint8)\n"
                       "warpwise.sobel(image, norm=warpwise.Norm.L2)\n"
                       "x: int = warpwise.find(image, image).x\n"
                       "edges = warpwise.Chain([warpwise.ChainConvert(to='gray8'), warpwise.SobelOptions()])\n"
                       "edges.run(image, out=image)\n"
                       "warpwise.sobel(image, norms='l1')\n"
                       "bad: type[ValueError] = warpwise.InvalidArgument\n"
                       "many: list[Any] = edges.run_all([image])\n"
                       "edges.run_all([image])[0].tolist()\n"
                       "bench = emulator.Testbench(backend='emulator')\n"
                       "module = bench.load('k.cu', defines=['N=1'], include_folders=[Path('.')])\n"
                       "launch = module.kernel('k').launch((1, 2), 32, bench.buffer('x', image), 3, 2.5)\n"
                       "assert launch.expect_no_bank_conflicts(line=3) and not launch.faults\n"
                       "said: dict[str, Any] = emulator.explain('k.cu', grid=1)\n")
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), program],
                          capture_output=True, text=True, cwd=tmp_path).stdout
    assert said.count("error:") == 1 and 'program.py:11: error: Unexpected keyword argument "norms"' in said, said
    assert pathlib.Path(warpwise.__file__).with_name("py.typed").is_file()


def test_the_stubs_have_the_exceptions():
    """The stub has each exception with its text and bases."""
    stub = pathlib.Path(warpwise.__file__).with_name("_warpwise.pyi")
    written = {name: (bases, text) for name, bases, text in
               re.findall(r'^class (\w+)\(([\w, ]+)\):\n    """(.*)"""', stub.read_text(), re.MULTILINE)}
    exceptions = {name: (", ".join(base.__name__ for base in each.__bases__), each.__doc__)
                  for name, each in vars(warpwise).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert exceptions and written == exceptions
