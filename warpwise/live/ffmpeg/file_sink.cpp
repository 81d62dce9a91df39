#include "warpwise/live/ffmpeg/file_sink.hpp"

#include <algorithm>
#include <climits>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/alpha_fill.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/other_tracks.hpp"
#include "warpwise/live/ffmpeg/outputs.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
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

bool is_420(PixelFormat format) {
  return format == PixelFormat::i420 || format == PixelFormat::nv12 || format == PixelFormat::nv21;
}

AVRational rational_of(const Rate& rate) {
  if (!rate.is_known()) return {25, 1};
  AVRational result{};
  av_reduce(&result.num, &result.den, rate.numerator, rate.denominator, INT_MAX);
  return result;
}

// An .avi file has one frame for each tick; a frame may be empty. Frames of varying length get
// ticks of a millisecond.
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
      : Sink(name), file_(file), encoder_(encoder_of(file_, name)), url_(std::move(url)),
        deadline_(std::move(deadline)) {}

  Taken takes(const Stream& stream) const override;
  bool keeps_deep(const Stream& deep) const override;
  io::DeepPlanes planes_for_rgb() const override {
    return file_.kind == Kind::prores ? io::DeepPlanes::yuv444 : io::DeepPlanes::yuv420;
  }
  std::string holds(const Stream& taken) const override {
    if (taken.is_deep()) return name_of_pixels(deep_pixels_of(taken));
    if (file_.stores_420()) return "i420";
    return file_.kind == Kind::ffv1 ? taken.shape.pixel_text()
                                    : name_of_pixels(pixels_of(taken.format()));
  }
  void begin(const Stream& stream) override;
  std::vector<std::string> drops(const Stream& stream, const Companions* companions) const override;
  void accompany(std::shared_ptr<Companions> companions) override {
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
  AVPixelFormat pixels_of(PixelFormat format) const;
  AVPixelFormat deep_pixels_of(const Stream& deep) const;
  void require_size(const Stream& stream) const;
  void open_encoder(const Stream& stream);
  void open_file();
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
  void add_other_tracks();
  PacketFilter filter_for(const OtherTracks::Track& track);
  void write_other_packets(std::int64_t before);
  struct Copied;
  void write_copied(Copied& copied, AVPacket& packet, AVRational time_base);

  const KnownOutput& file_;
  const AVCodec& encoder_;  // of frames of 8 bits
  std::optional<DeepFill> fill_deep_;
  std::optional<AlphaFill> fill_alpha_;
  PixelFormat format_ = PixelFormat::i420;
  std::string url_;
  std::unique_ptr<Deadline> deadline_;  // of the peer's next wait; null for files
  Codec codec_;
  Output output_;  // set by begin(); is_begun_: the header was written
  Packet packet_ = new_packet();
  Packet held_ = new_packet();
  std::int64_t frames_encoded_ = 0;
  std::int64_t first_decoded_ =
      0;                       // decoding time of the first packet, relative to the first frame
  std::int64_t last_end_ = 0;  // end of the last frame, in the encoder's unit
  Frame frame_ = new_frame();
  Stream stream_;
  std::int64_t frames_ = 0;
  std::int64_t last_stamp_ = -1;
  std::int64_t end_ = 0;                            // end of the last frame, in microseconds
  std::map<std::int64_t, std::int64_t> durations_;  // by the times of frames in the encoder
  std::shared_ptr<OtherTracks> others_;
  struct Copied {
    int from;
    int to;
    PacketFilter filter;  // null if packets stay as they are
    std::int64_t last_stamp = std::numeric_limits<std::int64_t>::min();  // in the source's unit
    std::int64_t last_written = std::numeric_limits<std::int64_t>::min();
  };
  std::vector<Copied> copied_;
  bool is_begun_ = false;
  bool has_failed_ = false;
};

// Maximum width and height, close to FFmpeg's own limits for these encoders.
constexpr std::int64_t most_pixels = 16384;

// H.264 stores 4:2:0 of any colour properties unchanged. Readers of ProRes assume limited range.
// MJPEG cannot state them: its readers
// assume full range, BT.601, and chroma in the centre.
Sink::Taken FileSink::takes(const Stream& stream) const {
  require_size(stream);
  const PixelFormat format = stream.format();
  const Colours& colours = stream.colours;
  if (file_.kind == Kind::ffv1) {
    const bool keeps = planes_for(format).has_value();
    return {keeps ? format : PixelFormat::i444, colours.range.value, std::nullopt};
  }
  if (file_.kind == Kind::prores) {
    if (has_alpha(format)) return {PixelFormat::rgba32, std::nullopt};
    const bool keeps = is_420(format) || planes_for(format) == AV_PIX_FMT_YUV422P;
    const bool is_limited = colours.range.value == Range::limited;
    return {keeps && is_limited ? format : PixelFormat::i444, Range::limited, std::nullopt};
  }
  if (file_.kind == Kind::mjpeg) {
    const bool is_as_in_jpeg = colours.range.value == Range::full &&
                               colours.matrix.value == Matrix::bt601 &&
                               colours.siting.value == Siting::centre;
    const bool keeps = is_420(format) && is_as_in_jpeg;
    return {keeps ? format : PixelFormat::i444, Range::full, Matrix::bt601};
  }
  if (is_420(format)) return {format, colours.range.value, std::nullopt};
  return {PixelFormat::i444, Range::limited, std::nullopt};
}

