#pragma once

// Types of arrays, and of these the ones whose libraries lend and make arrays in C, by DLPack's
// exchange interface: in a tenth of what __dlpack__ takes.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dlpack.hpp"
#include "warpwise/base/element_type.hpp"

namespace warpwise::python {

namespace nb = nanobind;

struct GiveBack {
  void operator()(dlpack::ManagedTensorVersioned* lent) const {
    if (lent->deleter != nullptr) lent->deleter(lent);
  }
};
using Lent = std::unique_ptr<dlpack::ManagedTensorVersioned, GiveBack>;

inline bool is_on_gpu(const dlpack::Device& device) {
  return device.type == dlpack::DeviceType::cuda || device.type == dlpack::DeviceType::cuda_managed;
}

/// Whose arrays they are: results are of the kind of the first input.
enum class Kind : std::uint8_t { numpy, torch, cupy, jax, opencv_gpu };

/// What is known of an array by its type.
struct ArrayType {
  Kind kind = Kind::numpy;
  const dlpack::ExchangeApi* exchange = nullptr;  ///< null where there is none of DLPack 1
};
ArrayType array_type_of(nb::handle object);

/// An array, which is not ordered with any stream; null where the library refuses.
Lent lend(const dlpack::ExchangeApi& api, nb::handle object);

/// The GPU that an array is on, if it is on one.
std::optional<dlpack::Device> gpu_of(const dlpack::ExchangeApi& api, nb::handle object);

/// The library's current stream of a GPU, as DLPack counts them. \throws nb::python_error
std::uintptr_t current_stream(const dlpack::ExchangeApi& api, dlpack::Device device);

/// A new array on a device; null where the library makes none of this type.
nb::object allocate(const dlpack::ExchangeApi& api, dlpack::Device device,
                    std::span<const std::int64_t> shape, ElementType type);

/// An element type as DLPack has it.
dlpack::DataType dlpack_type(ElementType type);

}  // namespace warpwise::python
