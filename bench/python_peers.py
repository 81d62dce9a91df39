#!/usr/bin/env python3
"""Times this Python's libraries (NumPy, OpenCV and kornia-rs on the CPU; PyTorch, CuPy and CV-CUDA on the GPU) on the work of `warpwise bench`'s cases.
`warpwise bench` runs this.

    python_peers.py CASES.json ROWS.json

CASES.json: a list of {"primitive", "variant", "width", "height"}. ROWS.json gets {"libraries": {name: version},
"missing": {name: reason}, "rows": [...]}; a row has the case's keys, "implementation", "place" ("cpu" or "gpu") and
"us": every sample in microseconds, or "reason" if there are no samples.

On the GPU, events on the stream time a run. A fill of memory larger than L2 precedes it, which also gives the host time
to launch the run. On the CPU the host's clock times a run. Results are the libraries' own, with their own rounding and
borders; this file states what each row computes.
"""
import json
import re
import sys
import time

SECONDS = 0.3        # seconds of sampling for a row
FEWEST, MOST = 8, 400
PATIENCE = 3         # seconds after which FEWEST samples are no longer required, because some calls take seconds each
FLUSHED_BYTES = 256 << 20


def load(name):
    """Returns the module of that name and None, or None and the reason why it cannot be used."""
    try:
        return __import__(name, fromlist=["_"]), None
    except Exception as error:  # a broken installation may raise any exception
        return None, f"{type(error).__name__}: {error}".splitlines()[0]


numpy, no_numpy = load("numpy")
cv2, no_cv2 = load("cv2")
torch, no_torch = load("torch")
cupy, no_cupy = load("cupy")
kornia, no_kornia = load("kornia_rs")
cvcuda, no_cvcuda = load("cvcuda")
if torch is not None and not torch.cuda.is_available():
    torch, no_torch = None, "it finds no CUDA device"
if cvcuda is not None and torch is None:
    cvcuda, no_cvcuda = None, "its images are PyTorch's, which is missing"


def samples_of(run, timed):
    """Returns samples of timed(run), without the first, which loads and compiles."""
    timed(run)
    samples, begin = [timed(run)], time.perf_counter()
    while len(samples) < MOST:
        seconds = time.perf_counter() - begin
        if seconds > (SECONDS if len(samples) >= FEWEST else PATIENCE):
            break
        samples.append(timed(run))
    return samples


def timed_on_cpu(run):
    begin = time.perf_counter_ns()
    run()
    return (time.perf_counter_ns() - begin) / 1000


def timed_by_torch():
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.uint8, device="cuda")
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def timed(run):
        flushed.zero_()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return 1000 * start.elapsed_time(stop)
    return timed


def timed_by_cupy():
    flushed = cupy.empty(FLUSHED_BYTES, dtype=cupy.uint8)
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()

    def timed(run):
        flushed.fill(0)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return 1000 * cupy.cuda.get_elapsed_time(start, stop)
    return timed


def random_bytes(*shape):
    return numpy.random.default_rng(7).integers(0, 256, shape, dtype=numpy.uint8)


def random_floats(*shape):
    return numpy.random.default_rng(7).random(shape, dtype=numpy.float32)


def by_cvcuda(function, image, shape, *values):
    """Returns a function that runs one of CV-CUDA's functions from image to an allocated result of that shape."""
    target = torch.empty(shape, dtype=torch.uint8, device="cuda")
    source, target = (cvcuda.as_tensor(pixels, "HWC") for pixels in (torch.from_numpy(image).cuda(), target))
    stream = cvcuda.as_stream(torch.cuda.current_stream())
    return lambda: function(target, source, *values, stream=stream)


# Each function takes the case's size and the groups of its pattern in WORK, and yields (implementation, place, run).

def copies(width, height):
    image = random_bytes(height, width)
    target = numpy.empty_like(image)
    yield "NumPy copyto", "cpu", lambda: numpy.copyto(target, image)
    if torch:
        a = torch.from_numpy(image).cuda()
        b = torch.empty_like(a)
        yield "PyTorch copy_", "gpu", lambda: b.copy_(a)
    if cupy:
        c = cupy.asarray(image)
        d = cupy.empty_like(c)
        yield "CuPy copyto", "gpu", lambda: cupy.copyto(d, c)


def greys(width, height):
    image = random_bytes(height, width, 3)
    if cv2:
        yield "OpenCV cvtColor RGB2GRAY", "cpu", lambda: cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    if kornia:
        yield "kornia-rs gray_from_rgb", "cpu", lambda: kornia.imgproc.gray_from_rgb(image)
    if cvcuda:
        yield "CV-CUDA cvtcolor RGB2GRAY", "gpu", by_cvcuda(
            cvcuda.cvtcolor_into, image, (height, width, 1), cvcuda.ColorConversion.RGB2GRAY)
    functional, _ = load("torchvision.transforms.functional") if torch else (None, None)
    if functional:
        planes = torch.from_numpy(image).cuda().permute(2, 0, 1).contiguous()  # the function is made for planes
        yield "torchvision rgb_to_grayscale", "gpu", lambda: functional.rgb_to_grayscale(planes)


