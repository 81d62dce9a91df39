#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/sink.hpp"

// The kinds of sinks; open_sink() chooses one by the name.
namespace warpwise::live {

/// Takes every frame and discards it.
std::unique_ptr<Sink> null_sink();

/// Writes frames without headers to standard output, converted to `format` as by convert_stage().
/// Frames of more than 8 bits are rounded to 8 bits, except if `format` is one of deep_layouts.
/// \throws InvalidArgument  no frames are written in that format.
std::unique_ptr<Sink> pipe_sink(const std::string& format);

/// Writes frames unconverted and without headers to a file. `layout`, if given, is for frames of
/// more than 8 bits. \throws IoError
std::unique_ptr<Sink> raw_sink(const std::string& path, const std::optional<DeepLayout>& layout);

/// Writes a .y4m file, or a stream on standard output for "-": grey as mono, YUV with its
/// chroma subsampling, all other frames as 4:4:4. \throws IoError
std::unique_ptr<Sink> y4m_sink(const std::string& path);

/// Writes a picture for each frame. A folder ("out/", made if it is missing) gets 000001.png,
/// 000002.png, …. A pattern with one number ("out/%05d.jpg") counts from 1. Grey stays grey. Alpha
/// and 16 bits stay if the file type holds them exactly. All other frames become rgb24.
/// \throws InvalidArgument  the pattern has no number, or its file type cannot hold the pictures
/// \throws IoError
std::unique_ptr<Sink> picture_sink(const std::string& pattern);

/// Returns Sink::unstored_parts() for a file that stores only frames.
std::vector<std::string> unstored_parts_of_frame_file(const Stream& stream,
                                                      const Companions* companions);

}  // namespace warpwise::live
