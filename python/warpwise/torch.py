"""The primitives as PyTorch operators for torch.compile and torch.export, which cannot trace warpwise.sobel() etc.

>>> import torch, warpwise.torch
>>> edges = torch.compile(lambda image: warpwise.torch.sobel(image, output="dx").abs(), backend="eager", fullgraph=True)
>>> edges(torch.tensor([[0, 0, 10, 10]] * 3, dtype=torch.uint8))[0].tolist()
[0, 40, 40, 0]

Each operator has the options, defaults and results of the warpwise function of its name, without these options:

- `out`, gemv's `beta`, threshold's `mean` and match's `score`, since operators write to no argument
- `stream`: on a GPU an operator runs on the current stream

Gradients do not flow through: tensors are taken as detached, and results are detached. Needs PyTorch 2.4 or later.
"""

from collections.abc import Sequence
from typing import Optional, Tuple

import numpy
import torch
from torch import Tensor

import warpwise

__all__ = ["convert", "copy", "disparity", "gemv", "match", "sobel", "threshold"]


def copy(src: Tensor) -> Tensor:
    """Copies every pixel of an image: warpwise.copy()."""
    result: Tensor = _copy(src.detach())
    return result


def sobel(src: Tensor, *, output: str = "magnitude", norm: str = "l1", kernel: str = "sobel", border: str = "reflect101",
          order: str = "rgb", channels: Optional[str] = None, dtype: Optional[str] = None) -> Tensor:
    """Computes the image gradient: warpwise.sobel()."""
    result: Tensor = _sobel(
        src.detach(), output=output, norm=norm, taps=kernel, border=border, order=order, channels=channels, dtype=dtype)
    return result


def threshold(src: Tensor, *, window: int = 3, offset: float = 0.0, method: str = "mean", maximum: int = 255,
              inverted: bool = False) -> Tensor:
    """Applies an adaptive threshold: warpwise.threshold()."""
    result: Tensor = _threshold(
        src.detach(), window=window, offset=offset, method=method, maximum=maximum, inverted=inverted)
    return result


def convert(src: Tensor, source: str, to: str, *, size: Optional[Sequence[int]] = None, convention: str = "exact",
            matrix: str = "bt601", from_range: Optional[str] = None, to_range: Optional[str] = None,
            upsampling: str = "replicate", gray_is_luma: bool = False) -> Tensor:
    """Converts a frame from the pixel format source to the format to: warpwise.convert()."""
    result: Tensor = _convert(
        src.detach(), source, to, size=size, convention=convention, matrix=matrix, from_range=from_range,
        to_range=to_range, upsampling=upsampling, gray_is_luma=gray_is_luma)
    return result


def gemv(a: Tensor, x: Tensor, *, alpha: float = 1.0, transpose: bool = False) -> Tensor:
    """Multiplies a matrix by a vector: warpwise.gemv()."""
    result: Tensor = _gemv(a.detach(), x.detach(), alpha=alpha, transpose=transpose)
    return result


def match(reference: Tensor, target: Tensor, *, block: Sequence[int] = (32, 32), stride: Sequence[int] = (0, 0),
          search_x: Sequence[int] = (-16, 15), search_y: Sequence[int] = (-16, 15), measure: str = "sad",
          border: str = "skip") -> Tensor:
    """Estimates the motion of each block: warpwise.match()."""
    result: Tensor = _match(
        reference.detach(), target.detach(), block=block, stride=stride, search_x=search_x, search_y=search_y,
        measure=measure, border=border)
    return result


def disparity(left: Tensor, right: Tensor, *, block: int = 11, max_disparity: int = 64, measure: str = "sad", check: int = 1,
              subpixel: bool = False) -> Tensor:
    """Computes the disparity of each pixel of a rectified stereo pair: warpwise.disparity()."""
    result: Tensor = _disparity(
        left.detach(), right.detach(), block=block, max_disparity=max_disparity, measure=measure, check=check,
        subpixel=subpixel)
    return result


# The operators torch.ops.warpwise.NAME, each with a fake implementation, which gives the result's shape and type
# without data. No argument is named `kernel`: torch.compile reserves that name.


def _dtype(result: "numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.generic]]") -> torch.dtype:
    dtype: torch.dtype = getattr(torch, result.dtype.name)
    return dtype


def _dtype_of_same(src: Tensor) -> torch.dtype:
    """Returns the type of a result that has src's type. Booleans are taken as uint8."""
    return torch.uint8 if src.dtype == torch.bool else src.dtype


def _pair(numbers: Sequence[int]) -> Tuple[int, int]:
    first, second = numbers
    return first, second


@torch.library.custom_op("warpwise::copy", mutates_args=())
def _copy(src: Tensor) -> Tensor:
    return warpwise.copy(src.detach())  # type: ignore[no-any-return]


@_copy.register_fake
def _(src: Tensor) -> Tensor:
    return src.new_empty(src.shape, dtype=_dtype_of_same(src))


@torch.library.custom_op("warpwise::sobel", mutates_args=())
def _sobel(src: Tensor, *, output: str = "magnitude", norm: str = "l1", taps: str = "sobel", border: str = "reflect101",
          order: str = "rgb", channels: Optional[str] = None, dtype: Optional[str] = None) -> Tensor:
    return warpwise.sobel(  # type: ignore[no-any-return]
        src.detach(), output=output, norm=norm, kernel=taps, border=border, order=order, channels=channels, dtype=dtype)


