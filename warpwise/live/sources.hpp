#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpwise/live/source.hpp"

// The kinds of sources; open_source() chooses one by the name.
namespace warpwise::live {

/// Opens a source of generated frames. `pattern` is one of:
///
/// - "bars": eight colours, with a moving white square
/// - "zone": rings that move outwards and are finer at the edges
/// - "noise"
///
/// The options choose format, size, rate and colours. The defaults are rgb24, 1280x720 and 30 fps.
/// YUV has limited range, and BT.601 or BT.709 by its size. Eight frames are made on opening, then
/// repeated.
/// \throws InvalidArgument  the pattern is another, or a side exceeds 16,384 pixels
std::unique_ptr<Source> pattern_source(const std::string& pattern, const SourceOptions& options);

/// Reads frames without headers on standard input. `text` describes them: "rgb24:1280x720@30".
/// \throws InvalidArgument  `text` does not describe frames.
std::unique_ptr<Source> pipe_source(const std::string& text, const SourceOptions& options);

/// Reads frames without headers in a file. \throws InvalidArgument  the options lack format or
/// size.  \throws IoError
std::unique_ptr<Source> raw_source(const std::string& path, const SourceOptions& options);

/// Reads a .y4m file, pipe or ("-") standard input. Returns null for other content. \throws IoError
std::unique_ptr<Source> y4m_source(const std::string& path, const SourceOptions& options);

/// Reads the pictures of one file, of a folder, or of files that match a shell pattern
/// ("frames/*.png"), in the order of names: grey, RGB or RGBA of 8 or 16 bits, all of one size.
/// \throws IoError  no picture is found.
/// \throws InvalidArgument  the options name a page, but there are several files.
std::unique_ptr<Source> picture_source(const std::string& pattern, const SourceOptions& options);

/// Reads pictures in the order of `paths`, which is not empty. `name` is the source's name.
/// \throws IoError, InvalidArgument
std::unique_ptr<Source> picture_source(const std::string& name, std::vector<std::string> paths,
                                       const SourceOptions& options);

/// A frame's size, parsed from "1280x720". \throws InvalidArgument
struct FrameSize {
  std::int64_t width;
  std::int64_t height;
};
FrameSize parse_frame_size(const std::string& text);

/// Parses "30", "29.97" or "30000/1001". \throws InvalidArgument
Rate parse_rate(const std::string& text);

/// Parses the name of a source's format. \throws InvalidArgument  with a list of the formats.
PixelFormat parse_format(const std::string& text);

}  // namespace warpwise::live
