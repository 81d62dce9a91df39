"""Parses a pipeline such as "ycbcr32 | sobel | threshold window=31" and runs pictures through it.

Names, options and results are those of `warpwise stream`. Stages that need more than one picture are not supported.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy

import warpwise

RGB = ("rgb24", "bgr24", "rgba32", "bgra32")
FORMATS = ("ycbcr32", "ycrcb24", "gray8", *RGB, "i444")  # destinations of convert()
BYTES_OF_12_PIXELS = {"gray8": 12, "i420": 18, "nv12": 18, "nv21": 18, "yuyv": 24, "uyvy": 24, "rgb24": 36, "bgr24": 36,
                      "ycrcb24": 36, "i444": 36, "rgba32": 48, "bgra32": 48, "ycbcr32": 48}

# Maps an option's name in a pipeline to the primitive's argument and its type; None for a flag.
# There is no option chroma: linear upsampling needs the position of a video's chroma samples.
CONVERT: dict[str, tuple[str, Any]] = {
    "matrix": ("matrix", str), "from-range": ("from_range", str), "to-range": ("to_range", str), "convention": ("convention", str)}
SOBEL: dict[str, tuple[str, Any]] = {
    "output": ("output", str), "norm": ("norm", str), "kernel": ("kernel", str), "border": ("border", str)}
THRESHOLD: dict[str, tuple[str, Any]] = {
    "window": ("window", int), "offset": ("offset", float), "method": ("method", str), "max": ("maximum", int),
    "invert": ("inverted", None)}
NUMBERS = {"window": range(1, 1 << 63), "max": range(1 << 32)}  # what the arguments' types in C++ hold


class Picture(NamedTuple):
    """Pixels and the meaning of their codes. For RGB and grey, matrix is used when they are converted to YUV."""

    pixels: Any
    format: str
    width: int
    height: int
    matrix: str
    range: Optional[str]  # None for RGB

    @property
    def is_rgb(self) -> bool:
        return self.format in RGB


def picture(pixels: Any, format: str, size: Optional[tuple[int, int]] = None, matrix: Optional[str] = None,
            range: Optional[str] = None) -> Picture:
    """Makes a Picture of an array. A missing size, matrix or range is guessed as in `warpwise stream`."""
    width, height = size or (pixels.shape[1], pixels.shape[0])
    is_high_definition = width > 1024 or height > 576
    guess = "full" if format == "gray8" else "limited"
    return Picture(pixels, format, width, height, matrix or ("bt709" if is_high_definition else "bt601"),
                   None if format in RGB else range or guess)


def convert(source: Picture, to: str, options: dict[str, Any] = {}) -> Picture:
    """Converts to another format. Options override the picture's matrix and ranges."""
    convention = options.get("convention", "exact")
    has_one_matrix = source.is_rgb and convention in ("opencv", "jfif")
    matrix = options.get("matrix") or ("bt601" if has_one_matrix else source.matrix)
    if not source.is_rgb and source.format != "gray8" and to not in RGB and matrix != source.matrix:
        raise warpwise.InvalidArgument(f"convert cannot change the matrix of YUV from {source.matrix} to {matrix}; put the stage rgb24 before it")
    from_range = options.get("from_range") or source.range
    if source.format == "gray8" and from_range == "limited":
        raise warpwise.InvalidArgument("grey of limited range is not converted here")
    to_range = options.get("to_range") or (None if to in RGB else from_range or "full")
    # These formats have several planes in one array. The shape of an i444 array already gives the size.
    size = (source.width, source.height) if source.format in ("i420", "nv12", "nv21") else None
    pixels = warpwise.convert(source.pixels, source.format, to, size=size, convention=convention, matrix=matrix,
                              from_range=from_range, to_range=to_range)
    return Picture(pixels, to, source.width, source.height, source.matrix if to in RGB else matrix, to_range)


def grey(source: Picture) -> Picture:
    """Returns the luma of YUV, or OpenCV's grey of RGB."""
    if source.format == "gray8":
        return source
    if source.format == "i444":
        return source._replace(pixels=source.pixels[0], format="gray8")
    return convert(source, "gray8", {"convention": "opencv"} if source.is_rgb else {})


def sobel(source: Picture, options: dict[str, Any]) -> Picture:
    channels = "bgr" if source.format.startswith("bgr") else "rgb"
    pixels = warpwise.sobel(source.pixels, channels=channels, **options)
    return source._replace(pixels=pixels, format="gray8", range="full")


