#include "borrowed_array.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.hpp"

namespace warpwise::python {
namespace {

struct NumpyType {
  ElementType type;
  const char* name;
};
constexpr NumpyType numpy_types[] = {
    {ElementType::u8, "uint8"},    {ElementType::u16, "uint16"},   {ElementType::i16, "int16"},
    {ElementType::u32, "uint32"},  {ElementType::i32, "int32"},    {ElementType::f32, "float32"},
    {ElementType::f16, "float16"}, {ElementType::bf16, "bfloat16"}};

/// Parses a format of Python's struct module: one letter, in native byte order.
std::optional<ElementType> type_of_format(std::string_view format, std::int64_t bytes) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'B':
    case '?': return ElementType::u8;
    case 'H': return ElementType::u16;
    case 'h': return ElementType::i16;
    case 'I':
    case 'L': return bytes == 4 ? std::optional(ElementType::u32) : std::nullopt;
    case 'i':
    case 'l': return bytes == 4 ? std::optional(ElementType::i32) : std::nullopt;
    case 'f': return ElementType::f32;
    case 'e': return ElementType::f16;
    default: return std::nullopt;
  }
}

std::optional<ElementType> type_of(const dlpack::DataType& type) {
  using dlpack::TypeCode;
  if (type.lanes != 1) return std::nullopt;
  switch (type.code) {
    case TypeCode::boolean:
      if (type.bits == 8) return ElementType::u8;
      break;
    case TypeCode::unsigned_integer:
      if (type.bits == 8) return ElementType::u8;
      if (type.bits == 16) return ElementType::u16;
      if (type.bits == 32) return ElementType::u32;
      break;
    case TypeCode::integer:
      if (type.bits == 16) return ElementType::i16;
      if (type.bits == 32) return ElementType::i32;
      break;
    case TypeCode::real:
      if (type.bits == 16) return ElementType::f16;
      if (type.bits == 32) return ElementType::f32;
      break;
    case TypeCode::bfloat:
      if (type.bits == 16) return ElementType::bf16;
      break;
  }
  return std::nullopt;
}

/// Returns the name of an array's dtype ("int64"), or `otherwise` if it has none.
std::string type_words(nb::handle object, const std::string& otherwise) {
  if (!nb::hasattr(object, "dtype")) return otherwise;
  return nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))));
}

/// Lists the supported types, for messages.
std::string all_types() {
  std::string names;
  for (const NumpyType& each : numpy_types)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

/// Parses a type of the array interface, such as "<f4".
std::optional<ElementType> type_of_typestr(std::string_view typestr) {
  if (typestr == "|b1") return ElementType::u8;
  for (const NumpyType& each : numpy_types) {
    if (typestr_of(each.type) == typestr && !typestr.empty()) return each.type;
  }
  return std::nullopt;
}

/// Returns the result of read(), which reads a part of a protocol. \throws nb::type_error  the part
/// is malformed
template <class Read>
auto well_formed(const char* name, const char* part, const Read& read) {
  try {
    return read();
  } catch (const nb::cast_error&) {  // the value has another type
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_LookupError) && !error.matches(PyExc_TypeError)) throw;
  }
  throw nb::type_error((std::string(name) + " has a malformed " + part).c_str());
}

/// The entries of a __cuda_array_interface__.
struct CudaInterface {
  explicit CudaInterface(const nb::object& attribute) {
    const auto says = nb::cast<nb::dict>(attribute);
    data = nb::cast<std::pair<std::uintptr_t, bool>>(nb::object(says["data"]));
    typestr = nb::cast<std::string>(nb::object(says["typestr"]));
    shape = nb::cast<std::vector<std::int64_t>>(nb::object(says["shape"]));
    strides = nb::cast<std::optional<std::vector<std::int64_t>>>(says.get("strides", nb::none()));
    if (strides && strides->size() != shape.size()) throw nb::cast_error();
    has_mask = !says.get("mask", nb::none()).is_none();
    stream = says.get("stream", nb::none());
  }

