#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warpwise/base/frame.hpp"
#include "warpwise/base/view.hpp"

// Checks that several primitives make at their boundary. Each throws InvalidArgument with the
// primitive's name and the values that are wrong.
namespace warpwise::detail {

inline std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

inline std::string type_text(ElementType type, int channels) {
  return std::to_string(channels) + " x " + std::string(name_of(type));
}

/// Refuses an option that equals no enumerator: a number cast to the enum, or stale memory.
template <class Enum, class Enumerators>
void require_enumerator(std::string_view primitive, std::string_view option, Enum value,
                        const Enumerators& all) {
  for (const Enum known : all) {
    if (value == known) return;
  }
  throw InvalidArgument(std::string(primitive) + ": there is no " + std::string(option) +
                        " of number " + std::to_string(static_cast<int>(value)));
}

/// Requires that two views or frames have equal sizes.
template <class A, class B>
void require_same_size(std::string_view primitive, const A& src, const B& dst) {
  if (src.width() != dst.width() || src.height() != dst.height()) {
    throw InvalidArgument(std::string(primitive) + ": src is " +
                          size_text(src.width(), src.height()) + ", dst is " +
                          size_text(dst.width(), dst.height()) + "; they must be of one size");
  }
}

template <class View>
void require_type(std::string_view primitive, std::string_view which, const View& view,
                  ElementType type, int channels) {
  if (view.type() != type || view.channels() != channels) {
    throw InvalidArgument(std::string(primitive) + ": " + std::string(which) + " has pixels of " +
                          type_text(view.type(), view.channels()) + ", it needs " +
                          type_text(type, channels));
  }
}

/// Returns true if [a, a + a_bytes) and [b, b + b_bytes) share a byte.
inline bool ranges_overlap(const void* a, std::int64_t a_bytes, const void* b,
                           std::int64_t b_bytes) {
  const auto from_a = reinterpret_cast<std::uintptr_t>(a);
  const auto from_b = reinterpret_cast<std::uintptr_t>(b);
  return from_a < from_b + static_cast<std::uintptr_t>(b_bytes) &&
         from_b < from_a + static_cast<std::uintptr_t>(a_bytes);
}

/// The memory of a view's rows.
struct MemoryRows {
  const std::byte* data;
  std::int64_t pitch;
  std::int64_t row_bytes;
  std::int64_t count;

  /// Returns the number of bytes from the first byte of the first row to the last byte of the last
  /// row.
  std::int64_t bytes() const { return (count - 1) * pitch + row_bytes; }
};

template <class View>
MemoryRows memory_of(const View& view) {
  return {reinterpret_cast<const std::byte*>(view.data()), view.pitch_bytes(), view.row_bytes(),
          view.height()};
}

template <Memory memory, Access access>
MemoryRows memory_of(const BasicFrame<memory, access>& frame, int plane) {
  return {reinterpret_cast<const std::byte*>(frame.plane(plane).data),
          frame.plane(plane).pitch_bytes, plane_row_bytes(frame.format(), plane, frame.width()),
          plane_rows(frame.format(), plane, frame.height())};
}

/// Returns true if two ranges share a pixel, or overlap with different pitches. Parts that lie side
/// by side in one image have overlapping ranges, but their rows alternate and share no pixel.
inline bool rows_overlap(const MemoryRows& a, const MemoryRows& b) {
  if (!ranges_overlap(a.data, a.bytes(), b.data, b.bytes())) return false;
  if (a.pitch != b.pitch || a.pitch <= 0) return true;
  // Both are parts of one image: compare their columns.
  const std::int64_t shift = ((b.data - a.data) % a.pitch + a.pitch) % a.pitch;
  return shift < a.row_bytes || shift + b.row_bytes > a.pitch;
}

inline void require_disjoint(std::string_view primitive, const MemoryRows& a, const MemoryRows& b,
                             std::string_view names) {
  if (!rows_overlap(a, b)) return;
  throw InvalidArgument(std::string(primitive) + ": " + std::string(names) + " overlap in memory");
}

template <class A, class B>
void require_disjoint(std::string_view primitive, const A& src, const B& dst,
                      std::string_view names = "src and dst") {
  require_disjoint(primitive, memory_of(src), memory_of(dst), names);
}

}  // namespace warpwise::detail
