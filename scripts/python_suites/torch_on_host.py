"""A plugin of pytest for Triton's tests: PyTorch's tensors for the CPU stand in for those for CUDA.

PyTorch's own CUDA kernels hold machine code alone, which the emulated GPU does not run. Here a tensor that a test makes for CUDA is one
for the CPU. A tensor that a kernel takes is copied to the emulated GPU's memory before the launch, and back after it.
"""
import ctypes

import pytest
import torch
from torch.overrides import TorchFunctionMode


class Driver:
    """Calls functions of the emulated CUDA driver."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error != 0:
            raise RuntimeError(f"{name} returns {error}")

    def begin(self):
        context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)


class Copies:
    """Holds the tensors' memory on the GPU, from the first request for an address until the end of the launch that takes it."""

    def __init__(self, driver):
        self.driver = driver
        self.storages = {}

    def address(self, tensor):
        """Returns a tensor's address on the GPU."""
        storage = tensor.untyped_storage()
        begin, size = storage.data_ptr(), storage.nbytes()
        if size == 0:
            return 0
        if begin not in self.storages:
            copy = ctypes.c_uint64()
            self.driver.call("cuMemAlloc_v2", ctypes.byref(copy), ctypes.c_size_t(size))
            self.driver.call("cuMemcpyHtoD_v2", copy, ctypes.c_void_p(begin), ctypes.c_size_t(size))
            self.storages[begin] = storage, copy
        return self.storages[begin][1].value + tensor.storage_offset() * tensor.element_size()

    def fetch(self, *_):
        """Copies everything back and frees it."""
        for begin, (storage, copy) in self.storages.items():
            self.driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(begin), copy, ctypes.c_size_t(storage.nbytes()))
        self.drop()

    def drop(self):
        for _, copy in self.storages.values():
            self.driver.call("cuMemFree_v2", copy)
        self.storages.clear()


def on_host(value):
    """Replaces a device of CUDA by the CPU."""
    is_cuda = isinstance(value, (str, torch.device)) and str(value).split(":")[0] == "cuda"
    return torch.device("cpu") if is_cuda else value


class OnHost(TorchFunctionMode):
    """Replaces the CUDA device by the CPU in each of PyTorch's calls."""

    def __torch_function__(self, function, types, arguments=(), named=None):
        if function is torch.Tensor.cuda:
            return arguments[0].clone()
        return function(*map(on_host, arguments), **{key: on_host(value) for key, value in (named or {}).items()})


def pytest_configure():
    """Puts tensors for the CPU in the place of tensors for CUDA, before the tests run."""
    driver = Driver()
    driver.begin()
    copies = Copies(driver)
    torch.Tensor.data_ptr = lambda tensor: copies.address(tensor)
    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.set_device = cuda.synchronize = cuda.manual_seed_all = lambda *_: None
    torch._C._cuda_getCurrentRawStream = lambda _: 0

    import triton
    utilities = triton.runtime.driver.active.utils
    cuda.get_device_capability = triton.runtime.driver.active.get_device_capability = lambda *_: utilities.get_device_capability(0)
    triton.knobs.runtime.launch_exit_hook.add(copies.fetch)
    OnHost().__enter__()
    Copies.current = copies


@pytest.fixture(autouse=True)
def _no_copies_of_other_tests():
    """Frees the copies that a test's failed launch has left."""
    yield
    Copies.current.drop()
