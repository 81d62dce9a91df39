#pragma once

#include <cstdint>
#include <optional>

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

/// Search ranges and measure of a Tracker.
struct TrackOptions {
  SearchRange search_x = {};  ///< around the last position; contains 0, spans at most 32767
  SearchRange search_y = {};
  Measure measure = Measure::sad;
  /// true: the content found in a frame is the template for the next one. The tracker then follows
  /// changes of light and shape, but errors add up. false: the template is from the first frame.
  bool update_template = false;
  /// Only for ncc and zncc: the box is lost in a frame whose best score is below min_score. Without
  /// min_score the box is never lost.
  std::optional<double> min_score = {};
};

/// The box's position in a frame, and its score.
struct TrackedBox {
  Box box;            ///< the last known position if the box is lost
  double score = 0;   ///< match()'s score: a sum for sad and ssd, a correlation for ncc and zncc
  bool lost = false;  ///< the best place scores less than TrackOptions::min_score
};

namespace detail::track {

/// State of a tracker without its pixels; shared by the CPU and GPU trackers.
class TrackState {
 public:
  TrackState(std::int64_t width, std::int64_t height, const Box& box, const TrackOptions& options);

  const Box& box() const { return box_; }
  const TrackOptions& options() const { return options_; }
  /// Returns the largest region that a search can cover, at (0, 0).
  Box largest_region() const;
  /// Returns the pixels that the next search covers, clipped to the frame.
  Box region() const;
  /// Returns match()'s options for finding the box in a region: a single block, at the top-left
  /// corner of the reference.
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

/// Follows a box through a sequence of frames. The template is the box's content in the first
/// frame. next() searches the ranges around the last position for the place most like the template.
/// Positions that would leave the frame are not searched. Among equal scores the first in raster
/// order wins, as in match(). While the box is lost, position and template stay as they are, and
/// the search goes on around that position.
///
/// Frames are u8 of one channel and all of one size, of any pitch and alignment. They need not
/// exist after the call. Works on the CPU as match() does. Source: document E of docs/sources.md,
/// row E3 (tracked object).
class WARPWISE_EXPORT Tracker {
 public:
  /// \throws InvalidArgument  the frame has another type; the box is empty, leaves the frame or has
  ///                          more than max_match_block_pixels; a search range does not contain 0
  ///                          or is too large; min_score is given for sad or ssd, or is no number.
  Tracker(ConstHostView first, const Box& box, const TrackOptions& options = {});

  /// \throws InvalidArgument  the frame is of another size or type than the first.
  TrackedBox next(ConstHostView frame);

 private:
  void take_template(ConstHostView frame);

  detail::track::TrackState state_;
  Image reference_;  ///< an area as large as the largest region, with the template at its top left
};

/// A Tracker for frames on a GPU. The constructor and next() work in stream order. next() waits for
/// the stream, because the next search depends on the position. The constructor allocates the
/// scratch memory (gpu::Buffer). The stream must outlive the tracker.
class WARPWISE_EXPORT DeviceTracker {
 public:
  /// \throws InvalidArgument  as Tracker's constructor.  \throws NoCudaDevice, CudaError
  DeviceTracker(ConstDeviceView first, const Box& box, const TrackOptions& options,
                gpu::StreamHandle stream);

  /// Waits for the search. \throws InvalidArgument  as Tracker::next().  \throws CudaError
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