def luma_chroma(width, height):
    image = random_bytes(height, width, 3)
    if cv2:
        yield "OpenCV cvtColor RGB2YCrCb", "cpu", lambda: cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb)
    if kornia:  # its channels are Y, Cr and Cb, in this order
        yield "kornia-rs ycbcr_from_rgb", "cpu", lambda: kornia.imgproc.ycbcr_from_rgb(image)


def colours_of_yuyv(width, height):
    image = random_bytes(height, width, 2)
    if cv2:
        yield "OpenCV cvtColor YUV2RGBA_YUY2", "cpu", lambda: cv2.cvtColor(image, cv2.COLOR_YUV2RGBA_YUY2)
    if cvcuda:
        yield "CV-CUDA cvtcolor YUV2RGBA_YUY2", "gpu", by_cvcuda(  # it takes YUYV's bytes as an image of one channel
            cvcuda.cvtcolor_into, image.reshape(height, 2 * width, 1), (height, width, 4), cvcuda.ColorConversion.YUV2RGBA_YUY2)


def gradients(width, height):
    image = random_bytes(height, width)
    if cv2:
        def both():
            x = cv2.convertScaleAbs(cv2.Sobel(image, cv2.CV_16S, 1, 0))
            return cv2.add(x, cv2.convertScaleAbs(cv2.Sobel(image, cv2.CV_16S, 0, 1)))
        yield "OpenCV Sobel x and y, add", "cpu", both
    if torch:
        across = torch.tensor([[-1., 0, 1], [-2, 0, 2], [-1, 0, 1]], device="cuda")
        weights = torch.stack([across, across.T])[:, None].half()
        pixels = torch.from_numpy(image).cuda()[None, None]

        def by_torch():
            both = torch.nn.functional.conv2d(pixels.half(), weights, padding=1).abs().sum(1)
            return both.clamp_(max=255).to(torch.uint8)
        yield "PyTorch conv2d f16, abs, sum", "gpu", by_torch
    ndimage, _ = load("cupyx.scipy.ndimage") if cupy else (None, None)
    if ndimage:
        array = cupy.asarray(image)

        def by_cupy():
            wide = array.astype(cupy.int16)
            total = cupy.abs(ndimage.sobel(wide, 1)) + cupy.abs(ndimage.sobel(wide, 0))
            return cupy.minimum(total, 255).astype(cupy.uint8)
        yield "CuPy ndimage.sobel x and y", "gpu", by_cupy


def one_gradient(width, height):
    image = random_bytes(height, width)
    if cv2:
        yield "OpenCV Sobel", "cpu", lambda: cv2.Sobel(image, cv2.CV_16S, 1, 0)


def adaptive_by_cvcuda(image, method, window):
    shape = (*image.shape, 1)
    return by_cvcuda(cvcuda.adaptivethreshold_into, image.reshape(shape), shape, 255, method, cvcuda.ThresholdType.BINARY, window, 7)


