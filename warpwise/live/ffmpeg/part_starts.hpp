#pragma once

#include <cstdint>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"

namespace warpwise::live::ffmpeg {

/// Finds the packets at which a decoder can begin, with the same frames as after all earlier
/// packets: IDR pictures of H.264 and HEVC, key frames of VP8 and VP9.
class PartStarts {
 public:
  explicit PartStarts(const AVCodecParameters& video);

  /// Returns true if a part can start with this packet. Expects every packet of the video, in
  /// order. Returns false after a packet without a time. Returns false after the video's parameters
  /// have changed, because a decoder must have read all parameters.
  bool is_start(const AVPacket& packet);

 private:
  bool is_restart(const AVPacket& packet);

  const AVCodecParameters& video_;
  int length_bytes_;  // bytes of the length before a unit; 0: a unit follows the bytes 0, 0, 1
  std::string parameters_;
  bool have_changed_ = false;
};

}  // namespace warpwise::live::ffmpeg
