"""Tests Chain: its bytes equal those of its steps one by one, and it refuses wrong steps and images."""

import copy
import pickle
import threading

import numpy as np
import pytest

import warpwise

RANDOM = np.random.default_rng(11)


def colours(height, width):
    return RANDOM.integers(0, 256, (height, width, 3), np.uint8)


def one_by_one(image):
    grey = warpwise.convert(image, "rgb24", "gray8", convention="opencv")
    return warpwise.threshold(warpwise.sobel(grey, norm="l2"), window=7, offset=-9.5, inverted=True)


def edges():
    return warpwise.Chain([
        warpwise.ChainConvert("rgb24", "gray8", convention="opencv"), warpwise.SobelOptions(norm="l2"),
        warpwise.ThresholdOptions(window=7, offset=-9.5, inverted=True)])


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (37, 61), (300, 1001)])
def test_the_bytes_of_the_steps(size):
    image = colours(*size)
    result = edges().run(image)
    assert result.dtype == np.uint8 and result.shape == size
    assert np.array_equal(result, one_by_one(image))


def test_parts_and_out():
    whole, into = colours(40, 50), np.zeros((40, 64), np.uint8)
    returned = edges().run(whole[3:31, 5:44], out=into[2:30, 7:46])
    assert np.shares_memory(returned, into)
    assert np.array_equal(into[2:30, 7:46], one_by_one(whole[3:31, 5:44]))
    assert not into[:2].any() and not into[:, :7].any() and not into[:, 46:].any()


@pytest.mark.parametrize("steps,shape,dtype", [
    ([warpwise.ChainConvert(), warpwise.SobelOptions(output="dx")], (6, 8), "int16"),
    ([warpwise.ChainConvert(), warpwise.ChainConvert("gray8", "rgba32")], (6, 8, 4), "uint8"),
    ([warpwise.SobelOptions(), warpwise.ThresholdOptions()], (6, 8), "uint8"),
])
def test_what_the_last_step_gives(steps, shape, dtype):
    result = warpwise.Chain(steps).run(colours(6, 8))
    assert result.shape == shape and result.dtype == dtype


def test_a_wider_result_by_out():
    image = RANDOM.integers(0, 256, (9, 9), np.uint8)
    wide = np.empty((9, 9), np.uint16)
    warpwise.Chain([warpwise.SobelOptions()]).run(image, out=wide)
    assert np.array_equal(wide, warpwise.sobel(image, dtype="uint16"))


def test_many_images():
    images = [colours(*size) for size in [(1, 1), (37, 61), (37, 61), (300, 1001)]]
    results = edges().run_all(images)
    assert len(results) == 4 and all(np.array_equal(one, one_by_one(image)) for one, image in zip(results, images))
    outs = [np.zeros(image.shape[:2], np.uint8) for image in images]
    returned = edges().run_all(tuple(images), outs=outs)
    assert all(one is out and np.array_equal(out, result) for one, out, result in zip(returned, outs, results))
    assert edges().run_all([]) == []
    with pytest.raises(warpwise.InvalidArgument, match="srcs has 4 images, but outs has 3"):
        edges().run_all(images, outs=outs[:3])
    with pytest.raises(warpwise.InvalidArgument, match="side by side"):
        edges().run_all([images[1], images[1][:, ::2]])


def test_results_that_overlap_other_arrays_are_refused():
    chain = warpwise.Chain([warpwise.SobelOptions()])
    a, b, c = (colours(9, 12)[:, :, 0].copy() for _ in range(3))
    before = [a.copy(), b.copy(), c.copy()]
    with pytest.raises(warpwise.InvalidArgument, match=r"dst\[0\] and src\[1\] overlap"):
        chain.run_all([a, b], outs=[b, c])
    with pytest.raises(warpwise.InvalidArgument, match=r"dst\[0\] and dst\[1\] overlap"):
        chain.run_all([a, b], outs=[c, c])
    with pytest.raises(warpwise.InvalidArgument, match="12x9"):
        chain.run_all([a, b], outs=[c, np.empty((9, 11), np.uint8)])
    assert all(np.array_equal(one, old) for one, old in zip([a, b, c], before))


def test_one_chain_on_several_threads():
    chain, images = edges(), [colours(64 + i, 80) for i in range(8)]
    results = [None] * len(images)

    def run(i):
        results[i] = chain.run(images[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(results[i], one_by_one(images[i])) for i in range(len(images)))


@pytest.mark.parametrize("call,says", [
    (lambda: warpwise.Chain([]), "there is no step"),
    (lambda: warpwise.ChainConvert("nv12", "rgb24"), "source is 'nv12', which has 2 planes"),
    (lambda: warpwise.ChainConvert(to="i444"), "to is 'i444', which has 3 planes"),
    (lambda: warpwise.ChainConvert("i420"), "source is 'i420', which has 3 planes"),
    (lambda: warpwise.ThresholdOptions(window=4), "window is 4; it must be odd and 1 or more"),
    (lambda: warpwise.ThresholdOptions(window=-1), "window is -1; it must be odd"),
    (lambda: warpwise.SobelOptions(norm="l3"), "norm is 'l3', but must be one of l1, l2"),
    (lambda: warpwise.Chain([warpwise.ChainConvert(to="yuyv")]).run(colours(4, 4)), "yuyv is not a destination"),
    (lambda: edges().run(colours(4, 4)[:, ::2]), "side by side"),
    (lambda: edges().run(colours(4, 4), out=np.empty((4, 5), np.uint8)), "5x4"),
    (lambda: warpwise.Chain([warpwise.ThresholdOptions()]).run(colours(4, 4)), "threshold"),
    (lambda: warpwise.Chain([warpwise.SobelOptions(output="dx"), warpwise.ThresholdOptions()]).run(colours(4, 4)), "i16"),
])
def test_what_is_refused(call, says):
    with pytest.raises(warpwise.InvalidArgument, match=says):
        call()


@pytest.mark.parametrize("made", [
    warpwise.ChainConvert("yuyv", "gray8", matrix="bt709", from_range="full"), warpwise.SobelOptions(norm="l2", border="constant"),
    warpwise.ThresholdOptions(window=5, offset=-1.5, inverted=True), warpwise.Finding(x=3, y=4, score=0.5)])
def test_values(made):
    shown = repr(made)
    again = eval(shown, {name: getattr(warpwise, name) for name in warpwise.__all__})
    assert again == made and hash(again) == hash(made) and repr(again) == shown
    assert pickle.loads(pickle.dumps(made)) == made and copy.deepcopy(made) == made
    other = warpwise.Finding(x=3, y=4, score=0.25) if isinstance(made, warpwise.Finding) else type(made)()
    assert other != made and made != shown and made != 1


def test_equal_values_have_equal_hashes():
    zeros = [warpwise.ThresholdOptions(offset=zero) for zero in (0.0, -0.0)]
    assert zeros[0] == zeros[1] and len(set(zeros)) == 1
    assert len({warpwise.Finding(1, 2, 0.0), warpwise.Finding(1, 2, -0.0)}) == 1


def test_a_chain_is_pickled():
    chain = edges()
    again = pickle.loads(pickle.dumps(chain))
    assert again.steps == chain.steps and repr(again) == repr(chain) and repr(chain).startswith("Chain([ChainConvert(source='rgb24'")
    image = colours(20, 30)
    assert np.array_equal(again.run(image), chain.run(image))


def test_steps_only():
    with pytest.raises(TypeError):
        warpwise.Chain(["sobel"])
