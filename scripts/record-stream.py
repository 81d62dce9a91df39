#!/usr/bin/env python3
"""Compares `warpwise stream` with OpenCV and ffmpeg, and records it as FOLDER/stream.json.

  scripts/record-stream.py FOLDER [--build build/release]

Frames of 1280x720 rgb24 in a file in memory go through YCbCr, Sobel and the adaptive threshold of a 31x31 window, and are
dropped. Whole processes are timed: the command; opencv_stream, which makes the same bytes with OpenCV; and ffmpeg,
whose filters are similar (edges by the Euclidean norm). Needs a machine that does nothing else. Needs OpenCV, as the
tests do, and ffmpeg.
"""
import argparse
import datetime
import filecmp
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from recording import REPOSITORY, clean_commit, machine_of, process_times, write

WIDTH, HEIGHT, FRAMES, ROUNDS = 1280, 720, 600, 7
PIPELINE = "ycbcr32 convention=opencv | sobel | threshold window=31 offset=7"
FILTERS = ("format=yuv444p,extractplanes=y,sobel,split=4[a][b][c][d];[b]avgblur=sizeX=15,lut=y=val-7[mean];[c]lut=y=0[black];"
           "[d]lut=y=255[white];[a][mean][black][white]threshold")
METHOD = (f"whole processes in turn, {ROUNDS} rounds after one that is not counted; {FRAMES} frames of {WIDTH}x{HEIGHT} rgb24, read "
          "from a file in memory and dropped at the end; wall: from start to exit; cpu: user and system seconds; medians; ratio: "
          "the peer's divided by ours, round by round: median, least and most")


def commands(build, frames):
    """Returns each program's arguments and standard input; {out} stands for a file, or for null, which drops frames."""
    size = f"{WIDTH}x{HEIGHT}"
    return {
        "warpwise": ([build / "bin/warpwise", "stream", f"pipe:rgb24:{size}", "{out}", "--backend", "cpu", "--pipeline", PIPELINE],
                     frames),
        "opencv": ([build / "bin/opencv_stream", WIDTH, HEIGHT, "{out}"], frames),
        "ffmpeg": (["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-i", frames,
                    "-filter_complex", FILTERS, "-f", "null", "-"], os.devnull),
    }


def run(command, standard_input, out):
    """Runs a command; returns its wall-clock and CPU seconds."""
    return process_times([str(word).replace("{out}", out) for word in command], standard_input)


def require_same_bytes(build, frames, work):
    """Checks on a few frames that warpwise and opencv_stream make the same bytes."""
    few = work / "few.raw"
    with open(frames, "rb") as all_frames:
        few.write_bytes(all_frames.read(5 * 3 * WIDTH * HEIGHT))
    programs = commands(build, few)
    ours, theirs = work / "ours.y4m", work / "theirs.raw"
    run(*programs["warpwise"], str(ours))
    run(*programs["opencv"], str(theirs))
    header, _, rest = ours.read_bytes().partition(b"\n")
    planes = b"".join(rest[start + 6:start + 6 + WIDTH * HEIGHT] for start in range(0, len(rest), 6 + WIDTH * HEIGHT))
    (work / "ours.raw").write_bytes(planes)
    if b"Cmono" not in header or not filecmp.cmp(work / "ours.raw", theirs, shallow=False):
        sys.exit("record-stream.py: warpwise and OpenCV do not make the same bytes")


def measured(build, work):
    frames = work / "frames.raw"
    subprocess.run([build / "bin/warpwise", "stream", "test:zone", "pipe:rgb24", "--size", f"{WIDTH}x{HEIGHT}", "--frames",
                    str(FRAMES)], check=True, stdout=open(frames, "wb"), stderr=subprocess.DEVNULL)
    require_same_bytes(build, frames, work)
    rounds = []
    for number in range(ROUNDS + 1):
        times = {name: run(*how, "null") for name, how in commands(build, frames).items()}
        if number > 0:
            rounds.append(times)
    rows = []
    for name in commands(build, frames):
        row = {"program": name}
        for kind in ["wall", "cpu"]:
            ratios = [each[name][kind] / each["warpwise"][kind] for each in rounds]
            row[kind] = {"seconds": round(statistics.median(each[name][kind] for each in rounds), 4),
                         "ratio": round(statistics.median(ratios), 2), "least": round(min(ratios), 2),
                         "most": round(max(ratios), 2)}
        row["fps"] = round(FRAMES / row["wall"]["seconds"], 1)
        rows.append(row)
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--build", default=REPOSITORY / "build/release", type=pathlib.Path)
    chosen = arguments.parse_args()
    commit = clean_commit("record-stream.py")
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    versions = {"opencv": subprocess.run([chosen.build / "bin/opencv_stream", "--version"], capture_output=True, text=True,
                                         check=True).stdout.strip(),
                "ffmpeg": subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True,
                                         check=True).stdout.split()[2]}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        rows = measured(chosen.build.resolve(), pathlib.Path(work))
    write(chosen.folder / "stream.json", {"machine": machine_of(date, commit, METHOD), "versions": versions, "rows": rows})
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
