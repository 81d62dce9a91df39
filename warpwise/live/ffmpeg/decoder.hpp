#pragma once

#include <cstdint>
#include <string>

#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/stream.hpp"

namespace warpwise::live::ffmpeg {

/// What becomes of frames that cannot be decoded: an error in a file; a camera, whose cable loses
/// bytes at times, goes on.
enum class Damage { is_an_error, is_passed_over };

/// The frames of an input's first video stream, in the order in which they are shown.
class Decoder {
 public:
  /// Decodes on as many threads as there are cores; a camera's frames, of which none may wait for
  /// the next, on one. \throws IoError  there is no video in it, or no decoder for it.
  Decoder(Input input, std::string name, Damage damage);

  /// The next frame, which stays until the next call; null after the last one.
  /// \throws IoError  the input is damaged, cut short, or gone. All frames before that were given.
  const AVFrame* next();

  /// Of the frame that was given last, from 1 on.
  std::int64_t number() const { return number_; }

  const AVStream& stream() const { return *stream_; }
  /// "street.avi"
  const std::string& name() const { return name_; }
  /// "mpeg4"
  std::string codec_name() const { return avcodec_get_name(codec_->codec_id); }
  /// \throws IoError  always, with the input's name before it.
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
  int passed_over_ = 0;  // since the last frame
  std::string trouble_;  // why nothing is read any more, but that the input ended
};

}  // namespace warpwise::live::ffmpeg
