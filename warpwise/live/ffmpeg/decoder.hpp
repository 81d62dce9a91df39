#pragma once

#include <cstdint>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live::ffmpeg {

/// Treatment of frames that cannot be decoded. For a file they are an error. For a camera they are
/// skipped, because its cable loses bytes at times.
enum class Damage { is_an_error, is_passed_over };

/// Decodes the frames of an input's first video stream, in the order of display.
class Decoder {
 public:
  /// Decodes a file on as many threads as there are cores. A camera is decoded on one thread,
  /// because no frame may wait for the next. \throws IoError  the input has no video, or FFmpeg no
  /// decoder for it.
  Decoder(Input input, std::string name, Damage damage);

  /// Returns the next frame, valid until the next call; null after the last one.
  /// \throws IoError  the input is damaged, cut short, or gone. All frames before that were
  /// returned.
  const AVFrame* next();

  /// Number of the last frame returned, counted from 1.
  std::int64_t number() const { return number_; }

  const AVStream& stream() const { return *stream_; }
  /// The input's name: "street.avi".
  const std::string& name() const { return name_; }
  /// The codec's name: "mpeg4".
  std::string codec_name() const { return avcodec_get_name(codec_->codec_id); }
  /// \throws IoError  always, with the input's name and `why`.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  [[noreturn]] void fail_at_next(const std::string& why) const;
  void open_codec(const AVCodec* codec);
  void count_passed_over();
  void feed();
  bool read_packet();
  std::string trouble_in_reading(int error) const;
  void send(const AVPacket* packet);

  std::string name_;
  Damage damage_;
  Input input_;
  const AVStream* stream_ = nullptr;
  HasComplained has_complained_ = false;
  Codec codec_;
  Packet packet_ = new_packet();
  Frame frame_ = new_frame();
  std::int64_t number_ = 0;
  int passed_over_ = 0;  // failures since the last frame
  std::string trouble_;  // why reading ended early; empty at a normal end
};

}  // namespace warpwise::live::ffmpeg
