#!/usr/bin/env python3
"""Times whole processes from files to files and records them, with their peers and floors (parts of the work alone).

  end_to_end.py OUT.json [--picture FILE] [--pictures N] [--film FILE --frames N] [--seconds N] [--bin FOLDER] [--about TEXT]

The files lie in a folder in memory. The picture is a JPEG file, of which N copies are made; the film is a file that
FFmpeg reads. The programs run in turn, each in processes of its own; no round begins after --seconds. Peers are ffmpeg,
and OpenCV and torchvision's nvJPEG of this machine's Python. A missing peer is left out, with the reason.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PIPELINE = "ycbcr32 | sobel | threshold window=31"
# PIPELINE as filters of ffmpeg, whose edges use another norm.
FILTERS = ("extractplanes=y,sobel,split=4[a][b][c][d];[b]avgblur=sizeX=15,lut=y=val-7[mean];[c]lut=y=0[black];"
           "[d]lut=y=255[white];[a][mean][black][white]threshold")


def opencv_edges(folder, out):
    """Does the work of `warpwise sobel --luma` with OpenCV. A thread for each core takes whole pictures."""
    import cv2  # pylint: disable=import-outside-toplevel
    cv2.setNumThreads(1)

    def edges(path):
        grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        along, down = (cv2.convertScaleAbs(cv2.Sobel(grey, cv2.CV_16S, x, 1 - x)) for x in (1, 0))
        result = cv2.add(along, down)
        if out:
            cv2.imwrite(str(pathlib.Path(out) / (path.stem + ".png")), result)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(edges, sorted(pathlib.Path(folder).iterdir())))


def nvjpeg_edges(folder, out):
    """Decodes luma with nvJPEG, 16 files at a time, and computes the edges with PyTorch."""
    import torch  # pylint: disable=import-outside-toplevel
    import torchvision  # pylint: disable=import-outside-toplevel
    writers = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    paths = sorted(pathlib.Path(folder).iterdir())
    written = []
    for first in range(0, len(paths), 16):
        files = [torchvision.io.read_file(str(path)) for path in paths[first:first + 16]]
        for path, grey in zip(paths[first:], torchvision.io.decode_jpeg(files, torchvision.io.ImageReadMode.GRAY, device="cuda")):
            if out == "decode":
                continue
            wide = torch.nn.functional.pad(grey.float()[None], (1, 1, 1, 1), mode="reflect")[0, 0]
            rows, columns = wide[:-2] + 2 * wide[1:-1] + wide[2:], wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
            edges = ((rows[:, 2:] - rows[:, :-2]).abs() + (columns[2:] - columns[:-2]).abs()).clamp(max=255).byte()
            if out:
                import cv2  # pylint: disable=import-outside-toplevel
                written.append(writers.submit(cv2.imwrite, str(pathlib.Path(out) / (path.stem + ".png")), edges.cpu().numpy()))
    torch.cuda.synchronize()
    for each in written:
        each.result()


PEERS = {"opencv": opencv_edges, "nvjpeg": nvjpeg_edges}


def together(commands):
    """Runs processes at the same time. Returns their wall-clock and CPU seconds, or the first failure's message."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    running = [subprocess.Popen(list(map(str, each)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for each in commands]
    errors = [each.communicate()[1] for each in running]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    failed = [text for process, text in zip(running, errors) if process.returncode]
    return failed[0].strip().split("\n")[-1] if failed else seconds


def picture_cases(chosen, work):
    folder, out = work / "in", work / "out"
    ours = chosen.bin / "warpwise"

    def case(to, by, *words, peer=False):
        return {"case": "JPEG pictures to edges, " + to, "by": by, "peer": peer, "items": chosen.pictures, "commands": [words]}

    def stream(*words):
        return ours, "stream", folder, "null", "--fps", "30", *words

    def files(*words):
        return ours, "sobel", folder, out, *words

    def python(name, to):
        return sys.executable, __file__, "--peer", name, folder, to

    gpu, cpu = ("--backend", "cuda"), ("--backend", "cpu")
    cases = []
    for backend, ways in [(gpu, ["cpu", "auto"])] * chosen.gpu + [(cpu, ["cpu"])]:
        for way in ways:
            for luma in [(), ("--luma",)]:
                name = ("the GPU computes" if backend == gpu else "the CPU computes") + (
                    ", the CPU decodes" if backend == gpu and way == "cpu" else "") + (", luma" if luma else "")
                words = (*backend, "--decode", way, *luma)
                cases.append(case("dropped, one after another", name, *stream("--pipeline", "sobel", *words)))
                cases.append(case("PNG files, all cores", name, *files(*words)))
    cases.append(case("dropped, all cores", "OpenCV, luma", *python("opencv", ""), peer=True))
    cases.append(case("PNG files, all cores", "OpenCV, luma", *python("opencv", out), peer=True))
    if chosen.gpu:
        cases.append(case("dropped, one after another", "nvJPEG and PyTorch, luma", *python("nvjpeg", ""), peer=True))
        cases.append(case("PNG files, all cores", "nvJPEG and PyTorch, luma", *python("nvjpeg", out), peer=True))
        cases.append(case("floor: decoding alone", "nvJPEG, luma", *python("nvjpeg", "decode"), peer=True))
        cases.append(case("floor: decoding alone", "the GPU", *stream(*gpu)))
    cases.append(case("floor: reading alone", "cat", "sh", "-c", f"cat {folder}/* >/dev/null", peer=True))
    return cases


