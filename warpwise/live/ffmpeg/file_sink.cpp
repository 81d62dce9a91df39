#include "warpwise/live/ffmpeg/file_sink.hpp"

#include <algorithm>
#include <climits>
#include <new>

#include "warpwise/base/error.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/ffmpeg/libraries.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"

namespace warpwise::live::ffmpeg {
namespace {

enum class Kind { h264, mjpeg, ffv1 };

struct KnownFile {
  std::string_view extension;
  Kind kind;
  const char* container;
  const char* encoder;
};
constexpr KnownFile known_files[] = {{".mp4", Kind::h264, "mp4", "libx264"},
                                     {".avi", Kind::mjpeg, "avi", "mjpeg"},
                                     {".mkv", Kind::ffv1, "matroska", "ffv1"}};

const KnownFile& file_of(const std::string& path) {
  for (const KnownFile& each : known_files) {
    if (io::extension_of(path) == each.extension) return each;
  }
  throw InvalidArgument(path + " does not end with .mp4, .avi or .mkv");
}

const AVCodec& encoder_of(const KnownFile& file, const std::string& path) {
  const AVCodec* encoder = avcodec_find_encoder_by_name(file.encoder);
  if (encoder != nullptr) return *encoder;
  throw IoError("cannot write " + path + ": this FFmpeg was built without its encoder, " +
                file.encoder);
}

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

// Distance of key frames. A truncated file loses the frames after its last key frame.
int frames_of_two_seconds(AVRational rate) {
  return static_cast<int>(std::clamp(2 * av_q2d(rate), 1.0, 600.0));
}

void set_quality(AVCodecContext& codec, Kind kind, Dictionary& options) {
  if (kind == Kind::h264) {
    codec.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    codec.gop_size = frames_of_two_seconds(codec.framerate);
    options.set("preset", "veryfast");
    options.set("crf", "18");
  }
  if (kind == Kind::mjpeg) {
    codec.flags |= AV_CODEC_FLAG_QSCALE;
    codec.global_quality = 2 * FF_QP2LAMBDA;  // second best; the best doubles the file's size
  }
  if (kind == Kind::ffv1) {
    codec.gop_size = 1;
    // Version 3 cuts frames into slices, each with a checksum. For small frames FFmpeg makes empty
    // slices and loses other ones, so they use version 1.
    const bool is_small = std::min(codec.width, codec.height) < 32;
    codec.level = is_small ? 1 : 3;
    if (!is_small) options.set("slicecrc", "1");
  }
}

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::string& path)
      : Sink(path), file_(file_of(path)), encoder_(encoder_of(file_, path)) {
    io::require_place(path);
  }

  Taken takes(const Stream& stream) const override;
  PixelFormat holds(const Stream& taken) const override {
    return file_.kind == Kind::ffv1 ? taken.format() : PixelFormat::i420;
  }
  void begin(const Stream& stream) override;
  void write(std::span<const std::byte> pixels) override;
  void finish() override;

 private:
  [[noreturn]] void fail(int error);
  void check(int error) {
    if (error < 0) fail(error);
  }
  AVPixelFormat pixels_of(PixelFormat format) const;
  void open_encoder(const Stream& stream);
  void open_file();
  void renew_frame();
  void write_packets();

  const KnownFile& file_;
  const AVCodec& encoder_;
  PixelFormat format_ = PixelFormat::i420;
  Codec codec_;
  Output output_;  // set by begin(); is_begun_ says that its header was written
  Packet packet_ = new_packet();
  Frame frame_ = new_frame();
  std::int64_t frames_ = 0;
  bool is_begun_ = false;
  bool has_failed_ = false;
};

// Maximum width and height, close to FFmpeg's own limits for these encoders.
constexpr std::int64_t most_pixels = 16384;

// H.264 stores 4:2:0 of any colours unchanged. MJPEG cannot state colours: its readers assume full
// range, BT.601, chroma in the centre.
Sink::Taken FileSink::takes(const Stream& stream) const {
  if (std::max(stream.shape.width, stream.shape.height) > most_pixels) {
    throw InvalidArgument(name() + " takes frames of up to " + std::to_string(most_pixels) +
                          " pixels a side");
  }
  const PixelFormat format = stream.format();
  const Colours& colours = stream.colours;
  if (file_.kind == Kind::ffv1) {
    const bool keeps = planes_for(format).has_value();
    return {keeps ? format : PixelFormat::i444, colours.range.value, std::nullopt};
  }
  if (file_.kind == Kind::mjpeg) {
    const bool is_as_in_jpeg = colours.range.value == Range::full &&
                               colours.matrix.value == Matrix::bt601 &&
                               colours.siting.value == Siting::centre;
    const bool keeps = is_420(format) && is_as_in_jpeg;
    return {keeps ? format : PixelFormat::i444, Range::full, Matrix::bt601};
  }
  if (stream.shape.width % 2 != 0 || stream.shape.height % 2 != 0) {
    throw InvalidArgument(
        name() + ": H.264 of 4:2:0 has even sizes, not " + std::to_string(stream.shape.width) +
        "x" + std::to_string(stream.shape.height) + "; .avi and .mkv take odd ones too");
  }
  if (is_420(format)) return {format, colours.range.value, std::nullopt};
  return {PixelFormat::i444, Range::limited, std::nullopt};
}