  std::pair<std::uintptr_t, bool> data;  // address, and whether it is read-only
  std::string typestr;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;
  bool has_mask = false;
  nb::object stream;
};

}  // namespace

const char* numpy_name(ElementType type) {
  for (const NumpyType& each : numpy_types) {
    if (each.type == type) return each.name;
  }
  return "?";
}

std::string typestr_of(ElementType type) {
  if (type == ElementType::bf16) return "";
  const std::string_view name = numpy_name(type);
  const int bytes = size_of(type);
  return (bytes == 1 ? "|" : "<") + std::string(1, name[0]) + std::to_string(bytes);
}

void Array::fail(const std::string& what) const {
  throw InvalidArgument(std::string(name_) + " " + what);
}

Array::Array(nb::handle object, const char* name, bool writable, const Stream& stream)
    : name_(name) {
  const ArrayType what = array_type_of(object);
  kind_ = what.kind;
  if (what.masked) fail_mask();
  // CuPy arrays have the buffer protocol, but it works only for memory that the host can read.
  const bool has_buffer = kind_ == Kind::numpy || kind_ == Kind::jax;
  if (has_buffer && take_buffer(object, writable)) return;
  if (kind_ == Kind::opencv_gpu) {
    take_gpu_mat(object);
    return;
  }
  if (take_exchange(object, writable, stream.handle)) return;
  if (take_dlpack(object, writable, stream.handle)) return;
  if (take_cuda_interface(object, writable, stream.handle)) return;
  throw nb::type_error(
      (std::string(name) + " is of type " +
       nb::cast<std::string>(nb::getattr(object.type(), "__name__")) +
       ", which is no array: it has no buffer, __dlpack__, __cuda_array_interface__ or cudaPtr")
          .c_str());
}

void Array::fail_type(nb::handle object, const std::string& otherwise) const {
  fail("has elements of " + type_words(object, otherwise) +
       ", which no primitive takes; the types are " + all_types());
}

void Array::fail_mask() const {
  fail("is a masked array, whose mask no primitive heeds; pass its data, or a filled copy of it");
}

void Array::fail_booleans() const { fail("has booleans, which cannot hold a result; use uint8"); }

bool Array::take_buffer(nb::handle object, bool writable) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT;
  Py_buffer& buffer = buffer_.it;
  if (PyObject_GetBuffer(object.ptr(), &buffer, flags) != 0) {
    nb::python_error why;
    if (nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"))) {
      // Neither buffers nor DLPack of NumPy have the types of other packages, such as bfloat16.
      if (type_words(object, "") != "bfloat16") fail_type(object, "another type");
      take_buffer(nb::object(object.attr("view")("uint16")), writable);
      type_ = ElementType::bf16;
      return true;
    }
    if (nb::hasattr(object, "__dlpack__")) return false;  // JAX has bfloat16 there
    throw why;
  }
  if (writable && buffer.readonly != 0) fail("is read-only, but must be written");
  if (buffer.ndim > most_axes) fail("has " + std::to_string(buffer.ndim) + " axes");
  axes_ = static_cast<std::size_t>(buffer.ndim);
  std::int64_t packed = buffer.itemsize;
  for (std::size_t i = axes_; i-- > 0;) {
    shape_[i] = buffer.shape[i];
    // ctypes gives no strides, although PyBUF_STRIDES requests them.
    strides_[i] = buffer.strides == nullptr ? packed : buffer.strides[i];
    packed *= shape_[i];
  }
  const std::string_view format = buffer.format == nullptr ? "B" : buffer.format;
  if (writable && format.ends_with('?')) fail_booleans();  // "?" of NumPy, "<?" of ctypes
  const auto type = type_of_format(format, buffer.itemsize);
  if (!type) fail_type(object, "the format '" + std::string(format) + "'");
  type_ = *type;
  data_ = static_cast<std::byte*>(buffer.buf);
  return true;
}

