"""Reads pictures and video frames from files, and writes pictures to files."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import io
import json
import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Optional

import numpy

from ._pipeline import Picture, picture, shown

VIDEOS = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm", ".y4m")

TAKEN = "taken are 8-bit grey, RGB and RGBA"

PARTIAL = ".partial"  # folder in OUT for files that are being written

# For each FFmpeg name: the format, and the number of planes that are read.
PIXELS = {"gray": ("gray8", 1), "yuv420p": ("i420", 3), "yuvj420p": ("i420", 3), "nv12": ("nv12", 2), "nv21": ("nv21", 2),
          "yuyv422": ("yuyv", 1), "uyvy422": ("uyvy", 1), "rgb24": ("rgb24", 1), "bgr24": ("bgr24", 1),
          "rgba": ("rgba32", 1), "bgra": ("bgra32", 1)}
BYTES = {"gray8": 1, "yuyv": 2, "uyvy": 2, "rgb24": 3, "bgr24": 3, "rgba32": 4, "bgra32": 4}
MATRICES = {1: "bt709", 4: "bt601", 5: "bt601", 6: "bt601", 9: "bt2020"}  # AVColorSpace
RANGES = {1: "limited", 2: "full"}  # AVColorRange


class BadInput(ValueError):
    """The file is neither a supported picture nor a supported video."""


def decode(data: Any) -> Picture:
    """Decodes a picture file's bytes. JPEG and TIFF pictures are rotated upright by their EXIF orientation."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        image: Image.Image = Image.open(io.BytesIO(data))
    except UnidentifiedImageError:
        raise BadInput("is no picture that Pillow knows") from None
    if _is_deep(image):
        raise BadInput(f"has pixels of Pillow's mode {image.mode} with more than 8 bits a channel; {TAKEN}")
    if image.format in ("JPEG", "MPO", "TIFF"):  # MPO: a JPEG file with more pictures behind the first
        image = ImageOps.exif_transpose(image)
    if image.mode in ("1", "P"):
        image = image.convert("L" if image.mode == "1" else "RGBA" if "transparency" in image.info else "RGB")
    if image.mode == "LA":
        image = image.convert("RGBA")
    formats = {"L": "gray8", "RGB": "rgb24", "RGBA": "rgba32"}
    if image.mode not in formats:
        raise BadInput(f"has pixels of Pillow's mode {image.mode}; {TAKEN}")
    return picture(numpy.asarray(image), formats[image.mode])


def _is_deep(image: Any) -> bool:
    """Returns whether the file has more than 8 bits a channel. Pillow opens many such files in a mode of 8 bits, and drops
    the other bits."""
    if image.format == "TIFF":
        return max(image.tag_v2.get(258, (1,))) > 8  # 258: BitsPerSample
    if image.format == "PPM" and image.mode != "1":
        return any(codec != "raw" and options[1] > 255 for codec, _, _, options in image.tile)  # the greatest value
    # The raw modes of deep pictures end with ";16B". BMP's mode "BGR;16" does not: it has 16 bits a pixel.
    return any(codec == "SGI16" or ";16B" in str(options) for codec, _, _, options in image.tile)


def encode(result: Picture, to_host: Callable[[Any], Any]) -> bytes:
    """Encodes a PNG file. The same pixels give the same bytes with the same Pillow."""
    from PIL import Image

    file = io.BytesIO()
    # Levels above 1 take several times as long and save a few per cent.
    Image.fromarray(to_host(shown(result).pixels)).save(file, "PNG", compress_level=1)
    return file.getvalue()


def frames(path: str) -> Iterator[Picture]:
    """Yields a video's frames as the decoder gives them, without conversion."""
    with _video(path) as container:
        for frame in container.decode(container.streams.video[0]):
            yield _picture_of(frame)


def first_frame(path: str) -> tuple[str, Picture]:
    """Returns the name of a video's codec and its first frame."""
    with _video(path) as container:
        video = container.streams.video[0]
        for frame in container.decode(video):
            return video.codec_context.name, _picture_of(frame)
    raise BadInput("has no frames")


def _video(path: str) -> Any:
    try:
        import av
    except ImportError:
        raise BadInput("is no picture; for videos PyAV is needed: pip install av") from None
    container = av.open(path)
    if not container.streams.video:
        container.close()
        raise BadInput("has no pictures in it")
    return container


def _picture_of(frame: Any) -> Picture:
    if frame.format.name not in PIXELS:
        raise BadInput(f"has frames of {frame.format.name}; taken are {', '.join(PIXELS)}")
    format, planes = PIXELS[frame.format.name]
    parts = []
    for plane in frame.planes[:planes]:
        bytes_a_pixel = 2 if format in ("nv12", "nv21") and plane.index == 1 else BYTES.get(format, 1)
        rows = numpy.frombuffer(plane, numpy.uint8)[:plane.line_size * plane.height].reshape(plane.height, plane.line_size)
        parts.append(rows[:, :plane.width * bytes_a_pixel])
    if planes == 1:
        shape = (frame.height, frame.width, BYTES[format]) if BYTES[format] > 1 else (frame.height, frame.width)
        pixels = numpy.ascontiguousarray(parts[0]).reshape(shape)
    else:
        pixels = numpy.concatenate([part.ravel() for part in parts])
    if frame.colorspace not in (*MATRICES, 0, 2):  # 0: RGB, 2: unspecified
        raise BadInput(f"has colours of an unsupported matrix (AVColorSpace {int(frame.colorspace)})")
    is_full = "yuvj" in frame.format.name
    return picture(pixels, format, (frame.width, frame.height), MATRICES.get(frame.colorspace),
                   "full" if is_full else RANGES.get(frame.color_range))


@functools.lru_cache(maxsize=None)
def version() -> str:
    """Returns the versions that a result's bytes depend on: of Warpwise, the decoders and the encoder."""
    import PIL
    from PIL import features

    parts = ["warpwise " + importlib.metadata.version("warpwise"), "Pillow " + PIL.__version__]
    parts += [f"{name} {features.version(name)}" for name in ("libjpeg_turbo", "zlib", "libtiff", "webp", "jpg_2000", "avif")]
    try:
        import av

        parts += ["PyAV " + av.__version__, f"libavcodec {av.library_versions['libavcodec']}"]
    except ImportError:
        pass
    return ", ".join(parts)


def digest_of(file: Any) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.digest()


def output_name(path: str, digest: bytes, frame: Optional[int], pipeline: str) -> str:
    """Returns a result's path below OUT. The same work always gives the same path, in every process."""
    work = json.dumps([path, digest.hex(), frame, pipeline, version()])
    name = hashlib.blake2b(work.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return f"{name[:2]}/{name}.png"


def write_once(out: str, name: str, data: bytes) -> None:
    """Writes a file atomically: it exists whole or not at all. The folder is not synchronised to the disk, so a power
    loss may lose the file; the next run then writes it again."""
    target, partial = os.path.join(out, name), os.path.join(out, PARTIAL, uuid.uuid4().hex)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise
