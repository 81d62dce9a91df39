"""Tests that the Python programs of README.md and two pages of docs run, and print the text that the pages show."""

import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("PIL", reason="Pillow, with which the pages read pictures, is not installed")

# The pages lie in the repository, or beside a copy of these tests.
ROOT = next((root for root in pathlib.Path(__file__).resolve().parents if (root / "docs/first-pictures.md").is_file()), None)


@pytest.mark.parametrize("page", ["README.md", "docs/first-pictures.md"])
def test_program(page, tmp_path):
    if ROOT is None:
        pytest.skip("the pages are not beside these tests")
    text = (ROOT / page).read_text(encoding="utf-8")
    [(program, printed)] = re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)
    os.symlink(ROOT / "samples", tmp_path / "samples")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
    assert (tmp_path / "page.png").stat().st_size > 1000


def programs(page):
    """Returns the Python programs of a page, each with the quoted output that follows it, or with an empty text."""
    if ROOT is None:
        return []
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.split(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    quotes = [re.search(r"^```\n(.*?)^```$", after, re.MULTILINE | re.DOTALL) for after in found[2::2]]
    return [(program, quote[1] if quote and "print(" in program else "") for program, quote in zip(found[1::2], quotes)]


@pytest.mark.parametrize(("program", "printed"), programs("docs/python.md"), ids=itertools.count())
def test_each_program(program, printed, tmp_path):
    """A program runs by itself, and so do the tests that it defines. In the quoted output … stands for any text."""
    for module in re.findall(r"^(?:import|from) (cv2|numba)", program, re.MULTILINE):
        pytest.importorskip(module)
    if re.search(r"\b(emulator|lab)\b", program) and shutil.which(os.environ.get("WARPWISE", "warpwise")) is None:
        pytest.skip("the command warpwise is not installed here")
    for folder in ["samples", "examples"]:
        os.symlink(ROOT / folder, tmp_path / folder)
    calls = "".join(f"{name}()\n" for name in re.findall(r"^def (test_\w+)", program, re.MULTILINE))
    done = subprocess.run([sys.executable, "-c", program + calls], cwd=tmp_path, capture_output=True, text=True,
                          timeout=120)
    if "there is no CUDA compiler" in done.stderr:
        pytest.skip("there is no CUDA compiler here")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(".*".join(map(re.escape, printed.split("…"))), done.stdout, re.DOTALL), done.stdout