bool Array::take_exchange(nb::handle object, bool writable, std::uintptr_t stream) {
  const dlpack::ExchangeApi* api = array_type_of(object).exchange;
  if (api == nullptr) return false;
  // Autograd would not track the result. __dlpack__ refuses such tensors with a message.
  if (kind_ == Kind::torch &&
      nb::cast<bool>(nb::object(nb::getattr(object, "requires_grad", nb::bool_(false)))))
    return false;
  lent_ = borrow_tensor(*api, object);
  if (lent_ == nullptr) return false;
  const dlpack::Device device = lent_->tensor.device;
  if (is_on_gpu(device) && current_stream(*api, device) != stream) {
    lent_.reset();  // take_dlpack() then orders the two streams
    return false;
  }
  take_versioned(object, writable, *lent_);
  return true;
}

bool Array::take_dlpack(nb::handle object, bool writable, std::uintptr_t stream) {
  const nb::object method = nb::getattr(object, "__dlpack__", nb::object());
  if (!method.is_valid()) return false;
  bool on_gpu = kind_ == Kind::cupy;  // CuPy's arrays always are, and asking takes long
  if (!on_gpu) {
    const nb::object device = object.attr("__dlpack_device__")();
    const auto type = well_formed(name_, "__dlpack_device__", [&] {
      return static_cast<dlpack::DeviceType>(nb::cast<int>(nb::object(device[0])));
    });
    on_gpu = is_on_gpu({type, 0});
    if (!on_gpu && type != dlpack::DeviceType::cpu && type != dlpack::DeviceType::cuda_host)
      fail("is on a device that is neither a CPU nor a CUDA GPU");
  }
  const nb::object at = on_gpu ? nb::object(nb::int_(stream)) : nb::object(nb::none());
  try {
    owner_ = method(nb::arg("stream") = at, nb::arg("max_version") = nb::make_tuple(1, 1));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    owner_ = method(nb::arg("stream") = at);  // a library from before DLPack 1.0
  }
  // The capsule is only read, not consumed: its own destructor frees the memory.
  if (PyCapsule_IsValid(owner_.ptr(), "dltensor_versioned") != 0) {
    take_versioned(object, writable,
                   *static_cast<const dlpack::ManagedTensorVersioned*>(
                       PyCapsule_GetPointer(owner_.ptr(), "dltensor_versioned")));
  } else if (PyCapsule_IsValid(owner_.ptr(), "dltensor") != 0) {
    take_tensor(
        object, writable,
        static_cast<const dlpack::ManagedTensor*>(PyCapsule_GetPointer(owner_.ptr(), "dltensor"))
            ->tensor);
  } else {
    fail("returned something other than a DLPack capsule from __dlpack__");
  }
  return true;
}

void Array::take_versioned(nb::handle object, bool writable,
                           const dlpack::ManagedTensorVersioned& lent) {
  if (lent.major != 1)
    fail("is given as DLPack " + std::to_string(lent.major) + ", which is not known here");
  if (writable && (lent.flags & dlpack::flag_read_only) != 0)
    fail("is read-only, but must be written");
  take_tensor(object, writable, lent.tensor);
}

void Array::take_tensor(nb::handle object, bool writable, const dlpack::Tensor& tensor) {
  if (writable && kind_ == Kind::jax) fail("is a JAX array, which cannot be written");
  if (tensor.axes < 0 || tensor.axes > most_axes)
    fail("has " + std::to_string(tensor.axes) + " axes");
  if (writable && tensor.type.code == dlpack::TypeCode::boolean) fail_booleans();
  const auto type = type_of(tensor.type);
  if (!type) fail_type(object, "another type");
  type_ = *type;
  axes_ = static_cast<std::size_t>(tensor.axes);
  std::int64_t packed = size_of(type_);
  for (std::size_t i = axes_; i-- > 0;) {
    shape_[i] = tensor.shape[i];
    strides_[i] = tensor.strides == nullptr ? packed : tensor.strides[i] * size_of(type_);
    packed *= shape_[i];
  }
  data_ = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  memory_ = is_on_gpu(tensor.device) ? Memory::device : Memory::host;
  device_ = memory_ == Memory::device ? tensor.device.id : 0;
}

