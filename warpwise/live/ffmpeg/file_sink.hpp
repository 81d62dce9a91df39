#pragma once

#include <memory>
#include <string>

#include "warpwise/live/sink.hpp"

namespace warpwise::live::ffmpeg {

/// Creates a video file; see VideoModule::create().
std::unique_ptr<Sink> create_file(const std::string& path);

}  // namespace warpwise::live::ffmpeg
