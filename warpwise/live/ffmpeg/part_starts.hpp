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
  /// video, in order. After a change of the video's parameters it always returns false: a decoder
  /// that begins later would lack some of them. The same holds after a packet without a time,
  /// because GpuParts may take its frame for a repeat and drop it.
  bool is_start(const AVPacket& packet);

 private:
  bool is_restart(const AVPacket& packet);

  const AVCodecParameters& video_;
  int length_bytes_;  // bytes of the length before a NAL unit; 0: it follows the bytes 0, 0, 1
  std::string parameters_;
  bool have_changed_ = false;
};

}  // namespace warpwise::live::ffmpeg
