#pragma once

#include <memory>

#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// Opens a source of a rotating, lit ring, drawn by OpenGL without a window. It turns once in eight
/// seconds.
///
/// - Any rate is possible, and any size that the driver draws. The defaults are 1280x720 at 30 fps.
/// - The format is rgba32, bgra32, rgb24 or bgr24.
/// - On one machine the frames are the same in each run.
///
/// The first call loads the module libwarpwise_scene.so, which draws the frames. The command itself
/// neither links nor needs OpenGL.
/// \throws IoError  the module cannot be loaded, or no OpenGL driver can draw.
/// \throws InvalidArgument  the options have another format, or the size is too large.
std::unique_ptr<Source> scene_source(const SourceOptions& options);

/// Name of the function that the module exports. It returns a source that the caller owns. The
/// number changes with this interface.
inline constexpr const char* scene_module_entry = "warpwise_scene_module_1";
using SceneModuleEntry = Source* (*)(const SourceOptions&);

}  // namespace warpwise::live
