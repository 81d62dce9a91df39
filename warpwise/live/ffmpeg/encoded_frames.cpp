#include "warpwise/live/ffmpeg/encoded_frames.hpp"

#include <algorithm>

#include "warpwise/base/error.hpp"

namespace warpwise::live::ffmpeg {
namespace {

bool is_420(PixelFormat format) {
  return format == PixelFormat::i420 || format == PixelFormat::nv12 || format == PixelFormat::nv21;
}

// Maximum width and height, close to FFmpeg's own limits for these encoders.
constexpr std::int64_t most_pixels = 16384;

}  // namespace

// Each encoder has its own rule. H.264 can state all colour properties, so it takes any 4:2:0
// unchanged. Readers of ProRes assume limited range, so LimitedFill converts RGB and full-range
// frames to it. MJPEG states no colour properties. Its frames get those that its readers assume:
// full range, BT.601, and chroma in the centre.
Sink::AcceptedFrames EncodedFrames::accepted_frames(const Stream& stream) const {
  require_size(stream);
  const PixelFormat format = stream.format();
  const Colours& colours = stream.colours;
  if (file_.kind == Kind::ffv1) {
    const bool keeps = planes_for(format).has_value();
    return {keeps ? format : PixelFormat::i444, colours.range.value, std::nullopt};
  }
  if (file_.kind == Kind::prores) {
    if (has_alpha(format)) return {PixelFormat::rgba32, std::nullopt};
    if (!has_luma(format)) return {PixelFormat::rgb24, std::nullopt};
    const bool is_limited = colours.range.value == Range::limited;
    const bool keeps = is_limited ? is_420(format) || planes_for(format) == AV_PIX_FMT_YUV422P
                                  : format == PixelFormat::gray8;
    return {keeps ? format : PixelFormat::i444, colours.range.value, std::nullopt};
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

// RGB for .mp4 is not kept but converted, because few programs play HEVC of RGB. ProRes takes RGBA,
// which fill() converts to YUV with alpha.
bool EncodedFrames::accepts_deep_frames(const Stream& deep) const {
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

void EncodedFrames::require_size(const Stream& stream) const {
  if (std::max(stream.shape.width, stream.shape.height) > most_pixels) {
    throw InvalidArgument(name_ + " takes frames of up to " + std::to_string(most_pixels) +
                          " pixels a side");
  }
  if (file_.kind != Kind::h264) return;
  if (stream.shape.width % 2 != 0 || stream.shape.height % 2 != 0) {
    throw InvalidArgument(
        name_ + ": frames of 4:2:0 need even sizes, not " + std::to_string(stream.shape.width) +
        "x" + std::to_string(stream.shape.height) + "; .avi, .mkv and .mov take odd ones too");
  }
}

AVPixelFormat EncodedFrames::pixels_of(PixelFormat format) const {
  if (file_.kind == Kind::ffv1) return planes_for(format).value();
  if (file_.kind == Kind::mjpeg) return AV_PIX_FMT_YUVJ420P;
  if (file_.kind == Kind::h264) return AV_PIX_FMT_YUV420P;
  if (has_alpha(format)) return AV_PIX_FMT_YUVA444P10LE;
  const bool is_shared = is_420(format) || planes_for(format) == AV_PIX_FMT_YUV422P;
  return is_shared ? AV_PIX_FMT_YUV422P10LE : AV_PIX_FMT_YUV444P10LE;
}

// Returns the encoder's pixel format. FFV1 gets 10, 12 or 16 bits, as few as hold the stream's
// samples. All other encoders get 10 bits.
AVPixelFormat EncodedFrames::deep_pixels_of(const Stream& deep) const {
  if (file_.kind == Kind::ffv1) {
    const int bits = deep.depth <= 10 ? 10 : deep.depth <= 12 ? 12 : 16;
    return deep_pixels_for(deep, bits);
  }
  if (file_.kind == Kind::prores) {
    if (deep.shape.channels == 4) return AV_PIX_FMT_YUVA444P10LE;
    const bool is_444 = deep.shape.planes == io::DeepPlanes::yuv444;
    return is_444 ? AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_YUV422P10LE;
  }
  // Few programs play grey alone in HEVC, so grey becomes 4:2:0.
  if (!deep.shape.planes) return AV_PIX_FMT_YUV420P10LE;
  return deep_pixels_for(deep, most_bits_of_quicktime);
}

std::string EncodedFrames::text_of(const Stream& taken) const {
  if (taken.is_deep()) return name_of_pixels(deep_pixels_of(taken));
  if (file_.stores_420()) return "i420";
  return file_.kind == Kind::ffv1 ? taken.shape.pixel_text()
                                  : name_of_pixels(pixels_of(taken.format()));
}

void EncodedFrames::begin(const Stream& stream) {
  format_ = stream.format_of_8_bits();
  pixels_ = stream.is_deep() ? deep_pixels_of(stream) : pixels_of(format_);
  tags_ = tags_of(stream);
  const bool is_limited = has_luma(format_) && stream.colours.range.value == Range::limited;
  if (file_.kind == Kind::prores && !is_limited) {
    fill_limited_.emplace(stream, pixels_);
    tags_ = encoder_tags(fill_limited_->colours(), PixelFormat::i444, pixels_);
  } else if (stream.is_deep()) {
    fill_deep_.emplace(stream, pixels_);
  }
}

EncoderTags EncodedFrames::tags_of(const Stream& stream) const {
  Colours colours = stream.colours;
  if (file_.stores_420() && !stream.is_deep() && !is_420(format_)) {
    // The chroma of 4:2:2 keeps its columns, and each two of its rows are averaged.
    colours.siting = is_subsampled(format_) ? siting_of_row_means(colours.siting)
                                            : WithOrigin<Siting>{Siting::centre, Origin::stage};
  }
  return encoder_tags(colours, format_, pixels_);
}

void EncodedFrames::fill(AVFrame& frame, std::span<const std::byte> from) {
  if (fill_limited_) return (*fill_limited_)(frame, from);
  if (fill_deep_) return (*fill_deep_)(frame, from);
  if (file_.stores_420() && !is_420(format_)) return fill_with_halved_chroma(frame, from);
  fill_frame(frame, format_, from);
}

}  // namespace warpwise::live::ffmpeg
