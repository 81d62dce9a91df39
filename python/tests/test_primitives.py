"""Tests each primitive on NumPy arrays: results, strides, out=, and refused arguments."""

import ctypes

import numpy as np
import pytest

import warpwise

RANDOM = np.random.default_rng(7)


def picture(*shape, dtype=np.uint8):
    return RANDOM.integers(0, 256, shape).astype(dtype)


def sobel_of(image):
    """Returns |dx| + |dy| with mirrored borders, saturated, as documented."""
    p = np.pad(image.astype(np.int64), 1, "reflect")
    smooth_y = p[:-2] + 2 * p[1:-1] + p[2:]
    smooth_x = p[:, :-2] + 2 * p[:, 1:-1] + p[:, 2:]
    return np.minimum(abs(smooth_y[:, 2:] - smooth_y[:, :-2]) + abs(smooth_x[2:] - smooth_x[:-2]), 255)


@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (37, 61), (64, 64)])
def test_sobel(shape):
    image = picture(*shape)
    result = warpwise.sobel(image)
    assert result.dtype == np.uint8
    assert np.array_equal(result, sobel_of(image))


@pytest.mark.parametrize("dtype,output,expected", [
    ("uint8", "magnitude", "uint8"), ("uint8", "dx", "int16"), ("uint16", "magnitude", "uint32"),
    ("uint16", "dy", "int32"), ("float32", "dx", "float32")])
def test_types_of_results(dtype, output, expected):
    assert warpwise.sobel(picture(5, 6, dtype=dtype), output=output).dtype == expected
    if dtype == "uint8" and output == "magnitude":
        assert warpwise.sobel(picture(5, 6), dtype="uint16").dtype == "uint16"


@pytest.mark.parametrize("order", ["rgb", "bgr"])
@pytest.mark.parametrize("channels", [3, 4])
def test_order_of_colours(order, channels):
    image = picture(31, 45, channels)
    red, green, blue = (image[..., i].astype(np.int64) for i in ((0, 1, 2) if order == "rgb" else (2, 1, 0)))
    expected = sobel_of((9798 * red + 19235 * green + 3735 * blue + 16384) >> 15)
    assert np.array_equal(warpwise.sobel(image, order=order), expected)
    assert np.array_equal(warpwise.sobel(image, channels=order), expected)  # the former name of the option
    assert np.array_equal(warpwise.Chain([warpwise.SobelOptions(order=order)]).run(image), expected)


def test_pictures_of_opencv():
    cv2 = pytest.importorskip("cv2")
    image = picture(31, 45, 3)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    parts = [cv2.convertScaleAbs(cv2.Sobel(grey, cv2.CV_16S, *axis)) for axis in ((1, 0), (0, 1))]
    assert np.array_equal(warpwise.sobel(image, order="bgr"), cv2.add(*parts))


def test_enums_stand_for_their_words():
    image = picture(9, 9)
    assert np.array_equal(warpwise.sobel(image, output=warpwise.SobelOutput.DX, kernel=warpwise.SobelKernel.SCHARR),
                          warpwise.sobel(image, output="dx", kernel="scharr"))


def test_enums_are_those_of_the_library():
    for name, words in warpwise._warpwise.enums().items():
        assert tuple(each.value for each in getattr(warpwise, name)) == words


def test_parts_of_arrays_are_taken_where_they_lie():
    whole = picture(40, 50)
    assert np.array_equal(warpwise.sobel(whole[3:31, 5:44]), sobel_of(whole[3:31, 5:44]))
    into = np.zeros((28, 64), np.uint8)
    returned = warpwise.sobel(whole[3:31, 5:44], out=into[:, 7:46])
    assert np.array_equal(into[:, 7:46], sobel_of(whole[3:31, 5:44]))
    assert np.shares_memory(returned, into)
    assert not into[:, :7].any() and not into[:, 46:].any()


def test_threshold():
    image = picture(20, 30)
    means = np.empty((20, 30), np.uint8)
    result = warpwise.threshold(image, window=5, offset=2, mean=means)
    assert np.array_equal(result, np.where(image.astype(int) - means > -2, 255, 0))
    assert np.array_equal(warpwise.threshold(image, window=5, offset=2, inverted=True), 255 - result)


