#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/cpu/parallel.hpp"
#include "warpwise/primitives/shared/validate.hpp"

// Host part of the calls for many images. A call computes each dst[i] from src[i], with the result
// of a call for that image alone.
namespace warpwise::detail {

/// The rows of one plane of one image in a batch.
struct BatchRows {
  MemoryRows memory;
  std::size_t image;
  bool is_dst;
};

/// Checks that no row of a dst overlaps another row.
/// \throws InvalidArgument  two rows overlap; the message names their images
void require_disjoint(std::string_view primitive, std::vector<BatchRows> rows);

template <Memory memory, Access access>
void add_rows(std::vector<BatchRows>& all, const BasicView<memory, access>& view, std::size_t i,
              bool is_dst) {
  all.push_back({memory_of(view), i, is_dst});
}

template <Memory memory, Access access>
void add_rows(std::vector<BatchRows>& all, const BasicFrame<memory, access>& frame, std::size_t i,
              bool is_dst) {
  for (int plane = 0; plane < plane_count(frame.format()); ++plane) {
    all.push_back({memory_of(frame, plane), i, is_dst});
  }
}

/// Calls check(src, dst) for each image; adds the image's index to exceptions.
/// \throws InvalidArgument  an image is refused, a dst overlaps another view, or the spans differ
///                          in length
template <class Source, class Destination, class Check>
void validate_batch(std::string_view primitive, std::span<const Source> src,
                    std::span<const Destination> dst, const Check& check) {
  if (src.size() != dst.size()) {
    throw InvalidArgument(std::string(primitive) + ": there are " + std::to_string(src.size()) +
                          " images and " + std::to_string(dst.size()) + " results");
  }
  std::vector<BatchRows> rows;
  rows.reserve(2 * src.size());
  for (std::size_t i = 0; i < src.size(); ++i) {
    try {
      check(src[i], dst[i]);
    } catch (const InvalidArgument& refused) {
      std::string_view why = refused.what();
      const std::string by = std::string(primitive) + ": ";
      if (why.starts_with(by)) why.remove_prefix(by.size());
      throw InvalidArgument(by + "image " + std::to_string(i) +
                            " (the first is 0): " + std::string(why));
    }
    add_rows(rows, src[i], i, false);
    add_rows(rows, dst[i], i, true);
  }
  require_disjoint(primitive, std::move(rows));
}

/// Checks a type for validate_batch(): one kernel takes all images of a call, so they must have one
/// type.
template <Memory memory, Access access>
void require_type_of_first(std::string_view which, const BasicView<memory, access>& view,
                           const BasicView<memory, access>& first) {
  if (view.type() == first.type() && view.channels() == first.channels()) return;
  throw InvalidArgument(std::string(which) + " has pixels of " +
                        type_text(view.type(), view.channels()) + ", that of image 0 has " +
                        type_text(first.type(), first.channels()) +
                        "; all images of a call must have one pixel type");
}

template <Memory memory, Access access>
void require_type_of_first(std::string_view which, const BasicFrame<memory, access>& frame,
                           const BasicFrame<memory, access>& first) {
  if (frame.format() == first.format()) return;
  throw InvalidArgument(std::string(which) + " is " + std::string(name_of(frame.format())) +
                        ", that of image 0 is " + std::string(name_of(first.format())) +
                        "; all frames of a call must have one pixel format");
}

/// Calls each(i) for all images on the CPU. Threads take small images one by one. each(i) itself
/// spreads the rows of image i over threads, so that several threads share a large image.
template <class Source, class Each>
void for_each_image(std::span<const Source> src, const Each& each) {
  std::int64_t pixels = 0;
  for (const Source& image : src) pixels += image.width() * image.height();
  const auto count = static_cast<std::int64_t>(src.size());
  if (count == 0) return;
  cpu::parallel_rows(count, pixels / count, [&](auto first, auto last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      each(i);
    }
  });
}

}  // namespace warpwise::detail