// Few programs play RGB in HEVC, and ProRes has none: RGBA becomes YUV when it is written.
bool FileSink::keeps_deep(const Stream& deep) const {
  require_size(deep);
  if (file_.kind == Kind::ffv1) return true;
  if (file_.kind == Kind::prores) {
    const bool is_limited = deep.colours.range.value == Range::limited;
    return deep.shape.channels == 4 || (deep.shape.planes && is_limited);
  }
  if (!file_.is_mp4() || deep.shape.channels >= 3) return false;
  if (std::min(deep.shape.width, deep.shape.height) < least_side_of_hevc) return false;
  return avcodec_find_encoder_by_name(deep_encoder) != nullptr;
}

void FileSink::require_size(const Stream& stream) const {
  if (std::max(stream.shape.width, stream.shape.height) > most_pixels) {
    throw InvalidArgument(name() + " takes frames of up to " + std::to_string(most_pixels) +
                          " pixels a side");
  }
  if (file_.kind != Kind::h264) return;
  if (stream.shape.width % 2 != 0 || stream.shape.height % 2 != 0) {
    throw InvalidArgument(
        name() + ": 4:2:0 has even sizes, not " + std::to_string(stream.shape.width) + "x" +
        std::to_string(stream.shape.height) + "; .avi, .mkv and .mov take odd ones too");
  }
}

void FileSink::fail(int error) {
  has_failed_ = true;
  const bool is_gone = is_peer() && (error == AVERROR(EPIPE) || error == AVERROR(ECONNRESET) ||
                                     error == AVERROR_EOF);
  const bool is_late = is_peer() && deadline_->has_passed();
  throw IoError(
      "cannot write " + name() + ": " +
      (is_late ? nothing_taken(*deadline_)
               : (is_gone ? "the peer is gone: " : "") + without_password(reason_of(error), url_)));
}

AVPixelFormat FileSink::pixels_of(PixelFormat format) const {
  if (file_.kind == Kind::ffv1) return planes_for(format).value();
  if (file_.kind == Kind::mjpeg) return AV_PIX_FMT_YUVJ420P;
  if (file_.kind == Kind::h264) return AV_PIX_FMT_YUV420P;
  if (has_alpha(format)) return AV_PIX_FMT_YUVA444P10LE;
  return format == PixelFormat::i444 ? AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_YUV422P10LE;
}

// The sample of the fewest bits that has all bits of the stream.
AVPixelFormat FileSink::deep_pixels_of(const Stream& deep) const {
  if (file_.kind == Kind::ffv1) {
    const int bits = deep.depth <= 10 ? 10 : deep.depth <= 12 ? 12 : 16;
    return deep_pixels_for(deep, bits);
  }
  if (file_.kind == Kind::prores) {
    if (deep.shape.channels == 4) return AV_PIX_FMT_YUVA444P10LE;
    const bool is_444 = deep.shape.planes == io::DeepPlanes::yuv444;
    return is_444 ? AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_YUV422P10LE;
  }
  // Few programs play grey alone in HEVC.
  if (!deep.shape.planes) return AV_PIX_FMT_YUV420P10LE;
  return deep_pixels_for(deep, most_bits_of_quicktime);
}

void FileSink::begin(const Stream& stream) {
  forget_messages();
  format_ = stream.samples_of_8_bits();
  if (file_.kind == Kind::prores && has_alpha(format_)) {
    fill_alpha_.emplace(stream, AV_PIX_FMT_YUVA444P10LE);
  } else if (stream.is_deep()) {
    fill_deep_.emplace(stream, deep_pixels_of(stream));
  }
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
  codec_->pix_fmt = stream.is_deep() ? deep_pixels_of(stream) : pixels_of(format_);
  codec_->width = static_cast<int>(stream.shape.width);
  codec_->height = static_cast<int>(stream.shape.height);
  codec_->framerate = rate;
  codec_->time_base =
      av_inv_q(file_.kind == Kind::mjpeg ? grid_of_avi(stream) : rational_of(stream.ticks()));
  codec_->sample_aspect_ratio = aspect_of(stream.pixel_aspect);
  codec_->color_primaries = static_cast<AVColorPrimaries>(stream.primaries);
  codec_->color_trc = static_cast<AVColorTransferCharacteristic>(stream.transfer);
  if (stream.is_varying) codec_->max_b_frames = 0;  // else the last frame's duration is lost
  Colours colours = stream.colours;
  if (file_.stores_420() && !stream.is_deep() && !is_420(format_))
    colours.siting.value = Siting::centre;
  const EncoderTags tags =
      fill_alpha_ ? encoder_tags(fill_alpha_->colours(), PixelFormat::i444, codec_->pix_fmt)
                  : encoder_tags(colours, format_, codec_->pix_fmt);
  codec_->colorspace = tags.matrix;
  codec_->color_range = tags.range;
  codec_->chroma_sample_location = tags.siting;
  codec_->thread_count = 0;
  Dictionary options;
  set_quality(*codec_, file_, options);
  check(avcodec_open2(codec_.get(), &encoder, options.get()));
}

