"""PTX of Python kernels, and the command's words for their arguments, for `emulator.explain`. No GPU is needed."""

import math
import os
from typing import Any, NamedTuple

import numpy


class Compiled(NamedTuple):
    """A kernel as a file of PTX, and the options with which the command runs it."""

    file: str
    options: "dict[str, Any]"


ARCHITECTURE = 90  # that of warpwise run's emulated GPU


def compiled(kernel: Any, block: Any, arguments: "tuple[Any, ...]", folder: str) -> Compiled:
    """Returns a kernel of numba, CuPy or Triton, compiled for the types of its arguments.

    kernel     a function under @cuda.jit or @triton.jit, or a cupy.RawKernel
    block      the threads of a block; those of Triton tell num_warps
    arguments  NumPy arrays and numbers. Triton's have its constants in their places
    folder     where the PTX is written
    A TypeError is raised for other kernels and arguments. Errors of the compilers pass through.
    """
    module = type(kernel).__module__.split(".")[0]
    if module in ("numba", "numba_cuda"):
        text, options = _of_numba(kernel, arguments)
    elif module == "cupy" and type(kernel).__name__ == "RawKernel":
        text, options = _of_cupy(kernel, arguments, folder)
    elif module == "triton":
        text, options = _of_triton(kernel, math.prod(_extents(block)), arguments)
    else:
        raise TypeError(f"explain takes a file's name, or a kernel of numba, CuPy's RawKernel or Triton, not {type(kernel)}")
    file = os.path.join(folder, "kernel.ptx")
    with open(file, "w", encoding="utf-8") as ptx:
        ptx.write(text)
    return Compiled(file, options)


def _extents(block: Any) -> "tuple[int, ...]":
    return tuple(block) if isinstance(block, (list, tuple)) else (block,)


def _number(value: Any) -> Any:
    """Returns a number of Python with the type that numba and CuPy give it."""
    return {bool: numpy.uint8, int: numpy.int64, float: numpy.float64}.get(type(value), lambda same: same)(value)


def _array(value: Any) -> Any:
    if not value.flags.c_contiguous:
        raise TypeError("an argument's rows must be contiguous: explain copies arrays in C's order")
    return value


def _of_numba(kernel: Any, arguments: "tuple[Any, ...]") -> "tuple[str, dict[str, Any]]":
    from numba import cuda, types, typeof

    fast = bool(kernel.targetoptions.get("fastmath"))
    signature = types.void(*map(typeof, arguments))
    text, _ = cuda.compile_ptx(kernel.py_func, signature, lineinfo=True, fastmath=fast, cc=divmod(ARCHITECTURE, 10))
    words: "list[Any]" = []
    for value in arguments:
        if isinstance(value, numpy.ndarray):
            # numba's array: two pointers of its owner, number and size of elements, data, shape, strides.
            sizes = [value.size, value.itemsize], [*value.shape, *value.strides]
            words += [numpy.int64(0)] * 2 + [*map(numpy.int64, sizes[0]), _array(value), *map(numpy.int64, sizes[1])]
        else:
            words.append(_number(value))
    return text, {"arg": words}


def _of_cupy(kernel: Any, arguments: "tuple[Any, ...]", folder: str) -> "tuple[str, dict[str, Any]]":
    import cupy
    from cupy_backends.cuda.libs import nvrtc

    source = os.path.join(folder, kernel.name + ".cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(kernel.code)
    folders = [os.path.join(os.path.dirname(cupy.__file__), "_core", "include")]
    toolkit = cupy.cuda.get_cuda_path()
    if toolkit:
        folders.append(os.path.join(toolkit, "include"))
    given = [option for option in kernel.options if option not in ("-lineinfo", "--generate-line-info")]
    program = nvrtc.createProgram(kernel.code, source, (), ())
    try:
        nvrtc.compileProgram(program, (*given, *(f"-I{each}" for each in folders), "-lineinfo",
                                       "--device-as-default-execution-space", f"--gpu-architecture=compute_{ARCHITECTURE}"))
        text = nvrtc.getPTX(program).decode()
    except nvrtc.NVRTCError as error:
        raise ValueError(f"{kernel.name}: {nvrtc.getProgramLog(program).strip() or error}") from None
    finally:
        nvrtc.destroyProgram(program)
    return text, {"kernel": kernel.name, "arg": [_array(value) if isinstance(value, numpy.ndarray) else _number(value)
                                                for value in arguments]}


def _of_triton(kernel: Any, threads: int, arguments: "tuple[Any, ...]") -> "tuple[str, dict[str, Any]]":
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    if len(arguments) != len(kernel.arg_names):
        raise TypeError(f"{kernel.__name__} has the arguments {', '.join(kernel.arg_names)}; {len(arguments)} are given")
    signature, constants, facts = {}, {}, {}
    words: "list[Any]" = []
    for index, (parameter, value) in enumerate(zip(kernel.params, arguments)):
        if parameter.is_constexpr:
            signature[parameter.name], constants[(index,)] = "constexpr", value
            continue
        if isinstance(value, numpy.ndarray):
            words.append(_array(value))
        elif isinstance(value, int):
            words.append(numpy.int32(value) if -2**31 <= value < 2**31 else numpy.int64(value))
        else:
            words.append(numpy.float32(value) if isinstance(value, float) else value)
        number = words[-1].dtype
        kind = {"i": "i", "u": "u", "f": "fp"}[number.kind] + str(8 * number.itemsize)
        signature[parameter.name] = ("*" if isinstance(value, numpy.ndarray) else "") + kind
        # Triton assumes this itself of pointers and integers that are multiples of 16; buffers start at such places.
        if isinstance(value, numpy.ndarray) or (number.kind in "iu" and int(value) % 16 == 0):
            facts[(index,)] = [["tt.divisibility", 16]]
    made = triton.compile(ASTSource(kernel, signature, constants, facts), target=GPUTarget("cuda", ARCHITECTURE, 32),
                          options={"num_warps": threads // 32})
    text = made.asm["ptx"]
    # Scratch memory that the kernel has none of follows the arguments.
    parameters = text.partition(".entry")[2].partition(")")[0].count(".param")
    words += [numpy.int64(0)] * (parameters - len(words))
    return text, {"kernel": kernel.__name__, "arg": words, "shared": made.metadata.shared}
