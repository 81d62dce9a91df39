#include "warpwise/algorithms/track/track.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

void validate_track_range(const char* axis, SearchRange range) {
  if (range.first > 0 || range.last < 0 || range.count() > max_match_displacement) {
    throw InvalidArgument("track: the search range along " + std::string(axis) + " is " +
                          std::to_string(range.first) + " to " + std::to_string(range.last) +
                          "; it must contain 0 and at most " +
                          std::to_string(max_match_displacement) + " displacements");
  }
}

void validate_min_score(const TrackOptions& options) {
  if (!options.min_score) return;
  if (least_is_best(options.measure)) {
    throw InvalidArgument("track: min_score is for ncc and zncc, not for " +
                          std::string(name_of(options.measure)));
  }
  if (std::isnan(*options.min_score)) throw InvalidArgument("track: min_score is not a number");
}

template <class View>
View part(const View& view, const Box& box) {
  return view.sub_view(box.x, box.y, box.width, box.height);
}

template <class View>
View corner(const View& view, const Box& box) {
  return view.sub_view(0, 0, box.width, box.height);
}

template <class View>
const View& checked(const View& first) {
  detail::require_type("track", "the frame", first, ElementType::u8, 1);
  return first;
}

/// match()'s output for its single block.
struct Found {
  std::int16_t displacement[2] = {};
  std::uint32_t score_bits = 0;

  TrackedBox apply(const Box& region, detail::track::TrackState& state) const {
    const double found = score(state.options().measure);
    const bool lost = state.options().min_score && found < *state.options().min_score;
    if (!lost) state.move_to(region.x + displacement[0], region.y + displacement[1]);
    return {state.box(), found, lost};
  }

  double score(Measure measure) const {
    if (least_is_best(measure)) return static_cast<double>(score_bits);
    float correlation = 0;
    std::memcpy(&correlation, &score_bits, sizeof(correlation));
    return correlation;
  }
};

}  // namespace

namespace detail::track {

TrackState::TrackState(std::int64_t width, std::int64_t height, const Box& box,
                       const TrackOptions& options)
    : width_(width), height_(height), box_(box), options_(options) {
  if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.width > width - box.x ||
      box.height > height - box.y) {
    throw InvalidArgument("track: a box of " + size_text(box.width, box.height) + " at (" +
                          std::to_string(box.x) + ", " + std::to_string(box.y) +
                          ") is not inside the frame of " + size_text(width, height));
  }
  validate_track_range("x", options.search_x);
  validate_track_range("y", options.search_y);
  validate_min_score(options);
  match_grid(width, height, search_of(region()));  // throws beyond match()'s limits
}

Box TrackState::largest_region() const {
  return {0, 0, std::min(width_, box_.width + options_.search_x.count() - 1),
          std::min(height_, box_.height + options_.search_y.count() - 1)};
}

Box TrackState::region() const {
  const std::int64_t left = std::max<std::int64_t>(box_.x + options_.search_x.first, 0);
  const std::int64_t top = std::max<std::int64_t>(box_.y + options_.search_y.first, 0);
  const std::int64_t right = std::min(box_.x + options_.search_x.last, width_ - box_.width);
  const std::int64_t bottom = std::min(box_.y + options_.search_y.last, height_ - box_.height);
  return {left, top, right - left + box_.width, bottom - top + box_.height};
}

MatchOptions TrackState::search_of(const Box& region) const {
  MatchOptions options;
  options.block_width = box_.width;
  options.block_height = box_.height;
  options.stride_x = region.width;  // no second block fits
  options.stride_y = region.height;
  options.search_x = {0, static_cast<int>(region.width - box_.width)};
  options.search_y = {0, static_cast<int>(region.height - box_.height)};
  options.measure = options_.measure;
  return options;
}

void TrackState::require_frame(std::int64_t width, std::int64_t height) const {
  if (width == width_ && height == height_) return;
  throw InvalidArgument("track: the frame is " + size_text(width, height) +
                        ", but the frames before it are " + size_text(width_, height_));
}

void TrackState::move_to(std::int64_t x, std::int64_t y) {
  box_.x = x;
  box_.y = y;
}

}  // namespace detail::track

Tracker::Tracker(ConstHostView first, const Box& box, const TrackOptions& options)
    : state_(checked(first).width(), first.height(), box, options),
      reference_(ElementType::u8, state_.largest_region().width, state_.largest_region().height) {
  take_template(first);
}

void Tracker::take_template(ConstHostView frame) {
  copy(part(frame, state_.box()), corner(reference_.view(), state_.box()));
}

TrackedBox Tracker::next(ConstHostView frame) {
  state_.require_frame(checked(frame).width(), frame.height());
  const Box region = state_.region();
  Found found;
  match(corner<ConstHostView>(reference_.view(), region), part(frame, region),
        HostView(found.displacement, 1, 1, 2), state_.search_of(region),
        HostView(&found.score_bits, match_score_type(state_.options().measure), 1, 1));
  const TrackedBox result = found.apply(region, state_);
  if (state_.options().update_template && !result.lost) take_template(frame);
  return result;
}

DeviceTracker::DeviceTracker(ConstDeviceView first, const Box& box, const TrackOptions& options,
                             gpu::StreamHandle stream)
    : state_(checked(first).width(), first.height(), box, options), stream_(stream),
      reference_(ElementType::u8, state_.largest_region().width, state_.largest_region().height, 1,
                 stream),
      displacement_(ElementType::i16, 1, 1, 2, stream),
      score_(match_score_type(options.measure), 1, 1, 1, stream) {
  // match()'s kernels read whole words, including pixels beside the template. The values of these
  // pixels do not matter, but the memory must be initialised.
  copy(corner(first, state_.largest_region()), reference_.view(), stream);
  take_template(first);
}

void DeviceTracker::take_template(ConstDeviceView frame) {
  copy(part(frame, state_.box()), corner(reference_.view(), state_.box()), stream_);
}

TrackedBox DeviceTracker::next(ConstDeviceView frame) {
  state_.require_frame(checked(frame).width(), frame.height());
  const Box region = state_.region();
  match(corner<ConstDeviceView>(reference_.view(), region), part(frame, region),
        displacement_.view(), state_.search_of(region), score_.view(), stream_);
  Found found;
  gpu::download(displacement_.view().data(), found.displacement, sizeof(found.displacement),
                stream_);
  gpu::download(score_.view().data(), &found.score_bits, sizeof(found.score_bits), stream_);
  found_.record(stream_);
  found_.synchronize();
  const TrackedBox result = found.apply(region, state_);
  if (state_.options().update_template && !result.lost) take_template(frame);
  return result;
}

}  // namespace warpwise