void FileSink::open_file() {
  AVFormatContext* output = nullptr;
  check(avformat_alloc_output_context2(&output, nullptr, file_.container, url_.c_str()));
  output_.reset(output);
  output->flags |= AVFMT_FLAG_FLUSH_PACKETS;  // a killed program leaves a file that plays
  output->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;  // FLAC in .mp4 files
  AVStream* video = avformat_new_stream(output, nullptr);
  if (video == nullptr) throw std::bad_alloc();
  video->time_base = codec_->time_base;
  if (!stream_.is_varying) video->avg_frame_rate = codec_->framerate;
  video->sample_aspect_ratio = codec_->sample_aspect_ratio;
  check(avcodec_parameters_from_context(video->codecpar, codec_.get()));
  if (stream_.orientation != 1 && file_.is_quicktime())
    set_orientation(*video, stream_.orientation);
  if (others_) add_other_tracks();
  connect();
  Dictionary options;
  if (file_.is_mp4()) options.set("movflags", "frag_keyframe+delay_moov+default_base_moof");
  options.set("rtsp_transport", "tcp");  // datagrams would not show that the peer is gone
  check(avformat_write_header(output, options.get()));
  is_begun_ = true;
  check_connection();
}

void FileSink::connect() {
  Dictionary options;
  options.set("protocol_whitelist", is_peer() ? network_protocols : "file");
  options.set("pkt_size", "1316");  // udp: whole packets of 188 bytes
  if (is_peer()) {
    output_->interrupt_callback = deadline_->callback();
    deadline_->restart();
  }
  if (file_.opens_itself()) return;
  check(avio_open2(&output_->pb, url_.c_str(), AVIO_FLAG_WRITE, &output_->interrupt_callback,
                   options.get()));
}

// FFmpeg keeps the first error of a connection that it opened for the container.
void FileSink::check_connection() {
  if (output_->pb != nullptr) check(output_->pb->error);
}

// Allocates a new buffer if an encoder still reads the old one.
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
  if (fill_alpha_) {
    (*fill_alpha_)(*frame_, pixels);
  } else if (fill_deep_) {
    (*fill_deep_)(*frame_, pixels);
  } else if (file_.stores_420() && !is_420(format_)) {
    fill_with_halved_chroma(*frame_, pixels);
  } else {
    fill_frame(*frame_, format_, pixels);
  }
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

// FFmpeg puts at most 60,000 empty frames into an .avi file. Before a longer pause, the last frame
// is repeated.
void FileSink::repeat_until(std::int64_t stamp) {
  constexpr std::int64_t most_empty_frames = 50'000;
  if (file_.kind != Kind::mjpeg || frames_ == 0) return;
  while (stamp - last_stamp_ > most_empty_frames) {
    encode(last_stamp_ + most_empty_frames, most_empty_frames);
  }
}

// Holds back the last packet, because an .mp4 file is as long as the sum of its packets' durations.
// The last packet in decoding order may be shown before others.
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
    if (is_peer()) write_held();  // at once
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

// FFmpeg's muxer of rtsp reports no write that was given up.
void FileSink::check_deadline() {
  if (deadline_ && deadline_->has_passed()) fail(AVERROR(ETIMEDOUT));
}

// After a failure it writes as much of the end as possible, and reports no further error.
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

std::vector<std::string> FileSink::drops(const Stream& stream, const Companions* companions) const {
  std::vector<std::string> dropped;
  const auto add = [&](bool is_dropped, const std::string& what) {
    if (is_dropped) dropped.push_back(what);
  };
  if (const auto* others = dynamic_cast<const OtherTracks*>(companions)) {
    for (const OtherTracks::Track& each : others->tracks()) {
      add(!file_.takes(*each.codec), each.text());
    }
    add(!has_chapters() && !others->chapters().empty(), "chapters");
    add(others->has_cover(), "the cover picture");
  }
  add(stream.orientation != 1 && !file_.is_quicktime(), "the turn");
  add(stream.is_deep() && file_.is_quicktime() && stream.depth > most_bits_of_quicktime,
      "more than 10 bits");
  add(stream.has_wide_range() && file_.kind == Kind::mjpeg, "the transfer");
  add(stream.primaries == bt2020_primaries && file_.kind == Kind::mjpeg, "the primaries");
  return dropped;
}

