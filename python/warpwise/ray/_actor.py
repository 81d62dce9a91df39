"""The actor for Ray Data's map_batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Callable

import numpy

import warpwise

from ._files import decode, encode
from ._pipeline import BYTES_OF_12_PIXELS, Picture, Pipeline, picture

FORMATS = {1: "gray8", 3: "rgb24", 4: "rgba32"}


class Device:
    """Device that processes pictures, with copies to it (`put`) and back (`get`)."""

    def __init__(self, name: str) -> None:
        if name not in ("cpu", "cuda"):
            raise warpwise.InvalidArgument(f"'{name}' is no device: cpu, cuda")
        self.name = name
        self.out_of_memory: tuple[type[BaseException], ...] = (MemoryError,)
        self.put: Callable[[Any], Any] = lambda pixels: pixels
        self.get: Callable[[Any], Any] = lambda pixels: pixels
        if name == "cuda":
            self._find_arrays()

    def _find_arrays(self) -> None:
        if warpwise.device_count() == 0:
            raise warpwise.NoCudaDevice(warpwise.why_no_device())
        try:
            import cupy

            self.put, self.get = cupy.asarray, cupy.asnumpy
        except ImportError:
            import torch

            # Arrays of a batch are read-only, and torch refuses read-only arrays: numpy.array() copies them.
            self.put = lambda pixels: torch.from_numpy(numpy.array(pixels)).cuda()
            self.get = lambda pixels: pixels.cpu().numpy()
            self.out_of_memory += (torch.cuda.OutOfMemoryError,)


class PipelineActor:
    """Runs a pipeline on each picture of a batch, for `Dataset.map_batches`, which makes one actor for each worker.

    pipeline  stages as in `warpwise stream`: sobel, threshold and formats, "ycbcr32 | sobel | threshold window=31"
    column    name of the column with the pictures, each of any size: uint8 arrays of (height, width) for grey,
              (height, width, 3) for RGB or (height, width, 4) for RGBA, or the bytes of picture files. Read-only
              arrays are not copied on the CPU
    result    name of the column for results, by default that of `column`
    encoded   True: results are the bytes of PNG files. False: they are arrays, stacked if all have one size
    device    "cpu" or "cuda". On CUDA pictures are arrays of CuPy, or of PyTorch if there is no CuPy

    A batch that does not fit into memory is halved, and its parts are yielded one by one. An exception is raised for a
    single picture that does not fit, that cannot be read, or that the pipeline does not take.

    >>> import numpy, warpwise.ray
    >>> actor = warpwise.ray.PipelineActor("sobel | threshold window=3")
    >>> [part["image"].shape for part in actor({"image": numpy.zeros((2, 4, 5, 3), numpy.uint8)})]
    [(2, 4, 5)]
    """

    def __init__(self, pipeline: str, *, column: str = "image", result: str = "", encoded: bool = False,
                 device: str = "cpu") -> None:
        self.pipeline = Pipeline(pipeline, encoded)
        self.column = column
        self.result = result or column
        self.encoded = encoded
        self.device = Device(device)

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield from self._parts(batch, 0, len(batch[self.column]))

    def peak_bytes(self, shapes: Iterable[tuple[int, ...]]) -> int:
        """Computes the peak memory of the pixels of a batch with these shapes: all pictures, all results, and one
        picture's images between stages. With CUDA this is GPU memory. The few rows that a primitive keeps are not
        counted."""
        total = between = 0
        for shape in shapes:
            source = FORMATS[shape[2] if len(shape) > 2 else 1]
            steps: list[str] = []
            tiny = numpy.zeros((1, 1, *shape[2:]), numpy.uint8)
            self.pipeline(picture(tiny, source), steps)
            sizes = [BYTES_OF_12_PIXELS[format] * shape[0] * shape[1] // 12 for format in (source, *steps)]
            # Results count twice on the CPU, because results of one size are stacked into one array, which copies them.
            # Encoding needs at most the RGB of a picture and zlib's output for noise.
            results = 1 if self.device.name == "cuda" else 2
            total += sizes[0] + results * sizes[-1]
            between = max([between, 4 * shape[0] * shape[1], *(a + b for a, b in zip(sizes[1:], sizes[2:]))])
        return total + between

    def _parts(self, batch: dict[str, Any], first: int, last: int) -> Iterator[dict[str, Any]]:
        try:
            results = self._results(batch[self.column][first:last])
        except self.device.out_of_memory:
            if last - first < 2:
                raise
            results = None  # the exception holds the attempt's arrays; leaving this block frees them
        if results is None:
            middle = (first + last) // 2
            yield from self._parts(batch, first, middle)
            yield from self._parts(batch, middle, last)
            return
        yield {**{name: values[first:last] for name, values in batch.items()}, self.result: results}

    def _results(self, pictures: Any) -> Any:
        sources = [self._source(each) for each in pictures]
        there = [source._replace(pixels=self.device.put(source.pixels)) for source in sources]
        results = [self.pipeline(source) for source in there]
        if self.encoded:
            return _column([encode(result, self.device.get) for result in results])
        return _column([self.device.get(result.pixels) for result in results])

    def _source(self, value: Any) -> Picture:
        if isinstance(value, (bytes, memoryview)):
            return decode(value)
        has_shape = value.ndim == 2 or (value.ndim == 3 and value.shape[2] in (3, 4))
        if value.dtype != numpy.uint8 or not has_shape:
            raise warpwise.InvalidArgument(f"a picture is {value.dtype} of {value.shape}; it must be uint8 of (height, width), "
                                           "(height, width, 3) or (height, width, 4)")
        return picture(value, FORMATS[value.shape[2] if value.ndim == 3 else 1])


def _column(results: list[Any]) -> Any:
    if results and isinstance(results[0], numpy.ndarray) and len({result.shape for result in results}) == 1:
        return numpy.stack(results)
    ragged = numpy.empty(len(results), object)
    for i, result in enumerate(results):
        ragged[i] = result
    return ragged
