"""Enums of the words that options take; options also take the words themselves."""

import enum


class Border(str, enum.Enum):
    REFLECT101 = "reflect101"
    REPLICATE = "replicate"
    CONSTANT = "constant"


class ChannelOrder(str, enum.Enum):
    RGB = "rgb"
    BGR = "bgr"


class ChromaUpsampling(str, enum.Enum):
    REPLICATE = "replicate"
    LINEAR = "linear"


class Convention(str, enum.Enum):
    EXACT = "exact"
    OPENCV = "opencv"
    LIBYUV = "libyuv"
    JFIF = "jfif"


class MatchBorder(str, enum.Enum):
    SKIP = "skip"
    REPLICATE = "replicate"


class Matrix(str, enum.Enum):
    BT601 = "bt601"
    BT709 = "bt709"
    BT2020 = "bt2020"


class Measure(str, enum.Enum):
    SAD = "sad"
    SSD = "ssd"
    NCC = "ncc"
    ZNCC = "zncc"


class Norm(str, enum.Enum):
    L1 = "l1"
    L2 = "l2"


class PixelFormat(str, enum.Enum):
    GRAY8 = "gray8"
    RGB24 = "rgb24"
    BGR24 = "bgr24"
    RGBA32 = "rgba32"
    BGRA32 = "bgra32"
    YUYV = "yuyv"
    UYVY = "uyvy"
    NV12 = "nv12"
    NV21 = "nv21"
    I420 = "i420"
    YCBCR32 = "ycbcr32"
    YCRCB24 = "ycrcb24"
    I444 = "i444"


class Range(str, enum.Enum):
    FULL = "full"
    LIMITED = "limited"


class SobelKernel(str, enum.Enum):
    SOBEL = "sobel"
    SCHARR = "scharr"


class SobelOutput(str, enum.Enum):
    MAGNITUDE = "magnitude"
    DX = "dx"
    DY = "dy"


class ThresholdMethod(str, enum.Enum):
    MEAN = "mean"
    GAUSSIAN = "gaussian"
    EXACT_MEAN = "exact-mean"