bool Array::take_cuda_interface(nb::handle object, bool writable, std::uintptr_t stream) {
  if (!nb::hasattr(object, "__cuda_array_interface__")) return false;
  const nb::object attribute = object.attr("__cuda_array_interface__");
  const auto says =
      well_formed(name_, "__cuda_array_interface__", [&] { return CudaInterface(attribute); });
  if (says.has_mask) fail_mask();
  if (writable && says.data.second) fail("is read-only, but must be written");
  if (writable && says.typestr == "|b1") fail_booleans();
  const auto type = type_of_typestr(says.typestr);
  if (!type) fail_type(object, "the type '" + says.typestr + "'");
  type_ = *type;
  axes_ = says.shape.size();
  if (axes_ > most_axes) fail("has " + std::to_string(axes_) + " axes");
  std::int64_t packed = size_of(type_);
  for (std::size_t i = axes_; i-- > 0;) {
    shape_[i] = says.shape[i];
    strides_[i] = says.strides ? says.strides->at(i) : packed;
    packed *= shape_[i];
  }
  data_ = reinterpret_cast<std::byte*>(says.data.first);  // NOLINT: the protocol's address
  memory_ = Memory::device;
  device_ = packed == 0 ? gpu::current_device() : gpu::device_of(data_);
  owner_ = nb::borrow(object);
  if (says.stream.is_none()) return true;  // the lender says that there is nothing to wait for
  if (const std::uintptr_t writer = dlpack_stream_number(says.stream); writer != stream) {
    const OnDevice on(device_);
    gpu::order(gpu_stream(writer), gpu_stream(stream));
  }
  return true;
}

std::int64_t Array::height() const {
  if (axes_ != 2 && axes_ != 3)
    fail("has " + std::to_string(axes_) +
         " axes, an image has 2 (height, width) or 3 (height, width, channels)");
  return shape_[0];
}

std::int64_t Array::width() const {
  height();
  return shape_[1];
}

int Array::channels() const {
  height();
  if (axes_ == 2) return 1;
  if (shape_[2] < 1 || shape_[2] > 1 << 16) fail("has " + std::to_string(shape_[2]) + " channels");
  return static_cast<int>(shape_[2]);
}

std::int64_t Array::pitch() const {
  const std::int64_t bytes = size_of(type_);
  const std::int64_t pixel = bytes * channels();
  const bool channels_follow = axes_ == 2 || shape_[2] == 1 || strides_[2] == bytes;
  const bool pixels_follow = shape_[1] <= 1 || strides_[1] == pixel;
  if (!channels_follow || !pixels_follow)
    fail(
        "does not have the pixels of a row side by side; pass a copy of it, as "
        "numpy.ascontiguousarray makes");
  if (shape_[0] <= 1) return 0;
  if (strides_[0] < pixel * shape_[1])
    fail("has rows that overlap or run backwards; pass a copy of it");
  return strides_[0];
}

std::byte* Array::bytes() const {
  std::int64_t packed = size_of(type_);
  for (std::size_t i = axes_; i-- > 0;) {
    if (shape_[i] > 1 && strides_[i] != packed)
      fail("has gaps between its elements; pass a copy of it");
    packed *= shape_[i];
  }
  return data_;
}

ElementType element_type_named(std::string_view name) {
  for (const NumpyType& each : numpy_types) {
    if (name == each.name) return each.type;
  }
  throw InvalidArgument("dtype '" + std::string(name) +
                        "' is not one of Warpwise's: " + all_types());
}

}  // namespace warpwise::python
