#!/usr/bin/env python3
"""Times the pairs of tests/pairs on the GPU at hand.

    scripts/time-pairs.py COMMIT OUT [--sealed] [--only REGEX]     writes OUT.json of the open pairs; --sealed: OUT-sealed.json of the sealed ones

Needs nvcc, numpy and NVIDIA's driver, and no build. Each pair is compiled for this GPU. Both kernels run
once on the same numbers, and their results are compared before either is timed. The record of
a pair that differs has the difference in the place of times.
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import numpy

import pairs

SAMPLES = 40
WARM_UPS = 3
METHOD = (f"Both kernels' results are compared before they are timed. Cold: twice the bytes of L2 are written before each run, a "
          f"spinning kernel hides the launch, events stand around the run's launches; {SAMPLES} samples after {WARM_UPS} that are "
          "dropped; the median and the 5th and 95th percentile. Built by nvcc for the GPU at hand, without options of its own.")
TYPES = {"u8": numpy.uint8, "i32": numpy.int32, "u32": numpy.uint32, "i64": numpy.int64, "u64": numpy.uint64,
         "f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64}
SPIN = """extern "C" __global__ void spin(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < nanoseconds);
}
"""
NOT_READY = 600
# The values are those of cuda.h.
L2_BYTES, MAJOR, MINOR, MAX_DYNAMIC_SHARED = 38, 75, 76, 8
ARRAY_FLOAT, CLAMP = 0x20, 1

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: {text.value.decode() if text.value else status}")


def made(name, kind, *arguments):
    """Returns what a function of the driver writes to its first argument."""
    result = kind()
    call(name, ctypes.byref(result), *arguments)
    return result


class Descriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("format", ctypes.c_int), ("channels", ctypes.c_uint)]


class Copy(ctypes.Structure):
    _fields_ = [(f"{side}{name}", kind) for side in ("from", "to") for name, kind in (
        ("X", ctypes.c_size_t), ("Y", ctypes.c_size_t), ("Type", ctypes.c_int), ("Host", ctypes.c_void_p),
        ("Device", ctypes.c_uint64), ("Array", ctypes.c_void_p), ("Pitch", ctypes.c_size_t))] + [
            ("bytes", ctypes.c_size_t), ("height", ctypes.c_size_t)]


class Numbers:
    """Holds random numbers and ascending whole numbers, once for each type. Buffers are filled by copies of them."""

    def __init__(self, most):
        self.most = most
        self.made = {}

    def of(self, kind, fill):
        if (kind, fill) not in self.made:
            count = self.most + (1 << 20)
            random = numpy.random.default_rng(1)
            if fill == "iota":
                values = numpy.arange(count).astype(TYPES[kind])
            elif kind.startswith("f"):
                values = random.random(count, dtype=numpy.float32).astype(TYPES[kind])
            else:
                values = random.integers(0, 1 << 8 * numpy.dtype(TYPES[kind]).itemsize, count, dtype=TYPES[kind])
            buffer = made("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(values.nbytes))
            call("cuMemcpyHtoD_v2", buffer, values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes))
            self.made[kind, fill] = buffer
        return self.made[kind, fill]


SPEC = re.compile(r"(?:tex2d<)?(?P<type>\w+)>?(?:\[(?P<width>\d+)(?:x(?P<height>\d+))?\](?::(?P<fill>\w+))?|:(?P<value>\S+))")


class Argument:
    """One argument in the words of `warpwise explain --arg`: a number, a buffer or a texture of floats."""

    def __init__(self, text, index, numbers):
        found = SPEC.fullmatch(text)
        self.dtype = numpy.dtype(TYPES[found["type"]])
        self.buffer = None
        if found["value"]:
            number = float if found["type"].startswith("f") else int
            self.parameter = ctypes.create_string_buffer(numpy.array(number(found["value"]), self.dtype).tobytes())
            return
        self.count = int(found["width"]) * int(found["height"] or 1)
        self.bytes = self.count * self.dtype.itemsize
        self.fill = found["fill"]
        # The second buffer of a type has other random numbers than the first. A texture has a buffer's numbers.
        offset = 65536 * index * self.dtype.itemsize if self.fill == "random" else 0
        self.numbers = numbers.of(found["type"], self.fill).value + offset if self.fill else None
        self.buffer = made("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(self.bytes))
        self.refill()
        self.parameter = texture(self, int(found["width"]), int(found["height"])) if found["height"] else self.buffer

    def refill(self):
        if self.numbers:
            call("cuMemcpyDtoD_v2", self.buffer, ctypes.c_uint64(self.numbers), ctypes.c_size_t(self.bytes))
        else:
            call("cuMemsetD8_v2", self.buffer, ctypes.c_ubyte(0), ctypes.c_size_t(self.bytes))

    def values(self):
        result = numpy.empty(self.count, self.dtype)
        call("cuMemcpyDtoH_v2", result.ctypes.data_as(ctypes.c_void_p), self.buffer, ctypes.c_size_t(self.bytes))
        return result

    def free(self):
        if self.buffer:
            call("cuMemFree_v2", self.buffer)


def texture(argument, width, height):
    """Makes a texture object over an array: nearest texels, clamped at the borders. The array is kept until the end."""
    array = made("cuArrayCreate_v2", ctypes.c_void_p, ctypes.byref(Descriptor(width, height, ARRAY_FLOAT, 1)))
    copy = Copy(fromType=2, fromDevice=argument.buffer.value, fromPitch=4 * width, toType=3, toArray=array.value, bytes=4 * width, height=height)
    call("cuMemcpy2D_v2", ctypes.byref(copy))
    resource = (ctypes.c_uint64 * 18)(0, array.value)
    how = (ctypes.c_uint32 * 26)(CLAMP, CLAMP, CLAMP)
    return made("cuTexObjectCreate", ctypes.c_uint64, ctypes.byref(resource), ctypes.byref(how), None)


class Launch:
    """A kernel with its arguments, ready to be launched."""

    def __init__(self, module, pair, kernel, numbers):
        how = pairs.launch(pair, kernel)
        self.function = made("cuModuleGetFunction", ctypes.c_void_p, module, kernel.encode())
        self.arguments = [Argument(text, i, numbers) for i, text in enumerate(how["args"])]
        self.parameters = (ctypes.c_void_p * len(self.arguments))(*(ctypes.addressof(each.parameter) for each in self.arguments))
        sizes = [[int(n) for n in str(how[name]).split(",")] for name in ("grid", "block")]
        self.shape = [n for size in sizes for n in (size + [1, 1])[:3]]
        self.shared = how["shared"]
        self.launches = how["launches"]
        if self.shared > 48 * 1024:
            call("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED, self.shared)

    def run(self):
        for _ in range(self.launches):
            call("cuLaunchKernel", self.function, *self.shape, self.shared, None, self.parameters, None)

    def result(self):
        """Returns the contents of the first argument after one run from fresh buffers."""
        for argument in self.arguments:
            if argument.buffer:
                argument.refill()
        self.run()
        call("cuCtxSynchronize")
        return self.arguments[0].values()

    def free(self):
        for argument in self.arguments:
            argument.free()


def difference(slow, fast, pair):
    """Returns a text that says how two results differ, or "" if they agree."""
    slow, fast = (values.astype(numpy.float64) for values in (slow, fast))
    if not (numpy.isfinite(slow).all() and numpy.isfinite(fast).all()):
        return "a result is no number"
    if not slow.any():
        return "the result is all zeros"
    if pair.get("check") == "sum":
        slow, fast = (values.sum(keepdims=True) for values in (slow, fast))
    off = numpy.abs(slow - fast).max() / numpy.abs(slow).max()
    return "" if off <= pair.get("tolerance", 1e-5) else f"results differ by {off:.2g} of the greatest"


class Timer:
    def __init__(self, l2_bytes, spin):
        self.flush_bytes = 2 * l2_bytes
        self.flush = made("cuMemAlloc_v2", ctypes.c_uint64, ctypes.c_size_t(self.flush_bytes))
        self.spin = spin
        self.events = [made("cuEventCreate", ctypes.c_void_p, 0) for _ in range(2)]

    def once(self, launch, nanoseconds):
        """Returns the microseconds of a run, and whether the host issued all its launches before the run began."""
        call("cuMemsetD32Async", self.flush, ctypes.c_uint(1), ctypes.c_size_t(self.flush_bytes // 4), None)
        wait = ctypes.c_longlong(nanoseconds)
        call("cuLaunchKernel", self.spin, 1, 1, 1, 1, 1, 1, 0, None, (ctypes.c_void_p * 1)(ctypes.addressof(wait)), None)
        call("cuEventRecord", self.events[0], None)
        launch.run()
        call("cuEventRecord", self.events[1], None)
        hidden = cuda.cuEventQuery(self.events[0]) == NOT_READY
        call("cuCtxSynchronize")
        return 1000 * made("cuEventElapsedTime", ctypes.c_float, *self.events).value, hidden

    def times(self, launch):
        nanoseconds, samples = 100_000 + 10_000 * launch.launches, []
        for _ in range(WARM_UPS):
            self.once(launch, nanoseconds)
        while len(samples) < SAMPLES:
            us, hidden = self.once(launch, nanoseconds)
            if hidden:
                samples.append(us)
            else:
                nanoseconds = 2 * nanoseconds
        low, middle, high = numpy.percentile(samples, [5, 50, 95])
        return {"median_us": round(middle, 2), "p5_us": round(low, 2), "p95_us": round(high, 2), "samples": SAMPLES}


def timed(pair, cubin, numbers, timer):
    module = made("cuModuleLoadData", ctypes.c_void_p, cubin.read_bytes())
    launches = {kernel: Launch(module, pair, kernel, numbers) for kernel in pairs.KERNELS}
    try:
        wrong = difference(*(launch.result() for launch in launches.values()), pair)
        return {"wrong": wrong} if wrong else {kernel: timer.times(launch) for kernel, launch in launches.items()}
    finally:
        for launch in launches.values():
            launch.free()
        call("cuModuleUnload", module)


def compiled(source, folder, capability):
    cubin = folder / f"{source.stem}.cubin"
    subprocess.run(["nvcc", "-cubin", f"-arch=sm_{capability}", "-o", cubin, source], check=True)
    return cubin


def machine(commit):
    said = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"], check=True,
                          capture_output=True, text=True).stdout.splitlines()[0].split(", ")
    toolkit = re.search(r"release (\S+),", subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout)[1]
    return {"gpu": said[0], "driver": said[1], "max_sm_clock": said[2], "toolkit": toolkit, "commit": commit,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("out")
    parser.add_argument("--sealed", action="store_true", help="times the sealed pairs in place of the open ones, and prints no times")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    chosen = [pair for pair in pairs.table() if pair["sealed"] == arguments.sealed and re.search(arguments.only, pair["name"])]
    call("cuInit", 0)
    device = made("cuDeviceGet", ctypes.c_int, 0)
    context = made("cuDevicePrimaryCtxRetain", ctypes.c_void_p, device)
    call("cuCtxSetCurrent", context)
    l2_bytes = made("cuDeviceGetAttribute", ctypes.c_int, L2_BYTES, device).value
    major, minor = (made("cuDeviceGetAttribute", ctypes.c_int, which, device).value for which in (MAJOR, MINOR))
    measured = {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        spin = folder / "spin.cu"
        spin.write_text(SPIN, encoding="utf-8")
        cubins = list(pool.map(lambda source: compiled(source, folder, 10 * major + minor), [spin, *map(pairs.source, chosen)]))
        function = made("cuModuleGetFunction", ctypes.c_void_p, made("cuModuleLoadData", ctypes.c_void_p, cubins[0].read_bytes()), b"spin")
        timer = Timer(l2_bytes, function)
        most = max(int(n) for pair in chosen for n in re.findall(r"\[(\d+)\]:", json.dumps(pair)))
        numbers = Numbers(max(most, 1 << 24))
        for pair, cubin in zip(chosen, cubins[1:]):
            try:
                row = timed(pair, cubin, numbers, timer)
            except RuntimeError as error:
                row = {"wrong": str(error)}
            measured[pair["name"]] = row
            if "wrong" in row or not arguments.sealed:
                print(pair["name"], row.get("wrong") or " ".join(str(row[kernel]["median_us"]) for kernel in pairs.KERNELS), flush=True)
    record = {"machine": machine(arguments.commit), "method": METHOD, "pairs": measured}
    pathlib.Path(f"{arguments.out}{pairs.ending(arguments.sealed)}").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
