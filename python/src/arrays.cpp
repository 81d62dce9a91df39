#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "dlpack.hpp"

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

const char* numpy_name(ElementType type) {
  for (const NumpyType& each : numpy_types) {
    if (each.type == type) return each.name;
  }
  return "?";
}

/// The element type of a format of the struct module: one letter, in native order.
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

/// The name of the library that an object's type comes from: "torch" of "torch.nn.parameter".
std::string library_of(nb::handle object) {
  const nb::object module = nb::getattr(object.type(), "__module__", nb::str(""));
  if (!nb::isinstance<nb::str>(module)) return "";
  const std::string name = nb::cast<std::string>(module);
  return name.substr(0, name.find('.'));
}

// What is used of NumPy, looked up when the module is loaded: the first call of several threads at
// once must not import anything, which gives up Python's lock in between. Never given back: at exit
// it may be gone before this is.
nb::handle ndarray;
nb::handle numpy_empty;

Kind kind_of(nb::handle object) {
  if (object.type().is(ndarray)) return Kind::numpy;  // quickly, as most are
  const std::string library = library_of(object);
  if (library == "torch") return Kind::torch;
  if (library == "cupy") return Kind::cupy;
  if (library == "jax" || library == "jaxlib") return Kind::jax;
  return Kind::numpy;
}

/// What an array's elements are called: "int64", or what its protocol says.
std::string type_words(nb::handle object, const std::string& otherwise) {
  if (!nb::hasattr(object, "dtype")) return otherwise;
  return nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))));
}

/// The types there are, for messages.
std::string all_types() {
  std::string names;
  for (const NumpyType& each : numpy_types)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

/// An integer that a stream is known by, as DLPack counts them: 0 is no stream of its.
std::uintptr_t counted(nb::handle number) {
  constexpr std::uintptr_t legacy_default = 1;
  std::uintptr_t handle = 0;
  if (!nb::try_cast(number, handle)) {
    throw InvalidArgument("stream is " + nb::cast<std::string>(nb::str(number)) +
                          ", which is no CUDA stream's number");
  }
  return handle == 0 ? legacy_default : handle;
}

/// Makes the GPU of a CuPy array CuPy's current one, for as long as this lives.
class OnCupyDevice {
 public:
  explicit OnCupyDevice(nb::handle array) : device_(array.attr("device")) {
    device_.attr("__enter__")();
  }
  ~OnCupyDevice() {
    try {
      device_.attr("__exit__")(nb::none(), nb::none(), nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("leaving a device of CuPy's");
    }
  }
  OnCupyDevice(const OnCupyDevice&) = delete;
  OnCupyDevice& operator=(const OnCupyDevice&) = delete;

 private:
  nb::object device_;
};

}  // namespace

void find_numpy() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  ndarray = nb::object(numpy.attr("ndarray")).release();
  numpy_empty = nb::object(numpy.attr("empty")).release();
}

void Array::fail(const std::string& what) const {
  throw InvalidArgument(std::string(name_) + " " + what);
}

Array::Array(nb::handle object, const char* name, bool writable, const Stream& stream)
    : name_(name), kind_(kind_of(object)) {
  // CuPy's arrays have a buffer that is only there for memory which the host sees too.
  const bool has_buffer = kind_ == Kind::numpy || kind_ == Kind::jax;
  if (!has_buffer || !take_buffer(object, writable)) {
    if (!take_dlpack(object, writable, stream.handle) && !take_gpu_mat(object)) {
      throw nb::type_error((std::string(name) + " is of type " +
                            nb::cast<std::string>(nb::getattr(object.type(), "__name__")) +
                            ", which is no array: it has no buffer, __dlpack__ or cudaPtr")
                               .c_str());
    }
  }
}

void Array::fail_type(nb::handle object, const std::string& otherwise) const {
  fail("has elements of " + type_words(object, otherwise) +
       ", which no primitive takes; there are " + all_types());
}

void Array::fail_booleans() const { fail("is of booleans, which hold no result; use uint8"); }