@_sobel.register_fake
def _(src: Tensor, *, output: str = "magnitude", norm: str = "l1", taps: str = "sobel", border: str = "reflect101",
      order: str = "rgb", channels: Optional[str] = None, dtype: Optional[str] = None) -> Tensor:
    # A call on one pixel gives the type of the result.
    pixel = numpy.zeros((1, 1), str(src.dtype).rpartition(".")[2])
    return src.new_empty(src.shape[:2], dtype=_dtype(warpwise.sobel(pixel, output=output, dtype=dtype)))


@torch.library.custom_op("warpwise::threshold", mutates_args=())
def _threshold(src: Tensor, *, window: int = 3, offset: float = 0.0, method: str = "mean", maximum: int = 255,
              inverted: bool = False) -> Tensor:
    return warpwise.threshold(  # type: ignore[no-any-return]
        src.detach(), window=window, offset=offset, method=method, maximum=maximum, inverted=inverted)


@_threshold.register_fake
def _(src: Tensor, *, window: int = 3, offset: float = 0.0, method: str = "mean", maximum: int = 255,
      inverted: bool = False) -> Tensor:
    return src.new_empty(src.shape[:2], dtype=_dtype_of_same(src))


@torch.library.custom_op("warpwise::convert", mutates_args=())
def _convert(src: Tensor, source: str, to: str, *, size: Optional[Sequence[int]] = None, convention: str = "exact",
            matrix: str = "bt601", from_range: Optional[str] = None, to_range: Optional[str] = None,
            upsampling: str = "replicate", gray_is_luma: bool = False) -> Tensor:
    width_height = None if size is None else (size[0], size[1])
    return warpwise.convert(  # type: ignore[no-any-return]
        src.detach(), source, to, size=width_height, convention=convention, matrix=matrix, from_range=from_range,
        to_range=to_range, upsampling=upsampling, gray_is_luma=gray_is_luma)


@_convert.register_fake
def _(src: Tensor, source: str, to: str, *, size: Optional[Sequence[int]] = None, convention: str = "exact",
      matrix: str = "bt601", from_range: Optional[str] = None, to_range: Optional[str] = None,
      upsampling: str = "replicate", gray_is_luma: bool = False) -> Tensor:
    if size is not None:
        width, height = size
    elif source in ("nv12", "nv21", "i420"):
        height, width = src.shape[0] // 3 * 2, src.shape[1]
    else:
        height, width = src.shape[:2]
    if to == "i444":
        return src.new_empty((3, height, width), dtype=torch.uint8)
    pixel = warpwise.convert(numpy.zeros((1, 1, 3), numpy.uint8), "rgb24", to)
    return src.new_empty((height, width, *pixel.shape[2:]), dtype=torch.uint8)


@torch.library.custom_op("warpwise::gemv", mutates_args=())
def _gemv(a: Tensor, x: Tensor, *, alpha: float = 1.0, transpose: bool = False) -> Tensor:
    return warpwise.gemv(a.detach(), x.detach(), alpha=alpha, transpose=transpose)  # type: ignore[no-any-return]


@_gemv.register_fake
def _(a: Tensor, x: Tensor, *, alpha: float = 1.0, transpose: bool = False) -> Tensor:
    return a.new_empty((a.shape[1 if transpose else 0],), dtype=torch.float32)


_MATCH = """(Tensor reference, Tensor target, *, int[] block=[32, 32], int[] stride=[0, 0], int[] search_x=[-16, 15],
int[] search_y=[-16, 15], str measure="sad", str border="skip") -> Tensor"""  # PyTorch cannot infer default tuples


@torch.library.custom_op("warpwise::match", mutates_args=(), schema=_MATCH)
def _match(reference: Tensor, target: Tensor, *, block: Sequence[int] = (32, 32), stride: Sequence[int] = (0, 0),
          search_x: Sequence[int] = (-16, 15), search_y: Sequence[int] = (-16, 15), measure: str = "sad",
          border: str = "skip") -> Tensor:
    return warpwise.match(  # type: ignore[no-any-return]
        reference.detach(), target.detach(), block=_pair(block), stride=_pair(stride), search_x=_pair(search_x),
        search_y=_pair(search_y), measure=measure, border=border)


@_match.register_fake
def _(reference: Tensor, target: Tensor, *, block: Sequence[int] = (32, 32), stride: Sequence[int] = (0, 0),
      search_x: Sequence[int] = (-16, 15), search_y: Sequence[int] = (-16, 15), measure: str = "sad",
      border: str = "skip") -> Tensor:
    height, width = reference.shape[:2]
    columns, rows = ((extent - side) // (step or side) + 1
                     for extent, side, step in zip((width, height), block, stride))
    return reference.new_empty((rows, columns, 2), dtype=torch.int16)


@torch.library.custom_op("warpwise::disparity", mutates_args=())
def _disparity(left: Tensor, right: Tensor, *, block: int = 11, max_disparity: int = 64, measure: str = "sad", check: int = 1,
              subpixel: bool = False) -> Tensor:
    return warpwise.disparity(  # type: ignore[no-any-return]
        left.detach(), right.detach(), block=block, max_disparity=max_disparity, measure=measure, check=check,
        subpixel=subpixel)


@_disparity.register_fake
def _(left: Tensor, right: Tensor, *, block: int = 11, max_disparity: int = 64, measure: str = "sad", check: int = 1,
      subpixel: bool = False) -> Tensor:
    return left.new_empty(left.shape[:2], dtype=torch.float32)
