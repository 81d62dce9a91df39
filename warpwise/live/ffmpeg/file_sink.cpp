#include "warpwise/live/ffmpeg/file_sink.hpp"

#include <algorithm>
#include <climits>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/copied_tracks.hpp"
#include "warpwise/live/ffmpeg/encoded_frames.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/outputs.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"

namespace warpwise::live::ffmpeg {
namespace {

struct CloseOutput {
  void operator()(AVFormatContext* output) const {
    avio_closep(&output->pb);
    avformat_free_context(output);
  }
};
using Output = std::unique_ptr<AVFormatContext, CloseOutput>;

AVRational rational_of(const Rate& rate) {
  if (!rate.is_known()) return {25, 1};
  AVRational result{};
  av_reduce(&result.num, &result.den, rate.numerator, rate.denominator, INT_MAX);
  return result;
}

// Returns the ticks a second of an .avi file, which stores a frame, perhaps empty, for each tick.
// Frames of varying duration get ticks of a millisecond.
AVRational grid_of_avi(const Stream& stream) {
  return stream.is_varying ? AVRational{1000, 1} : rational_of(stream.rate);
}

AVRational aspect_of(const PixelAspect& pixel) {
  AVRational result{0, 1};
  if (pixel.is_known()) av_reduce(&result.num, &result.den, pixel.width, pixel.height, INT_MAX);
  return result;
}

class FileSink final : public Sink {
 public:
  FileSink(const std::string& name, std::string url, const KnownOutput& file,
           std::unique_ptr<Deadline> deadline)
      : Sink(name), file_(file), encoder_(encoder_of(file_, name)), encoded_(file_, name),
        url_(std::move(url)), deadline_(std::move(deadline)) {}

  AcceptedFrames accepted_frames(const Stream& stream) const override {
    return encoded_.accepted_frames(stream);
  }
  bool accepts_deep_frames(const Stream& deep) const override {
    return encoded_.accepts_deep_frames(deep);
  }
  io::DeepPlanes planes_for_rgb() const override { return encoded_.planes_for_rgb(); }
  std::string stored_format_name(const Stream& taken) const override {
    return encoded_.text_of(taken);
  }
  void begin(const Stream& stream) override;
  std::vector<std::string> unstored_parts(const Stream& stream,
                                          const Companions* companions) const override;
  void set_companions(std::shared_ptr<Companions> companions) override {
    others_ = std::dynamic_pointer_cast<OtherTracks>(companions);
  }
  void write(std::span<const std::byte> pixels) override {
    write_at(pixels, stream_.regular_time(frames_));
  }
  void write_at(std::span<const std::byte> pixels, const FrameTime& time) override;
  void finish() override;
  bool is_live() const override { return file_.is_paced; }

 private:
  [[noreturn]] void fail(int error);
  void check(int error) {
    if (error < 0) fail(error);
  }
  void open_encoder(const Stream& stream);
  void open_file();
  void write_file_header(Dictionary& options);
  void connect();
  void check_deadline();
  void check_connection();
  void renew_frame();
  void repeat_until(std::int64_t stamp);
  void encode(std::int64_t stamp, std::int64_t duration);
  void write_packets();
  void write_held();
  void write_packet(AVPacket& packet);
  bool is_peer() const { return deadline_ != nullptr; }
  bool has_chapters() const { return file_.kind != Kind::mjpeg && !is_peer(); }
  void write_other_packets(std::int64_t before) {
    if (copied_) copied_->write(before);
  }

