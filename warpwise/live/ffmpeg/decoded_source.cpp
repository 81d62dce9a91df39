#include "warpwise/live/ffmpeg/decoded_source.hpp"

#include <utility>

#include "warpwise/live/ffmpeg/pixels.hpp"

namespace warpwise::live::ffmpeg {
namespace {

bool is_interlaced(const AVFrame& frame) {
#ifdef AV_FRAME_FLAG_INTERLACED  // since FFmpeg 6.1
  return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame.interlaced_frame != 0;
#endif
}

void require_readable(const AVFrame& frame, const Decoder& decoder) {
  if (!format_of(static_cast<AVPixelFormat>(frame.format))) {
    decoder.fail("its pixels are " + name_of_pixels(frame.format) +
                 "; those of 8 bits in yuv420p, yuv422p, yuv444p, nv12, nv21, yuyv422, uyvy422, "
                 "gray, and RGB can be read (ffmpeg's -pix_fmt yuv420p makes such)");
  }
  if (is_interlaced(frame)) {
    decoder.fail("frame " + std::to_string(decoder.number()) +
                 " is interlaced; deinterlace it first, for example with ffmpeg's -vf yadif");
  }
}

// Refuses a tagged matrix that Warpwise does not know: any guess would be wrong.
void require_known_matrix(const AVFrame& frame, const Decoder& decoder) {
  const std::string unknown = unknown_matrix(frame, *decoder.stream().codecpar);
  if (unknown.empty() || !has_luma(*format_of(static_cast<AVPixelFormat>(frame.format)))) return;
  decoder.fail("its colours are tagged " + unknown +
               ", not bt601, bt709 or bt2020; choose one of these by --matrix");
}

const AVFrame& first_of(Decoder& decoder, const SourceOptions& options) {
  const AVFrame* first = decoder.next();
  if (first == nullptr) decoder.fail("it has no frame");
  require_readable(*first, decoder);
  if (!options.colours.matrix) require_known_matrix(*first, decoder);
  return *first;
}

Rate rate_of(const AVStream& stream) {
  for (const AVRational rate : {stream.avg_frame_rate, stream.r_frame_rate}) {
    const Rate in_our_words{rate.num, rate.den};
    if (rate.den > 0 && in_our_words.is_possible()) return in_our_words;
  }
  return {};
}

Stream stream_of_frames(const AVFrame& first, const AVStream& video, const SourceOptions& options) {
  return stream_of(format_of(static_cast<AVPixelFormat>(first.format)).value(), first.width,
                   first.height, options.rate.value_or(rate_of(video)), options.colours,
                   tags_of(first, *video.codecpar));
}

}  // namespace

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

DecodedSource::DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options)
    : DecodedSource(std::move(decoder), first_of(*decoder, options), options) {}

DecodedSource::DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                             const SourceOptions& options)
    : Source(decoder->name() + " (" + decoder->codec_name() + ")",
             stream_of_frames(first, decoder->stream(), options)),
      decoder_(std::move(decoder)), first_(&first), pixels_(first.format) {}

bool DecodedSource::next(std::span<std::byte> pixels) {
  const AVFrame* frame = first_ != nullptr ? std::exchange(first_, nullptr) : decoder_->next();
  if (frame == nullptr) return false;
  require_like_the_first(*frame);
  copy_frame(*frame, pixels);
  return true;
}

void DecodedSource::require_like_the_first(const AVFrame& frame) const {
  const io::PictureShape& all = stream().shape;
  const std::string at = " at frame " + std::to_string(decoder_->number());
  if (frame.width != all.width || frame.height != all.height) {
    decoder_->fail("it changes its size from " + size_text(all.width, all.height) + " to " +
                   size_text(frame.width, frame.height) + at);
  }
  if (frame.format != pixels_) {
    decoder_->fail("it changes its pixels from " + name_of_pixels(pixels_) + " to " +
                   name_of_pixels(frame.format) + at);
  }
  require_readable(frame, *decoder_);
}

}  // namespace warpwise::live::ffmpeg
