#pragma once

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Returns true if a .gif or .avi file ends before its frames do. FFmpeg does not say so: it ends
/// the stream at the last whole frame. Accepts other formats, inputs that cannot seek, and .avi
/// files whose writer did not know their length.
bool ends_too_early(AVFormatContext& input);

}  // namespace warpwise::live::ffmpeg
