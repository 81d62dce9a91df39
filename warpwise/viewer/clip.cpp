#include "warpwise/viewer/clip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/video_module.hpp"

namespace warpwise::viewer {
namespace {

bool are_alike(const live::Stream& one, const live::Stream& other) {
  return one.format() == other.format() && one.shape.width == other.shape.width &&
         one.shape.height == other.shape.height &&
         one.colours.matrix.value == other.colours.matrix.value &&
         one.colours.range.value == other.colours.range.value;
}

std::string text_of(const live::Stream& stream) {
  return fmt::format("{} {}x{}", name_of(stream.format()), stream.shape.width, stream.shape.height);
}

}  // namespace

void Clip::require_name(const std::string& path) const {
  const std::string extension = io::extension_of(path);
  if (std::ranges::find(live::video_extensions, extension) == live::video_extensions.end()) {
    throw InvalidArgument(path +
                          " is no name of a clip; it must end with .mp4, .avi, .mkv or .mov");
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(path, source_, ignored)) {
    throw InvalidArgument(path + " is being read; give the clip another name");
  }
}

void Clip::start(const std::string& path, std::shared_ptr<const Computation> computation) {
  const std::scoped_lock lock(mutex_);
  end({});
  set_state({.path = path, .is_recording = true});
  try {
    require_name(path);
    sink_ = live::open_sink(path);
    convert_from(std::move(computation));
  } catch (const std::exception& error) {
    end(error.what());
  }
}

void Clip::add(const std::shared_ptr<const Computation>& computation, const Frame& frame) {
  const std::scoped_lock lock(mutex_);
  if (!sink_) return;
  try {
    if (computation != computation_) convert_from(computation);
    if (!begun_) begin();
    const std::span<const std::byte> result = frame.result().result();
    std::memcpy(lane_->source().data(), result.data(), result.size());
    lane_->compute();
    sink_->write(lane_->result());
    State grown = state_;
    ++grown.frames;
    set_state(std::move(grown));
  } catch (const std::exception& error) {
    end(error.what());
  }
}

void Clip::stop() {
  const std::scoped_lock lock(mutex_);
  end({});
}

Clip::State Clip::state() const {
  const std::scoped_lock lock(state_mutex_);
  return state_;
}

void Clip::set_state(State state) {
  const std::scoped_lock lock(state_mutex_);
  state_ = std::move(state);
}

void Clip::convert_from(std::shared_ptr<const Computation> computation) {
  const live::Stream& result = computation->pipeline().result();
  auto conversion =
      std::make_unique<live::Pipeline>(std::vector<std::shared_ptr<live::Stage>>{}, result, *sink_);
  if (begun_ && !are_alike(*begun_, conversion->result())) {
    throw InvalidArgument(fmt::format("{} has ended: it holds {}, but the result is now {}",
                                      state_.path, text_of(*begun_),
                                      text_of(conversion->result())));
  }
  lane_.reset();  // lane_ refers to conversion_
  conversion_ = std::move(conversion);
  lane_ = std::move(live::cpu_lanes(*conversion_, 1, threads_).front());
  computation_ = std::move(computation);
}

void Clip::begin() {
  sink_->begin(conversion_->result());
  begun_ = conversion_->result();
}

// Ends the clip and keeps its first error.
void Clip::end(std::string error) {
  if (sink_) {
    try {
      sink_->finish();
    } catch (const std::exception& unfinished) {
      if (error.empty()) error = unfinished.what();
    }
  }
  sink_.reset();
  begun_.reset();
  lane_.reset();
  conversion_.reset();
  computation_.reset();
  if (!state_.is_recording) return;
  set_state({.path = state_.path, .frames = state_.frames, .error = std::move(error)});
}

}  // namespace warpwise::viewer
