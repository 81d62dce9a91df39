"""The laboratory: runs and predicts every optimisation step of the primitives' kernels, and other studies of kernels.

Each function runs the installed command `warpwise lab` and returns its JSON as dicts and lists, whose fields
warpwise/lab/README.md describes. The command must be on the PATH or at the path in the environment variable WARPWISE.
Rungs are compiled when they run, by nvcc or NVRTC. If the command fails, an Error with its message is raised.

Options are the command's options, with _ for -: size=(640, 480), block=(32, 8), cc=["9.0", "12.0"], on="emulator",
counters=True.

    from warpwise import lab
    for run in lab.run("gemv", on="emulator"):
        for row in run["results"]:
            print(row["rung"], row["counts"][0]["transactions_per_request"])
"""

from typing import Any, Dict, List

from ._command import told

__all__ = ["list", "occupancy", "predict", "run"]

_BETWEEN = {"size": "x", "block": "x"}


def list(*names: str, **options: Any) -> Dict[str, Any]:
    """Lists ladders and studies by name, by default all, with their rungs, sizes, axes and experiments.

    options  ladder_dir, study_dir
    """
    listed: Dict[str, Any] = told(["lab", "list"], names, options, _BETWEEN)
    return listed


def run(*names: str, **options: Any) -> List[Dict[str, Any]]:
    """Verifies rungs, then times them on a GPU or counts instructions and accesses in the emulator.

    names    ladders, studies, experiments and rungs: "sobel", "gemv/table6", "gemv/texture"
    options  on, size, block, cc, profile, counters, ladder_dir, study_dir, out, plot

    Returns a dict for each ladder, study or experiment. Its `results` are the rows of the command's table. A rung
    with a wrong result has the reason in `wrong`, a rung that cannot run has it in `skipped`.
    """
    return _each(told(["lab", "run"], names, options, _BETWEEN))


def predict(*names: str, **options: Any) -> List[Dict[str, Any]]:
    """Predicts the times of rungs on a GPU by a model, without that GPU, and names the bottleneck.

    names    as for run()
    options  profile (required): "h200", "rtx4090" or another, or a profile's file; size, ladder_dir, study_dir

    Returns a dict for each ladder, study or experiment. Its `results` have `time_us`, and the bottleneck in `rules`.
    """
    return _each(told(["lab", "predict"], names, options, _BETWEEN))


def occupancy(**options: Any) -> List[Dict[str, Any]]:
    """Computes how many blocks and warps fit on a multiprocessor, and the limit, for each combination.

    options  block_threads (required), registers, shared: a number, several, or a range "32:1024:32"; cc or profile
    """
    rows: List[Dict[str, Any]] = told(["lab", "occupancy"], (), options, _BETWEEN)["occupancy"]
    return rows


def _each(said: Any) -> List[Dict[str, Any]]:
    """Returns the command's results as a list. Its JSON is an object if there is only one result."""
    return [said] if isinstance(said, dict) else said