def film_cases(chosen):
    ours = chosen.bin / "warpwise"
    frames = chosen.frames

    def case(what, by, words, at_once=1, peer=False):
        return {"case": what, "by": by, "peer": peer, "items": frames * at_once, "commands": [words] * at_once}

    def stream(backend, *words):
        return ours, "stream", chosen.film, "null", "--backend", backend, *words

    def ffmpeg(*words):
        return "ffmpeg", "-v", "error", *words, "-f", "null", "-"

    steps = ("--pipeline", PIPELINE)
    cases = []
    for count in (1, 8):
        what = "film to threshold, dropped" + (", eight at once" if count > 1 else "")
        if chosen.gpu:
            cases.append(case(what, "the GPU", stream("cuda", *steps), count))
        cases.append(case(what, "the CPU", stream("cpu", *steps), count))
        cases.append(case(what, "ffmpeg's filters", ffmpeg("-i", chosen.film, "-filter_complex", FILTERS), count, True))
    if chosen.gpu:
        cases.append(case("floor: decoding alone", "the GPU", stream("cuda")))
        cases.append(case("floor: decoding alone", "ffmpeg -hwaccel cuda",
                          ffmpeg("-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", chosen.film), peer=True))
    cases.append(case("floor: decoding alone", "ffmpeg", ffmpeg("-i", chosen.film), peer=True))
    return cases


def machine(chosen):
    def first(*words):
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")[0].strip()

    cpu = next(line for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("model name"))
    commit = HERE / "COMMIT"
    found = {"cpu": cpu.split(":")[1].strip(), "threads": os.cpu_count(), "date": datetime.datetime.now(datetime.timezone.utc).isoformat(
        timespec="seconds"), "commit": commit.read_text(encoding="utf-8").strip() if commit.exists() else
        first("git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=12")}
    if chosen.gpu:
        found["gpu"] = first("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
        found["driver"] = first("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return found


def record(chosen, work):
    cases = (picture_cases(chosen, work) if chosen.picture else []) + (film_cases(chosen) if chosen.film else [])
    missing = {}
    end = time.monotonic() + chosen.seconds
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        for case in cases:
            shutil.rmtree(work / "out", ignore_errors=True)
            if case["peer"]:
                (work / "out").mkdir()
            took = together(case["commands"])
            if isinstance(took, tuple):
                case.setdefault("seconds", []).append(took)
            elif case["peer"]:
                missing[case["by"]] = took
            else:
                sys.exit(f"end_to_end.py: {case['commands'][0]}: {took}")
        cases = [case for case in cases if "seconds" in case]
        rounds += 1
        rows = []
        for case in cases:
            rates = [case["items"] / wall for wall, _ in case["seconds"]]
            cpu = statistics.median(1000 * used / case["items"] for _, used in case["seconds"])
            rows.append({"case": case["case"], "by": case["by"], "items": case["items"], "per_second": statistics.median(rates),
                         "least": min(rates), "most": max(rates), "cpu_ms": cpu})
        method = (f"whole processes in turn, from start to exit, {rounds} round{'s' * (rounds > 1)}; medians; files in "
                  f"memory. {chosen.about}")
        chosen.out.write_text(json.dumps({"machine": machine(chosen), "method": method, "missing": missing, "rows": rows}, indent=1) + "\n",
                              encoding="utf-8")
    for row in rows:
        print(f"{row['case']:50} {row['by']:45} {row['per_second']:9.1f} [{row['least']:.1f}, {row['most']:.1f}] {row['cpu_ms']:8.1f} CPU ms")
    for name, why in missing.items():
        print(f"left out: {name}: {why}")


def main():
    if sys.argv[1:2] == ["--peer"]:
        return PEERS[sys.argv[2]](*sys.argv[3:])
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--picture", type=pathlib.Path)
    arguments.add_argument("--pictures", type=int, default=200)
    arguments.add_argument("--film", type=pathlib.Path)
    arguments.add_argument("--frames", type=int, help="number of the film's frames")
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--bin", type=pathlib.Path, default=HERE / "bin", help="folder of warpwise")
    arguments.add_argument("--about", default="", help="what the files are, for the record")
    chosen = arguments.parse_args()
    if chosen.film and not chosen.frames:
        arguments.error("--film needs --frames, the number of its frames")
    chosen.gpu = shutil.which("nvidia-smi") is not None
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        work = pathlib.Path(folder)
        (work / "in").mkdir()
        for i in range(chosen.pictures if chosen.picture else 0):
            shutil.copy(chosen.picture, work / "in" / f"{i:05}.jpg")
        record(chosen, work)
    return None


if __name__ == "__main__":
    main()
