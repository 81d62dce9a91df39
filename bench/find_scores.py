#!/usr/bin/env python3
"""Measures find()'s zncc scores of templates that are in a picture, which was changed afterwards, or that are not in it.

    bench/find_scores.py [SAMPLES]     SAMPLES: the folder of pictures, samples/ unless given

Cuts templates from each picture. The row "absent" searches them in another picture, and each other row searches them in
their own picture after a change. Prints, for each side length of a template, the shares of searches that score at least
0.7, 0.8 and 0.9. In changed pictures only a place within 2 pixels of the right one counts. Needs the Python package,
NumPy and Pillow.
"""
import io
import pathlib
import sys

import numpy
from PIL import Image, ImageFilter

import warpwise

PICTURES = ["building.jpg", "sudoku.png", "aloeL.jpg", "rubberwhale1.png", "aloeGT.png"]
# Least standard deviation of a template's pixels: a flat template has no meaningful place in a picture.
LEAST_CONTRAST = 10
CUTS, LIMITS = 24, (0.7, 0.8, 0.9)
RANDOM = numpy.random.default_rng(1)


def noise(deviation):
    return lambda picture: numpy.clip(picture + RANDOM.normal(0, deviation, picture.shape), 0, 255).astype(numpy.uint8)


def jpeg(picture):
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=30)
    return numpy.array(Image.open(file))


CHANGES = {
    "noise of 5": noise(5), "noise of 10": noise(10), "noise of 20": noise(20),
    "light of 60 %": lambda picture: noise(5)((0.6 * picture + 20).astype(numpy.uint8)), "JPEG of quality 30": jpeg,
    "blur of 1.5 pixels": lambda picture: numpy.array(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(1.5))),
}


def cut(picture, side):
    while True:
        y, x = (int(RANDOM.integers(0, extent - side)) for extent in picture.shape)
        template = numpy.ascontiguousarray(picture[y:y + side, x:x + side])
        if template.std() >= LEAST_CONTRAST:
            return template, x, y


def row(side, name, scores):
    shares = " | ".join(f"{100 * sum(score >= limit for score in scores) / len(scores):.0f} %" for limit in LIMITS)
    print(f"| {side} | {name} | {shares} |", flush=True)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "samples")
    pictures = []
    for name in PICTURES:
        picture = Image.open(folder / name).convert("L")
        picture.thumbnail((512, 512))
        pictures.append(numpy.array(picture))
    for side in (16, 32, 64, 96):
        scores = []
        for i, picture in enumerate(pictures):
            for n in range(CUTS):
                other = pictures[(i + 1 + n % (len(pictures) - 1)) % len(pictures)]
                scores.append(warpwise.find(cut(picture, side)[0], other).score)
        row(side, "absent", scores)
        for name, change in CHANGES.items():
            scores = []
            for picture in pictures:
                changed = change(picture)
                for _ in range(CUTS // 2):
                    template, x, y = cut(picture, side)
                    found = warpwise.find(template, changed)
                    scores.append(found.score if abs(found.x - x) <= 2 and abs(found.y - y) <= 2 else -1)
            row(side, name, scores)


if __name__ == "__main__":
    main()
