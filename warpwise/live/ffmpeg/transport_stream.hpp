#pragma once

#include <cstdint>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Returns true if the packet at `place` in a transport stream (.ts), and the next one, are whole.
/// FFmpeg's mark of damage does not tell, because FFmpeg also marks a whole packet if the stream's
/// counter jumps after the packet, as it does between two joined files. Reads up to 16 MiB.
/// Requires an input that can seek.
bool is_whole_in_transport_stream(AVIOContext& input, std::int64_t place);

}  // namespace warpwise::live::ffmpeg
