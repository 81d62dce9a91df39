#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/raw_frames.hpp"
#include "warpwise/live/depth.hpp"

namespace warpwise::live {

/// Layout of deep frames (more than 8 bits a sample) without headers, in files and pipes.
struct DeepLayout {
  std::string_view name;
  int channels = 0;  ///< channels of a pixel; 0 for planes
  std::optional<io::DeepPlanes> planes = std::nullopt;
  int depth = 16;                   ///< bits of a sample: the upper bits of a u16
  bool interleaves_chroma = false;  ///< Cb and Cr alternate in one plane

  io::PictureShape shape(std::int64_t width, std::int64_t height) const;
  /// Returns true if frames in memory have the same bytes, so that no LayoutCopy is needed.
  bool is_memory_layout() const { return depth == 16 && !interleaves_chroma; }
};
inline constexpr DeepLayout deep_layouts[] = {
    {"gray16", 1},
    {"rgb48", 3},
    {"rgba64", 4},
    {"yuv420p16", 0, io::DeepPlanes::yuv420},
    {"yuv422p16", 0, io::DeepPlanes::yuv422},
    {"yuv444p16", 0, io::DeepPlanes::yuv444},
    {"p010", 0, io::DeepPlanes::yuv420, 10, true},
    {"p016", 0, io::DeepPlanes::yuv420, 16, true},
};
/// Returns the layout that has this name; nullopt if there is none.
std::optional<DeepLayout> deep_layout_named(std::string_view name);

/// Copies frames between a DeepLayout and deep frames in memory. Samples of fewer than 16 bits are
/// scaled as by levels().
class LayoutCopy {
 public:
  /// `frames` describes the frames in memory. Its shape is layout.shape().
  LayoutCopy(const DeepLayout& layout, const Stream& frames);
  /// Copies a frame of the layout to memory. Both spans have the shape's size.
  void read(std::span<const std::byte> from, std::span<std::byte> to) const;
  /// Copies a frame in memory to the layout.
  void write(std::span<const std::byte> from, std::span<std::byte> to) const;

 private:
  std::vector<SamplePositions> in_memory_;  // one for each component
  std::vector<SamplePositions> in_layout_;
  LevelTables to_memory_;
  LevelTables to_layout_;
};

/// Reads frames of a layout from a file, which must outlive the result. `stream` describes the
/// frames in memory.
std::unique_ptr<io::Frames> frames_in(io::InputFile& input, const DeepLayout& layout,
                                      const Stream& stream);

}  // namespace warpwise::live
