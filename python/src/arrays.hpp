#pragma once

// Arrays of Python as views, without copies, and new arrays of the same kind for results.

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "exchange.hpp"
#include "held_buffer.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::python {

namespace nb = nanobind;

/// A CUDA stream, and what keeps it alive.
struct Stream {
  std::uintptr_t handle = 1;  ///< as DLPack counts them: 1 is the legacy default stream
  nb::object owner;
};

/// An array that somebody lends. Its memory is valid as long as this object.
class Array {
 public:
  static constexpr int most_axes = 4;

  /// Takes what has the buffer protocol, __dlpack__, __cuda_array_interface__, or is a
  /// cv2.cuda.GpuMat.
  /// \param name      of the argument, for messages
  /// \param writable  whether it is written: a read-only array is an error then
  /// \param stream    that the array is used on
  /// \throws nb::python_error, InvalidArgument  what is no array, or one that no view can be of
  Array(nb::handle object, const char* name, bool writable, const Stream& stream);

  Kind kind() const { return kind_; }
  Memory memory() const { return memory_; }
  int device() const { return device_; }
  ElementType type() const { return type_; }
  std::span<const std::int64_t> shape() const { return {shape_.data(), axes_}; }

  /// The array as an image: height x width, or height x width x channels.
  template <class View>
  View view() const {
    return View(data_, type_, width(), height(), channels(), pitch());
  }
  /// A vector as an image of one column, or of one row where its elements lie side by side.
  template <class View>
  View vector() const {
    if (axes_ != 1) fail("has " + std::to_string(axes_) + " axes, a vector has one");
    if (shape_[0] <= 1 || strides_[0] == size_of(type_)) return View(data_, type_, shape_[0], 1);
    if (strides_[0] < size_of(type_)) fail("runs backwards; pass a copy of it");
    return View(data_, type_, 1, shape_[0], 1, strides_[0]);
  }
  /// The first byte of an array without gaps. \throws InvalidArgument  it has some
  std::byte* bytes() const;

  std::int64_t width() const;
  std::int64_t height() const;
  int channels() const;
  /// Ends a call on the array with what is wrong about it.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void fail_type(nb::handle object, const std::string& otherwise) const;
  [[noreturn]] void fail_booleans() const;
  bool take_buffer(nb::handle object, bool writable);
  bool take_exchange(nb::handle object, bool writable, std::uintptr_t stream);
  bool take_dlpack(nb::handle object, bool writable, std::uintptr_t stream);
  bool take_cuda_interface(nb::handle object, bool writable, std::uintptr_t stream);
  void take_gpu_mat(nb::handle object);
  void take_tensor(nb::handle object, bool writable, const dlpack::Tensor& tensor);
  void take_versioned(nb::handle object, bool writable, const dlpack::ManagedTensorVersioned& lent);
  std::int64_t pitch() const;

  const char* name_;
  std::byte* data_ = nullptr;
  std::size_t axes_ = 0;
  std::array<std::int64_t, most_axes> shape_{};
  std::array<std::int64_t, most_axes> strides_{};  ///< in bytes
  ElementType type_ = ElementType::u8;
  Memory memory_ = Memory::host;
  int device_ = 0;
  Kind kind_ = Kind::numpy;
  HeldBuffer buffer_;
  Lent lent_;
  nb::object owner_;  ///< a capsule, or an object that owns the memory
};

/// Looks up what is used of NumPy; to be called when the module is loaded.
void find_numpy();

/// A new array of `like`'s kind, on its device, not initialised; a DeviceArray, for work on
/// `stream`, where arrays of its library cannot be made.
nb::object make_array(const Array& like, nb::handle object, std::span<const std::int64_t> shape,
                      ElementType type, const Stream& stream);

/// The stream that calls on an array use: what `stream` says (an integer, or an object of PyTorch,
/// CuPy or with __cuda_stream__), or else the current one of the array's library.
/// \throws InvalidArgument  for a number that no stream has
Stream stream_of(nb::handle stream, nb::handle array);

/// An integer that a stream is known by, as DLPack counts them. \throws InvalidArgument
std::uintptr_t counted_stream(nb::handle number);

/// What NumPy calls an element type: "uint8", and in its array interface: "|u1", empty for
/// bfloat16.
const char* numpy_name(ElementType type);
std::string typestr_of(ElementType type);

/// The element type that a NumPy name stands for: "uint8", … \throws InvalidArgument
ElementType element_type_named(std::string_view name);

}  // namespace warpwise::python
