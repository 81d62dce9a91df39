#pragma once

#include <memory>
#include <string>

#include "warpwise/live/sink.hpp"

// The kinds of sinks that open_sink() tells apart.
namespace warpwise::live {

/// Takes every frame and keeps none.
std::unique_ptr<Sink> null_sink();

/// Frames of that format without headers, on standard output, converted as convert_stage()
/// does it.
/// \throws InvalidArgument  no format that frames can be converted to
std::unique_ptr<Sink> pipe_sink(const std::string& format);

/// A .y4m file, or, for "-", stream on standard output: grey as mono, i420 as 4:2:0, all else as
/// 4:4:4. \throws IoError
std::unique_ptr<Sink> y4m_sink(const std::string& path);

/// A picture for each frame: in a folder ("out/", made if it is missing) 000001.png and on, or by a
/// pattern with one number ("out/%05d.jpg") from 1 on. Grey stays grey, all else becomes rgb24.
/// \throws InvalidArgument  a pattern without a number, or of files that hold no such pictures
/// \throws IoError
std::unique_ptr<Sink> picture_sink(const std::string& pattern);

}  // namespace warpwise::live
