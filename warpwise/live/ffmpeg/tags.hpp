#pragma once

#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/stream.hpp"

// Properties of a video that its pixels do not show.
namespace warpwise::live::ffmpeg {

/// Returns the turn that makes a frame upright, by Exif's number; 0 for an angle that is no
/// quarter turn.
int orientation_of(const AVFrame& frame, const AVStream& video);

/// Has players turn a video's frames. Called before the file's header is written.
/// \throws std::bad_alloc
void set_orientation(AVStream& video, int orientation);

/// Sets the primaries, the transfer and the shape of pixels by the frame's tags, else the file's.
void set_tags(Stream& stream, const AVFrame& frame, const AVStream& video);

}  // namespace warpwise::live::ffmpeg
