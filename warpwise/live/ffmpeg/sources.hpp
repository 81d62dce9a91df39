#pragma once

#include <memory>
#include <string>

#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

// See the functions of VideoModule with these names.
std::unique_ptr<Source> open_file(const std::string& path, const SourceOptions& options);
std::unique_ptr<Source> open_address(const std::string& address, const SourceOptions& options);
std::unique_ptr<Source> open_camera(const std::string& path, const SourceOptions& options);

}  // namespace warpwise::live::ffmpeg
