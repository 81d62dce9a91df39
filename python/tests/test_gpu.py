"""Arrays on a GPU: the same results as on the CPU, in order with the library's own work."""

import numpy as np
import pytest

import warpwise

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
            torch.cuda._sleep(1_000_000)  # what comes behind must wait for it
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
    with pytest.raises(warpwise.InvalidArgument, match="not in the memory"):
        warpwise.sobel(cupy.asarray(IMAGE), out=np.empty_like(IMAGE))
