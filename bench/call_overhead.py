#!/usr/bin/env python3
"""What a call from Python takes beyond the same call from C++, on 64x64 NumPy images.

    python bench/call_overhead.py

Run by a Python that has the package. Compiles call_overhead.cpp, which makes the same calls, on the library that
pkg-config finds. Both give the median of 2000 samples of 20 calls each, in turn for three rounds, of which the
middle one is printed.
"""
import pathlib
import statistics
import subprocess
import tempfile
import timeit

import numpy as np

import warpwise

CALLS, SAMPLES, ROUNDS = 20, 2000, 3  # as in call_overhead.cpp


def python_calls():
    grey, colours = np.zeros((64, 64), np.uint8), np.zeros((64, 64, 3), np.uint8)
    out = np.empty_like(grey)
    edges = warpwise.Chain([warpwise.SobelOptions(), warpwise.ThresholdOptions()])
    return {
        "copy": lambda: warpwise.copy(grey, out=out),
        "sobel": lambda: warpwise.sobel(grey, out=out),
        "sobel, new result": lambda: warpwise.sobel(grey),
        "threshold": lambda: warpwise.threshold(grey, out=out),
        "convert": lambda: warpwise.convert(colours, "rgb24", "gray8", out=out),
        "Chain.run": lambda: edges.run(colours, out=out)}


def times_of_python():
    return {name: statistics.median(timeit.repeat(call, number=CALLS, repeat=SAMPLES)) / CALLS * 1e6
            for name, call in python_calls().items()}


def times_of_cpp(program):
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(us) for name, us in (line.split() for line in lines)}


def main():
    source = pathlib.Path(__file__).with_suffix(".cpp")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "warpwise"], check=True, capture_output=True, text=True)
    folders = [f"-Wl,-rpath,{word[2:]}" for word in flags.stdout.split() if word.startswith("-L")]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "call_overhead"
        subprocess.run(["c++", "-O2", "-std=c++20", source, *flags.stdout.split(), *folders, "-o", program], check=True)
        rounds = [(times_of_cpp(program), times_of_python()) for _ in range(ROUNDS)]
    print(f"{'us a call on 64x64':20} {'C++':>7} {'Python':>7} {'beyond':>7}")
    for name in rounds[0][1]:
        cpp = statistics.median(each[name.partition(",")[0]] for each, _ in rounds)
        python = statistics.median(each[name] for _, each in rounds)
        print(f"{name:20} {cpp:7.2f} {python:7.2f} {python - cpp:7.2f}")


if __name__ == "__main__":
    main()
