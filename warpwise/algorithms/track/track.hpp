#pragma once

#include <cstdint>

#include "warpwise/base/export.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/primitives/match/match.hpp"

namespace warpwise {

/// A rectangle of an image's pixels.
struct Box {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// Where and by which measure a Tracker looks for its box.
struct TrackOptions {
  SearchRange search_x = {};  ///< around the last position; contains 0, spans at most 32767
  SearchRange search_y = {};
  Measure measure = Measure::sad;
  /// Whether what was found becomes the template of the next frame: it then follows changes of
  /// light and shape, and errors add up. Otherwise the template is the first frame's.
  bool update_template = false;
};

/// Where the box is in a frame.
struct TrackedBox {
  Box box;
  double score = 0;  ///< as match() scores it: Σ for sad and ssd, a correlation for ncc and zncc
};

namespace detail::track {

/// What a tracker knows of its box, wherever the pixels are.
class TrackState {
 public:
  TrackState(std::int64_t width, std::int64_t height, const Box& box, const TrackOptions& options);

  const Box& box() const { return box_; }
  const TrackOptions& options() const { return options_; }
  /// The size of the largest region that a search covers.
  Box largest_region() const;
  /// The pixels that the next search covers, cut at the frame's border.
  Box region() const;
  /// How match() finds the box in a region: as its one block, at the region's top-left corner in
  /// the reference.
  MatchOptions search_of(const Box& region) const;
  void require_frame(std::int64_t width, std::int64_t height) const;
  void move_to(std::int64_t x, std::int64_t y);

 private:
  std::int64_t width_;
  std::int64_t height_;
  Box box_;
  TrackOptions options_;
};

}  // namespace detail::track

/// Follows a box through a sequence of frames: next() finds where, within the search ranges around
/// the last position, a frame looks most like the template, which is the box's content in the first
/// frame. The box stays inside the frame; positions that would leave it are not searched. Among
/// equal scores the first in raster order wins, as in match().
///
/// Frames are u8 of one channel and all of one size, of any pitch and alignment; they may be gone
/// after the call. Works on the CPU as match() does. Source: document E, row E3 (tracked object).
class WARPWISE_EXPORT Tracker {
 public:
  /// \throws InvalidArgument  the frame has another type, the box is empty, leaves the frame or has
  ///                          more than max_match_block_pixels, a search range does not contain 0
  ///                          or spans too much.
  Tracker(ConstHostView first, const Box& box, const TrackOptions& options = {});

  /// \throws InvalidArgument  the frame is of another size or type than the first.
  TrackedBox next(ConstHostView frame);

 private:
  void take_template(ConstHostView frame);

  detail::track::TrackState state_;
  Image reference_;  ///< the template at the top-left of an area as large as the search's
};

/// The same for frames on a GPU. The constructor and next() work in stream order; next() waits for
/// the stream, because the next search depends on the position. Scratch memory (gpu::Buffer) is
/// taken by the constructor. The stream must outlive the tracker.
class WARPWISE_EXPORT DeviceTracker {
 public:
  /// \throws InvalidArgument  as Tracker.  \throws NoCudaDevice, CudaError
  DeviceTracker(ConstDeviceView first, const Box& box, const TrackOptions& options,
                gpu::StreamHandle stream);

  /// Synchronises the stream. \throws InvalidArgument  as Tracker.  \throws CudaError
  TrackedBox next(ConstDeviceView frame);

 private:
  void take_template(ConstDeviceView frame);

  detail::track::TrackState state_;
  gpu::StreamHandle stream_;
  gpu::DeviceImage reference_;
  gpu::DeviceImage displacement_;
  gpu::DeviceImage score_;
  gpu::Event found_;
};

}  // namespace warpwise
