#!/usr/bin/env python3
"""Compares Warpwise with OpenCV, and records it as FOLDER/opencv_agreement.json.

  scripts/record-opencv.py FOLDER [--build build/release] [--only pixels|memory|times]

pixels: each primitive against its peer, by opencv_agreement, and the files of tests/images, by image_files_test. memory and
times: whole processes of the command and of opencv_command, which does the same work with OpenCV; both have to write
the same files. --only records one part again and leaves the others. Times need a machine that does nothing else; ratios
of processor time tolerate other work. Needs OpenCV, as the tests do, and GNU time.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from opencv_tables import read
from recording import REPOSITORY, clean_commit, machine_of, process_times, write

PARTS = {
    "pixels": "opencv_agreement on samples/ and on noise of 4096x3072; a pixel differs when one channel does",
    "memory": "whole processes; peak: the greatest resident set, GNU time's, median of 3; libraries: shared libraries that "
              "the loader starts, by LD_DEBUG=files; both write the same file",
    "times": "whole processes, ours and OpenCV's in turn; wall: from start to exit; cpu: user and system seconds; medians; "
             "ratio: OpenCV's divided by ours, pair by pair: median, least and most; both write the same files",
}
FILES = 200


class Case:
    """Runs the same work by the command and by opencv_command."""

    def __init__(self, name, inputs, jobs, pairs):
        self.name, self.inputs, self.jobs, self.pairs = name, inputs, jobs, pairs

    def commands(self, build, work):
        """Returns our command and the peer's, each with its own output. Removes earlier outputs."""
        outs = [work / "ours", work / "theirs"]
        for out in outs:
            shutil.rmtree(out, ignore_errors=True)
        if len(self.inputs) == 1:
            for out in outs:
                out.mkdir()
            outs = [out / "out.png" for out in outs]
        words = [*map(str, self.inputs)]
        return [[f"{build}/bin/warpwise", "sobel", *words, str(outs[0]), "--backend", "cpu", "--jobs", str(self.jobs)]
                + (["--threads", str(self.jobs)] if len(self.inputs) == 1 else []),
                [f"{build}/bin/opencv_command", "sobel", str(self.jobs), *words, str(outs[1])]]

    def check(self, work):
        names = sorted(path.name for path in (work / "ours").iterdir())
        if names != sorted(path.name for path in (work / "theirs").iterdir()) or not names:
            sys.exit(f"record-opencv.py: {self.name}: not the same files")
        for name in names:
            if (work / "ours" / name).read_bytes() != (work / "theirs" / name).read_bytes():
                sys.exit(f"record-opencv.py: {self.name}: {name} is not the same")


def cases_of(build, work):
    warpwise = build / "bin/warpwise"
    photograph = REPOSITORY / "samples/building.jpg"
    subprocess.run([warpwise, "convert", photograph, work / "photograph.raw", "--to", "gray8"], check=True, stdout=subprocess.DEVNULL)
    grey = (work / "photograph.raw").read_bytes()
    rows = [grey[start:start + 868] * 5 for start in range(0, len(grey), 868)]
    (work / "large.raw").write_bytes(b"".join(row[:4096] for row in (rows * 6)[:3072]))
    subprocess.run([warpwise, "convert", work / "large.raw", work / "large.png", "--from", "gray8", "--size", "4096x3072",
                    "--to", "gray8"], check=True, stdout=subprocess.DEVNULL)
    folder = work / "folder"
    folder.mkdir()
    for i in range(FILES):
        (folder / f"{i:03}.jpg").symlink_to(photograph)
    files = sorted(folder.iterdir())
    cores = len(os.sched_getaffinity(0))
    return [Case("a PNG of 13x11: the start alone", [REPOSITORY / "tests/images/grey8.png"], 1, 30),
            Case("a JPEG of 868x600", [photograph], 1, 20),
            Case("a PNG of 4096x3072", [work / "large.png"], 1, 5),
            Case(f"{FILES} JPEGs of 868x600, 1 at a time", files, 1, 5),
            Case(f"{FILES} JPEGs of 868x600, {cores} at a time", files, cores, 5)]


