#pragma once

// Views of Python arrays without a copy, and new arrays of the same library for results.

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "dlpack_exchange.hpp"
#include "held_buffer.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::python {

namespace nb = nanobind;

/// A CUDA stream and the Python object that keeps it alive.
struct Stream {
  std::uintptr_t handle = 1;  ///< DLPack's number of the stream: 1 is the legacy default stream
  nb::object owner;
};

/// An array borrowed from Python. Its memory stays valid while this object lives.
class Array {
 public:
  static constexpr int most_axes = 4;

  /// Borrows an object with the buffer protocol, __dlpack__ or __cuda_array_interface__, or a
  /// cv2.cuda.GpuMat.
  /// \param name      name of the argument, for messages
  /// \param writable  true if the call writes the array; a read-only array is then an error
  /// \param stream    stream that the array is used on
  /// \throws nb::type_error, nb::python_error, InvalidArgument  it is no array, or cannot be viewed
  Array(nb::handle object, const char* name, bool writable, const Stream& stream);

  Kind kind() const { return kind_; }
  Memory memory() const { return memory_; }
  int device() const { return device_; }
  ElementType type() const { return type_; }
  std::span<const std::int64_t> shape() const { return {shape_.data(), axes_}; }

  /// Returns the array as an image: height x width, or height x width x channels.
  template <class View>
  View view() const {
    return View(data_, type_, width(), height(), channels(), pitch());
  }
  /// Returns a vector as an image: one row if its elements are contiguous, else one column.
  template <class View>
  View vector() const {
    if (axes_ != 1) fail("has " + std::to_string(axes_) + " axes, a vector has one");
    if (shape_[0] <= 1 || strides_[0] == size_of(type_)) return View(data_, type_, shape_[0], 1);
    if (strides_[0] < size_of(type_))
      fail("has elements that overlap or run backwards; pass a copy of it");
    return View(data_, type_, 1, shape_[0], 1, strides_[0]);
  }
  /// Returns the first byte of an array without gaps. \throws InvalidArgument  the array has gaps
  std::byte* bytes() const;

  std::int64_t width() const;
  std::int64_t height() const;
  int channels() const;
  /// Throws InvalidArgument; its message is the argument's name and `what`, the problem with it.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void fail_type(nb::handle object, const std::string& otherwise) const;
  [[noreturn]] void fail_booleans() const;
  [[noreturn]] void fail_mask() const;
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
  ManagedTensorPtr lent_;
  nb::object owner_;  ///< capsule or object that owns the memory
};

/// Looks up the NumPy functions that the module uses. Call it when the module is loaded.
void find_numpy();

/// Makes an uninitialised array of `like`'s library on `like`'s device. If arrays of that library
/// cannot be made here, makes a NumPy array, or on a GPU a DeviceArray, whose memory is freed in
/// the order of `stream`.
nb::object make_array(const Array& like, nb::handle object, std::span<const std::int64_t> shape,
                      ElementType type, const Stream& stream);

/// Returns the stream that a call on `array` uses. `stream` is None, an integer, a stream of
/// PyTorch, CuPy or OpenCV, or an object with __cuda_stream__. None means the current stream of the
/// array's library, if it has one, else the legacy default stream.
/// \throws nb::type_error, InvalidArgument  `stream` is no stream, or no stream has its number
Stream stream_of(nb::handle stream, nb::handle array);

/// Converts a stream's integer to DLPack's number: 0 becomes 1. \throws InvalidArgument
std::uintptr_t dlpack_stream_number(nb::handle number);

/// Returns NumPy's name of an element type ("uint8"), and its name in the array interface ("|u1",
/// empty for bfloat16).
const char* numpy_name(ElementType type);
std::string typestr_of(ElementType type);

/// Returns the element type with a NumPy name such as "uint8". \throws InvalidArgument
ElementType element_type_named(std::string_view name);

}  // namespace warpwise::python
