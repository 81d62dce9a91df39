#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Returns true if nothing is missing inside of the packet that begins at that place of a transport
/// stream (.ts), and of the next one. FFmpeg marks a packet as damaged also if the stream's count
/// jumps behind it, as where two files were joined. Reads up to 16 MiB. Requires an input that can
/// seek.
bool is_whole_in_transport_stream(AVIOContext& input, std::int64_t place);

}  // namespace warpwise::live::ffmpeg
