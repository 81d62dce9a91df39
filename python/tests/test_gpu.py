"""Tests arrays on a GPU: the results equal the CPU's, and come in order with the library's own work."""

import sys

import numpy as np
import pytest

import warpwise
from only_dlpack import OnlyDlpack

pytestmark = pytest.mark.skipif(warpwise.device_count() == 0, reason=warpwise.why_no_device())
IMAGE = np.random.default_rng(5).integers(0, 256, (480, 640), np.uint8)
LARGE = np.random.default_rng(5).random((2048, 2048), np.float32)


def moved(library, array):
    if library == "torch":
        return pytest.importorskip("torch").from_numpy(array).cuda()
    return pytest.importorskip("cupy").asarray(array)


def back(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else array.get()


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_each_primitive(library):
    image = moved(library, IMAGE)
    colours = np.dstack([IMAGE, IMAGE[::-1], IMAGE[:, ::-1]]).copy()
    other = np.roll(IMAGE, -6, 1).copy()
    for call in (
            lambda a, b, c: warpwise.copy(a), lambda a, b, c: warpwise.sobel(a),
            lambda a, b, c: warpwise.sobel(a, output="dy"), lambda a, b, c: warpwise.threshold(a, window=31),
            lambda a, b, c: warpwise.convert(c, "rgb24", "ycbcr32"),
            lambda a, b, c: warpwise.Chain([warpwise.SobelOptions(), warpwise.ThresholdOptions()]).run(c),
            lambda a, b, c: warpwise.match(a, b), lambda a, b, c: warpwise.disparity(a, b, max_disparity=16)):
        on_gpu = call(image, moved(library, other), moved(library, colours))
        assert type(on_gpu) is type(image)
        assert np.array_equal(back(on_gpu), call(IMAGE, other, colours))
    part = IMAGE[40:72, 50:82].copy()
    assert repr(warpwise.find(moved(library, part), image)) == repr(warpwise.find(part, IMAGE))
    tracker, on_cpu = warpwise.Tracker(image, (50, 40, 32, 32)), warpwise.Tracker(IMAGE, (50, 40, 32, 32))
    assert tracker.next(moved(library, other)) == on_cpu.next(other)
    x = LARGE[0].copy()
    assert np.array_equal(back(warpwise.gemv(moved(library, LARGE), moved(library, x))), warpwise.gemv(LARGE, x))


def test_torch_streams():
    torch = pytest.importorskip("torch")
    matrix, vector = torch.from_numpy(LARGE).cuda(), torch.ones(2048, device="cuda")
    expected = warpwise.gemv(LARGE, np.full(2048, 3, np.float32))
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    for _ in range(20):
        with torch.cuda.stream(stream):
            torch.cuda._sleep(1_000_000)  # the following work must wait for this
            tripled = vector * 3
            result = warpwise.gemv(matrix, tripled)
            doubled = result * 2
        stream.synchronize()
        assert np.array_equal(doubled.cpu().numpy(), expected * 2)


def test_in_a_graph_of_torch():
    torch = pytest.importorskip("torch")
    image = torch.from_numpy(IMAGE).cuda()
    out = torch.empty_like(image)
    warpwise.sobel(image, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        warpwise.sobel(image, out=out)
    other = np.roll(IMAGE, 5, 0).copy()
    image.copy_(torch.from_numpy(other))
    graph.replay()
    torch.cuda.synchronize()
    assert np.array_equal(out.cpu().numpy(), warpwise.sobel(other))


def test_memories_do_not_mix():
    cupy = pytest.importorskip("cupy")
    with pytest.raises(warpwise.InvalidArgument, match="not in the same memory"):
        warpwise.sobel(cupy.asarray(IMAGE), out=np.empty_like(IMAGE))


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_dlpack(library, versioned):
    lent = OnlyDlpack(moved(library, IMAGE), versioned)
    out = moved(library, np.zeros_like(IMAGE))
    assert warpwise.sobel(lent, out=out) is out
    assert lent.asked[-1]["stream"] == 1 and ("max_version" in lent.asked[-1]) == versioned
    assert np.array_equal(back(out), warpwise.sobel(IMAGE))


class OnlyInterface:
    """An array that only has CUDA's array interface, with the given entries replaced."""

    def __init__(self, array, **other):
        self.array, self.__cuda_array_interface__ = array, {**array.__cuda_array_interface__, **other}


def test_cuda_array_interface():
    cupy = pytest.importorskip("cupy")
    image, stream = cupy.asarray(IMAGE), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.deviceSynchronize()
    for lent in (OnlyInterface(image), OnlyInterface(image, stream=None), OnlyInterface(image, stream=1, strides=None),
                 OnlyInterface(image[3:, 5:]), OnlyInterface(image, stream=stream.ptr)):
        made = warpwise.sobel(lent)
        assert isinstance(made, warpwise.DeviceArray)
        expected = warpwise.sobel(cupy.asarray(lent).get())
        assert made.shape == expected.shape
        for taken in (cupy.from_dlpack(made), cupy.asarray(made)):
            assert np.array_equal(taken.get(), expected)
    out = cupy.zeros_like(image)
    warpwise.sobel(OnlyInterface(image), out=OnlyInterface(out))
    assert np.array_equal(out.get(), warpwise.sobel(IMAGE))
    lent = OnlyInterface(out, data=(out.data.ptr, True))
    with pytest.raises(warpwise.InvalidArgument, match="out is read-only"):
        warpwise.sobel(image, out=lent)
    with pytest.raises(warpwise.InvalidArgument, match="src has elements of the type '<f8'"):
        warpwise.sobel(OnlyInterface(image.astype(np.float64)))


def test_cuda_array_interface_waits_for_its_stream():
    cupy = pytest.importorskip("cupy")
    matrix, vector, stream = cupy.asarray(LARGE), cupy.ones(2048, np.float32), cupy.cuda.Stream(non_blocking=True)
    expected = warpwise.gemv(LARGE, np.full(2048, 3, np.float32))
    other = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.deviceSynchronize()
    for _ in range(20):
        with stream:
            for _ in range(5):
                cupy.matmul(matrix, matrix)
            tripled = vector * 3
        out = cupy.zeros(2048, np.float32)
        cupy.cuda.get_current_stream().synchronize()
        warpwise.gemv(matrix, OnlyInterface(tripled, stream=stream.ptr), out=out, stream=other)
        other.synchronize()
        assert np.array_equal(out.get(), expected)


def test_numba():
    cuda = pytest.importorskip("numba.cuda")
    try:
        image = cuda.to_device(IMAGE)
    except Exception as error:  # Numba's own driver binding may not fit
        pytest.skip(f"Numba does not run here: {error}")
    made = cuda.as_cuda_array(warpwise.sobel(image))
    assert np.array_equal(made.copy_to_host(), warpwise.sobel(IMAGE))


def test_device_array():
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    matrix = cupy.asarray(LARGE)
    expected = warpwise.gemv(LARGE, LARGE[0].copy())
    busy = cupy.cuda.Stream(non_blocking=True)
    for i in range(20):
        with busy:
            for _ in range(5):
                cupy.matmul(matrix, matrix)
        made = warpwise.gemv(OnlyInterface(matrix), OnlyInterface(matrix[0]), stream=busy)
        assert made.__dlpack_device__() == (2, 0)
        # These streams wait for the work of `busy`; the CPU does not wait.
        library, stream = (torch, torch.cuda.stream(torch.cuda.Stream())) if i % 2 else (cupy, cupy.cuda.Stream(non_blocking=True))
        with stream:
            assert np.array_equal(back(library.from_dlpack(made) * 2), expected * 2)
        copied = torch.from_dlpack(made, copy=True)
        kept = torch.from_dlpack(made)
        assert copied.data_ptr() != kept.data_ptr()
        del made
        assert np.array_equal(kept.cpu().numpy(), expected) and np.array_equal(copied.cpu().numpy(), expected)


def test_what_a_device_array_does_not():
    cupy = pytest.importorskip("cupy")
    made = warpwise.sobel(OnlyInterface(cupy.asarray(IMAGE)))
    for how in ({"stream": 0}, {"stream": -2}):
        with pytest.raises(warpwise.InvalidArgument, match="no CUDA stream"):
            made.__dlpack__(**how)
    with pytest.raises(BufferError, match="only on its own GPU"):
        made.__dlpack__(dl_device=(1, 0))
    assert "dltensor_versioned" in repr(made.__dlpack__(stream=-1, max_version=(1, 0)))
    assert '"dltensor"' in repr(made.__dlpack__(stream=-1))


class GpuMat:
    """The methods of OpenCV 4's cv2.cuda.GpuMat, on CuPy's memory: no available package of OpenCV has CUDA."""

    def __init__(self, rows, columns, kind):
        cupy = pytest.importorskip("cupy")
        self.kind, self.shape = kind, (rows, columns, kind // 8 + 1)
        self.array = cupy.zeros((rows, 512), np.uint8)

    def size(self):
        return self.shape[1], self.shape[0]

    def depth(self):
        return self.kind % 8

    def channels(self):
        return self.shape[2]

    def cudaPtr(self):
        return self.array.data.ptr

    @property
    def step(self):
        return 512


def test_gpu_mat(monkeypatch):
    monkeypatch.delitem(sys.modules, "cv2", raising=False)  # it may be a version with other type numbers
    mat = GpuMat(20, 50, 0)
    mat.array[:, :50] = pytest.importorskip("cupy").asarray(IMAGE[:20, :50])
    made = warpwise.sobel(mat, output="dx")
    assert type(made) is GpuMat and made.kind == 3
    assert np.array_equal(made.array.get().view(np.int16)[:, :50], warpwise.sobel(IMAGE[:20, :50], output="dx"))


def test_gpu_mat_of_opencv():
    cuda = pytest.importorskip("cv2").cuda
    if cuda.getCudaEnabledDeviceCount() < 1:
        pytest.skip("OpenCV has no CUDA here")
    import cv2

    def uploaded(array):
        mat = cuda.GpuMat()
        mat.upload(array)
        return mat

    colours = np.dstack([IMAGE, IMAGE[::-1], IMAGE[:, ::-1]]).copy()
    for call, array in ((warpwise.sobel, IMAGE), (lambda image: warpwise.sobel(image, output="dx"), IMAGE),
                        (lambda image: warpwise.convert(image, "rgb24", "ycbcr32"), colours),
                        (lambda image: warpwise.convert(image, "bgr24", "gray8"), colours),
                        (warpwise.copy, LARGE[:100, :99].copy())):
        made = call(uploaded(array))
        assert type(made) is cuda.GpuMat and np.array_equal(made.download(), call(array))
    whole, into = uploaded(IMAGE), uploaded(np.zeros((480, 700), np.uint8))
    part, place = cuda.GpuMat(whole, (5, 3, 435, 197)), cuda.GpuMat(into, (7, 2, 435, 197))  # x, y, width, height
    stream = cuda.Stream()
    assert warpwise.sobel(part, out=place, stream=stream) is place
    stream.waitForCompletion()
    there = into.download()
    assert np.array_equal(there[2:199, 7:442], warpwise.sobel(IMAGE[3:200, 5:440])) and np.count_nonzero(there[199:]) == 0
    with pytest.raises(warpwise.InvalidArgument, match="has elements of"):
        warpwise.copy(uploaded(np.zeros((4, 4), np.float64)))
    if cv2.CV_8UC2 == 32:  # OpenCV 5 has more types: 8 is bfloat16
        with pytest.raises(warpwise.InvalidArgument, match="has elements of"):
            warpwise.copy(cuda.GpuMat(4, 4, 8))
    if warpwise.device_count() > 1:
        cuda.setDevice(1)
        other, out = uploaded(IMAGE), uploaded(np.zeros_like(IMAGE))
        cuda.setDevice(0)
        warpwise.sobel(other, out=out)
        assert cuda.getDevice() == 0
        cuda.setDevice(1)
        there = out.download()
        cuda.setDevice(0)
        assert np.array_equal(there, warpwise.sobel(IMAGE))


def test_tensors_of_another_gpu():
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("there is one GPU")
    image = torch.from_numpy(IMAGE).to("cuda:1")
    made = warpwise.sobel(image)
    assert made.device == image.device and torch.cuda.current_device() == 0
    assert np.array_equal(made.cpu().numpy(), warpwise.sobel(IMAGE))
    with pytest.raises(warpwise.InvalidArgument, match="not in the same memory"):
        warpwise.sobel(image, out=torch.empty_like(image, device="cuda:0"))


def test_device_arrays_of_another_gpu():
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    if warpwise.device_count() < 2:
        pytest.skip("there is one GPU")
    expected = warpwise.gemv(LARGE, LARGE[0].copy())
    with cupy.cuda.Device(1):
        matrix = cupy.asarray(LARGE)
        busy = cupy.cuda.Stream(non_blocking=True)
    for _ in range(10):
        with cupy.cuda.Device(1), busy:
            for _ in range(5):
                cupy.matmul(matrix, matrix)
        # The calling thread's current GPU is GPU 0, before and after the call on GPU 1.
        made = warpwise.gemv(OnlyInterface(matrix), OnlyInterface(matrix[0]), stream=busy)
        assert cupy.cuda.runtime.getDevice() == 0 and made.__dlpack_device__() == (2, 1)
        with torch.cuda.device(1), torch.cuda.stream(torch.cuda.Stream(1)):
            kept = torch.from_dlpack(made)
            assert kept.device == torch.device("cuda", 1)
            assert np.array_equal((kept * 2).cpu().numpy(), expected * 2)
        with cupy.cuda.Device(1):
            assert np.array_equal(cupy.from_dlpack(made).get(), expected)
        copied = cupy.from_dlpack(made, copy=True)
        del made
        with cupy.cuda.Device(1):
            assert np.array_equal(copied.get(), expected) and copied.data.ptr != kept.data_ptr()
    with pytest.raises(BufferError, match="only on its own GPU"):
        warpwise.gemv(OnlyInterface(matrix), OnlyInterface(matrix[0])).__dlpack__(dl_device=(2, 0))
    with pytest.raises(warpwise.InvalidArgument, match="not in the same memory"):
        warpwise.gemv(OnlyInterface(matrix), cupy.asarray(LARGE[0]))


def test_cupy_streams():
    cupy = pytest.importorskip("cupy")
    matrix, vector = cupy.asarray(LARGE), cupy.ones(2048, np.float32)
    expected = warpwise.gemv(LARGE, np.full(2048, 3, np.float32))
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.deviceSynchronize()
    for _ in range(20):
        with stream:
            for _ in range(5):
                cupy.matmul(matrix, matrix)  # the following work must wait for this
            doubled = warpwise.gemv(matrix, vector * 3) * 2
        stream.synchronize()
        assert np.array_equal(doubled.get(), expected * 2)


def test_in_a_graph_of_cupy():
    cupy = pytest.importorskip("cupy")
    image = cupy.asarray(IMAGE)
    out = cupy.zeros_like(image)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.deviceSynchronize()
    with stream:
        warpwise.threshold(image, window=7, out=out)
        stream.begin_capture()
        warpwise.threshold(image, window=7, out=out)
        graph = stream.end_capture()
        other = np.roll(IMAGE, 5, 0).copy()
        image.set(other)
        graph.launch(stream)
        stream.synchronize()
    assert np.array_equal(out.get(), warpwise.threshold(other, window=7))


def test_a_stream_that_is_named():
    """The stream is named by an object of PyTorch, CuPy or cuda.core, or by its number."""
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    core = pytest.importorskip("cuda.core")
    device = core.Device(0)
    device.set_current()
    for stream in (torch.cuda.Stream(), cupy.cuda.Stream(non_blocking=True), device.create_stream(),
                   torch.cuda.Stream().cuda_stream):
        for library in ("torch", "cupy"):
            image, out = moved(library, IMAGE), moved(library, np.zeros_like(IMAGE))
            warpwise.sobel(image, out=out, stream=stream)
            torch.cuda.synchronize()
            assert np.array_equal(back(out), warpwise.sobel(IMAGE))


def test_jax():
    jax, cupy = pytest.importorskip("jax"), pytest.importorskip("cupy")
    gpu = next((device for device in jax.devices() if device.platform == "gpu"), None)
    if gpu is None:
        pytest.skip("JAX sees no GPU")
    array = jax.device_put(IMAGE, gpu)
    out = cupy.zeros_like(cupy.asarray(IMAGE))
    assert warpwise.sobel(array + 1, out=out) is out
    assert np.array_equal(out.get(), warpwise.sobel(IMAGE + 1))
    matrix, vector = jax.device_put(LARGE, gpu), jax.device_put(np.ones(2048, np.float32), gpu)
    expected = warpwise.gemv(LARGE, np.full(2048, 3, np.float32))
    for _ in range(20):  # each run waits for the previous work, on any stream
        made = warpwise.gemv(matrix, vector * 3)
        assert type(made) is type(array) and made.devices() == {gpu}
        assert np.array_equal(np.asarray(made * 2), expected * 2)
    assert np.array_equal(np.asarray(warpwise.sobel(array, output="dx")), warpwise.sobel(IMAGE, output="dx"))
    with pytest.raises(warpwise.InvalidArgument, match="out is (read-only|a JAX array)"):
        warpwise.copy(cupy.asarray(IMAGE), out=array)


@pytest.mark.parametrize("steps,shape,dtype", [
    ([warpwise.ChainConvert(), warpwise.SobelOptions(), warpwise.ThresholdOptions(window=7, offset=-9.5)], (480, 640, 3), "uint8"),
    ([warpwise.ChainConvert(), warpwise.SobelOptions(output="dx")], (37, 61, 3), "int16"),
    ([warpwise.SobelOptions(), warpwise.ThresholdOptions(window=31)], (300, 1001), "uint8"),
])
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_chain(library, steps, shape, dtype):
    image = np.random.default_rng(6).integers(0, 256, shape, np.uint8)
    chain = warpwise.Chain(steps)
    for _ in range(2):
        result = chain.run(moved(library, image))
        assert type(result) is type(moved(library, image)) and back(result).dtype == dtype
        assert np.array_equal(back(result), chain.run(image))


@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize("sizes", [[(64, 64)] * 70, [(480, 640), (37, 61), (480, 640)], [(2160, 3840)] * 8])
def test_a_chain_over_many_images(library, sizes):
    chain = warpwise.Chain([warpwise.ChainConvert(), warpwise.SobelOptions(), warpwise.ThresholdOptions(window=7)])
    images = [np.random.default_rng(i).integers(0, 256, (*size, 3), np.uint8) for i, size in enumerate(sizes)]
    expected = chain.run_all(images)
    for _ in range(2):
        results = chain.run_all([moved(library, image) for image in images])
        assert all(np.array_equal(back(result), one) for result, one in zip(results, expected))


def test_parts_of_arrays():
    cupy = pytest.importorskip("cupy")
    whole, into = cupy.asarray(IMAGE), cupy.zeros((480, 700), np.uint8)
    returned = warpwise.sobel(whole[3:200, 5:440], out=into[2:199, 7:442])
    assert np.array_equal(returned.get(), warpwise.sobel(IMAGE[3:200, 5:440]))
    assert not into[:2].any() and not into[:, :7].any() and not into[:, 442:].any() and not into[199:].any()
    with pytest.raises(warpwise.InvalidArgument, match="side by side"):
        warpwise.sobel(whole[:, ::2])


PICTURES = [np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
            for seed, shape in enumerate([(33, 47, 3), (33, 47, 3), (64, 20, 4), (5, 7), (720, 1280, 3)])]
PIPELINE = "ycbcr32 | sobel | threshold window=7 offset=3"


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_pipeline_actor(library, monkeypatch):
    pytest.importorskip(library)
    if library == "torch":
        monkeypatch.setitem(sys.modules, "cupy", None)  # as if it were not installed
    from warpwise.ray import PipelineActor
    column = np.empty(len(PICTURES), object)
    for i, picture in enumerate(PICTURES):
        picture.flags.writeable = False
        column[i] = picture
    for encoded in (False, True):
        on_gpu, = PipelineActor(PIPELINE, device="cuda", encoded=encoded)({"image": column})
        on_cpu, = PipelineActor(PIPELINE, encoded=encoded)({"image": column})
        for one, other in zip(on_gpu["image"], on_cpu["image"]):
            assert one == other if encoded else np.array_equal(one, other)


def test_a_batch_that_the_gpu_has_no_memory_for():
    cupy = pytest.importorskip("cupy")
    from warpwise.ray import PipelineActor
    batch = np.stack([PICTURES[4]] * 8)
    actor = PipelineActor("sobel", device="cuda")
    expected = np.concatenate([part["image"] for part in actor({"image": batch})])
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 3 * actor.peak_bytes([PICTURES[4].shape]))
    try:
        parts = [part["image"] for part in actor({"image": batch})]
    finally:
        pool.set_limit(size=0)
    assert len(parts) > 1 and np.array_equal(np.concatenate(parts), expected)


@pytest.mark.parametrize("cluster", [None, "local"])
def test_files(tmp_path, cluster):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    if cluster is not None:
        pytest.importorskip("ray", reason="Ray is not installed")
    from warpwise.ray import process
    folder = tmp_path / "in"
    folder.mkdir()
    for i, picture in enumerate(4 * PICTURES):
        image.fromarray(picture).save(folder / f"{i}.png")
    outs = []
    for device, where in (("cpu", None), ("cuda", cluster)):
        out = tmp_path / f"out-{device}"
        counts = process([str(folder)], str(out), PIPELINE, device=device, cluster=where, workers=None if where is None else 4)
        assert counts == (len(4 * PICTURES), 0, 0)
        outs.append({path.relative_to(out): path.read_bytes() for path in out.rglob("*.png")})
    assert outs[0] == outs[1] and len(outs[0]) == len(4 * PICTURES)