def threshold(source: Picture, options: dict[str, Any]) -> Picture:
    return source._replace(pixels=warpwise.threshold(source.pixels, **options), range="full")


def shown(source: Picture) -> Picture:
    """Converts to a format that a PNG file holds: grey or RGB."""
    return source if source.format in ("gray8", "rgb24") else convert(source, "rgb24")


class Stage:
    def __init__(self, text: str) -> None:
        self.name, *words = text.split() or [""]
        if self.name not in ("sobel", "threshold", *FORMATS):
            remembers = ", which needs more than one picture," if self.name in ("match", "track", "disparity") else ""
            raise warpwise.InvalidArgument(f"'{self.name}'{remembers} is no stage for single pictures; these are sobel, threshold, "
                                           + ", ".join(FORMATS))
        self.text = " ".join([self.name, *words])
        known = {"sobel": SOBEL, "threshold": THRESHOLD}.get(self.name, CONVERT)
        self.options = dict(self._option(word, known) for word in words)
        if len(self.options) != len(words):
            raise warpwise.InvalidArgument(f"the stage '{self.text}' has an option twice")
        if self.name == "threshold" and "window" not in self.options:
            raise warpwise.InvalidArgument(f"the stage '{self.text}' needs window=N, an odd number such as 31")
        if self.options.get("output", "magnitude") != "magnitude":
            raise warpwise.InvalidArgument(f"the stage '{self.text}': only the magnitude fits into 8 bits")

    def _option(self, word: str, known: dict[str, tuple[str, Any]]) -> tuple[str, Any]:
        name, equals, value = word.partition("=")
        if name not in known:
            raise warpwise.InvalidArgument(f"the stage '{self.text}': '{name}' is no option; its options: {', '.join(known)}")
        argument, kind = known[name]
        if (kind is None) == bool(equals) or (kind and not value):
            raise warpwise.InvalidArgument(f"the stage '{self.text}': the option {name} "
                                           + ("needs a value" if kind else "takes no value"))
        if not value.isprintable():
            raise warpwise.InvalidArgument(f"the stage '{self.text}': {value!r} is no value of {name}")
        try:
            given = kind(value) if kind else True
        except ValueError:
            raise warpwise.InvalidArgument(f"the stage '{self.text}': '{value}' is no number") from None
        if name in NUMBERS and given not in NUMBERS[name]:
            raise warpwise.InvalidArgument(f"the stage '{self.text}': {name} must be from {NUMBERS[name][0]} to {NUMBERS[name][-1]}")
        return argument, given

    def takes(self, source: Picture) -> Picture:
        needs_grey = self.name == "threshold" or (self.name == "sobel" and not source.is_rgb)
        return grey(source) if needs_grey else source

    def gives(self, source: Picture) -> Picture:
        if self.name == "sobel":
            return sobel(source, self.options)
        if self.name == "threshold":
            return threshold(source, self.options)
        return convert(source, self.name, self.options)


class Pipeline:
    """A parsed pipeline; `text` is its text with single blanks. Raises InvalidArgument for an invalid text.

    encoded  True: the results become PNG files; a pipeline that ends in i444 or ycrcb24 is then invalid
    """

    def __init__(self, text: str, encoded: bool = False) -> None:
        self.encoded = encoded
        self.stages = [Stage(part) for part in text.split("|")] if text.strip() else []
        self.text = " | ".join(stage.text for stage in self.stages)
        refused = [reason for reason in (self._refused("rgb24", (1, 1, 3)), self._refused("i420", (3,))) if reason]
        if len(refused) == 2:
            raise refused[0]

    def _refused(self, format: str, shape: tuple[int, ...]) -> Optional[warpwise.InvalidArgument]:
        try:
            result = self(picture(numpy.zeros(shape, numpy.uint8), format, (1, 1)))
            if self.encoded:
                shown(result)
            return None
        except warpwise.InvalidArgument as error:
            return error

    def __call__(self, source: Picture, passed: Optional[list[str]] = None) -> Picture:
        """Runs all stages on a picture. The format after each step is appended to `passed`."""
        for stage in self.stages:
            for step in (stage.takes, stage.gives):
                source = step(source)
                if passed is not None:
                    passed.append(source.format)
        return source
