#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// State of a file's end, found from its structure. FFmpeg reads some files that are truncated, or
/// damaged between two frames, without an error. For bytes after the end of some other files, it
/// reports an error.
enum class FileEnd : std::uint8_t {
  reached,  ///< a .gif file has its last byte
  missing,  ///< a .gif, .apng or .avi file ends, or is damaged, before its last frame
  unknown,  ///< any other case: another format, an input that cannot seek, an .avi file whose
            ///< writer did not know its length
};

/// Walks through the input's structure, and leaves the input's position as it was. Reads no frames.
FileEnd end_of(AVFormatContext& input);

}  // namespace warpwise::live::ffmpeg
