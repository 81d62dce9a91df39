#pragma once

// Types of arrays. Some libraries lend and make arrays in C by DLPack's exchange interface, which
// takes a tenth of the time of __dlpack__.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dlpack.hpp"
#include "warpwise/base/element_type.hpp"

namespace warpwise::python {

namespace nb = nanobind;

struct TensorDeleter {
  void operator()(dlpack::ManagedTensorVersioned* lent) const {
    if (lent->deleter != nullptr) lent->deleter(lent);
  }
};
using ManagedTensorPtr = std::unique_ptr<dlpack::ManagedTensorVersioned, TensorDeleter>;

inline bool is_on_gpu(const dlpack::Device& device) {
  return device.type == dlpack::DeviceType::cuda || device.type == dlpack::DeviceType::cuda_managed;
}

/// The library of an array. Results have the kind of the first input.
enum class Kind : std::uint8_t { numpy, torch, cupy, jax, opencv_gpu };

/// Properties of an array that follow from its type.
struct ArrayType {
  Kind kind = Kind::numpy;
  const dlpack::ExchangeApi* exchange = nullptr;  ///< null if the type lacks DLPack 1's interface
  bool masked = false;                            ///< a masked array of NumPy
};
ArrayType array_type_of(nb::handle object);

/// Borrows an array without ordering any stream. Returns null if the library refuses.
ManagedTensorPtr borrow_tensor(const dlpack::ExchangeApi& api, nb::handle object);

/// Returns the GPU that an array is on, or nothing if it is on none.
std::optional<dlpack::Device> gpu_of(const dlpack::ExchangeApi& api, nb::handle object);

/// Returns DLPack's number of the library's current stream on a GPU. \throws nb::python_error
std::uintptr_t current_stream(const dlpack::ExchangeApi& api, dlpack::Device device);

/// Makes a new array on a device. Returns null if the library refuses.
nb::object allocate(const dlpack::ExchangeApi& api, dlpack::Device device,
                    std::span<const std::int64_t> shape, ElementType type);

/// Converts an element type to DLPack's.
dlpack::DataType dlpack_type(ElementType type);

}  // namespace warpwise::python
