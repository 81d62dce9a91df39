"""PTX of Python kernels, and the command's words for their arguments, for `emulator.explain`. No GPU is needed."""

import inspect
import math
import operator
import os
import re
from typing import Any, NamedTuple

import numpy

from ._command import argument


class Compiled(NamedTuple):
    """A kernel as a file of PTX, and the options with which the command runs it."""

    file: str
    options: "dict[str, Any]"


ARCHITECTURE = 90  # architecture of warpwise run's emulated GPU


def compiled(kernel: Any, grid: Any, block: Any, arguments: "tuple[Any, ...]", folder: str) -> Compiled:
    """Returns a kernel of numba, CuPy, Triton or NVIDIA Warp, compiled for the types of its arguments.

    kernel     a function under @cuda.jit, @triton.jit or @warp.kernel, or a cupy.RawKernel; for @triton.autotune its function
    grid       the blocks of the grid; for a kernel of Warp the threads of the grid, as the dim of warp.launch
    block      the threads of a block; for Triton 32 times num_warps
    arguments  NumPy arrays and numbers; for Triton also the constants, each in its place
    folder     where the PTX is written
    A TypeError is raised for other kernels and arguments. Errors of the compilers pass through; NVRTC's become a ValueError.
    """
    module = type(kernel).__module__.split(".")[0]
    if module in ("numba", "numba_cuda") and hasattr(kernel, "py_func"):
        text, options = _of_numba(kernel, arguments, folder)
    elif module == "cupy" and type(kernel).__name__ == "RawKernel":
        text, options = _of_cupy(kernel, arguments, folder)
    elif module == "triton":
        text, options = _of_triton(kernel, math.prod(_extents(block)), arguments, folder)
    elif module == "warp" and type(kernel).__name__ == "Kernel":
        text, options = _of_warp(kernel, grid, math.prod(_extents(block)), arguments, folder)
    elif type(kernel).__name__ == "_LaunchConfiguration" or getattr(kernel, "__module__", None) == "triton.runtime.jit":
        raise TypeError("explain takes a kernel without its launch: explain(kernel, grid, block, ...), not kernel[grid, block]")
    else:
        raise TypeError(f"explain takes a file's name, or a kernel of numba, CuPy's RawKernel, Triton or Warp, not {type(kernel)}")
    file = os.path.join(folder, "kernel.ptx")
    with open(file, "w", encoding="utf-8") as ptx:
        ptx.write(text)
    return Compiled(file, options)


def _extents(block: Any) -> "tuple[int, ...]":
    return tuple(block) if isinstance(block, (list, tuple)) else (block,)


def _checked(name: str, value: Any) -> Any:
    """Returns an array as it is, and a number with the type that numba and CuPy give it; a TypeError names the argument."""
    if hasattr(type(value), "__cuda_array_interface__"):
        raise TypeError(f"{name} is an array of a device; give NumPy arrays: a.get() of CuPy, a.copy_to_host() of numba")
    if isinstance(value, (bool, numpy.bool_)):
        return numpy.uint8(value)
    if isinstance(value, int):
        if not -2**63 <= value < 2**64:
            raise TypeError(f"{name} is {value}, which 64 bits do not hold")
        return numpy.int64(value) if value < 2**63 else numpy.uint64(value)
    if isinstance(value, float):
        return value if isinstance(value, numpy.generic) else numpy.float64(value)
    if not isinstance(value, (numpy.ndarray, numpy.generic)):
        raise TypeError(f"{name} is of {type(value)}; explain takes NumPy arrays and numbers")
    if value.dtype.kind not in "iuf" or value.dtype.itemsize > 8:
        more = "; a.view(numpy.uint8) has the same bytes" if value.dtype.kind == "b" else ""
        raise TypeError(f"{name} has {value.dtype}; explain takes integers and floats of up to 64 bits{more}")
    if isinstance(value, numpy.ndarray) and not value.flags.c_contiguous:
        raise TypeError(f"the rows of {name} must be contiguous: explain copies arrays in C's order")
    return value


