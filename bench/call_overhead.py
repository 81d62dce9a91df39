#!/usr/bin/env python3
"""Measures how much longer a call from Python takes than the same call from C++, on 64x64 images.

    python bench/call_overhead.py [numpy|torch|cupy] [PROGRAM]

Needs a Python with the package. Calls take arrays of NumPy on the CPU, or of PyTorch or CuPy on a GPU. On a GPU a time
ends when the call returns, even if the GPU still works. Compiles call_overhead.cpp, which makes the same calls, with
the library that pkg-config finds; PROGRAM is a compiled call_overhead to use instead. Python and C++ run in turn for
three rounds. A round gives the median of 2000 samples of 20 calls each. Prints the median of the rounds.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import warpwise

CALLS, SAMPLES, ROUNDS = 20, 2000, 3  # the same values as in call_overhead.cpp


def arrays_of(library):
    """Returns a function that makes an array of zeros, and a function that waits for the GPU."""
    if library == "torch":
        import torch
        return lambda *shape: torch.zeros(shape, dtype=torch.uint8, device="cuda"), torch.cuda.synchronize
    if library == "cupy":
        import cupy
        return lambda *shape: cupy.zeros(shape, cupy.uint8), cupy.cuda.runtime.deviceSynchronize
    return lambda *shape: np.zeros(shape, np.uint8), lambda: None


def python_calls(zeros):
    grey, colours, out = zeros(64, 64), zeros(64, 64, 3), zeros(64, 64)
    edges = warpwise.Chain([warpwise.SobelOptions(), warpwise.ThresholdOptions()])
    return {
        "copy": lambda: warpwise.copy(grey, out=out),
        "sobel": lambda: warpwise.sobel(grey, out=out),
        "sobel, new result": lambda: warpwise.sobel(grey),
        "threshold": lambda: warpwise.threshold(grey, out=out),
        "convert": lambda: warpwise.convert(colours, "rgb24", "gray8", out=out),
        "Chain.run": lambda: edges.run(colours, out=out)}


def time_of(call, wait):
    taken = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        taken.append(time.perf_counter() - begin)
        wait()
    return statistics.median(taken) / CALLS * 1e6


def times_of_cpp(program, device):
    lines = subprocess.run([program, device], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(us) for name, us in (line.split() for line in lines)}


def compiled(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "warpwise"], check=True, capture_output=True, text=True)
    folders = [f"-Wl,-rpath,{word[2:]}" for word in flags.stdout.split() if word.startswith("-L")]
    program = pathlib.Path(folder) / "call_overhead"
    source = pathlib.Path(__file__).with_suffix(".cpp")
    subprocess.run(["c++", "-O2", "-std=c++20", source, *flags.stdout.split(), *folders, "-o", program], check=True)
    return program


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else "numpy"
    zeros, wait = arrays_of(library)
    device = "cpu" if library == "numpy" else "cuda"
    with tempfile.TemporaryDirectory() as folder:
        program = sys.argv[2] if len(sys.argv) > 2 else compiled(folder)
        rounds = [(times_of_cpp(program, device), {name: time_of(call, wait) for name, call in python_calls(zeros).items()})
                  for _ in range(ROUNDS)]
    print(f"{'us a call on 64x64, ' + library:26} {'C++':>7} {'Python':>7} {'beyond':>7}")
    for name in rounds[0][1]:
        cpp = statistics.median(each[name.partition(",")[0]] for each, _ in rounds)
        python = statistics.median(each[name] for _, each in rounds)
        print(f"{name:26} {cpp:7.2f} {python:7.2f} {python - cpp:7.2f}")


if __name__ == "__main__":
    main()