def measured_times(build, work):
    rows = []
    for case in cases_of(build, work):
        pairs = []
        for i in range(case.pairs + 1):
            commands = case.commands(build, work)
            pair = [process_times(command) for command in commands]
            case.check(work)
            if i > 0:  # the first run reads the files into memory
                pairs.append(pair)
        row = {"what": case.name, "pairs": case.pairs}
        for kind in ["wall", "cpu"]:
            ratios = [theirs[kind] / max(ours[kind], 1e-6) for ours, theirs in pairs]
            row[kind] = {"ours_s": round(statistics.median(ours[kind] for ours, _ in pairs), 4),
                         "opencv_s": round(statistics.median(theirs[kind] for _, theirs in pairs), 4),
                         "ratio": round(statistics.median(ratios), 2), "least": round(min(ratios), 2),
                         "most": round(max(ratios), 2)}
        rows.append(row)
    return {"rows": rows}


def measured_memory(build, work):
    timer = shutil.which("time")
    if timer is None:
        sys.exit("record-opencv.py: GNU time is not installed (Debian: time)")
    rows = []
    for case in cases_of(build, work):
        row = {"what": case.name}
        for command, who in zip(case.commands(build, work), ["ours", "opencv"]):
            peaks = []
            for _ in range(3):
                done = subprocess.run([timer, "-f", "%M", *command], check=True, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True)
                peaks.append(int(done.stderr.split()[-1]))
            loaded = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                    env=dict(os.environ, LD_DEBUG="files"))
            row[who] = {"peak_mib": round(statistics.median(peaks) / 1024, 1),
                        "libraries": len(set(re.findall(r"calling init: (\S+)", loaded.stderr)))}
        case.check(work)
        rows.append(row)
    return {"rows": rows}


def compared_pixels(build, work):
    done = subprocess.run([build / "bin/opencv_agreement", REPOSITORY / "samples"], check=True, capture_output=True, text=True)
    compared = json.loads(done.stdout)
    report = work / "files.json"
    subprocess.run([build / "bin/image_files_test", "--gtest_filter=ImageFilesTest.EachGivesTheExpectedPixels",
                    f"--gtest_output=json:{report}"], check=True, stdout=subprocess.DEVNULL)
    test = json.loads(report.read_text(encoding="utf-8"))["testsuites"][0]["testsuite"][0]
    # The test has checked that these files, and no others, differ from OpenCV's results.
    unlike = re.findall(r"^(\S+) .*  unlike OpenCV: (.*)$", (REPOSITORY / "tests/images/expected.txt").read_text("utf-8"), re.M)
    row = {"primitive": "image files", "what": "odd PNG, JPEG, TIFF and WebP files, read or refused", "peer": "imread",
           "unit": "files", "compared": int(test["compared_with_opencv"]), "differing": len(unlike)}
    if unlike:
        row["first"] = f"{unlike[0][0]}: {unlike[0][1]}"
        row["reasons"] = sorted({reason for _, reason in unlike})
    compared["rows"].append(row)
    return compared


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--build", default=REPOSITORY / "build/release", type=pathlib.Path)
    arguments.add_argument("--only", choices=PARTS)
    chosen = arguments.parse_args()
    commit = clean_commit("record-opencv.py")
    path = chosen.folder / "opencv_agreement.json"
    recorded = read(path)
    measure = {"pixels": compared_pixels, "memory": measured_memory, "times": measured_times}
    for part in [chosen.only] if chosen.only else PARTS:
        date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        with tempfile.TemporaryDirectory() as work:
            rows = measure[part](chosen.build.resolve(), pathlib.Path(work))
        recorded[part] = {"machine": machine_of(date, commit, PARTS[part]), **rows}
    write(path, {part: recorded[part] for part in PARTS if part in recorded})


if __name__ == "__main__":
    main()
