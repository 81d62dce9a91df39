"""Tests that torch.compile and torch.export take the operators of warpwise.torch without graph breaks."""

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
    ("copy", (tensor(5, 7, dtype=bool),), {}),
    ("threshold", (tensor(9, 12, dtype=bool),), {}),
    ("convert", (tensor(4, 6, dtype=bool), "gray8", "rgb24"), {}),
    ("convert", (tensor(4, 6, dtype=bool), "gray8", "i444"), {}),
    ("convert", (tensor(18, dtype=np.int16), "i420", "rgb24"), {"size": [4, 6]}),
    ("sobel", (tensor(9, 12),), {}),
    ("sobel", (tensor(9, 12, 3),), {"output": "dx", "channels": "bgr"}),
    ("sobel", (tensor(9, 12),), {"kernel": "scharr", "norm": "l2"}),
    ("sobel", (tensor(9, 12),), {"dtype": "uint16"}),
    ("sobel", (tensor(9, 12, dtype=np.float32),), {"output": "dy"}),
    ("threshold", (tensor(9, 12),), {}),
    ("threshold", (tensor(9, 12),), {"window": 5, "offset": 1.5, "inverted": True}),
    ("threshold", (tensor(9, 12, 1),), {}),
    ("convert", (tensor(4, 6, 3), "rgb24", "gray8"), {"convention": "opencv"}),
    ("convert", (tensor(4, 6, 3), "rgb24", "i444"), {}),
    ("convert", (tensor(6, 6), "nv12", "rgba32"), {}),
    ("convert", (tensor(4, 6, 2), "yuyv", "bgr24"), {}),
    ("convert", (tensor(36), "i420", "rgb24"), {"size": [4, 6]}),
    ("gemv", (tensor(4, 6, dtype=np.float32), tensor(6, dtype=np.float32)), {"alpha": 2.0}),
    ("gemv", (tensor(4, 6, dtype=np.float32), tensor(4, dtype=np.float32)), {"transpose": True}),
    ("match", (tensor(64, 80), tensor(64, 80)), {"block": [16, 8], "stride": [8, 0], "border": "replicate"}),
    ("match", (tensor(64, 80), tensor(64, 80)), {}),
    ("match", (tensor(64, 80, 1), tensor(64, 80, 1)), {}),
    ("gemv", (tensor(4, 6, dtype=np.float32), tensor(6, dtype=np.float32)), {}),
    ("disparity", (tensor(20, 40), tensor(20, 40)), {}),
    ("disparity", (tensor(20, 40, 1), tensor(20, 40, 1)), {}),
    ("disparity", (tensor(20, 40), tensor(20, 40)), {"block": 5, "max_disparity": 8}),
]
NAMES = [f"{name}-{i}" for i, (name, _, _) in enumerate(CASES)]
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(warpwise.device_count() == 0, reason=warpwise.why_no_device()))]
each_case = pytest.mark.parametrize("name,arguments,options", CASES, ids=NAMES)
each_device = pytest.mark.parametrize("device", DEVICES)


def on(device, arguments):
    return tuple(each.to(device) if isinstance(each, torch.Tensor) else each for each in arguments)


def pairs(options):
    return {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}


@each_case
@each_device
def test_opcheck(device, name, arguments, options):
    operator = {"taps" if key == "kernel" else key: value for key, value in options.items()}
    torch.library.opcheck(getattr(torch.ops.warpwise, name).default, on(device, arguments), operator)


@each_case
@each_device
def test_compiled(device, name, arguments, options):
    torch.compiler.reset()  # PyTorch compiles one line of code for a few calls only
    call = torch.compile(lambda *given: getattr(ops, name)(*given, **options).clone(), backend="aot_eager", fullgraph=True)
    expected = getattr(warpwise, name)(*arguments, **pairs(options))
    result = call(*on(device, arguments))
    assert result.device.type == device and result.dtype == expected.dtype and torch.equal(result.cpu(), expected)


@each_case
@each_device
def test_compiled_by_default(device, name, arguments, options):
    torch.compiler.reset()
    # Compiles the operator alone, so that no C++ compiler runs, which would take half a minute.
    call = torch.compile(lambda *given: getattr(ops, name)(*given, **options), fullgraph=True)
    assert torch.equal(call(*on(device, arguments)).cpu(), getattr(warpwise, name)(*arguments, **pairs(options)))


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager", "inductor"])
def test_gradients_do_not_flow(backend):
    torch.compiler.reset()
    image, matrix, vector = (torch.rand(shape, requires_grad=True) for shape in ((5, 6), (4, 6), 6))

    def call(image, matrix, vector):
        return ops.sobel(image, output="dx"), ops.gemv(matrix, vector)

    results = (call if backend is None else torch.compile(call, backend=backend, fullgraph=True))(image, matrix, vector)
    assert not any(result.requires_grad for result in results)
    assert torch.equal(results[0], warpwise.sobel(image.detach(), output="dx"))
    assert torch.equal(results[1], warpwise.gemv(matrix.detach(), vector.detach()))
    assert torch.equal(torch.ops.warpwise.gemv(matrix, vector), results[1])
    with pytest.raises(RuntimeError):
        torch.ops.warpwise.gemv(matrix, vector).sum().backward()


@each_device
def test_exported_with_any_size(device):
    class Edges(torch.nn.Module):
        def forward(self, photo):
            grey = ops.convert(photo, "rgb24", "gray8")
            return ops.threshold(ops.sobel(grey), window=5, offset=-8.0)

    height, width = torch.export.Dim("height", min=2, max=4096), torch.export.Dim("width", min=2, max=4096)
    program = torch.export.export(Edges(), on(device, (tensor(8, 10, 3),)), dynamic_shapes=({0: height, 1: width},))
    photo = tensor(33, 47, 3)
    assert torch.equal(program.module()(photo.to(device)).cpu(), Edges()(photo))


def test_options_are_those_of_the_functions():
    """The operators have the documented defaults and no arguments for arrays that are written."""
    without = {"gemv": {"beta"}, "threshold": {"mean"}, "match": {"score"}}
    for name in ops.__all__:
        shown, _, values = getattr(warpwise, name).__nb_signature__[0]
        theirs = {option: values[int(value)] for option, value in re.findall(r"(\w+): [^=:]* = \\(\d+)", shown)}
        parameters = inspect.signature(getattr(ops, name)).parameters.values()
        ours = {each.name: each.default for each in parameters if each.default is not each.empty}
        assert theirs.keys() - ours.keys() == {"out", "stream"} | without.get(name, set()), name
        assert ours == {option: theirs[option] for option in ours}, name
        assert all(each.kind is each.KEYWORD_ONLY for each in parameters if each.name in ours), name
        assert f"warpwise.{name}()" in getattr(ops, name).__doc__
        defaults = {option: list(value) if isinstance(value, tuple) else value for option, value in ours.items()}
        operator = {each.name: each.default_value for each in getattr(torch.ops.warpwise, name).default._schema.arguments
                    if each.has_default_value()}
        assert {"kernel" if option == "taps" else option: value for option, value in operator.items()} == defaults, name


def test_without_what_a_function_cannot_do():
    with pytest.raises(warpwise.InvalidArgument, match="side by side"):
        ops.sobel(tensor(8, 8)[:, ::2])


def test_example():
    assert doctest.testmod(ops).failed == 0
