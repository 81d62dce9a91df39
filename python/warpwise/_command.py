"""Runs the command warpwise for `explain` and the laboratory, which the library does not have."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Optional

import numpy

from ._warpwise import Error

REPEATED = ("--arg", "--define", "--dump", "--include", "--kernel")  # options that the command takes several times


def told(words: "list[str]", subjects: "Iterable[Any]", options: "Mapping[str, Any]", between: "Mapping[str, str]") -> Any:
    """Runs `warpwise WORDS --json SUBJECTS` and returns its JSON, parsed.

    options  the command's options, with _ for -. If the command allows an option several times, each element of a
             list becomes an option, and so does each list in a list; else the elements are joined
    between  an option's separator for joining, by default a comma
    """
    with tempfile.TemporaryDirectory() as folder:
        return parsed([*words, *worded(subjects, options, between, folder)])


def worded(subjects: "Iterable[Any]", options: "Mapping[str, Any]", between: "Mapping[str, str]", folder: str,
           repeated: "tuple[str, ...]" = REPEATED) -> "list[str]":
    """Returns the command's words for subjects and options. Arrays are written to files in the folder."""
    words = [*map(os.fspath, subjects)]
    for name, value in options.items():
        words += option("--" + name.replace("_", "-"), value, folder, between.get(name, ","), repeated)
    return words


def said(words: "list[str]", makes: "Optional[str]" = None, cwd: "Optional[str]" = None) -> str:
    """Runs `warpwise WORDS` in cwd and returns its standard output. Raises Error if there is none or, with makes, if that file is missing."""
    command = os.environ.get("WARPWISE") or shutil.which("warpwise")
    if command is None:
        raise Error(f"{words[0]} runs the command warpwise, which is not on the PATH; set WARPWISE=FILE to its path")
    try:
        ended = subprocess.run([command, *words], capture_output=True, encoding="utf-8", errors="backslashreplace", check=False, cwd=cwd)
    except OSError as error:
        where = f" in {cwd}" if cwd else ""
        raise Error(f"{words[0]} runs the command {command}{where}: {error.strerror}") from None
    # The exit status cannot decide: a kernel with faults has a report, and a status other than 0.
    if not (os.path.exists(makes) if makes else ended.stdout):
        raise Error(ended.stderr.strip() or f"{command} ended with {ended.returncode}")
    return ended.stdout


def parsed(words: "list[str]") -> Any:
    """Runs `warpwise WORDS --json` and returns its JSON, parsed."""
    text = by_name(said([*words, "--json"]))
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise Error(f"warpwise {words[0]} did not print JSON: {text[:200]}") from None


def option(name: str, value: Any, folder: str, between: str, repeated: "tuple[str, ...]" = REPEATED) -> "list[str]":
    """Returns the command's words for an option. Arrays are written to files in the folder."""
    if value is True:
        return [name]
    if value is False or value is None:
        return []
    if isinstance(value, (list, tuple)):
        if name in repeated or any(isinstance(each, (list, tuple)) for each in value):
            return [word for each in value for word in option(name, each, folder, between, repeated)]
        return [name, between.join(str(each) for each in value)]
    if name == "--arg" and isinstance(value, (numpy.ndarray, numpy.generic)):
        return [name, argument(value, folder)]
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def argument(array: Any, folder: str, name: str = "") -> str:
    """Returns the command's word for an array, which is written to a file in the folder, or for a NumPy scalar.

    name    the argument's name in its kernel; by_name() finds it in the file's name
    """
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise TypeError(f"arg has {array.dtype}; there are integers and floats of up to 64 bits")
    if array.ndim == 0:
        return f"{array.dtype.kind}{8 * array.dtype.itemsize}:{array.item()}"
    handle, path = tempfile.mkstemp(suffix=f"-{name}-.npy" if name else ".npy", dir=folder)
    with os.fdopen(handle, "wb") as file:
        numpy.save(file, array.reshape(-1))
    return f"{array.dtype.kind}{8 * array.dtype.itemsize}[{array.size}]:@{path}"


def by_name(text: str) -> str:
    """Returns a report with buffers named as the kernel's arguments: "source, f32[64]" for "argument 4, f32[64]:@FILE".

    The report is wrapped at spaces, also at those in FILE.
    """
    return re.sub(r"argument\s+\d+,(\s+)(\w+\[\d+\]):@(?:(?!:@).)*?-(\w+)-\.npy", r"\3,\1\2", text, flags=re.DOTALL)
