// Asks the libraries of arrays for the stream that a call uses, and for new arrays for
// results.
#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "borrowed_array.hpp"
#include "device_array.hpp"
#include "dlpack_exchange.hpp"

namespace warpwise::python {
namespace {

/// Returns cupy.cuda.get_current_stream. It is looked up once: the import takes longer than a call.
nb::handle cupy_current_stream() {
  static std::atomic<PyObject*> found{nullptr};  // two threads may look it up at once
  if (found.load() == nullptr) {
    const nb::module_ cuda = nb::module_::import_("cupy.cuda");
    found = nb::object(cuda.attr("get_current_stream")).release().ptr();
  }
  return found.load();
}

// numpy.empty, looked up when the module is loaded. An import releases Python's lock, so the first
// calls, which several threads may make at once, must not import. The reference is never released:
// at exit NumPy may be gone before this variable.
nb::handle numpy_empty;

}  // namespace

std::uintptr_t dlpack_stream_number(nb::handle number) {
  constexpr std::uintptr_t legacy_default = 1;
  std::uintptr_t handle = 0;
  if (!nb::try_cast(number, handle)) {
    throw InvalidArgument("stream is " + nb::cast<std::string>(nb::str(number)) +
                          ", which is no CUDA stream's number");
  }
  return handle == 0 ? legacy_default : handle;
}

namespace {

// OpenCV's depths CV_8U … CV_16F, by number. OpenCV 5 has further depths above these.
constexpr std::array<std::optional<ElementType>, 8> opencv_depths{
    ElementType::u8,  std::nullopt,     ElementType::u16, ElementType::i16,
    ElementType::i32, ElementType::f32, std::nullopt,     ElementType::f16};

/// Returns how much OpenCV's type number grows per channel: by 8, or by 32 from OpenCV 5 on.
int opencv_channel() {
  const nb::object modules = nb::module_::import_("sys").attr("modules");
  const nb::object cv2 = modules.attr("get")("cv2");
  return cv2.is_none() ? 8 : nb::cast<int>(cv2.attr("CV_8UC2"));  // CV_8UC1 is 0
}

/// Returns OpenCV's type number: the depth in the low bits, the channels minus one above them.
int opencv_type(std::span<const std::int64_t> shape, ElementType type) {
  const auto channels = shape.size() < 3 ? 1 : static_cast<int>(shape[2]);
  for (int depth = 0; depth < 8; ++depth)
    if (opencv_depths[static_cast<std::size_t>(depth)] == type)
      return depth + opencv_channel() * (channels - 1);
  throw InvalidArgument("OpenCV has no " + std::string(numpy_name(type)));
}

/// Makes a CuPy array's GPU the current one of CuPy while this object lives.
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

/// Returns an uninitialised array of NumPy.
nb::object numpy_array(const nb::list& extents, ElementType type) {
  if (type == ElementType::bf16) {
    try {
      nb::module_::import_("ml_dtypes");  // adds the type to NumPy
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_ImportError)) throw;
      throw InvalidArgument("a result of bfloat16 needs the Python package ml_dtypes, or an out");
    }
  }
  return numpy_empty(nb::tuple(extents), numpy_name(type));
}

}  // namespace

void Array::take_gpu_mat(nb::handle object) {
  const nb::object size = object.attr("size")();
  const auto depth = nb::cast<std::size_t>(object.attr("depth")());
  if (depth >= opencv_depths.size() || !opencv_depths[depth]) fail_type(object, "another type");
  type_ = *opencv_depths[depth];
  const std::int64_t channels = nb::cast<std::int64_t>(object.attr("channels")());
  const std::int64_t bytes = size_of(type_);
  shape_ = {nb::cast<std::int64_t>(nb::object(size[1])),
            nb::cast<std::int64_t>(nb::object(size[0])), channels, 1};
  strides_ = {nb::cast<std::int64_t>(object.attr("step")), channels * bytes, bytes, bytes};
  axes_ = channels == 1 ? 2 : 3;
  data_ =
      reinterpret_cast<std::byte*>(nb::cast<std::uintptr_t>(object.attr("cudaPtr")()));  // NOLINT
  memory_ = Memory::device;
  device_ = data_ == nullptr ? gpu::current_device() : gpu::device_of(data_);
  owner_ = nb::borrow(object);
}

void find_numpy() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  numpy_empty = nb::object(numpy.attr("empty")).release();
}

nb::object make_array(const Array& like, nb::handle object, std::span<const std::int64_t> shape,
                      ElementType type, const Stream& stream) {
  if (const dlpack::ExchangeApi* api = array_type_of(object).exchange; api != nullptr) {
    const dlpack::Device device{
        like.memory() == Memory::device ? dlpack::DeviceType::cuda : dlpack::DeviceType::cpu,
        like.device()};
    nb::object made = allocate(*api, device, shape, type);
    if (made.is_valid()) return made;
  }
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
    case Kind::opencv_gpu: return object.type()(shape[0], shape[1], opencv_type(shape, type));
    case Kind::jax:
    case Kind::numpy: break;
  }
  if (like.memory() == Memory::device) return make_device_array(like.device(), shape, type, stream);
  return numpy_array(extents, type);
}

Stream stream_of(nb::handle stream, nb::handle array) {
  if (!stream.is_none()) {
    const nb::object owner = nb::borrow(stream);
    if (nb::isinstance<nb::int_>(stream)) return {dlpack_stream_number(stream), owner};
    if (nb::hasattr(stream, "__cuda_stream__")) {
      const nb::object said = stream.attr("__cuda_stream__")();
      return {dlpack_stream_number(nb::object(said[1])), owner};
    }
    for (const char* name : {"cuda_stream", "ptr"}) {
      if (nb::hasattr(stream, name))
        return {dlpack_stream_number(nb::object(stream.attr(name))), owner};
    }
    if (nb::hasattr(stream, "cudaPtr"))
      return {dlpack_stream_number(nb::object(stream.attr("cudaPtr")())), owner};
    throw nb::type_error("stream is neither an integer nor a CUDA stream");
  }
  const ArrayType type = array_type_of(array);
  if (type.exchange != nullptr) {
    const auto device = gpu_of(*type.exchange, array);
    return device ? Stream{current_stream(*type.exchange, *device), nb::object()} : Stream{};
  }
  switch (type.kind) {
    case Kind::torch: {
      if (!nb::cast<bool>(array.attr("is_cuda"))) return {};
      const nb::object current =
          nb::module_::import_("torch.cuda").attr("current_stream")(array.attr("device"));
      return {dlpack_stream_number(nb::object(current.attr("cuda_stream"))), current};
    }
    case Kind::cupy: {
      const nb::object device = array.attr("__dlpack_device__")();
      const nb::object current =
          nb::module_::import_("cupy.cuda").attr("get_current_stream")(nb::object(device[1]));
      return {dlpack_stream_number(nb::object(current.attr("ptr"))), current};
    }
    default: return {};
  }
}

}  // namespace warpwise::python