bool Array::take_buffer(nb::handle object, bool writable) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT;
  Py_buffer& buffer = buffer_.it;
  if (PyObject_GetBuffer(object.ptr(), &buffer, flags) != 0) {
    // NumPy's bfloat16 has no buffer; DLPack may say more.
    nb::python_error why;
    if (nb::hasattr(object, "__dlpack__")) return false;
    throw why;
  }
  if (writable && buffer.readonly != 0) fail("is read-only, and is to be written");
  if (buffer.ndim > most_axes) fail("has " + std::to_string(buffer.ndim) + " axes");
  axes_ = static_cast<std::size_t>(buffer.ndim);
  std::int64_t packed = buffer.itemsize;
  for (std::size_t i = axes_; i-- > 0;) {
    shape_[i] = buffer.shape[i];
    // ctypes gives none, though they are asked for.
    strides_[i] = buffer.strides == nullptr ? packed : buffer.strides[i];
    packed *= shape_[i];
  }
  const std::string_view format = buffer.format == nullptr ? "B" : buffer.format;
  if (writable && format == "?") fail_booleans();
  const auto type = type_of_format(format, buffer.itemsize);
  if (!type) fail_type(object, "the format '" + std::string(format) + "'");
  type_ = *type;
  data_ = static_cast<std::byte*>(buffer.buf);
  return true;
}

bool Array::take_dlpack(nb::handle object, bool writable, std::uintptr_t stream) {
  if (!nb::hasattr(object, "__dlpack__")) return false;
  const nb::object device = object.attr("__dlpack_device__")();
  const auto device_type = static_cast<dlpack::DeviceType>(nb::cast<int>(nb::object(device[0])));
  const bool on_gpu =
      device_type == dlpack::DeviceType::cuda || device_type == dlpack::DeviceType::cuda_managed;
  if (!on_gpu && device_type != dlpack::DeviceType::cpu &&
      device_type != dlpack::DeviceType::cuda_host)
    fail("is on a device that is neither a CPU nor a CUDA GPU");
  memory_ = on_gpu ? Memory::device : Memory::host;
  device_ = on_gpu ? nb::cast<int>(nb::object(device[1])) : 0;
  const nb::object at = on_gpu ? nb::object(nb::int_(stream)) : nb::object(nb::none());
  const nb::object method = object.attr("__dlpack__");
  try {
    owner_ = method(nb::arg("stream") = at, nb::arg("max_version") = nb::make_tuple(1, 1));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    owner_ = method(nb::arg("stream") = at);  // from before DLPack had versions
  }
  const dlpack::Tensor* tensor = nullptr;
  if (PyCapsule_IsValid(owner_.ptr(), "dltensor_versioned") != 0) {
    const auto* managed = static_cast<const dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(owner_.ptr(), "dltensor_versioned"));
    if (managed->major != 1)
      fail("is given as DLPack " + std::to_string(managed->major) + ", which is not known here");
    if (writable && (managed->flags & dlpack::flag_read_only) != 0)
      fail("is read-only, and is to be written");
    tensor = &managed->tensor;
  } else if (PyCapsule_IsValid(owner_.ptr(), "dltensor") != 0) {
    tensor =
        &static_cast<const dlpack::ManagedTensor*>(PyCapsule_GetPointer(owner_.ptr(), "dltensor"))
             ->tensor;
  } else {
    fail("returned something from __dlpack__ that is no DLPack capsule");
  }
  // The capsule is not consumed, only looked into: its own destructor gives the memory back.
  if (writable && kind_ == Kind::jax) fail("is a JAX array, which never changes");
  if (tensor->axes < 0 || tensor->axes > most_axes)
    fail("has " + std::to_string(tensor->axes) + " axes");
  if (writable && tensor->type.code == dlpack::TypeCode::boolean) fail_booleans();
  const auto type = type_of(tensor->type);
  if (!type) fail_type(object, "another type");
  type_ = *type;
  axes_ = static_cast<std::size_t>(tensor->axes);
  std::int64_t packed = size_of(type_);
  for (std::size_t i = axes_; i-- > 0;) {
    shape_[i] = tensor->shape[i];
    strides_[i] = tensor->strides == nullptr ? packed : tensor->strides[i] * size_of(type_);
    packed *= shape_[i];
  }
  data_ = static_cast<std::byte*>(tensor->data) + tensor->byte_offset;
  return true;
}

