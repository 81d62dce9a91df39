#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// The state of a file's end, by its structure. FFmpeg ends some files that were cut, or are
/// damaged between two frames, as if they were whole; and it complains about bytes after the end of
/// others.
enum class FileEnd : std::uint8_t {
  reached,  ///< a .gif file has its last byte
  missing,  ///< a .gif, .apng or .avi file ends, or is damaged, before its frames do
  unknown,  ///< any other case: another format, an input that cannot seek, an .avi file whose
            ///< writer did not know its length
};

/// Walks through the input's structure, and leaves the input's position as it was. Reads no frames.
FileEnd end_of(AVFormatContext& input);

}  // namespace warpwise::live::ffmpeg