def test_convert():
    image = picture(8, 10, 3)
    swapped = warpwise.convert(image, "rgb24", "bgr24")
    assert np.array_equal(swapped, image[..., ::-1])
    grey = warpwise.convert(image, "rgb24", "gray8")
    exact = image @ np.array([0.299, 0.587, 0.114])
    assert grey.shape == (8, 10)
    assert abs(grey - exact).max() <= 0.5 + 1e-9
    assert warpwise.convert(image, "rgb24", "i444").shape == (3, 8, 10)
    assert warpwise.convert(picture(8, 10, 2), "yuyv", "rgba32").shape == (8, 10, 4)


def test_frames_of_several_planes():
    nv12 = picture(12, 10)
    result = warpwise.convert(nv12, "nv12", "rgb24")
    assert result.shape == (8, 10, 3)
    assert np.array_equal(warpwise.convert(nv12.ravel(), "nv12", "rgb24", size=(10, 8)), result)
    odd = picture(7 * 5 + 3 * 2 * 4)
    assert warpwise.convert(odd, "i420", "rgb24", size=(7, 5)).shape == (5, 7, 3)
    with pytest.raises(warpwise.InvalidArgument, match="has 59 bytes, a i420 frame of 7x6 has 66"):
        warpwise.convert(odd, "i420", "rgb24", size=(7, 6))
    with pytest.raises(warpwise.InvalidArgument, match="size="):
        warpwise.convert(picture(11, 10), "nv12", "rgb24")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("transpose", [False, True])
def test_gemv(dtype, transpose):
    a = RANDOM.random((13, 17)).astype(dtype)
    x = RANDOM.random(13 if transpose else 17).astype(dtype)
    exact = (a.T if transpose else a).astype(np.float64) @ x.astype(np.float64)
    assert np.allclose(warpwise.gemv(a, x, transpose=transpose), exact, rtol=1e-5)
    out = np.ones_like(exact, np.float32)
    assert np.allclose(warpwise.gemv(a, x, transpose=transpose, alpha=2, beta=3, out=out), 2 * exact + 3, rtol=1e-5)
    spread = np.zeros((x.size, 2), dtype)
    spread[:, 0] = x
    assert np.array_equal(warpwise.gemv(a, spread[:, 0], transpose=transpose), warpwise.gemv(a, x, transpose=transpose))


def test_match():
    image = picture(80, 80)
    score = np.empty((2, 2), np.uint32)
    found = warpwise.match(image[8:72, 8:72], image[5:69, 12:76], block=(24, 24), stride=(40, 40), border="replicate",
                           score=score)
    assert found.shape == (2, 2, 2) and found.dtype == np.int16
    assert found[0, 1].tolist() == [-4, 3]
    assert score[0, 1] == 0


def test_disparity():
    left = picture(30, 60)
    result = warpwise.disparity(left, np.roll(left, -6, 1), block=7, max_disparity=12)
    assert result.dtype == np.float32
    assert (result[5:-5, 20:-10] == 6).all()


def test_find():
    image = picture(50, 40)
    scores = np.empty((50 - 11, 40 - 9), np.float32)
    found = warpwise.find(image[7:19, 21:31].copy(), image, map=scores)
    assert (found.x, found.y) == (21, 7)
    assert np.unravel_index(scores.argmax(), scores.shape) == (7, 21)
    assert repr(warpwise.find(image[7:19, 21:31], image, measure="sad")) == "Finding(x=21, y=7, score=0.0)"


def test_tracker():
    first = picture(64, 64)
    tracker = warpwise.Tracker(first, (20, 20, 16, 16))
    assert tracker.next(np.roll(first, (3, -5), (0, 1))) == ((15, 23, 16, 16), 0.0)
    assert tracker.next(np.roll(first, (6, -5), (0, 1))) == ((15, 26, 16, 16), 0.0)
    tracker = warpwise.Tracker(first, (20, 20, 16, 16), measure="zncc", min_score=0.8)
    box, score = tracker.next(picture(64, 64))
    assert box is None and score < 0.8
    assert tracker.next(np.roll(first, (3, -5), (0, 1))) == ((15, 23, 16, 16), 1.0)