def means(width, height, window):
    image = random_bytes(height, width)
    # The time of CV-CUDA's function grows with the window's area.
    if cvcuda and width * window <= 4096 * 63:
        yield "CV-CUDA adaptivethreshold", "gpu", adaptive_by_cvcuda(image, cvcuda.AdaptiveThresholdType.MEAN_C, window)
    if cv2:
        yield "OpenCV adaptiveThreshold", "cpu", lambda: cv2.adaptiveThreshold(
            image, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, 7)
    ndimage, _ = load("cupyx.scipy.ndimage") if cupy else (None, None)
    if ndimage:
        array = cupy.asarray(image)
        yield "CuPy uniform_filter, compare", "gpu", lambda: (
            array > ndimage.uniform_filter(array.astype(cupy.float32), window, mode="nearest") - 7).astype(cupy.uint8)
    # PyTorch's time grows with the window's area: the largest windows would take minutes and show nothing new.
    if torch and width * window <= 4096 * 63:
        pixels = torch.from_numpy(image).cuda()[None, None]

        def by_torch():
            wide = pixels.half()
            mean = torch.nn.functional.avg_pool2d(wide, window, 1, window // 2, count_include_pad=False)
            return (wide > mean - 7).to(torch.uint8)
        yield "PyTorch avg_pool2d, compare", "gpu", by_torch


def gaussians(width, height, window):
    image = random_bytes(height, width)
    if cv2:
        yield "OpenCV adaptiveThreshold", "cpu", lambda: cv2.adaptiveThreshold(
            image, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, window, 7)
    if cvcuda and width * window <= 4096 * 63:
        yield "CV-CUDA adaptivethreshold", "gpu", adaptive_by_cvcuda(image, cvcuda.AdaptiveThresholdType.GAUSSIAN_C, window)


def products(width, height, transposed):
    matrix = random_floats(height, width)
    vector = random_floats(height if transposed else width)
    host = matrix.T if transposed else matrix
    yield "NumPy dot", "cpu", lambda: host.dot(vector)
    if torch:
        a, x = torch.from_numpy(matrix).cuda(), torch.from_numpy(vector).cuda()
        b = a.T if transposed else a
        yield "PyTorch mv", "gpu", lambda: torch.mv(b, x)
    if cupy:
        c, y = cupy.asarray(matrix), cupy.asarray(vector)
        d = c.T if transposed else c
        yield "CuPy dot", "gpu", lambda: d.dot(y)


def searches(width, height, measure, side):
    image, template = random_bytes(height, width), random_bytes(side, side)
    methods = {"ssd": "TM_SQDIFF", "ncc": "TM_CCORR_NORMED", "zncc": "TM_CCOEFF_NORMED"}
    if cv2 and measure in methods:
        method = getattr(cv2, methods[measure])
        yield f"OpenCV matchTemplate {methods[measure]}", "cpu", lambda: cv2.minMaxLoc(
            cv2.matchTemplate(image, template, method))
    signal, _ = load("cupyx.scipy.signal") if cupy and measure == "zncc" else (None, None)
    if signal:
        array = cupy.asarray(image).astype(cupy.float32)
        turned = cupy.asarray(template[::-1, ::-1]).astype(cupy.float32)
        yield "CuPy fftconvolve (products alone)", "gpu", lambda: signal.fftconvolve(array, turned, mode="valid")


def disparities(width, height, block, levels):
    left, right = random_bytes(height, width), random_bytes(height, width)
    if cv2 and levels % 16 == 0:  # StereoBM takes only multiples of 16
        matcher = cv2.StereoBM_create(numDisparities=levels, blockSize=block)
        yield "OpenCV StereoBM (prefiltered)", "cpu", lambda: matcher.compute(left, right)


# (primitive, pattern of the variant, function). A group of the pattern finds a number, a word, or an optional word.
WORK = [
    ("copy", r"u8 image", copies),
    ("convert", r"rgb24 to gray8", greys),
    ("convert", r"rgb24 to ycrcb24", luma_chroma),
    ("convert", r"yuyv to rgba32", colours_of_yuyv),
    ("sobel", r"u8 magnitude l1", gradients),
    ("sobel", r"u8 dx to i16", one_gradient),
    ("threshold", r"u8 mean window (\d+)", means),
    ("threshold", r"u8 gaussian window (\d+)", gaussians),
    ("gemv", r"f32( transposed)?", products),
    ("find", r"(ssd|ncc|zncc) template (\d+)x\d+", searches),
    ("disparity", r"sad block (\d+) range (\d+)", disparities),
]


def found(text):
    return int(text) if text and text.isdigit() else text


def rows_of(case, timers):
    for primitive, pattern, function in WORK:
        match = re.fullmatch(pattern, case["variant"])
        if primitive != case["primitive"] or not match:
            continue
        for implementation, place, run in function(case["width"], case["height"], *map(found, match.groups())):
            timer = timed_on_cpu if place == "cpu" else timers["cupy" if implementation.startswith("CuPy") else "torch"]
            row = {**case, "implementation": implementation, "place": place}
            try:
                yield {**row, "us": samples_of(run, timer)}
            except Exception as error:  # out of memory, or a size that the library refuses
                yield {**row, "reason": f"{type(error).__name__}: {error}".splitlines()[0]}


def main():
    cases_file, rows_file = sys.argv[1:]
    with open(cases_file, encoding="utf-8") as file:
        cases = json.load(file)
    modules = {"NumPy": (numpy, no_numpy), "OpenCV": (cv2, no_cv2), "PyTorch": (torch, no_torch), "CuPy": (cupy, no_cupy),
               "kornia-rs": (kornia, no_kornia), "CV-CUDA": (cvcuda, no_cvcuda)}
    timers = {}
    if torch:
        timers["torch"] = timed_by_torch()
    if cupy:
        try:
            timers["cupy"] = timed_by_cupy()
        except Exception as error:  # CuPy is there, but no driver or no device
            modules["CuPy"] = (None, f"{type(error).__name__}: {error}".splitlines()[0])
            globals()["cupy"] = None
    rows = [row for case in cases for row in rows_of(case, timers)] if numpy else []
    report = {"libraries": {name: module.__version__ for name, (module, _) in modules.items() if module},
              "missing": {name: reason for name, (module, reason) in modules.items() if not module}, "rows": rows}
    if cv2:
        report["libraries"]["OpenCV"] += f" on {cv2.getNumThreads()} threads"
    with open(rows_file, "w", encoding="utf-8") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main()
