#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/stream.hpp"

// Properties of a video that its pixels do not show.
namespace warpwise::live::ffmpeg {

/// Returns the Exif orientation of a frame, 1 to 8: how to turn it to make it upright. Returns 0 if
/// the angle is no multiple of a quarter turn.
int orientation_of(const AVFrame& frame, const AVStream& video);

/// Makes players turn a video by an Exif orientation. Call it before the file's header is written.
/// \throws std::bad_alloc
void set_orientation(AVStream& video, int orientation);

/// A part of the HDR metadata: the mastering display, or the light levels.
struct HdrMetadata {
  AVPacketSideDataType type;
  std::vector<std::uint8_t> bytes;
};

/// Returns the HDR metadata of the file, or else of the frame; empty if there is none.
std::vector<HdrMetadata> hdr_metadata_of(const AVFrame& frame, const AVStream& video);

/// Gives a video HDR metadata. Call it before the file's header is written.
/// \throws std::bad_alloc
void set_hdr_metadata(AVStream& video, const std::vector<HdrMetadata>& all);

/// Sets the primaries and the transfer from the frame's tags, or else from the file's. Sets the
/// pixels' aspect ratio from the file's tag, or else from the frame's.
void set_tags(Stream& stream, const AVFrame& frame, const AVStream& video);

/// Returns true for VP8 and VP9 whose alpha is coded apart from the frames (tag alpha_mode=1).
bool has_separate_alpha(const AVStream& video);

}  // namespace warpwise::live::ffmpeg