@pytest.mark.parametrize("call,says", [
    (lambda a: warpwise.sobel(a[:, ::2]), "side by side"),
    (lambda a: warpwise.sobel(a[::-1]), "run backwards"),
    (lambda a: warpwise.sobel(a.astype(float)), "src has elements of float64, which no primitive takes; the types are uint8, "),
    (lambda a: warpwise.sobel(a.astype("M8[s]")), r"src has elements of datetime64\[s\], which no primitive takes"),
    (lambda a: warpwise.sobel(memoryview(a.astype(float))), "elements of the format 'd'"),
    (lambda a: warpwise.copy(a, out=np.empty((16, 16), bool)), "out has booleans"),
    (lambda a: warpwise.copy(a, out=(ctypes.c_bool * 16 * 16)()), "out has booleans"),
    (lambda a: warpwise.sobel(a, stream=-1), "stream is -1"),
    (lambda a: warpwise.sobel(a[0]), "src has 1 axes, an image has 2"),
    (lambda a: warpwise.copy(a[0]), "src has 1 axes, an image has 2"),
    (lambda a: warpwise.copy([a[0]]), "src has 1 axes, an image has 2"),
    (lambda a: warpwise.sobel(np.ma.masked_equal(a, 3)), "src is a masked array"),
    (lambda a: warpwise.copy(a, out=np.ma.array(a.copy())), "out is a masked array"),
    (lambda a: warpwise.sobel(a, norm="l3"), "norm is 'l3', but must be one of l1, l2"),
    (lambda a: warpwise.sobel(a, dtype="int7"), "dtype 'int7'"),
    (lambda a: warpwise.sobel(a, dtype="int7", out=a.copy()), "dtype 'int7'"),
    (lambda a: warpwise.sobel(a, dtype="uint16", out=a.copy()), "the type that dtype names, 'uint16'"),
    (lambda a: warpwise.sobel([a], dtype="uint16", out=[a.copy()]), "the type that dtype names, 'uint16'"),
    (lambda a: warpwise.sobel(a, order="brg"), "order is 'brg', but must be one of rgb, bgr"),
    (lambda a: warpwise.sobel(a, order="bgr", channels="rgb"), "order is 'bgr', and channels, its former name, 'rgb'"),
    (lambda a: warpwise.sobel(a, out=a), "overlap"),
    (lambda a: warpwise.sobel(a, out=a[:3].copy()), "16x3"),
    (lambda a: warpwise.threshold(a, window=4), "odd"),
    (lambda a: warpwise.threshold(a, maximum=-1), "maximum is -1"),
    (lambda a: warpwise.threshold(a, maximum=2**32), "maximum is 4294967296"),
    (lambda a: warpwise.ThresholdOptions(maximum=-1), "maximum is -1"),
    (lambda a: warpwise.ThresholdOptions(offset=float("nan")), "offset is nan"),
    (lambda a: warpwise.limit_threads(-2**40), "threads are -"),
    (lambda a: warpwise.convert(a, "gray8", "nv12"), "nv12 is no destination of convert; there are ycbcr32, "),
    (lambda a: warpwise.convert(a, "ycrcb24", "gray8"), "ycrcb24 is no source of convert; there are rgb24, "),
    (lambda a: warpwise.convert(a, "rgb24", "gray8"), "src has pixels of 1 x u8, and a rgb24 frame of 3 x u8"),
    (lambda a: warpwise.convert([a], "gray8", "rgb24", out=[a.copy()]), "out has pixels of 1 x u8, and a rgb24 frame of 3 x u8"),
    (lambda a: warpwise.convert(a.astype(np.int16), "gray8", "rgb24"), "src has pixels of 1 x i16, and a gray8 frame of 1 x u8"),
    (lambda a: warpwise.convert(picture(4, 5, 2), "yuyv", "rgb24"), "src has an odd width, and such a yuyv frame needs size="),
    (lambda a: warpwise.convert(a[:, :0], "gray8", "rgb24"), "frame of 0x16 pixels"),
    (lambda a: warpwise.convert(a[:15, :0], "nv12", "rgb24"), "frame of 0x10 pixels"),
    (lambda a: warpwise.convert(a, "nv12", "rgb24", size=(0, 8)), "frame of 0x8 pixels"),
    (lambda a: warpwise.convert(a, "i420", "rgb24", size=(8, -2)), "frame of 8x-2 pixels"),
    (lambda a: warpwise.convert(a, "gray8", "i444", out=np.empty((16, 16, 3), np.uint8)),
     r"out is no i444 frame of 16x16, which is uint8 of the shape \(3, 16, 16\)"),
    (lambda a: warpwise.convert(a, "gray8", "i444", out=np.empty((3, 16, 4), np.float32)), "out is no i444 frame of 16x16"),
    (lambda a: warpwise.convert([a], "gray8", "i444", out=[np.empty((3, 256), np.uint8)]), "out is no i444 frame of 16x16"),
    (lambda a: warpwise.gemv(a.astype(np.float32), a[0].astype(np.float32), beta=1), "out"),
    (lambda a: warpwise.gemv(a.astype(np.float32), a[0].astype(np.float32), alpha=1e39), r"alpha is 1e\+39, which float32 does not hold"),
    (lambda a: warpwise.gemv(a.astype(np.float32), np.broadcast_to(np.float32(3), 16)), "x has elements that overlap or run backwards"),
    (lambda a: warpwise.Tracker(a, (0, 0, 99, 4)), "99"),
    (lambda a: warpwise.Tracker(a, (0, 0, 4, 4), min_score=0.5), "min_score is for ncc and zncc, not for sad"),
])
def test_what_has_no_meaning_is_refused(call, says):
    with pytest.raises(ValueError, match=says) as raised:
        call(picture(16, 16))
    assert isinstance(raised.value, warpwise.InvalidArgument) and isinstance(raised.value, warpwise.Error)