def _of_numba(kernel: Any, arguments: "tuple[Any, ...]", folder: str) -> "tuple[str, dict[str, Any]]":
    from numba import cuda, types, typeof

    names = inspect.signature(kernel.py_func).parameters
    if len(arguments) != len(names):
        raise TypeError(f"{kernel.py_func.__name__} has the arguments {', '.join(names)}; {len(arguments)} are given")
    checked = [_checked(name, value) for name, value in zip(names, arguments)]
    fast = bool(kernel.targetoptions.get("fastmath"))
    signature = types.void(*map(typeof, arguments))
    text, _ = cuda.compile_ptx(kernel.py_func, signature, lineinfo=True, fastmath=fast, cc=divmod(ARCHITECTURE, 10))
    words: "list[Any]" = []
    for name, value in zip(names, checked):
        if isinstance(value, numpy.ndarray):
            # numba passes an array as two pointers of its owner, number and size of elements, data, shape and strides.
            sizes = [value.size, value.itemsize], [*value.shape, *value.strides]
            words += [numpy.int64(0)] * 2 + [*map(numpy.int64, sizes[0]), argument(value, folder, name), *map(numpy.int64, sizes[1])]
        else:
            words.append(value)
    return text, {"arg": words}


def _of_cupy(kernel: Any, arguments: "tuple[Any, ...]", folder: str) -> "tuple[str, dict[str, Any]]":
    checked = [_checked(f"argument {index}", value) for index, value in enumerate(arguments)]
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
    found = re.search(rf"\.entry {re.escape(kernel.name)}\s*\(([^)]*)\)", text)
    parameters = re.findall(r"\.param (?:\.align \d+ )?\.(\w+)", found[1]) if found else []
    words = [_narrowed(index, value, checked[index], *parameters[index:index + 1]) for index, value in enumerate(arguments)]
    return text, {"kernel": kernel.name, "arg": words}


def _narrowed(index: int, given: Any, word: Any, parameter: str = "") -> Any:
    """Returns the command's word for a Python number, in the size of the kernel's parameter. CuPy passes 64 bits, of which the kernel reads a part."""
    if type(given) is float and parameter == "f32":
        raise TypeError(f"argument {index} is a float, 64 bits for CuPy, and the kernel's parameter has 32: give numpy.float32({given})")
    if type(given) is not int or parameter not in ("u8", "u16", "u32"):
        return word
    bits = int(parameter[1:])
    if not -2**(bits - 1) <= given < 2**bits:
        raise TypeError(f"argument {index} is {given}, and the kernel's parameter has {bits} bits")
    return numpy.dtype(f"i{bits // 8}" if given < 2**(bits - 1) else f"u{bits // 8}").type(given)


