#include "warpwise/live/ffmpeg/decoder.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/file_end.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/live/ffmpeg/transport_stream.hpp"

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

Decoder::Decoder(OpenInput opened, std::string name, Damage damage, const SourceOptions& options)
    : name_(std::move(name)), damage_(damage), deadline_(std::move(opened.deadline)),
      input_(std::move(opened.input)), decode_(options.decode), with_alpha_(options.with_alpha) {
  choose_stream(options);
  if (options.with_companions) {
    others_ = std::make_shared<OtherTracks>(*input_, stream_->index);
    others_in_use_ = others_;
  }
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    const bool is_read =
        input_->streams[i] == stream_ || (others_ && others_->has(static_cast<int>(i)));
    if (!is_read) input_->streams[i]->discard = AVDISCARD_ALL;
  }
  open(options);
  if (options.deinterlace) deinterlacer_.emplace(stream_->time_base);
}

// Chooses the video track. Skips a cover picture, which is stored as a video of one frame.
void Decoder::choose_stream(const SourceOptions& options) {
  std::vector<const AVStream*> videos;
  bool has_cover = false;
  for (unsigned i = 0; i < input_->nb_streams; ++i) {
    const AVStream& each = *input_->streams[i];
    if (each.codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
    const bool is_cover = (each.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    has_cover = has_cover || is_cover;
    if (!is_cover) videos.push_back(&each);
  }
  if (videos.empty()) {
    fail(has_cover ? "there is no video in it, only a cover picture" : "there is no video in it");
  }
  const int best = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  const auto is_best = [&](const AVStream* each) { return each->index == best; };
  const auto found = std::ranges::find_if(videos, is_best);
  stream_ = found != videos.end() ? *found : videos.front();
  if (!options.track) return;
  if (*options.track > static_cast<int>(videos.size())) {
    fail("it has no video track " + std::to_string(*options.track) + ", only " +
         counted(videos.size(), "track"));
  }
  stream_ = videos[static_cast<std::size_t>(*options.track - 1)];
}

std::shared_ptr<OtherTracks> Decoder::take_other_tracks(const AVFrame* first) {
  std::shared_ptr<OtherTracks> others = std::move(others_);
  if (others && first != nullptr) others->set_hdr_metadata(hdr_metadata_of(*first, *stream_));
  return others && !others->is_empty() ? others : nullptr;
}

bool Decoder::continue_tracks(const std::shared_ptr<OtherTracks>& lost, std::int64_t start,
                              std::int64_t at) {
  const std::shared_ptr<OtherTracks> own = std::move(others_);
  if (!lost || !own || !lost->is_like(*own)) return !lost;
  lost->continue_after_reconnection(start, at);
  while (const Packet each = own->take(std::numeric_limits<std::int64_t>::max())) lost->put(*each);
  others_in_use_ = lost;
  return true;
}

void Decoder::open(const SourceOptions& options) {
  if (decode_ == Decode::cpu) return open_on_cpu();
  if (with_alpha_ && has_separate_alpha(*stream_))
    why_not_by_gpu_ = "the GPU leaves its alpha out";
  else
    why_not_by_gpu_ =
        deadline_ ? "it comes from the network" : ffmpeg::why_not_by_gpu(*stream_, options);
  if (why_not_by_gpu_.empty()) {
    try {
      return open_on_gpu();
    } catch (const Error& error) {
      gpu_.reset();
      why_not_by_gpu_ = error.what();
    }
  }
  if (decode_ == Decode::gpu) fail("--decode gpu: " + why_not_by_gpu_);
  open_on_cpu();
}

void Decoder::open_on_gpu() {
  gpu_ = std::make_unique<GpuDecoding>();
  parts_ = std::make_unique<GpuParts>(*stream_);
}

// Returns libvpx's decoder for VP8 and VP9 with alpha, because FFmpeg's own decoders drop alpha.
const AVCodec* Decoder::codec_on_cpu() const {
  const AVCodecID codec = stream_->codecpar->codec_id;
  const AVCodec* known = nullptr;
  if (with_alpha_ && has_separate_alpha(*stream_)) {
    known = avcodec_find_decoder_by_name(codec == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9");
  }
  return known != nullptr ? known : avcodec_find_decoder(codec);
}

void Decoder::open_on_cpu() {
  const AVCodec* const known = codec_on_cpu();
  if (known == nullptr) fail("this FFmpeg has no decoder for its video");
  Codec codec(avcodec_alloc_context3(known));
  if (!codec) throw std::bad_alloc();
  codec->thread_count = damage_ == Damage::fail ? 0 : 1;
  // The decoders of MJPEG and FFV1 conceal damage and do not mark the damaged frame. In strict
  // mode, MJPEG's decoder returns an error instead. FFV1's only logs a slice's wrong checksum,
  // which sets has_logged_error_. With slice threads, the message belongs to the current frame.
  if (known->id == AV_CODEC_ID_MJPEG) codec->err_recognition |= AV_EF_EXPLODE;
  if (known->id == AV_CODEC_ID_FFV1) {
    codec->thread_type = FF_THREAD_SLICE;
    codec->opaque = &has_logged_error_;
  }
  codec_ = std::move(codec);
  try {
    open_codec(*codec_, *stream_);
  } catch (const IoError& error) {
    fail(error.what());
  }
}

std::string Decoder::decoded_by() const {
  if (gpu_) return "the GPU";
  return why_not_by_gpu_.empty() ? "" : "the CPU: " + why_not_by_gpu_;
}

void Decoder::fail(const std::string& why) const {
  throw IoError("cannot read " + name_ + ": " + why);
}

void Decoder::fail_at_next(const std::string& why) const {
  fail("at frame " + std::to_string(number_ + 1) + " " + why);
}

std::string Decoder::why_not_decoded(int error) const {
  if (stream_->codecpar->codec_id != AV_CODEC_ID_WEBP) return damaged_because(reason_of(error));
  return "it is an animation or damaged; FFmpeg decodes no animated WebP file";
}

// Fails if too many attempts in a row gave no frame, because all frames of some seconds are damaged
// then.
void Decoder::count_passed_over() {
  constexpr int most_of_a_camera = 100;
  constexpr int most_of_a_network = 10'000;  // includes packets of sound before the first key frame
  const int most = deadline_ ? most_of_a_network : most_of_a_camera;
  if (damage_ != Damage::skip || ++passed_over_ <= most) return;
  fail("none of its data can be decoded");
}

const AVFrame* Decoder::next() {
  if (!deinterlacer_) return decode();
  while (!deinterlacer_->take(*whole_)) {
    if (failure_) std::rethrow_exception(failure_);
    if (has_ended_) return nullptr;
    const AVFrame* frame = nullptr;
    try {
      frame = decode();
    } catch (const IoError&) {
      failure_ = std::current_exception();
    }
    has_ended_ = frame == nullptr;
    deinterlacer_->put(frame);
  }
  return whole_.get();
}

const AVFrame* Decoder::decode() {
  forget_messages();
  passed_over_ = 0;
  for (;;) {
    const int error = receive();
    if (gpu_ && number_ == 0 && error != AVERROR(EAGAIN) && fall_back_if_needed(error)) continue;
    if (error == AVERROR(EAGAIN)) {
      count_passed_over();
      feed();
    } else if (error == AVERROR_EOF) {
      if (!early_end_reason_.empty()) fail_at_next(early_end_reason_);
      return nullptr;
    } else if (error >= 0 && !is_damaged(*frame_) && !has_logged_error_.exchange(false)) {
      ++number_;
      return frame_.get();
    } else if (damage_ == Damage::fail) {
      // After the first failure, further packets in the decoder may fail. It still returns the
      // frames before the failed packet.
      constexpr int most_in_flight = 100;
      const bool is_of_flight =
          !early_end_reason_.empty() && error < 0 && ++failed_in_flight_ < most_in_flight;
      if (is_of_flight) continue;
      fail_at_next(!early_end_reason_.empty() ? early_end_reason_
                   : error < 0                ? why_not_decoded(error)
                                              : damaged);
    }
  }
}

int Decoder::receive() {
  if (!parts_) return avcodec_receive_frame(codec_.get(), frame_.get());
  try {
    return parts_->take(*frame_);
  } catch (const Error& error) {  // for example, the GPU has too little memory
    if (number_ > 0) throw;
    fall_back(error.what());
    return AVERROR(EAGAIN);
  }
}

int Decoder::send_to_decoder(const AVPacket* packet) {
  if (!parts_) return avcodec_send_packet(codec_.get(), packet);
  try {
    parts_->put(packet);
  } catch (const Error& error) {
    if (number_ > 0) throw;
    fall_back(error.what());  // the packet is in again_, so the CPU's decoder gets it
  }
  return 0;
}

// Falls back to the CPU's decoder if the GPU's decoder gave no first frame. Returns false if the
// GPU's decoder gave one.
bool Decoder::fall_back_if_needed(int error) {
  // FFmpeg does not crop the left and the top of frames in a GPU's memory.
  const bool is_whole = error >= 0 && frame_->format == AV_PIX_FMT_CUDA && frame_->crop_left == 0 &&
                        frame_->crop_top == 0;
  if (is_whole) {
    again_.clear();
    return false;
  }
  fall_back(error < 0 ? reason_of(error) : "its frames are cropped at the left or the top");
  return true;
}

// Replaces the GPU's decoder by the CPU's, which gets all packets so far from again_.
void Decoder::fall_back(const std::string& why) {
  if (decode_ == Decode::gpu) fail("--decode gpu: the GPU's decoder gave no frame: " + why);
  why_not_by_gpu_ = "the GPU's decoder gave no frame: " + why;
  early_end_reason_.clear();
  av_frame_unref(frame_.get());
  parts_.reset();
  open_on_cpu();
  gpu_.reset();
}

// Passes a packet, or the end of the input, to the decoder. After the end, or a failure, the
// decoder still returns the frames that it holds.
void Decoder::feed() {
  if (!gpu_ && !again_.empty()) {
    const Packet packet = std::move(again_.front());
    again_.pop_front();
    return send(packet.get());
  }
  if (!read_packet()) return send(nullptr);
  if (gpu_ && number_ == 0) {
    again_.push_back(new_packet());
    if (av_packet_ref(again_.back().get(), packet_.get()) < 0) throw std::bad_alloc();
  }
  send(packet_.get());
}

std::string Decoder::find_end_error() const {
  const std::string said = last_error_message();
  const FileEnd end = damage_ == Damage::fail ? find_file_end(*input_) : FileEnd::unknown;
  if (end == FileEnd::missing) return damaged_because("its end is missing");
  return said.empty() || end == FileEnd::reached ? "" : damaged_because(said);
}

// Describes a read error; empty if there is none. For a truncated file some demuxers only log a
// message.
std::string Decoder::find_read_error(int error) const {
  const bool ended = error == AVERROR_EOF;
  if (deadline_ && error < 0 && deadline_->has_passed()) return read_timeout_message(*deadline_);
  if (ended && input_->pb != nullptr && input_->pb->error < 0) return reason_of(input_->pb->error);
  if (ended) return find_end_error();
  if (error < 0) return reason_of_reading(error);
  const bool is_marked = (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0;
  if (!is_marked || damage_ != Damage::fail) return "";
  const bool is_transport_stream = input_->pb != nullptr && input_->iformat != nullptr &&
                                   std::string_view(input_->iformat->name) == "mpegts";
  if (!is_transport_stream) return damaged;
  if ((input_->pb->seekable & AVIO_SEEKABLE_NORMAL) == 0) {
    return "it is damaged, or two files were joined; only a source that can seek shows which";
  }
  return is_whole_in_transport_stream(*input_->pb, packet_->pos) ? "" : damaged;
}

// Returns true for a packet of the video. Stores other packets, unless the file discards them.
bool Decoder::route_packet() {
  const std::shared_ptr<OtherTracks> others = others_in_use_.lock();
  if (packet_->stream_index == stream_->index) {
    if (others) others->record_video_time(*packet_, stream_->time_base);
    return packet_->size > 0;
  }
  // A file may discard AAC's first packet, which ends at time 0. It is kept, because the next
  // packet cannot be decoded without it.
  const bool is_cut_away = (packet_->flags & AV_PKT_FLAG_DISCARD) != 0 &&
                           packet_->pts != AV_NOPTS_VALUE && packet_->pts + packet_->duration < 0;
  if (others && !is_cut_away && others->has(packet_->stream_index)) others->put(*packet_);
  return false;
}

bool Decoder::read_packet() {
  if (!early_end_reason_.empty()) return false;
  int error = 0;
  const std::int64_t tries = resumptions();
  do {
    av_packet_unref(packet_.get());
    forget_messages();
    count_passed_over();
    if (deadline_) deadline_->restart();
    error = av_read_frame(input_.get(), packet_.get());
  } while (error == AVERROR(EAGAIN) || (error >= 0 && !route_packet()));
  early_end_reason_ = find_read_error(error);
  if (error >= 0 && resumptions() > tries) ++http_resumptions_;
  return error >= 0 && early_end_reason_.empty();
}

void Decoder::send(const AVPacket* packet) {
  const int error = send_to_decoder(packet);
  if (error >= 0 || error == AVERROR_EOF || damage_ == Damage::skip) return;
  early_end_reason_ = why_not_decoded(error);
  send_to_decoder(nullptr);
}

}  // namespace warpwise::live::ffmpeg
