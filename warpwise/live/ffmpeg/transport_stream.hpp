#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Returns true if a packet of a transport stream (.ts), and the packet after it, are whole. FFmpeg
/// also marks a packet as damaged if the stream's counter jumps after it, as between two joined
/// files. Reads up to 16 MiB. Requires an input that can seek.
bool is_whole_in_transport_stream(AVIOContext& input, std::int64_t place);

}  // namespace warpwise::live::ffmpeg
