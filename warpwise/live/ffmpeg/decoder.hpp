#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>

#include "warpwise/live/ffmpeg/deinterlacer.hpp"
#include "warpwise/live/ffmpeg/gpu_decoding.hpp"
#include "warpwise/live/ffmpeg/gpu_parts.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/other_tracks.hpp"
#include "warpwise/live/source.hpp"

namespace warpwise::live::ffmpeg {

/// Treatment of frames that cannot be decoded. In a file they are an error. From a camera or a live
/// peer they are skipped (passed over), because a cable or a network loses bytes at times.
enum class Damage { fail, skip };

/// Decodes the frames of one of an input's video streams, in the order of display.
class Decoder {
 public:
  /// FFmpeg chooses the number of CPU threads. If damage is passed over, only one thread decodes,
  /// because several threads would delay a camera's frames. The options select the video track and
  /// the decoder, and whether other tracks are collected.
  /// \throws IoError  the input lacks the video track, FFmpeg lacks its decoder, or options.decode
  ///                  demands the GPU, which cannot decode it.
  Decoder(OpenInput input, std::string name, Damage damage, const SourceOptions& options);

  /// Returns the next frame, deinterlaced if the options say so; null after the last one. The frame
  /// is valid until the next call.
  /// \throws IoError  the input is damaged, cut short, or gone. Earlier frames were all returned.
  const AVFrame* next();

  /// Returns the number of the last frame decoded, counted from 1.
  std::int64_t number() const { return number_; }
  /// Continues the count of frames of a lost input, which had decoded `number` frames.
  void continue_numbering_after(std::int64_t number) { number_ += number; }
  /// Returns how often an http server continued an interrupted answer.
  std::int64_t http_resumptions() const { return http_resumptions_; }

  const AVStream& stream() const { return *stream_; }
  AVFormatContext& input() const { return *input_; }
  /// Hands over the other tracks; see Source::take_companions(). `first` is the first frame, whose
  /// HDR metadata they get; it may be null.
  std::shared_ptr<OtherTracks> take_other_tracks(const AVFrame* first);
  /// Appends this input's other tracks to `lost`, the tracks of the same input before it was lost.
  /// Their times are shifted so that `start` becomes `at`, both in microseconds. Returns false and
  /// appends nothing if this input's tracks are missing or differ from `lost` in kind.
  bool continue_tracks(const std::shared_ptr<OtherTracks>& lost, std::int64_t start,
                       std::int64_t at);
  /// Returns the input's name: "street.avi".
  const std::string& name() const { return name_; }
  bool deinterlaces() const { return deinterlacer_.has_value(); }
  /// Returns the GPU that decodes and has the frames in its memory; null if the CPU decodes.
  const GpuDecoding* gpu() const { return gpu_.get(); }
  /// Returns "the GPU", or "the CPU: " and the reason. Returns an empty text for Decode::cpu.
  std::string decoded_by() const;
  /// Returns the codec's name: "mpeg4".
  std::string codec_name() const { return avcodec_get_name(stream_->codecpar->codec_id); }
  /// \throws IoError  always, with the input's name and `why`.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  const AVFrame* decode();
  [[noreturn]] void fail_at_next(const std::string& why) const;
  void choose_stream(const SourceOptions& options);
  void open(const SourceOptions& options);
  void open_on_gpu();
  const AVCodec* codec_on_cpu() const;
  void open_on_cpu();
  int receive();
  int send_to_decoder(const AVPacket* packet);
  bool fall_back_if_needed(int error);
  void fall_back(const std::string& why);
  void count_passed_over();
  void feed();
  bool read_packet();
  bool route_packet();
  std::string find_end_error() const;
  std::string find_read_error(int error) const;
  std::string why_not_decoded(int error) const;
  void send(const AVPacket* packet);

  std::string name_;
  Damage damage_;
  std::unique_ptr<Deadline> deadline_;  // deadline of the next packet; outlives the input
  Input input_;
  const AVStream* stream_ = nullptr;
  HasLoggedError has_logged_error_ = false;
  Decode decode_;
  bool with_alpha_;
  std::unique_ptr<GpuDecoding> gpu_;  // null if the CPU decodes
  std::string why_not_by_gpu_;
  // packets before the GPU's first frame; the CPU decodes them if the GPU returns no frame
  std::deque<Packet> again_;
  std::unique_ptr<GpuParts> parts_;  // the GPU's decoders; null if the CPU decodes
  Codec codec_;
  Packet packet_ = new_packet();
  Frame frame_ = new_frame();
  std::optional<Deinterlacer> deinterlacer_;
  Frame whole_ = new_frame();   // deinterlaced frame
  bool has_ended_ = false;      // the deinterlacer gets no further frame
  std::exception_ptr failure_;  // thrown when the deinterlacer has given all its frames
  std::int64_t number_ = 0;
  std::int64_t http_resumptions_ = 0;
  int passed_over_ = 0;                  // attempts to get data since the last frame
  int failed_in_flight_ = 0;             // decoder's failures after `early_end_reason_` was set
  std::shared_ptr<OtherTracks> others_;  // set until take_other_tracks()
  std::weak_ptr<OtherTracks> others_in_use_;  // empty if no caller collects them
  std::string early_end_reason_;              // why reading ended early; empty at a normal end
};

}  // namespace warpwise::live::ffmpeg
