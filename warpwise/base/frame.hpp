#pragma once

#include <array>

#include "warpwise/base/pixel_format.hpp"
#include "warpwise/base/view.hpp"

namespace warpwise {

/// A frame of a pixel format that somebody else owns: one to three planes, each with its own
/// pointer and pitch, of any alignment. Cheap to copy; pass it by value.
///
/// Use the aliases HostFrame / ConstHostFrame / DeviceFrame / ConstDeviceFrame.
template <Memory memory, Access access>
class BasicFrame {
 public:
  using View = BasicView<memory, access>;
  using Byte = typename View::Byte;
  using Pointer = typename View::Pointer;

  /// One plane's memory: its first byte and the distance between its rows.
  struct Plane {
    Byte* data = nullptr;
    std::int64_t pitch_bytes = 0;  ///< distance from one row to the next; 0 means no gap
  };

  /// Makes a frame whose rows and planes follow one another without gaps (frame_bytes() in all).
  /// \throws InvalidArgument  null pointer, a dimension below 1, a size beyond 64 bits.
  BasicFrame(Pointer data, PixelFormat format, std::int64_t width, std::int64_t height)
      : BasicFrame(format, width, height, contiguous(data, format, width, height)) {}

  /// Makes a frame of planes that lie anywhere; planes beyond plane_count(format) are ignored.
  /// \throws InvalidArgument  null pointer, a dimension below 1, a size beyond 64 bits, or a plane
  /// of several rows whose pitch is shorter than a row.
  BasicFrame(PixelFormat format, std::int64_t width, std::int64_t height,
             std::array<Plane, 3> planes)
      : planes_(planes), width_(width), height_(height), format_(format) {
    for (int p = 0; p < plane_count(format); ++p) {
      const std::int64_t row = plane_row_bytes(format, p, width);
      detail::validate_view(planes_[p].data, ElementType::u8, row, plane_rows(format, p, height), 1,
                            planes_[p].pitch_bytes);
      if (planes_[p].pitch_bytes == 0) planes_[p].pitch_bytes = row;
    }
  }

  /// Makes a frame of a one-plane format in the memory of a view. Rows of the view and of the
  /// format must have the same number of bytes.
  /// \throws InvalidArgument  the format has several planes, the view is not u8, or its rows
  /// have another number of bytes.
  BasicFrame(PixelFormat format, View view)
      : BasicFrame(format, view.width(), view.height(), plane_of(format, view)) {}

  /// Makes a read-only frame of a writable frame's pixels.
  template <Access other_access>
    requires(!View::writable && other_access == Access::read_write)
  BasicFrame(const BasicFrame<memory, other_access>& other)  // NOLINT: implicit on purpose
      : width_(other.width()), height_(other.height()), format_(other.format()) {
    for (int p = 0; p < plane_count(format_); ++p) {
      planes_[p] = {other.plane(p).data, other.plane(p).pitch_bytes};
    }
  }

  PixelFormat format() const { return format_; }
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  /// Returns plane `index`, 0 to plane_count(format()) - 1.
  const Plane& plane(int index) const { return planes_[index]; }
  /// Returns the first byte of row y of a plane; a subsampled plane has plane_rows() rows.
  Byte* row(int plane, std::int64_t y) const {
    return planes_[plane].data + y * planes_[plane].pitch_bytes;
  }

 private:
  static std::array<Plane, 3> contiguous(Pointer data, PixelFormat format, std::int64_t width,
                                         std::int64_t height) {
    frame_bytes(format, width, height);  // throws on sizes that overflow or are negative
    std::array<Plane, 3> planes;
    Byte* at = static_cast<Byte*>(data);
    for (int p = 0; p < plane_count(format) && at != nullptr; ++p) {
      const std::int64_t row = plane_row_bytes(format, p, width);
      planes[p] = {at, row};
      at += row * plane_rows(format, p, height);
    }
    return planes;
  }

  static std::array<Plane, 3> plane_of(PixelFormat format, View view) {
    if (plane_count(format) != 1 || view.type() != ElementType::u8 ||
        view.row_bytes() != plane_row_bytes(format, 0, view.width())) {
      throw InvalidArgument("a view of " + std::to_string(view.channels()) + " x " +
                            std::string(name_of(view.type())) + " is no " +
                            std::string(name_of(format)) + " frame");
    }
    return {Plane{view.data(), view.pitch_bytes()}, Plane{}, Plane{}};
  }

  std::array<Plane, 3> planes_;
  std::int64_t width_;
  std::int64_t height_;
  PixelFormat format_;
};

/// Aliases of frames, by the memory (host or device) and the access. Functions take these.
using HostFrame = BasicFrame<Memory::host, Access::read_write>;
using ConstHostFrame = BasicFrame<Memory::host, Access::read>;
using DeviceFrame = BasicFrame<Memory::device, Access::read_write>;
using ConstDeviceFrame = BasicFrame<Memory::device, Access::read>;

}  // namespace warpwise
