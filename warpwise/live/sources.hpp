#pragma once

#include <memory>
#include <string>

#include "warpwise/live/source.hpp"

// The kinds of sources that open_source() tells apart.
namespace warpwise::live {

/// `pattern`: "bars" (eight colours, over which a white square moves), "zone" (rings that move
/// outwards and get finer there) or "noise". Of any format, size and rate, rgb24, 1280x720 and 30
/// unless the options say otherwise; YUV is BT.601 or BT.709 by the size, limited, unless they do.
/// Eight frames are made here and given again and again. \throws InvalidArgument  another pattern
std::unique_ptr<Source> pattern_source(const std::string& pattern, const SourceOptions& options);

/// `text`: "rgb24:1280x720@30", of frames without headers on standard input.
/// \throws InvalidArgument  another text.
std::unique_ptr<Source> pipe_source(const std::string& text, const SourceOptions& options);

/// Frames without headers in a file. \throws InvalidArgument  unless the options name format and
/// size.  \throws IoError
std::unique_ptr<Source> raw_source(const std::string& path, const SourceOptions& options);

/// A .y4m file, pipe or, for "-", standard input; null if it begins otherwise. \throws IoError
std::unique_ptr<Source> y4m_source(const std::string& path, const SourceOptions& options);

/// The pictures in a folder, or those that a pattern as the shell's ("frames/*.png") matches, in
/// the order of their names: 8-bit grey, RGB or RGBA, all of one size.
/// \throws IoError  there is none.
std::unique_ptr<Source> picture_source(const std::string& pattern, const SourceOptions& options);

/// "1280x720". \throws InvalidArgument
struct FrameSize {
  std::int64_t width;
  std::int64_t height;
};
FrameSize parse_frame_size(const std::string& text);

/// "30", "29.97" or "30000/1001". \throws InvalidArgument
Rate parse_rate(const std::string& text);

/// The name of a format that sources give. \throws InvalidArgument  listing them.
PixelFormat parse_format(const std::string& text);

}  // namespace warpwise::live
