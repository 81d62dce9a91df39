#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
}

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

// Owners of memory from FFmpeg's libraries, and access to their messages.
namespace warpwise::live::ffmpeg {

/// Unit of times that are copied between files.
inline constexpr AVRational microsecond = {1, AV_TIME_BASE};

struct Freed {
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVBSFContext* filter) const { av_bsf_free(&filter); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
using Input = std::unique_ptr<AVFormatContext, Freed>;
using Codec = std::unique_ptr<AVCodecContext, Freed>;
using PacketFilter = std::unique_ptr<AVBSFContext, Freed>;
using Frame = std::unique_ptr<AVFrame, Freed>;
using Packet = std::unique_ptr<AVPacket, Freed>;

/// Limits FFmpeg's wait for a silent network peer.
class Deadline {
 public:
  /// `option` is the option that changes the deadline; messages name it.
  explicit Deadline(double seconds, const char* option = "--timeout")
      : seconds_(seconds), option_(option) {
    restart();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }
  /// Returns true after callback() has made FFmpeg give up.
  bool has_passed() const { return has_passed_; }
  /// Returns a function that FFmpeg calls while it waits. The deadline must outlive the input.
  AVIOInterruptCB callback() {
    return {[](void* self) { return static_cast<int>(static_cast<Deadline*>(self)->passes()); },
            this};
  }
  double seconds() const { return seconds_; }
  /// Returns the option that changes the deadline; null if no option helps.
  const char* option() const { return option_; }
  /// Forgets the option. Called if a new connection to the peer is tried after the deadline.
  void forget_option() { option_ = nullptr; }

 private:
  bool passes() {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start_;
    if (waited.count() > seconds_) has_passed_ = true;
    return has_passed_;
  }

  double seconds_;
  const char* option_;
  std::atomic<bool> has_passed_ = false;
  std::chrono::steady_clock::time_point start_;
};

/// Returns the message for a deadline that has passed while reading.
std::string read_timeout_message(const Deadline& deadline);
/// Returns the message for a deadline that has passed while writing.
std::string write_timeout_message(const Deadline& deadline);

/// An opened input. `deadline` limits the wait for its next packet; null for no limit.
struct OpenInput {
  std::unique_ptr<Deadline> deadline;
  Input input;
};

/// \throws std::bad_alloc
Frame new_frame();
/// \throws std::bad_alloc
Packet new_packet();

/// Options of FFmpeg by name; FFmpeg removes each option that it uses.
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
  const AVDictionary* get() const { return options_; }

 private:
  AVDictionary* options_ = nullptr;
};

/// True once a codec has logged an error, on any thread. Its AVCodecContext::opaque points here.
using HasLoggedError = std::atomic<bool>;

/// Stops FFmpeg from printing. Its last error message is kept for the thread that called FFmpeg.
void keep_messages();

/// Returns how often FFmpeg has tried, on this thread, to continue an interrupted http answer.
std::int64_t resumptions();

/// Discards this thread's last message, so that it is not reported for a later call.
void forget_messages();

/// Makes another thread's message this thread's last message.
void take_message(const std::string& message);

/// Returns FFmpeg's last error message since forget_messages(); empty if there is none.
std::string last_error_message();

/// Describes one of FFmpeg's error codes, together with its last error message: "Invalid data found
/// when processing input: moov atom not found".
std::string reason_of(int error);

}  // namespace warpwise::live::ffmpeg