void FileSink::fail(int error) {
  has_failed_ = true;
  throw IoError("cannot write " + name() + ": " + reason_of(error));
}

AVPixelFormat FileSink::pixels_of(PixelFormat format) const {
  if (file_.kind == Kind::ffv1) return planes_for(format).value();
  return file_.kind == Kind::mjpeg ? AV_PIX_FMT_YUVJ420P : AV_PIX_FMT_YUV420P;
}

void FileSink::begin(const Stream& stream) {
  forget_messages();
  format_ = stream.format();
  open_encoder(stream);
  open_file();
}

void FileSink::open_encoder(const Stream& stream) {
  codec_.reset(avcodec_alloc_context3(&encoder_));
  if (!codec_) throw std::bad_alloc();
  const AVRational rate = rational_of(stream.rate);
  codec_->pix_fmt = pixels_of(format_);
  codec_->width = static_cast<int>(stream.shape.width);
  codec_->height = static_cast<int>(stream.shape.height);
  codec_->framerate = rate;
  codec_->time_base = av_inv_q(rate);
  Colours colours = stream.colours;
  if (file_.kind != Kind::ffv1 && !is_420(format_)) colours.siting.value = Siting::centre;
  const EncoderTags tags = encoder_tags(colours, format_, codec_->pix_fmt);
  codec_->colorspace = tags.matrix;
  codec_->color_range = tags.range;
  codec_->chroma_sample_location = tags.siting;
  codec_->thread_count = 0;
  Dictionary options;
  set_quality(*codec_, file_.kind, options);
  check(avcodec_open2(codec_.get(), &encoder_, options.get()));
}

void FileSink::open_file() {
  AVFormatContext* output = nullptr;
  check(avformat_alloc_output_context2(&output, nullptr, file_.container, nullptr));
  output_.reset(output);
  output->flags |= AVFMT_FLAG_FLUSH_PACKETS;  // written frames play if the program is killed
  AVStream* video = avformat_new_stream(output, nullptr);
  if (video == nullptr) throw std::bad_alloc();
  video->time_base = codec_->time_base;
  video->avg_frame_rate = codec_->framerate;
  check(avcodec_parameters_from_context(video->codecpar, codec_.get()));
  check(avio_open(&output->pb, ("file:" + name()).c_str(), AVIO_FLAG_WRITE));
  Dictionary options;
  if (file_.kind == Kind::h264) {
    options.set("movflags", "frag_keyframe+empty_moov+default_base_moof");
  }
  check(avformat_write_header(output, options.get()));
  is_begun_ = true;
  check(output->pb->error);
}

// Takes a new buffer if an encoder still reads the old one.
void FileSink::renew_frame() {
  if (frame_->buf[0] != nullptr && av_frame_is_writable(frame_.get()) != 0) return;
  av_frame_unref(frame_.get());
  frame_->format = codec_->pix_fmt;
  frame_->width = codec_->width;
  frame_->height = codec_->height;
  frame_->colorspace = codec_->colorspace;
  frame_->color_range = codec_->color_range;
  frame_->chroma_location = codec_->chroma_sample_location;
  check(av_frame_get_buffer(frame_.get(), 0));
}

void FileSink::write(std::span<const std::byte> pixels) {
  forget_messages();
  renew_frame();
  if (file_.kind != Kind::ffv1 && !is_420(format_)) {
    fill_with_halved_chroma(*frame_, pixels);
  } else {
    fill_frame(*frame_, format_, pixels);
  }
  frame_->pts = frames_++;
  frame_->quality = codec_->global_quality;
  check(avcodec_send_frame(codec_.get(), frame_.get()));
  write_packets();
}

void FileSink::write_packets() {
  for (;;) {
    const int error = avcodec_receive_packet(codec_.get(), packet_.get());
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return;
    check(error);
    packet_->stream_index = 0;
    packet_->duration = 1;
    av_packet_rescale_ts(packet_.get(), codec_->time_base, output_->streams[0]->time_base);
    check(av_interleaved_write_frame(output_.get(), packet_.get()));
    check(output_->pb->error);
  }
}

// After a failure it writes as much of the end as it can, and reports nothing more.
void FileSink::finish() {
  if (!is_begun_) return;
  forget_messages();
  if (!has_failed_) {
    check(avcodec_send_frame(codec_.get(), nullptr));
    write_packets();
  }
  const int error = av_write_trailer(output_.get());
  const int written = output_->pb->error;
  const int closed = avio_closep(&output_->pb);
  if (has_failed_) return;
  check(written);
  check(error);
  check(closed);
}

}  // namespace

std::unique_ptr<Sink> create_file(const std::string& path) {
  return std::make_unique<FileSink>(path);
}

}  // namespace warpwise::live::ffmpeg
