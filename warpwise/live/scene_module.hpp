#pragma once

#include <memory>

#include "warpwise/live/source.hpp"

namespace warpwise::live {

/// A ring that turns in the light, once in eight seconds, drawn by OpenGL without a window: of any
/// size and rate, 1280x720 and 30 unless the options say otherwise; rgba32, bgra32, rgb24 or bgr24.
/// On one machine a frame is the same each time. By the module libwarpwise_scene.so, which is
/// loaded for the first one: the command neither links nor needs OpenGL. \throws IoError  the
/// module cannot be loaded, or no driver draws.  \throws InvalidArgument  another format, too large
/// a size.
std::unique_ptr<Source> scene_source(const SourceOptions& options);

/// What the module exports, which gives a source to its caller; the number in its name changes with
/// this interface.
inline constexpr const char* scene_module_entry = "warpwise_scene_module_1";
using SceneModuleEntry = Source* (*)(const SourceOptions&);

}  // namespace warpwise::live