  const KnownOutput& file_;
  const AVCodec& encoder_;  // encoder for frames of 8 bits
  EncodedFrames encoded_;
  std::string url_;
  std::unique_ptr<Deadline> deadline_;  // deadline of the next wait for the peer; null for files
  Codec codec_;
  Output output_;  // set by begin(); is_begun_ says if the header was written
  Packet packet_ = new_packet();
  Packet held_ = new_packet();
  std::int64_t frames_encoded_ = 0;
  std::int64_t first_decoded_ = 0;  // decoding time of the first packet minus its display time
  std::int64_t last_end_ = 0;       // end of the last frame, in the encoder's unit
  Frame frame_ = new_frame();
  Stream stream_;
  std::int64_t frames_ = 0;
  std::int64_t last_stamp_ = -1;
  std::int64_t end_ = 0;  // end of the last frame, in microseconds
  // durations of the frames in the encoder; key: start time
  std::map<std::int64_t, std::int64_t> durations_;
  std::shared_ptr<OtherTracks> others_;
  std::optional<CopiedTracks> copied_;  // copies the tracks of others_
  bool is_begun_ = false;
  bool has_failed_ = false;
};

void FileSink::fail(int error) {
  has_failed_ = true;
  const bool is_gone = is_peer() && (error == AVERROR(EPIPE) || error == AVERROR(ECONNRESET) ||
                                     error == AVERROR_EOF);
  const bool is_late = is_peer() && deadline_->has_passed();
  throw IoError(
      "cannot write " + name() + ": " +
      (is_late ? write_timeout_message(*deadline_)
               : (is_gone ? "the peer is gone: " : "") + without_password(reason_of(error), url_)));
}

void FileSink::begin(const Stream& stream) {
  forget_messages();
  encoded_.begin(stream);
  stream_ = stream;
  open_encoder(stream);
  open_file();
}

void FileSink::open_encoder(const Stream& stream) {
  const bool is_hevc = stream.is_deep() && file_.kind == Kind::h264;
  const AVCodec& encoder = is_hevc ? *avcodec_find_encoder_by_name(deep_encoder) : encoder_;
  codec_.reset(avcodec_alloc_context3(&encoder));
  if (!codec_) throw std::bad_alloc();
  const AVRational rate = rational_of(stream.rate);
  codec_->pix_fmt = encoded_.pixels();
  codec_->width = static_cast<int>(stream.shape.width);
  codec_->height = static_cast<int>(stream.shape.height);
  codec_->framerate = rate;
  codec_->time_base =
      av_inv_q(file_.kind == Kind::mjpeg ? grid_of_avi(stream) : rational_of(stream.ticks()));
  codec_->sample_aspect_ratio = aspect_of(stream.pixel_aspect);
  codec_->color_primaries = static_cast<AVColorPrimaries>(stream.primaries);
  codec_->color_trc = static_cast<AVColorTransferCharacteristic>(stream.transfer);
  if (stream.is_varying) codec_->max_b_frames = 0;  // B frames would lose the last frame's duration
  codec_->colorspace = encoded_.tags().matrix;
  codec_->color_range = encoded_.tags().range;
  codec_->chroma_sample_location = encoded_.tags().siting;
  codec_->thread_count = 0;
  Dictionary options;
  set_quality(*codec_, file_, options);
  check(avcodec_open2(codec_.get(), &encoder, options.get()));
}

void FileSink::open_file() {
  AVFormatContext* output = nullptr;
  check(avformat_alloc_output_context2(&output, nullptr, file_.container, url_.c_str()));
  output_.reset(output);
  output->flags |= AVFMT_FLAG_FLUSH_PACKETS;  // the file plays even if the program is killed
  output->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;  // needed for FLAC in .mp4 files
  AVStream* video = avformat_new_stream(output, nullptr);
  if (video == nullptr) throw std::bad_alloc();
  video->time_base = codec_->time_base;
  if (!stream_.is_varying) video->avg_frame_rate = codec_->framerate;
  video->sample_aspect_ratio = codec_->sample_aspect_ratio;
  check(avcodec_parameters_from_context(video->codecpar, codec_.get()));
  if (stream_.orientation != 1 && file_.is_quicktime())
    set_orientation(*video, stream_.orientation);
  if (others_) {
    if (file_.stores_hdr_metadata()) set_hdr_metadata(*video, others_->hdr_metadata());
    copied_.emplace(
        *others_, file_, has_chapters(), *output, [this](int error) { check(error); },
        [this](AVPacket& packet) { write_packet(packet); });
    copied_->add();
  }
  Dictionary options;
  if (file_.is_mp4()) options.set("movflags", "frag_keyframe+delay_moov+default_base_moof");
  options.set("rtsp_transport", "tcp");  // with UDP, a peer that is gone would not be noticed
  if (is_peer() || io::written_directly(name())) {
    connect();
    check(avformat_write_header(output, options.get()));
  } else {
    write_file_header(options);
  }
  is_begun_ = true;
  check_connection();
}

// Writes the header to memory first, because opening the file empties it. If FFmpeg refuses the
// header, a file of that name stays as it was.
void FileSink::write_file_header(Dictionary& options) {
  check(avio_open_dyn_buf(&output_->pb));
  const int error = avformat_write_header(output_.get(), options.get());
  std::uint8_t* bytes = nullptr;
  const int count = avio_close_dyn_buf(std::exchange(output_->pb, nullptr), &bytes);
  const std::unique_ptr<std::uint8_t, void (*)(void*)> header(bytes, av_free);
  check(error);
  connect();
  avio_write(output_->pb, header.get(), count);
  avio_flush(output_->pb);
}

void FileSink::connect() {
  Dictionary options;
  options.set("protocol_whitelist", is_peer() ? network_protocols : "file");
  options.set("pkt_size", "1316");  // udp: 7 whole MPEG-TS packets of 188 bytes a datagram
  if (is_peer()) {
    output_->interrupt_callback = deadline_->callback();
    deadline_->restart();
  }
  if (file_.opens_itself()) return;
  check(avio_open2(&output_->pb, url_.c_str(), AVIO_FLAG_WRITE, &output_->interrupt_callback,
                   options.get()));
}

// Throws the first error of the output's connection, which FFmpeg keeps.
void FileSink::check_connection() {
  if (output_->pb != nullptr) check(output_->pb->error);
}

// Allocates a new frame buffer if the encoder still reads the old one.
void FileSink::renew_frame() {
  if (frame_->buf[0] != nullptr && av_frame_is_writable(frame_.get()) != 0) return;
  av_frame_unref(frame_.get());
  frame_->format = codec_->pix_fmt;
  frame_->width = codec_->width;
  frame_->height = codec_->height;
  frame_->colorspace = codec_->colorspace;
  frame_->color_range = codec_->color_range;
  frame_->chroma_location = codec_->chroma_sample_location;
  frame_->color_primaries = codec_->color_primaries;
  frame_->color_trc = codec_->color_trc;
  frame_->sample_aspect_ratio = codec_->sample_aspect_ratio;
  check(av_frame_get_buffer(frame_.get(), 0));
}

void FileSink::write_at(std::span<const std::byte> pixels, const FrameTime& time) {
  forget_messages();
  const AVRational tick = av_inv_q(rational_of(stream_.ticks()));
  const std::int64_t delay = others_ ? others_->delay_of_frames() : 0;
  const auto stamp_of = [&](std::int64_t ticks) {
    return av_rescale_q(ticks, tick, codec_->time_base) +
           av_rescale_q(delay, microsecond, codec_->time_base);
  };
  repeat_until(stamp_of(time.start));
  renew_frame();
  encoded_.fill(*frame_, pixels);
  const std::int64_t end = time.start + time.duration;
  const std::int64_t stamp = std::max(stamp_of(time.start), last_stamp_ + 1);
  end_ = av_rescale_q(end, tick, microsecond) + delay;
  ++frames_;
  encode(stamp, std::max<std::int64_t>(1, stamp_of(end) - stamp));
  write_other_packets(end_);
}

void FileSink::encode(std::int64_t stamp, std::int64_t duration) {
  frame_->pts = last_stamp_ = stamp;
  last_end_ = stamp + duration;
  durations_[stamp] = duration;
  frame_->quality = codec_->global_quality;
  check(avcodec_send_frame(codec_.get(), frame_.get()));
  write_packets();
}

// FFmpeg puts at most 60,000 empty frames in a row into an .avi file. In a longer pause, the last
// frame is repeated.
void FileSink::repeat_until(std::int64_t stamp) {
  constexpr std::int64_t most_empty_frames = 50'000;
  if (file_.kind != Kind::mjpeg || frames_ == 0) return;
  while (stamp - last_stamp_ > most_empty_frames) {
    encode(last_stamp_ + most_empty_frames, most_empty_frames);
  }
}

// Writes packets, but holds back the last one until the end. An .mp4 file lasts as long as the sum
// of its packets' durations, so the last packet in decoding order, which may be shown before
// others, gets the time that is left.
void FileSink::write_packets() {
  for (;;) {
    const int error = avcodec_receive_packet(codec_.get(), packet_.get());
    if (error == AVERROR(EAGAIN)) return;
    if (error == AVERROR_EOF) {
      if (held_->data == nullptr) return;
      const std::int64_t rest = last_end_ + first_decoded_ - held_->dts;
      if (file_.is_quicktime()) held_->duration = std::max<std::int64_t>(1, rest);
      return write_held();
    }
    check(error);
    if (frames_encoded_++ == 0) first_decoded_ = packet_->dts - packet_->pts;
    const auto node = durations_.extract(packet_->pts);
    if (!node.empty()) packet_->duration = node.mapped();
    write_held();
    av_packet_move_ref(held_.get(), packet_.get());
    if (is_peer()) write_held();  // a peer gets each packet at once
  }
}

void FileSink::write_held() {
  if (held_->data == nullptr) return;
  held_->stream_index = 0;
  av_packet_rescale_ts(held_.get(), codec_->time_base, output_->streams[0]->time_base);
  write_packet(*held_);
}

void FileSink::write_packet(AVPacket& packet) {
  if (deadline_) deadline_->restart();
  check(av_interleaved_write_frame(output_.get(), &packet));
  check_deadline();
  check_connection();
}

// Throws if the deadline has passed, because FFmpeg's rtsp muxer does not report a write that it
// gave up.
void FileSink::check_deadline() {
  if (deadline_ && deadline_->has_passed()) fail(AVERROR(ETIMEDOUT));
}

// After a failure, finish() writes as much of the end as possible, and reports no further error.
void FileSink::finish() {
  if (!is_begun_) return;
  forget_messages();
  if (!has_failed_) {
    check(avcodec_send_frame(codec_.get(), nullptr));
    write_packets();
    // If the source was not read to its end, the other tracks end with the frames.
    const bool has_all = others_ && others_->has_ended();
    write_other_packets(has_all ? std::numeric_limits<std::int64_t>::max() : end_);
  }
  if (deadline_) deadline_->restart();
  const int error = av_write_trailer(output_.get());
  const int written = output_->pb != nullptr ? output_->pb->error : 0;
  const int closed = avio_closep(&output_->pb);
  if (has_failed_) return;
  check(written);
  check(error);
  check(closed);
  check_deadline();
}

std::vector<std::string> FileSink::unstored_parts(const Stream& stream,
                                                  const Companions* companions) const {
  std::vector<std::string> dropped;
  const auto add = [&](bool is_dropped, const std::string& what) {
    if (is_dropped) dropped.push_back(what);
  };
  if (const auto* others = dynamic_cast<const OtherTracks*>(companions)) {
    bool starts_early = false;
    for (const OtherTracks::Track& each : others->tracks()) {
      const bool is_held = file_.takes(*each.codec);
      add(!is_held, each.text());
      starts_early = starts_early ||
                     (is_held && !file_.keeps_late_start_of(*each.codec) && others->is_late(each));
    }
    add(starts_early, "the late start of the sound");
    add(!has_chapters() && !others->chapters().empty(), "chapters");
    add(!file_.holds_attachments() && !others->attachments().empty(), others->attachments_text());
    for (const std::string& each : others->never_copied()) add(true, each);
    add(!file_.stores_hdr_metadata() && !others->hdr_metadata().empty(), "the HDR metadata");
  }
  add(stream.orientation != 1 && !file_.is_quicktime(), "the rotation tag");
  add(stream.is_deep() && file_.is_quicktime() && stream.depth > most_bits_of_quicktime,
      "more than 10 bits");
  add(stream.has_wide_range() && file_.kind == Kind::mjpeg, "the transfer function");
  add(stream.primaries == bt2020_primaries && file_.kind == Kind::mjpeg, "the colour primaries");
  return dropped;
}

}  // namespace

// "file:" makes FFmpeg take `path` as a file's name, even if it looks like an address.
std::unique_ptr<Sink> create_file(const std::string& path) {
  const KnownOutput& output = file_output(path);
  io::require_writable_path(path);
  return std::make_unique<FileSink>(path, "file:" + path, output, nullptr);
}

std::unique_ptr<Sink> create_for_peer(const std::string& address, double timeout_seconds) {
  return std::make_unique<FileSink>(name_of_address(address), address, peer_output(address),
                                    std::make_unique<Deadline>(timeout_seconds));
}

}  // namespace warpwise::live::ffmpeg