bool Array::take_gpu_mat(nb::handle object) {
  if (!nb::hasattr(object, "cudaPtr")) return false;
  // OpenCV's depths CV_8U … CV_16F, by number.
  constexpr std::array<std::optional<ElementType>, 8> depths{
      ElementType::u8,  std::nullopt,     ElementType::u16, ElementType::i16,
      ElementType::i32, ElementType::f32, std::nullopt,     ElementType::f16};
  const nb::object size = object.attr("size")();
  const auto depth = depths[nb::cast<unsigned>(object.attr("depth")()) & 7U];
  if (!depth) fail_type(object, "another type");
  type_ = *depth;
  const std::int64_t channels = nb::cast<std::int64_t>(object.attr("channels")());
  const std::int64_t bytes = size_of(type_);
  shape_ = {nb::cast<std::int64_t>(nb::object(size[1])),
            nb::cast<std::int64_t>(nb::object(size[0])), channels, 1};
  strides_ = {nb::cast<std::int64_t>(object.attr("step")), channels * bytes, bytes, bytes};
  axes_ = channels == 1 ? 2 : 3;
  data_ =
      reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(object.attr("cudaPtr")()));  // NOLINT
  memory_ = Memory::device;
  device_ = gpu::current_device();
  kind_ = Kind::opencv_gpu;
  owner_ = nb::borrow(object);
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

nb::object make_array(const Array& like, nb::handle object, std::span<const std::int64_t> shape,
                      ElementType type) {
  nb::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  const char* name = numpy_name(type);
  switch (like.kind()) {
    case Kind::torch: {
      const nb::module_ torch = nb::module_::import_("torch");
      return torch.attr("empty")(nb::tuple(extents), nb::arg("dtype") = torch.attr(name),
                                 nb::arg("device") = object.attr("device"));
    }
    case Kind::cupy: {
      const nb::module_ cupy = nb::module_::import_("cupy");
      const OnCupyDevice device(object);
      return cupy.attr("empty")(nb::tuple(extents), nb::arg("dtype") = name);
    }
    case Kind::opencv_gpu:
      throw InvalidArgument(
          "a cv2.cuda.GpuMat as input needs out=, a GpuMat of the result's size and type");
    case Kind::jax:
      if (like.memory() == Memory::device)
        throw InvalidArgument(
            "results on a GPU are not made as JAX arrays: pass out=, an array of another library");
      [[fallthrough]];
    case Kind::numpy: break;
  }
  if (like.memory() == Memory::device)
    throw InvalidArgument("an input of this library on a GPU needs out=");
  return numpy_empty(nb::tuple(extents), name);
}

Stream stream_of(nb::handle stream, nb::handle array) {
  if (!stream.is_none()) {
    const nb::object owner = nb::borrow(stream);
    if (nb::isinstance<nb::int_>(stream)) return {counted(stream), owner};
    if (nb::hasattr(stream, "__cuda_stream__")) {
      const nb::object said = stream.attr("__cuda_stream__")();
      return {counted(nb::object(said[1])), owner};
    }
    for (const char* name : {"cuda_stream", "ptr"}) {
      if (nb::hasattr(stream, name)) return {counted(nb::object(stream.attr(name))), owner};
    }
    throw nb::type_error("stream is neither an integer nor a CUDA stream");
  }
  switch (kind_of(array)) {
    case Kind::torch: {
      if (!nb::cast<bool>(array.attr("is_cuda"))) return {};
      const nb::object current =
          nb::module_::import_("torch.cuda").attr("current_stream")(array.attr("device"));
      return {counted(nb::object(current.attr("cuda_stream"))), current};
    }
    case Kind::cupy: {
      const OnCupyDevice device(array);
      const nb::object current = nb::module_::import_("cupy.cuda").attr("get_current_stream")();
      return {counted(nb::object(current.attr("ptr"))), current};
    }
    default: return {};
  }
}

ElementType element_type_named(std::string_view name) {
  for (const NumpyType& each : numpy_types) {
    if (name == each.name) return each.type;
  }
  throw InvalidArgument("dtype '" + std::string(name) +
                        "' is none that Warpwise has: " + all_types());
}

}  // namespace warpwise::python
