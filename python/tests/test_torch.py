"""warpwise.torch: operators that torch.compile and torch.export take whole."""

import doctest
import inspect
import re

import numpy as np
import pytest

import warpwise

torch = pytest.importorskip("torch", minversion="2.4", reason="PyTorch 2.4 or later is not installed")
import warpwise.torch as ops  # noqa: E402

RANDOM = np.random.default_rng(13)


def tensor(*shape, dtype=np.uint8):
    return torch.from_numpy(RANDOM.integers(0, 256, shape).astype(dtype))


CASES = [
    ("copy", (tensor(5, 7, 3),), {}),
    ("sobel", (tensor(9, 12),), {}),
    ("sobel", (tensor(9, 12, 3),), {"output": "dx", "channels": "bgr"}),
    ("sobel", (tensor(9, 12),), {"dtype": "uint16"}),
    ("sobel", (tensor(9, 12, dtype=np.float32),), {"output": "dy"}),
    ("threshold", (tensor(9, 12),), {"window": 5, "offset": 1.5, "inverted": True}),
    ("convert", (tensor(4, 6, 3), "rgb24", "gray8"), {"convention": "opencv"}),
    ("convert", (tensor(4, 6, 3), "rgb24", "i444"), {}),
    ("convert", (tensor(6, 6), "nv12", "rgba32"), {}),
    ("convert", (tensor(4, 6, 2), "yuyv", "bgr24"), {}),
    ("convert", (tensor(36), "i420", "rgb24"), {"size": [4, 6]}),
    ("gemv", (tensor(4, 6, dtype=np.float32), tensor(6, dtype=np.float32)), {"alpha": 2.0}),
    ("gemv", (tensor(4, 6, dtype=np.float32), tensor(4, dtype=np.float32)), {"transpose": True}),
    ("match", (tensor(64, 80), tensor(64, 80)), {"block": [16, 8], "stride": [8, 0], "border": "replicate"}),
    ("match", (tensor(64, 80), tensor(64, 80)), {}),
    ("disparity", (tensor(20, 40), tensor(20, 40)), {"block": 5, "max_disparity": 8}),
]
NAMES = [f"{name}-{i}" for i, (name, _, _) in enumerate(CASES)]


def pairs(options):
    return {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}


@pytest.mark.parametrize("name,arguments,options", CASES, ids=NAMES)
def test_opcheck(name, arguments, options):
    torch.library.opcheck(getattr(ops, name), arguments, options)
    torch.library.opcheck(getattr(torch.ops.warpwise, name).default, arguments, options)


@pytest.mark.parametrize("name,arguments,options", CASES, ids=NAMES)
def test_compiled(name, arguments, options):
    torch.compiler.reset()  # one line of code is compiled for a few calls alone
    call = torch.compile(lambda *given: getattr(ops, name)(*given, **options) * 1, backend="aot_eager", fullgraph=True)
    expected = getattr(warpwise, name)(*arguments, **pairs(options))
    result = call(*arguments)
    assert result.dtype == expected.dtype and torch.equal(result, expected)


def test_compiled_by_inductor():
    # Operators alone: nothing for a C++ compiler to do, which takes half a minute.
    call = torch.compile(lambda image: ops.threshold(ops.sobel(image, kernel="scharr"), window=5), fullgraph=True)
    edges = warpwise.sobel(CASES[1][1][0], kernel="scharr")
    assert torch.equal(call(CASES[1][1][0]), warpwise.threshold(edges, window=5))


def test_exported_with_any_size():
    class Edges(torch.nn.Module):
        def forward(self, photo):
            grey = ops.convert(photo, "rgb24", "gray8")
            return ops.threshold(ops.sobel(grey), window=5, offset=-8.0)

    height, width = torch.export.Dim("height", min=2, max=4096), torch.export.Dim("width", min=2, max=4096)
    program = torch.export.export(Edges(), (tensor(8, 10, 3),), dynamic_shapes=({0: height, 1: width},))
    photo = tensor(33, 47, 3)
    assert torch.equal(program.module()(photo), Edges()(photo))


def test_options_are_those_of_the_functions():
    for name in ops.__all__:
        shown = getattr(warpwise, name).__nb_signature__[0][0]
        for each in inspect.signature(getattr(ops, name)._init_fn).parameters.values():
            assert re.search(rf"\b{each.name}\b", shown), each
            if each.default is not inspect.Parameter.empty:
                index = re.search(rf"\b{each.name}: [^=]*= (\\\d+|None)", shown)
                value = index.group(1)
                if value.startswith("\\"):
                    value = getattr(warpwise, name).__nb_signature__[0][2][int(value[1:])]
                assert (None if value == "None" else value) == each.default, each


def test_without_what_a_function_cannot_do():
    with pytest.raises(warpwise.InvalidArgument, match="side by side"):
        ops.sobel(tensor(8, 8)[:, ::2])


def test_example():
    assert doctest.testmod(ops).failed == 0
