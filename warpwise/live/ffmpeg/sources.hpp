#pragma once

#include <memory>
#include <string>

#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// Opens a file or a camera; see VideoModule::open_file() and open_camera().
std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options);
std::unique_ptr<Source> open_camera(const std::string& path, const SourceOptions& options);

}  // namespace warpwise::live::ffmpeg
