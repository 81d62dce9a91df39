#!/usr/bin/env python3
"""Compares `warpwise match` with ffmpeg's exhaustive block motion, mestimate=method=esa, on the same frames, blocks and
displacements. Whole processes of one thread each are compared, by the CPU time that the system counts for them.

  bench/ffmpeg_match.py [--build build/release] [--json OUT]

For each frame, mestimate searches the previous frame and the next one. The first frame has no previous frame: ffmpeg
compares it with itself, and ends that search at once. n frames therefore make 2(n - 1) - 1 searches. ffmpeg makes all
searches in one process; warpwise runs a process for each.
makes them in one process, warpwise each in a process of its own.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
# The sizes are multiples of the block, because the programs treat an incomplete last column or row of blocks
# differently.
WIDTH, HEIGHT, FRAMES = 1280, 704, 4
ROUNDS = 3
BLOCK, REACH = 32, 16  # displacements are -16 to 16, both included


def positions(size):
    """Returns the number of displacements along one axis that keep a block inside the image, summed over the blocks."""
    return sum(min(REACH, size - BLOCK - at) - max(-REACH, -at) + 1
               for at in range(0, size - BLOCK + 1, BLOCK))


def make_frames():
    """Makes frames of noise that moves by (3, 2) from frame to frame."""
    chaos = random.Random(1)
    large = [chaos.randbytes(WIDTH + 64) for _ in range(HEIGHT + 64)]
    return [b"".join(row[3 * i:3 * i + WIDTH] for row in large[2 * i:2 * i + HEIGHT])
            for i in range(FRAMES)]


def npy(frame):
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({HEIGHT}, {WIDTH}), }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + frame


def cpu_seconds(command):
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user - before.children_user +
            after.children_system - before.children_system)


def ffmpeg(raw, video_filter):
    return cpu_seconds(["ffmpeg", "-loglevel", "error", "-nostdin", "-threads", "1",
                        "-filter_threads", "1", "-f", "rawvideo", "-pix_fmt", "gray",
                        "-s", f"{WIDTH}x{HEIGHT}", "-i", raw, "-vf", video_filter,
                        "-threads", "1", "-f", "null", "-"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", default="build/release", type=pathlib.Path)
    arguments.add_argument("--json", type=pathlib.Path)
    chosen = arguments.parse_args()
    if shutil.which("ffmpeg") is None:
        print("ffmpeg_match: skipped, ffmpeg is not installed")
        return
    warpwise = REPOSITORY / chosen.build / "bin" / "warpwise"
    pairs = [(i, j) for i in range(FRAMES - 1) for j in (i - 1, i + 1) if j >= 0]
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{folder}/{i}.npy" for i in range(FRAMES)]
        frames = make_frames()
        pathlib.Path(f"{folder}/frames.raw").write_bytes(b"".join(frames))
        for name, frame in zip(names, frames):
            pathlib.Path(name).write_bytes(npy(frame))

        def ours():
            return sum(cpu_seconds([warpwise, "match", names[i], names[j], f"{folder}/out.csv",
                                    "--block-size", str(BLOCK), "--search-x", f"-{REACH}:{REACH}",
                                    "--search-y", f"-{REACH}:{REACH}", "--threads", "1",
                                    "--backend", "cpu"]) for i, j in pairs)

        def theirs():
            return ffmpeg(f"{folder}/frames.raw",
                          f"mestimate=method=esa:mb_size={BLOCK}:search_param={REACH}")

        samples = [(ours(), theirs()) for _ in range(ROUNDS)]
        idle = ffmpeg(f"{folder}/frames.raw", "null")
    ratios = sorted(peer / own for own, peer in samples)
    result = {
        "name": f"match/sad {BLOCK}x{BLOCK} search -{REACH}:{REACH}, whole processes",
        "peer": subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True,
                               check=True).stdout.split(" Copyright")[0] + " mestimate esa",
        "size": f"{WIDTH}x{HEIGHT}", "searches": len(pairs),
        "candidates": positions(WIDTH) * positions(HEIGHT) * len(pairs),
        "ours_s": statistics.median(own for own, _ in samples),
        "peer_s": statistics.median(peer for _, peer in samples),
        "peer_without_search_s": idle,
        "ratio": statistics.median(ratios), "ratio_least": ratios[0], "ratio_most": ratios[-1],
    }
    print(f"{result['name']}, {result['size']}: {result['searches']} searches, "
          f"{result['candidates'] / 1e6:.1f} million candidates of {BLOCK * BLOCK} pixels;\n"
          f"warpwise {result['ours_s']:.3f} s, ffmpeg {result['peer_s']:.3f} s "
          f"({idle:.3f} s of them without the search): "
          f"{result['ratio']:.1f} times as fast [{ratios[0]:.1f}, {ratios[-1]:.1f}]")
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
