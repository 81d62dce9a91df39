#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
}

#include <atomic>
#include <memory>
#include <string>
#include <utility>

// FFmpeg's libraries: owners of what they allocate, and what they say.
namespace warpwise::live::ffmpeg {

struct Freed {
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
using Input = std::unique_ptr<AVFormatContext, Freed>;
using Codec = std::unique_ptr<AVCodecContext, Freed>;
using Frame = std::unique_ptr<AVFrame, Freed>;
using Packet = std::unique_ptr<AVPacket, Freed>;

/// \throws std::bad_alloc
Frame new_frame();
/// \throws std::bad_alloc
Packet new_packet();

/// Options of FFmpeg by their names; those that were taken are removed.
class Dictionary {
 public:
  Dictionary() = default;
  ~Dictionary() { av_dict_free(&options_); }
  Dictionary(Dictionary&& other) noexcept : options_(std::exchange(other.options_, nullptr)) {}
  Dictionary& operator=(Dictionary&&) = delete;

  void set(const char* name, const std::string& value) {
    av_dict_set(&options_, name, value.c_str(), 0);
  }
  AVDictionary** get() { return &options_; }

 private:
  AVDictionary* options_ = nullptr;
};

/// A codec whose AVCodecContext::opaque points to one sets it when it complains, on any thread.
using HasComplained = std::atomic<bool>;

/// From now on FFmpeg prints nothing; what it complains of is kept for the thread that called it.
void keep_messages();

/// What it complained of before has nothing to do with what comes.
void forget_messages();

/// What FFmpeg complained of since then; empty if of nothing.
std::string complaint();

/// What one of FFmpeg's error codes means, with what FFmpeg complained of: "Invalid data found when
/// processing input: moov atom not found".
std::string reason_of(int error);

}  // namespace warpwise::live::ffmpeg