def test_arrays_that_may_not_be_written():
    image = picture(8, 8)
    image.flags.writeable = False
    warpwise.copy(image)
    with pytest.raises(warpwise.InvalidArgument, match="out is read-only"):
        warpwise.copy(picture(8, 8), out=image)


@pytest.mark.parametrize("call", [
    warpwise.copy,
    lambda images, **more: warpwise.sobel(images, dtype="uint16", **more),
    lambda images, **more: warpwise.threshold(images, window=5, offset=2, **more),
    lambda images, **more: warpwise.convert(images, "gray8", "rgb24", **more),
    lambda images, **more: warpwise.convert(images, "gray8", "i444", **more),
])
def test_lists_of_images(call):
    images = [picture(height, width) for height, width in [(1, 1), (37, 61), (37, 61), (300, 101)]]
    results = call(images)
    assert isinstance(results, list) and len(results) == 4
    assert all(np.array_equal(result, call(image)) for result, image in zip(results, images))
    outs = [np.zeros_like(result) for result in results]
    returned = call(tuple(images), out=outs)
    assert all(one is out and np.array_equal(out, result) for one, out, result in zip(returned, outs, results))
    assert call([]) == []
    with pytest.raises(warpwise.InvalidArgument, match="src has 4 images, but out has 3"):
        call(images, out=outs[:3])
    with pytest.raises(warpwise.InvalidArgument, match=r"image 2 \(the first is 0\)|has \d+ bytes"):
        call(images, out=[outs[0], outs[1], outs[3], outs[3]])
    with pytest.raises(warpwise.InvalidArgument, match="but out is not a list"):
        call(images, out=outs[0])


def test_lists_of_what_a_call_does_not_take_together():
    bytes_, words = picture(8, 8), picture(8, 8).astype(np.uint16)
    with pytest.raises(warpwise.InvalidArgument, match=r"image 1 \(the first is 0\): src has pixels of 1 x u16"):
        warpwise.sobel([bytes_, words])
    with pytest.raises(warpwise.InvalidArgument, match="mean is for one"):
        warpwise.threshold([bytes_], mean=np.empty_like(bytes_))
    out = np.empty((8, 8), np.uint8)
    with pytest.raises(warpwise.InvalidArgument, match=r"dst\[0\] and dst\[1\] overlap"):
        warpwise.copy([bytes_, bytes_], out=[out, out])


def test_what_is_no_array():
    with pytest.raises(TypeError, match="src is of type int"):
        warpwise.sobel(3)


def test_without_a_gpu_the_reason_is_told():
    assert (warpwise.device_count() == 0) == (warpwise.why_no_device() != "")
