#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// State of a file's end, found from its structure. FFmpeg alone does not tell it. It reads some
/// truncated or damaged files without an error. It also reports errors for bytes that follow the
/// end of a complete file.
enum class FileEnd : std::uint8_t {
  reached,  ///< a .gif file has its last byte
  missing,  ///< a .gif, .apng or .avi file ends, or is damaged, before its last frame
  unknown,  ///< any other case: another format, an input that cannot seek, an .avi file whose
            ///< writer did not know its length
};

/// Walks through the input's structure, and leaves the input's position as it was. Reads no frames.
FileEnd find_file_end(AVFormatContext& input);

}  // namespace warpwise::live::ffmpeg
