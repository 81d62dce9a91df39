"""Image primitives with the same result on GPU and CPU, on arrays of NumPy, PyTorch, CuPy, JAX and OpenCV.

An array in host memory is processed on the CPU, an array on a GPU on that GPU. A call on a GPU uses the current
stream of the array's library and does not wait for the result. Inputs are not copied. Results are arrays of the first
input's library; `out=` names an existing array for the result.
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
