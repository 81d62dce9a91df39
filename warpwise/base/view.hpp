#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "warpwise/base/channel_order.hpp"
#include "warpwise/base/checked.hpp"
#include "warpwise/base/element_type.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise {

/// Place of a view's memory. It is part of the view's type, so that code that mixes host and device
/// memory does not compile.
enum class Memory : std::uint8_t { host, device };

/// Permission to write pixels through a view. The template argument of views is this enum, not
/// std::byte or const std::byte: a type from std would make an unqualified copy() also find
/// std::copy(), by argument-dependent lookup.
enum class Access : std::uint8_t { read, read_write };

namespace detail {
/// Checks a view's arguments, and returns the bytes of one row. pitch_bytes may be 0.
/// \throws InvalidArgument  in the cases of BasicView's constructor
WARPWISE_EXPORT std::int64_t validate_view(const void* data, ElementType type, std::int64_t width,
                                           std::int64_t height, int channels,
                                           std::int64_t pitch_bytes);
}  // namespace detail

/// A two-dimensional array of pixels that somebody else owns: a pointer, a size, an element type,
/// interleaved channels and the distance between rows. Pointer and pitch may have any alignment,
/// even one that is not a multiple of the element's size. Cheap to copy; pass it by value.
///
/// Use the aliases HostView / ConstHostView / DeviceView / ConstDeviceView; a writable view turns
/// into a constant one, never the other way round.
template <Memory memory, Access access>
class BasicView {
 public:
  static constexpr bool writable = access == Access::read_write;
  using Byte = std::conditional_t<writable, std::byte, const std::byte>;
  using Pointer = std::conditional_t<writable, void*, const void*>;

  /// \param pitch_bytes  distance from one row to the next; 0 means rows follow without a gap.
  /// \throws InvalidArgument  null pointer, a dimension below 1, a negative pitch, several rows
  ///                          with a pitch shorter than a row, a size beyond 64 bits.
  BasicView(Pointer data, ElementType type, std::int64_t width, std::int64_t height,
            int channels = 1, std::int64_t pitch_bytes = 0)
      : data_(static_cast<Byte*>(data)), width_(width), height_(height), channels_(channels),
        type_(type) {
    const std::int64_t row =
        detail::validate_view(data, type, width, height, channels, pitch_bytes);
    pitch_bytes_ = pitch_bytes == 0 ? row : pitch_bytes;
  }

  /// Makes a view like the constructor above, with the element type of the pointer.
  template <class T>
    requires(!std::is_void_v<T> && (!std::is_const_v<T> || !writable))
  BasicView(T* data, std::int64_t width, std::int64_t height, int channels = 1,
            std::int64_t pitch_bytes = 0)
      : BasicView(static_cast<Pointer>(data), element_type_of<T>, width, height, channels,
                  pitch_bytes) {}

  /// Makes a read-only view of a writable view's pixels.
  template <Access other_access>
    requires(!writable && other_access == Access::read_write)
  BasicView(const BasicView<memory, other_access>& other)  // NOLINT: implicit on purpose
      : BasicView(other.data(), other.type(), other.width(), other.height(), other.channels(),
                  other.pitch_bytes()) {
    order_ = other.order();
  }

  Byte* data() const { return data_; }
  ElementType type() const { return type_; }
  int channels() const { return channels_; }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t pitch_bytes() const { return pitch_bytes_; }
  /// Returns the order of the colours if it was set, as view_of() does for OpenCV's images.
  std::optional<ChannelOrder> order() const { return order_; }

  /// Returns this view with the given order of colours. No pixel changes.
  BasicView in_order(std::optional<ChannelOrder> order) const {
    BasicView said = *this;
    said.order_ = order;
    return said;
  }

  int pixel_bytes() const { return size_of(type_) * channels_; }
  std::int64_t row_bytes() const { return width_ * pixel_bytes(); }
  /// Returns the first byte of row y, 0 to height() - 1.
  Byte* row(std::int64_t y) const { return data_ + y * pitch_bytes_; }

  /// Returns the part of this view that starts at pixel (x, y).
  /// \throws InvalidArgument  when the part is empty or leaves this view.
  BasicView sub_view(std::int64_t x, std::int64_t y, std::int64_t width,
                     std::int64_t height) const {
    if (x < 0 || y < 0 || width > width_ - x || height > height_ - y) {
      throw InvalidArgument("sub_view: the part of " + std::to_string(width) + "x" +
                            std::to_string(height) + " at (" + std::to_string(x) + ", " +
                            std::to_string(y) + ") is not inside the view of " +
                            std::to_string(width_) + "x" + std::to_string(height_));
    }
    return BasicView(row(y) + x * pixel_bytes(), type_, width, height, channels_, pitch_bytes_)
        .in_order(order_);
  }

 private:
  Byte* data_;
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_bytes_ = 0;
  int channels_;
  ElementType type_;
  std::optional<ChannelOrder> order_;
};

/// Aliases of views, by the memory (host or device) and the access. Functions take these.
using HostView = BasicView<Memory::host, Access::read_write>;
using ConstHostView = BasicView<Memory::host, Access::read>;
using DeviceView = BasicView<Memory::device, Access::read_write>;
using ConstDeviceView = BasicView<Memory::device, Access::read>;

/// Returns element x of a host row of any alignment.
template <class T>
T load(const std::byte* row, std::int64_t x) {
  T value;
  std::memcpy(&value, row + x * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

/// Writes element x of a host row of any alignment.
template <class T>
void store(std::byte* row, std::int64_t x, T value) {
  std::memcpy(row + x * std::int64_t{sizeof(T)}, &value, sizeof(T));
}

}  // namespace warpwise
