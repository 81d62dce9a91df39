"""The laboratory: every optimisation step of the primitives' kernels, and other studies of kernels, run and predicted.

Each function runs the installed command, `warpwise lab`, and gives the JSON that it prints as dicts and lists, whose fields
warpwise/lab/README.md describes. The command has to be on the PATH or where the environment variable WARPWISE says. Rungs are
compiled when they run, by nvcc or NVRTC. What the command could not do is raised as an Error, with what it said.

Options are the command's, with _ for -: size=(640, 480), block=(32, 8), cc=["9.0", "12.0"], on="emulator", counters=True.

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
    """The ladders and the studies of these names, by default all: their rungs, sizes, axes and experiments.

    options  ladder_dir, study_dir
    """
    listed: Dict[str, Any] = told(["lab", "list"], names, options, _BETWEEN)
    return listed


def run(*names: str, **options: Any) -> List[Dict[str, Any]]:
    """Verifies rungs, then times them on a GPU or counts what they do in the emulator.

    names    of ladders, studies, experiments and rungs: "sobel", "gemv/table6", "gemv/texture"
    options  on, size, block, cc, device, counters, ladder_dir, study_dir, out, plot

    Returns a dict for each ladder, study or experiment, whose `results` are the rows of the table that the command prints.
    The row of a rung that computes something wrong says so in `wrong`; one that cannot run, why in `skipped`.
    """
    return _each(told(["lab", "run"], names, options, _BETWEEN))


def predict(*names: str, device: Any, **options: Any) -> List[Dict[str, Any]]:
    """How long rungs would take on a GPU that need not be there, modelled, and what rules that.

    names    as run() takes them
    device   "h200", "rtx4090" or another profile, or a file of one
    options  size, ladder_dir, study_dir

    Returns a dict for each ladder, study or experiment, whose `results` have `time_us`.
    """
    return _each(told(["lab", "predict"], names, {"device": device, **options}, _BETWEEN))


def occupancy(**options: Any) -> List[Dict[str, Any]]:
    """The blocks and warps of a multiprocessor, and what limits them, for each combination.

    options  threads (needed), registers, shared: a number, several, or "32:1024:32"; cc or device
    """
    rows: List[Dict[str, Any]] = told(["lab", "occupancy"], (), options, _BETWEEN)["occupancy"]
    return rows


def _each(said: Any) -> List[Dict[str, Any]]:
    """The command prints one object by itself."""
    return [said] if isinstance(said, dict) else said
