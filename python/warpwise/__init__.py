"""Image primitives with the same result on GPU and CPU, on arrays of NumPy, PyTorch, CuPy, JAX and OpenCV.

An array on the CPU is worked on by the CPU, an array on a GPU by that GPU, in order with the work of its library's
current stream, and without waiting for it. Nothing is copied. Results are arrays of the first input's library; `out=`
takes one that is there already.
"""

from ._enums import (
    Border, ChannelOrder, ChromaUpsampling, Convention, MatchBorder, Matrix, Measure, Norm, PixelFormat, Range,
    SobelKernel, SobelOutput, ThresholdMethod)
from ._warpwise import (
    Chain, ChainConvert, CudaError, DeviceArray, Error, Finding, InvalidArgument, IoError, NoCudaDevice, OutOfMemory, SobelOptions,
    ThresholdOptions, Tracker, Unsupported, convert, copy, device_count, disparity, find, gemv, limit_threads, match, sobel,
    threshold, why_no_device)

__all__ = [
    "Border", "Chain", "ChainConvert", "ChannelOrder", "ChromaUpsampling", "Convention", "CudaError", "DeviceArray", "Error",
    "Finding", "InvalidArgument", "IoError", "MatchBorder", "Matrix", "Measure", "NoCudaDevice", "Norm", "OutOfMemory",
    "PixelFormat", "Range", "SobelKernel", "SobelOptions", "SobelOutput", "ThresholdMethod", "ThresholdOptions", "Tracker",
    "Unsupported", "convert", "copy", "device_count", "disparity", "find", "gemv", "limit_threads", "match", "sobel",
    "threshold", "why_no_device"]
