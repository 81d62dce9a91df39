"""Tests that the example notebooks run from top to bottom."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("PIL", reason="Pillow, with which the notebooks read pictures, is not installed")

# The notebooks lie in the repository, or beside a copy of these tests.
ROOT = next((root for root in pathlib.Path(__file__).resolve().parents if (root / "examples/notebooks").is_dir()), None)
NAMES = ["binarise", "slow_kernel", "stereo", "webcam"]


@pytest.mark.parametrize("name", NAMES)
def test_notebook(name):
    if ROOT is None:
        pytest.skip("examples/notebooks is not beside these tests")
    folder = ROOT / "examples/notebooks"
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    if name == "slow_kernel":
        pytest.importorskip("warpwise.emulator", reason="the library was built without the emulator")
    try:
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                                resources={"metadata": {"path": folder}}).execute()
    except nbclient.exceptions.CellExecutionError as error:
        if error.ename != "Unsupported":
            raise
        pytest.skip(f"no CUDA compiler: {error.evalue}")


def test_every_notebook_is_run():
    if ROOT is None:
        pytest.skip("examples/notebooks is not beside these tests")
    assert sorted(path.stem for path in (ROOT / "examples/notebooks").glob("*.ipynb")) == NAMES
