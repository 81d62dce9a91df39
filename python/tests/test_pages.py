"""Tests that the Python programs of README.md and the first tutorial run, and print the text that the tutorial shows."""

import os
import pathlib
import re
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
