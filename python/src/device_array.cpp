// Arrays on a GPU for other libraries, which take them by DLPack or CUDA's array interface.
#include "device_array.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "call.hpp"
#include "dlpack_exchange.hpp"

namespace warpwise::python {
namespace {

using Pair = std::pair<int, int>;

/// GPU memory that arrays and capsules share. The last of them frees it, in the order of the stream
/// that it was written on.
struct DeviceMemory {
  DeviceMemory(int device_, std::int64_t bytes, Stream stream_)
      : device(device_), stream(std::move(stream_)) {
    const OnDevice on(device);
    buffer.emplace(bytes, gpu_stream(stream.handle));
  }

  int device;
  Stream stream;
  std::optional<gpu::Buffer> buffer;
};

/// The data behind a capsule: its memory, and the arrays that its tensor points to.
struct Shared {
  std::shared_ptr<DeviceMemory> memory;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

template <class Managed>
void delete_managed(Managed* managed) {
  if (Py_IsInitialized() == 0) return;  // the process is ending
  const GilAcquire locked;
  delete static_cast<Shared*>(managed->context);
  delete managed;
}

template <class Managed>
constexpr const char* capsule_name = "dltensor_versioned";
template <>
constexpr const char* capsule_name<dlpack::ManagedTensor> = "dltensor";

template <class Managed>
nb::object capsule_of(Managed* managed) {
  // A consumer renames the capsule and calls the deleter itself; only an unused capsule is deleted.
  const auto destroy = [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, capsule_name<Managed>) == 0) return;
    auto* unused = static_cast<Managed*>(PyCapsule_GetPointer(capsule, capsule_name<Managed>));
    unused->deleter(unused);
  };
  PyObject* capsule = PyCapsule_New(managed, capsule_name<Managed>, destroy);
  if (capsule == nullptr) {
    managed->deleter(managed);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

[[noreturn]] void refuse(const char* why) {
  PyErr_SetString(PyExc_BufferError, why);
  throw nb::python_error();
}

class DeviceArray {
 public:
  DeviceArray(int device, std::span<const std::int64_t> shape, ElementType type, Stream stream)
      : shape_(shape.begin(), shape.end()), strides_(shape.size()), type_(type) {
    std::int64_t elements = 1;
    for (std::size_t i = shape_.size(); i-- > 0;) {
      strides_[i] = elements;
      elements *= shape_[i];
    }
    memory_ = std::make_shared<DeviceMemory>(device, elements * size_of(type), std::move(stream));
  }

  Pair dlpack_device() const {
    return {static_cast<int>(dlpack::DeviceType::cuda), memory_->device};
  }

  nb::object dlpack(std::optional<std::intptr_t> stream, std::optional<Pair> max_version,
                    std::optional<Pair> dl_device, std::optional<bool> copy) const {
    if (dl_device && *dl_device != dlpack_device())
      refuse("a DeviceArray can be used only on its own GPU");
    const bool copied = copy.value_or(false);
    const DeviceArray given = copied ? copied_array() : *this;
    given.order_before(stream);
    const bool versioned = max_version && max_version->first >= 1;
    auto shared = std::make_unique<Shared>(Shared{given.memory_, shape_, strides_});
    const dlpack::Tensor tensor{given.memory_->buffer->data(),
                                {dlpack::DeviceType::cuda, memory_->device},
                                static_cast<std::int32_t>(shape_.size()),
                                dlpack_type(type_),
                                shared->shape.data(),
                                shared->strides.data(),
                                0};
    if (!versioned) {
      return capsule_of(new dlpack::ManagedTensor{tensor, shared.release(),
                                                  &delete_managed<dlpack::ManagedTensor>});
    }
    return capsule_of(new dlpack::ManagedTensorVersioned{
        1, 0, shared.release(), &delete_managed<dlpack::ManagedTensorVersioned>,
        copied ? dlpack::flag_copied : 0, tensor});
  }

  nb::dict cuda_array_interface() const {
    const std::string typestr = typestr_of(type_);
    if (typestr.empty()) throw nb::attribute_error("bfloat16 has no __cuda_array_interface__");
    nb::dict says;
    says["shape"] = nb::tuple(nb::cast(shape_));
    says["typestr"] = nb::str(typestr.c_str());
    says["data"] =
        nb::make_tuple(reinterpret_cast<std::uintptr_t>(memory_->buffer->data()), false);  // NOLINT
    says["strides"] = nb::none();
    says["version"] = 3;
    says["stream"] = memory_->stream.handle;
    return says;
  }

  nb::tuple shape() const { return nb::tuple(nb::cast(shape_)); }

 private:
  DeviceArray copied_array() const {
    const OnDevice on(memory_->device);
    DeviceArray made(memory_->device, shape_, type_, memory_->stream);
    gpu::copy_bytes(memory_->buffer->data(), made.memory_->buffer->data(), memory_->buffer->bytes(),
                    gpu_stream(memory_->stream.handle));
    return made;
  }

  /// Makes later work on the consumer's stream wait for all work so far on the array's stream.
  void order_before(std::optional<std::intptr_t> stream) const {
    constexpr std::intptr_t unordered = -1, legacy_default = 1;
    const std::intptr_t consumer = stream.value_or(legacy_default);
    if (consumer == unordered) return;
    if (consumer <= 0)
      throw InvalidArgument("stream is " + std::to_string(consumer) +
                            ", which is no CUDA stream's number");
    const auto handle = static_cast<std::uintptr_t>(consumer);
    if (handle == memory_->stream.handle) return;
    const OnDevice on(memory_->device);
    gpu::order(gpu_stream(memory_->stream.handle), gpu_stream(handle));
  }

  std::shared_ptr<DeviceMemory> memory_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;  ///< in elements
  ElementType type_;
};

}  // namespace

nb::object make_device_array(int device, std::span<const std::int64_t> shape, ElementType type,
                             const Stream& stream) {
  return nb::cast(DeviceArray(device, shape, type, stream));
}

void add_device_array(nb::module_& module) {
  using nb::arg;
  nb::class_<DeviceArray>(
      module, "DeviceArray",
      R"(A result on a GPU, for libraries whose arrays Warpwise cannot create. They use it without a copy.

They take it by DLPack, as cupy.from_dlpack(result), or by __cuda_array_interface__, as
numba.cuda.as_cuda_array(result). An event orders both after the work on the result; the CPU does not wait. The memory
lives as long as the arrays made of it. It is then reused, in the order of the stream that wrote the result.)")
      .def("__dlpack_device__", &DeviceArray::dlpack_device)
      .def("__dlpack__", &DeviceArray::dlpack, arg("stream") = nb::none(),
           arg("max_version") = nb::none(), arg("dl_device") = nb::none(), arg("copy") = nb::none())
      .def_prop_ro("__cuda_array_interface__", &DeviceArray::cuda_array_interface)
      .def_prop_ro("shape", &DeviceArray::shape);
}

}  // namespace warpwise::python
