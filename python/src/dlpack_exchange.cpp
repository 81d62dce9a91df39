#include "dlpack_exchange.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpwise::python {

namespace {

const dlpack::ExchangeApi* exchange_of(nb::handle type) {
  constexpr const char* attribute = "__dlpack_c_exchange_api__";
  constexpr const char* capsule_name = "dlpack_exchange_api";
  const nb::object capsule = nb::getattr(type, attribute, nb::object());
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), capsule_name) == 0) return nullptr;
  // The table lives as long as the process, independently of the capsule.
  const auto* api =
      static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name));
  while (api != nullptr && api->major != 1) api = api->before;
  return api;
}

/// Returns the library that a type comes from: "torch" for "torch.nn.parameter".
std::string library_of(nb::handle type) {
  const nb::object module = nb::getattr(type, "__module__", nb::str(""));
  if (!nb::isinstance<nb::str>(module)) return "";
  const std::string name = nb::cast<std::string>(module);
  return name.substr(0, name.find('.'));
}

Kind kind_of(nb::handle type) {
  // A class that derives from a library's array is of that library.
  for (const nb::handle each : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    const std::string library = library_of(each);
    if (library == "torch") return Kind::torch;
    if (library == "cupy") return Kind::cupy;
    if (library == "jax" || library == "jaxlib") return Kind::jax;
  }
  // A GpuMat is read through its methods. OpenCV 5's DLPack always names the first GPU, and gives
  // grey images three axes.
  if (nb::hasattr(type, "cudaPtr") && nb::hasattr(type, "depth")) return Kind::opencv_gpu;
  return Kind::numpy;
}

bool is_masked(nb::handle type) {
  return std::ranges::any_of(nb::borrow<nb::tuple>(type.attr("__mro__")), [](nb::handle each) {
    return library_of(each) == "numpy" &&
           nb::cast<std::string>(nb::object(each.attr("__name__"))) == "MaskedArray";
  });
}

/// A cache of the first few types seen. Inspecting a type takes as long as work on a small image.
/// The cache keeps its types alive.
struct KnownTypes {
  struct Known {
    PyObject* type;
    ArrayType what;
  };
  static constexpr std::size_t most = 16;
  std::array<Known, most> known{};
  std::size_t count = 0;
  nb::ft_mutex mutex;
};

}  // namespace

ArrayType array_type_of(nb::handle object) {
  static KnownTypes types;
  const nb::handle type = object.type();
  {
    const nb::ft_lock_guard one_at_a_time(types.mutex);
    for (std::size_t i = 0; i < types.count; ++i) {
      if (types.known[i].type == type.ptr()) return types.known[i].what;
    }
  }
  const ArrayType what{kind_of(type), exchange_of(type), is_masked(type)};
  const nb::ft_lock_guard one_at_a_time(types.mutex);
  if (types.count < KnownTypes::most) types.known[types.count++] = {type.inc_ref().ptr(), what};
  return what;
}

ManagedTensorPtr borrow_tensor(const dlpack::ExchangeApi& api, nb::handle object) {
  dlpack::ManagedTensorVersioned* lent = nullptr;
  if (api.from_object(object.ptr(), &lent) == 0) return ManagedTensorPtr(lent);
  PyErr_Clear();
  return nullptr;
}

std::optional<dlpack::Device> gpu_of(const dlpack::ExchangeApi& api, nb::handle object) {
  dlpack::Device device{};
  if (api.look_at_object != nullptr) {
    dlpack::Tensor seen{};
    if (api.look_at_object(object.ptr(), &seen) != 0) {
      PyErr_Clear();
      return std::nullopt;
    }
    device = seen.device;
  } else {
    const ManagedTensorPtr lent = borrow_tensor(api, object);
    if (lent == nullptr) return std::nullopt;
    device = lent->tensor.device;
  }
  return is_on_gpu(device) ? std::optional(device) : std::nullopt;
}

std::uintptr_t current_stream(const dlpack::ExchangeApi& api, dlpack::Device device) {
  constexpr std::uintptr_t legacy_default = 1;
  void* stream = nullptr;
  if (api.current_stream(device.type, device.id, &stream) != 0) throw nb::python_error();
  return stream == nullptr ? legacy_default : reinterpret_cast<std::uintptr_t>(stream);  // NOLINT
}

nb::object allocate(const dlpack::ExchangeApi& api, dlpack::Device device,
                    std::span<const std::int64_t> shape, ElementType type) {
  std::array<std::int64_t, 4> extents{};
  std::copy(shape.begin(), shape.end(), extents.begin());
  dlpack::Tensor like{
      nullptr, device, static_cast<std::int32_t>(shape.size()), dlpack_type(type), extents.data(),
      nullptr, 0};
  dlpack::ManagedTensorVersioned* made = nullptr;
  const auto failed = [](void*, const char*, const char*) {};  // the fallback reports the reason
  if (api.allocate(&like, &made, nullptr, failed) != 0 || made == nullptr) {
    PyErr_Clear();
    return {};
  }
  void* object = nullptr;
  if (api.to_object(made, &object) != 0) throw nb::python_error();
  return nb::steal(static_cast<PyObject*>(object));
}

dlpack::DataType dlpack_type(ElementType type) {
  using dlpack::TypeCode;
  const auto of = [&](TypeCode code) {
    return dlpack::DataType{code, static_cast<std::uint8_t>(8 * size_of(type)), 1};
  };
  switch (type) {
    case ElementType::u8:
    case ElementType::u16:
    case ElementType::u32: return of(TypeCode::unsigned_integer);
    case ElementType::i16:
    case ElementType::i32: return of(TypeCode::integer);
    case ElementType::f16:
    case ElementType::f32: return of(TypeCode::real);
    case ElementType::bf16: return of(TypeCode::bfloat);
  }
  return of(TypeCode::unsigned_integer);
}

}  // namespace warpwise::python
