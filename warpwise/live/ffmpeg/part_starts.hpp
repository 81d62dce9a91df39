#pragma once

#include <cstdint>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Finds the packets at which a decoder can begin and still give the same frames as if it had begun
/// at the start: IDR pictures of H.264 and HEVC, key frames of VP8 and VP9.
class PartStarts {
 public:
  explicit PartStarts(const AVCodecParameters& video);

  /// Returns true if a part can start with this packet. Must be called for every packet of the
  /// video, in order. Once a packet has no time, or the video's parameters have changed, no later
  /// packet is a start, because a decoder must have read all parameters.
  bool is_start(const AVPacket& packet);

 private:
  bool is_restart(const AVPacket& packet);

  const AVCodecParameters& video_;
  int length_bytes_;  // bytes of the length before a NAL unit; 0: it follows the bytes 0, 0, 1
  std::string parameters_;
  bool have_changed_ = false;
};

}  // namespace warpwise::live::ffmpeg