// AAC packets of a transport stream have a header that .mp4 files must not have. FFmpeg 5.1 removes
// it by itself only in files without fragments.
PacketFilter FileSink::filter_for(const OtherTracks::Track& track) {
  const bool has_headers =
      track.codec->codec_id == AV_CODEC_ID_AAC && track.codec->extradata_size == 0;
  if (!file_.is_mp4() || !has_headers) return nullptr;
  AVBSFContext* filter = nullptr;
  check(av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &filter));
  PacketFilter result(filter);
  check(avcodec_parameters_copy(filter->par_in, track.codec.get()));
  filter->time_base_in = track.time_base;
  check(av_bsf_init(filter));
  return result;
}

// Adds the tags, the tracks that the container takes, and the chapters.
void FileSink::add_other_tracks() {
  check(av_dict_copy(&output_->metadata, others_->tags().get(), 0));
  for (const OtherTracks::Track& each : others_->tracks()) {
    if (!file_.takes(*each.codec)) continue;
    AVStream* stream = avformat_new_stream(output_.get(), nullptr);
    if (stream == nullptr) throw std::bad_alloc();
    check(avcodec_parameters_copy(stream->codecpar, each.codec.get()));
    stream->time_base = each.time_base;
    stream->disposition = each.disposition;
    check(av_dict_copy(&stream->metadata, each.names.get(), 0));
    copied_.push_back({.from = each.number, .to = stream->index, .filter = filter_for(each)});
  }
  for (const OtherTracks::Chapter& each : others_->chapters()) {
    const std::int64_t end = std::min(each.end, others_->end_of_frames()) - others_->start();
    const bool is_shown = each.start < others_->end_of_frames() && end > 0;
    if (!has_chapters() || !is_shown) continue;
    auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    if (chapter == nullptr) throw std::bad_alloc();
    chapter->id = each.id;
    chapter->time_base = microsecond;
    chapter->start = std::max<std::int64_t>(0, each.start - others_->start());
    chapter->end = end;
    check(av_dict_copy(&chapter->metadata, each.names.get(), 0));
    int count = static_cast<int>(output_->nb_chapters);
    av_dynarray_add(&output_->chapters, &count, chapter);
    output_->nb_chapters = static_cast<unsigned>(count);
  }
}

// Writes the other tracks' packets that begin before a time, in microseconds. Skips packets without
// a time, and those not later than their predecessor.
void FileSink::write_other_packets(std::int64_t before) {
  while (const Packet packet = others_ ? others_->take(before) : nullptr) {
    const auto copied = std::ranges::find(copied_, packet->stream_index, &Copied::from);
    if (copied == copied_.end()) continue;
    const AVRational from = others_->track(packet->stream_index).time_base;
    if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
    if (packet->dts == AV_NOPTS_VALUE) packet->dts = packet->pts;
    if (packet->pts == AV_NOPTS_VALUE || packet->dts <= copied->last_stamp) continue;
    copied->last_stamp = packet->dts;
    const std::int64_t start = av_rescale_q(others_->start(), microsecond, from);
    packet->pts -= start;
    packet->dts -= start;
    packet->stream_index = copied->to;
    packet->pos = -1;
    if (!copied->filter) {
      write_copied(*copied, *packet, from);
      continue;
    }
    check(av_bsf_send_packet(copied->filter.get(), packet.get()));
    while (av_bsf_receive_packet(copied->filter.get(), packet.get()) >= 0) {
      write_copied(*copied, *packet, from);
    }
  }
}

void FileSink::write_copied(Copied& copied, AVPacket& packet, AVRational time_base) {
  av_packet_rescale_ts(&packet, time_base, output_->streams[packet.stream_index]->time_base);
  // Two different times may become equal in the container's unit.
  packet.dts = std::max(packet.dts, copied.last_written + 1);
  packet.pts = std::max(packet.pts, packet.dts);
  copied.last_written = packet.dts;
  write_packet(packet);
}

}  // namespace

// Takes `path` as a file's name, even if it looks like an address.
std::unique_ptr<Sink> create_file(const std::string& path) {
  const KnownOutput& output = file_output(path);
  io::require_place(path);
  return std::make_unique<FileSink>(path, "file:" + path, output, nullptr);
}

std::unique_ptr<Sink> create_for_peer(const std::string& address, double timeout_seconds) {
  return std::make_unique<FileSink>(name_of_address(address), address, peer_output(address),
                                    std::make_unique<Deadline>(timeout_seconds));
}

}  // namespace warpwise::live::ffmpeg
