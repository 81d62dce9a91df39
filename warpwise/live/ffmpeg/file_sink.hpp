#pragma once

#include <memory>
#include <string>

#include "warpwise/live/sink.hpp"

namespace warpwise::live::ffmpeg {

/// Creates a video file; see VideoModule::create().
std::unique_ptr<Sink> create_file(const std::string& path);

/// Creates a sink for a peer in the network; see VideoModule::create_for_peer().
std::unique_ptr<Sink> create_for_peer(const std::string& address, double timeout_seconds);

}  // namespace warpwise::live::ffmpeg