def _of_triton(kernel: Any, threads: int, arguments: "tuple[Any, ...]", folder: str) -> "tuple[str, dict[str, Any]]":
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    while not isinstance(kernel, triton.JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn  # unwraps @triton.autotune and @triton.heuristics; their constants are among the arguments
    if not isinstance(kernel, triton.JITFunction):
        raise TypeError(f"explain takes a function under @triton.jit, not {type(kernel)}")
    if len(arguments) != len(kernel.arg_names):
        raise TypeError(f"{kernel.__name__} has the arguments {', '.join(kernel.arg_names)}; {len(arguments)} are given")
    target = GPUTarget("cuda", ARCHITECTURE, 32)
    backend = make_backend(target)
    signature, constants, facts = {}, {}, {}
    words: "list[Any]" = []
    for index, (parameter, value) in enumerate(zip(kernel.params, arguments)):
        kind, fact = ("constexpr", None) if parameter.is_constexpr else _specialised(backend, parameter, value)
        signature[parameter.name] = kind
        if kind == "constexpr":
            constants[(index,)] = value
            continue
        if isinstance(fact, str):
            facts[(index,)] = backend.parse_attr(fact)
        words.append(_word_of_triton(parameter.name, kind, value, folder))
    made = triton.compile(ASTSource(kernel, signature, constants, facts), target=target,
                          options={"num_warps": threads // 32})
    text = made.asm["ptx"]
    # Triton adds parameters for scratch memory after the arguments. The kernel uses no such memory, so they are 0.
    parameters = text.partition(".entry")[2].partition(")")[0].count(".param")
    words += [numpy.int64(0)] * (parameters - len(words))
    return text, {"kernel": kernel.__name__, "arg": words, "shared": made.metadata.shared}


class _Pointer:
    """An array as Triton sees it: its type, and an address that is a multiple of 16, like the buffers' addresses."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    @staticmethod
    def data_ptr() -> int:
        return 0


def _specialised(backend: Any, parameter: Any, value: Any) -> "tuple[str, Any]":
    """Returns the type that Triton gives an argument, "constexpr" for a constant, and what it assumes of the value."""
    from triton._C.libtriton import native_specialize_impl

    typed = parameter.annotation_type
    if value is not None:  # Triton takes None as a constant
        number = _checked(parameter.name, value)
        if isinstance(value, numpy.ndarray):
            value = _Pointer(value.dtype)
        elif isinstance(value, numpy.generic):
            typed = typed or {"i": "i", "u": "u", "f": "fp"}[number.dtype.kind] + str(8 * number.dtype.itemsize)
            value = value.item()
    kind, fact = native_specialize_impl(type(backend), value, parameter.is_const, not parameter.do_not_specialize,
                                        not parameter.do_not_specialize_on_alignment)
    return typed or kind, fact


def _word_of_triton(name: str, kind: str, value: Any, folder: str) -> Any:
    """Returns an argument of this Triton type as the command takes it."""
    if isinstance(value, numpy.ndarray) and kind.startswith("*"):
        return argument(value, folder, name)
    if kind in ("u1", "i1") and not isinstance(value, numpy.ndarray):
        return numpy.uint8(bool(value))
    family = kind.rstrip("0123456789")
    try:
        name_of_type = {"i": "int", "u": "uint", "fp": "float"}[family] + kind[len(family):]
        return numpy.dtype(name_of_type).type(float(value) if family == "fp" else operator.index(value))
    except (KeyError, OverflowError, TypeError, ValueError):
        raise TypeError(f"{name} is {value}, which explain cannot give as Triton's {kind}") from None


def _of_warp(kernel: Any, dim: Any, threads: int, arguments: "tuple[Any, ...]", folder: str) -> "tuple[str, dict[str, Any]]":
    import warp
    from warp._src.types import launch_bounds_t

    parameters = kernel.adj.args
    if len(arguments) != len(parameters):
        raise TypeError(f"{kernel.key} has the arguments {', '.join(each.label for each in parameters)}; {len(arguments)} are given")
    words = [_word_of_warp(each.label, each.type, value, folder) for each, value in zip(parameters, arguments)]
    options = kernel.module.options
    before = options["lineinfo"]
    options["lineinfo"] = True
    try:
        file, = warp.compile_aot_module(kernel.module, arch=ARCHITECTURE, module_dir=folder, use_ptx=True)
    finally:
        options["lineinfo"] = before
    with open(file, encoding="utf-8") as ptx:
        text = ptx.read()
    name = re.search(rf"\.entry ({re.escape(kernel.key)}_\w+_cuda_kernel_forward)\(", text)
    if name is None:
        raise TypeError(f"Warp's module of {kernel.key} has no such kernel for a GPU; a generic kernel needs warp.overload")
    extents = _extents(dim)
    bounds = launch_bounds_t(extents)
    first = ",".join(f"u32:{each}" for each in extents) + f",u64:{bounds.size},u64:{bounds.coord_mult}"
    return text, {"kernel": name[1], "arg": [f"{{{first}}}", *words], "grid": -(-math.prod(extents) // threads)}


def _word_of_warp(name: str, kind: Any, value: Any, folder: str) -> Any:
    """Returns an argument of this Warp type as the command takes it. An array is a structure: its data, gradient, shape, strides, ndim, flags."""
    import warp

    value = _checked(name, value)
    element = getattr(kind, "dtype", kind)  # an array's element type, which may be a vector or a matrix
    inner = getattr(element, "_shape_", ())
    dtype = numpy.dtype(warp.dtype_to_numpy(getattr(element, "_wp_scalar_type_", element)))
    if not isinstance(kind, warp.array):
        if inner or isinstance(value, numpy.ndarray):
            raise TypeError(f"{name} is a {element.__name__}; explain takes NumPy arrays for Warp's arrays, and numbers")
        return (numpy.uint8 if dtype.kind == "b" else dtype.type)(value.item())
    dimensions = kind.ndim + len(inner)
    if not isinstance(value, numpy.ndarray) or (value.dtype, value.ndim, value.shape[kind.ndim:]) != (dtype, dimensions, inner):
        given = f"{value.dtype} with {value.ndim} dimensions"
        raise TypeError(f"{name} takes an array of {dtype} with {dimensions} dimensions{f', the last {inner}' if inner else ''}, not {given}")
    sizes = [*value.shape[:kind.ndim], 0, 0, 0, 0][:4] + [*value.strides[:kind.ndim], 0, 0, 0, 0][:4]
    integers = ",".join(f"i32:{each}" for each in sizes)
    return f"{{{argument(value, folder, name)},u64:0,{integers},u16:{kind.ndim},u16:0}}"
