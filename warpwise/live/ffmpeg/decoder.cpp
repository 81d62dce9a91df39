#include "warpwise/live/ffmpeg/decoder.hpp"

#include <new>

#include "warpwise/base/error.hpp"

namespace warpwise::live::ffmpeg {
namespace {

constexpr const char* damaged = "it is damaged or cut short";

std::string damaged_because(const std::string& reason) {
  return std::string(damaged) + " (" + reason + ")";
}

bool is_damaged(const AVFrame& frame) {
  return (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
}

std::string reason_of_reading(int error) {
  return error == AVERROR(ENODEV) ? "it is gone; was it unplugged?" : reason_of(error);
}

}  // namespace

Decoder::Decoder(Input input, std::string name, Damage damage)
    : name_(std::move(name)), damage_(damage), input_(std::move(input)) {
  const AVCodec* codec = nullptr;
  const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (index == AVERROR_STREAM_NOT_FOUND) fail("there is no video in it");
  if (index < 0) fail("this FFmpeg has no decoder for its video");
  stream_ = input_->streams[index];
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    if (input_->streams[i] != stream_) input_->streams[i]->discard = AVDISCARD_ALL;
  }
  open_codec(codec);
}

void Decoder::open_codec(const AVCodec* codec) {
  codec_.reset(avcodec_alloc_context3(codec));
  if (!codec_) throw std::bad_alloc();
  int error = avcodec_parameters_to_context(codec_.get(), stream_->codecpar);
  codec_->pkt_timebase = stream_->time_base;
  codec_->thread_count = damage_ == Damage::is_an_error ? 0 : 1;
  // These two codecs conceal damage, and no frame is marked. In strict mode, MJPEG's decoder
  // returns an error instead. FFV1's decoder logs a slice's wrong checksum. Its threads must share
  // one frame, so that the message belongs to a known frame.
  if (codec->id == AV_CODEC_ID_MJPEG) codec_->err_recognition |= AV_EF_EXPLODE;
  if (codec->id == AV_CODEC_ID_FFV1) {
    codec_->thread_type = FF_THREAD_SLICE;
    codec_->opaque = &has_complained_;
  }
  if (error >= 0) error = avcodec_open2(codec_.get(), codec, nullptr);
  if (error < 0) fail(reason_of(error));
}

void Decoder::fail(const std::string& why) const {
  throw IoError("cannot read " + name_ + ": " + why);
}

void Decoder::fail_at_next(const std::string& why) const {
  fail("at frame " + std::to_string(number_ + 1) + " " + why);
}

// Gives up after some seconds of nothing but damage.
void Decoder::count_passed_over() {
  constexpr int most_of_a_camera = 100;
  if (damage_ != Damage::is_passed_over || ++passed_over_ <= most_of_a_camera) return;
  fail("none of its data can be decoded");
}

const AVFrame* Decoder::next() {
  forget_messages();
  passed_over_ = 0;
  for (;;) {
    const int error = avcodec_receive_frame(codec_.get(), frame_.get());
    if (error == AVERROR(EAGAIN)) {
      count_passed_over();
      feed();
    } else if (error == AVERROR_EOF) {
      if (!trouble_.empty()) fail_at_next(trouble_);
      return nullptr;
    } else if (error >= 0 && !is_damaged(*frame_) && !has_complained_.exchange(false)) {
      ++number_;
      return frame_.get();
    } else if (damage_ == Damage::is_an_error) {
      fail_at_next(error < 0 ? damaged_because(reason_of(error)) : damaged);
    }
  }
}

// Passes a packet to the decoder, or the end of the input. After any kind of end the decoder still
// returns the frames in flight.
void Decoder::feed() {
  if (read_packet()) {
    send(packet_.get());
  } else {
    send(nullptr);
  }
}

// Describes an error of reading; empty if there is none. For a truncated file some demuxers only
// log a message.
std::string Decoder::trouble_in_reading(int error) const {
  const bool ended = error == AVERROR_EOF;
  if (ended && input_->pb != nullptr && input_->pb->error < 0) return reason_of(input_->pb->error);
  if (ended) return complaint().empty() ? "" : damaged_because(complaint());
  if (error < 0) return reason_of_reading(error);
  const bool is_cut = (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0;
  return is_cut && damage_ == Damage::is_an_error ? damaged : "";
}

bool Decoder::read_packet() {
  if (!trouble_.empty()) return false;
  int error = 0;
  do {
    av_packet_unref(packet_.get());
    forget_messages();
    count_passed_over();
    error = av_read_frame(input_.get(), packet_.get());
  } while (error == AVERROR(EAGAIN) ||
           (error >= 0 && (packet_->stream_index != stream_->index || packet_->size == 0)));
  trouble_ = trouble_in_reading(error);
  return error >= 0 && trouble_.empty();
}

void Decoder::send(const AVPacket* packet) {
  const int error = avcodec_send_packet(codec_.get(), packet);
  if (error >= 0 || error == AVERROR_EOF || damage_ == Damage::is_passed_over) return;
  trouble_ = damaged_because(reason_of(error));
  avcodec_send_packet(codec_.get(), nullptr);
}

}  // namespace warpwise::live::ffmpeg
