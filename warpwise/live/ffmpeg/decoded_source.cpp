#include "warpwise/live/ffmpeg/decoded_source.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/live/turn.hpp"

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
  if (!shape_of(pixels_of(frame), frame.width, frame.height)) {
    decoder.fail("its pixels are " + name_of_pixels(pixels_of(frame)) +
                 "; grey, YUV and RGB of 8 to 16 bits can be read (ffmpeg's -pix_fmt " +
                 readable_pixels_like(pixels_of(frame)) + " makes such)");
  }
  if (is_interlaced(frame) && !decoder.deinterlaces()) {
    decoder.fail("frame " + std::to_string(decoder.number()) +
                 " is interlaced; warpwise stream … --deinterlace makes whole frames");
  }
}

// Refuses a tagged matrix that Warpwise does not know, because any guess would be wrong.
void require_known_matrix(const AVFrame& frame, const Decoder& decoder) {
  const std::string unknown = unknown_matrix(frame, *decoder.stream().codecpar);
  if (unknown.empty() || is_rgb(pixels_of(frame))) return;
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

io::PictureShape shape_in(const AVFrame& frame) {
  return shape_of(pixels_of(frame), frame.width, frame.height).value();
}

// Returns Exif's number of the turn that the source makes.
int turn_by(const AVFrame& first, const Decoder& decoder, const SourceOptions& options) {
  const int orientation = orientation_of(first, decoder.stream());
  if (!options.autorotate || orientation == 1) return 1;
  if (orientation == 0) {
    decoder.fail(
        "its frames have to be turned by an angle that is no quarter turn; "
        "--no-autorotate reads them as they are stored");
  }
  if (!can_turn(shape_in(first))) {
    decoder.fail("its frames have to be turned (" + turn_text(orientation) +
                 "), but are 4:2:2; --no-autorotate reads them as they are stored, ffmpeg's "
                 "-pix_fmt yuv444p makes frames that can be turned");
  }
  return orientation;
}

// Describes the frames as the source returns them.
Stream stream_of_frames(const AVFrame& first, const Decoder& decoder,
                        const SourceOptions& options) {
  const AVStream& video = decoder.stream();
  const int turn = turn_by(first, decoder, options);
  // The guess of the colours depends on the stored size.
  Stream stream = stream_of(shape_in(first), {}, options.colours, tags_of(first, *video.codecpar));
  stream.depth = depth_of(pixels_of(first));
  stream.shape = turned(stream.shape, turn);
  set_pace(stream, video);
  set_tags(stream, first, video);
  if (turn >= 5) std::swap(stream.pixel_aspect.width, stream.pixel_aspect.height);
  if (turn == 1) stream.orientation = std::max(1, orientation_of(first, video));
  if (options.rate) {
    stream.rate = *options.rate;
    stream.own_ticks = {};
    stream.is_varying = false;
  }
  return stream;
}

// VP8 and VP9 keep alpha beside their frames, where FFmpeg's own decoders do not look.
bool lacks_alpha(const AVFrame& first, const AVStream& video) {
  const AVDictionaryEntry* mode = av_dict_get(video.metadata, "alpha_mode", nullptr, 0);
  const bool is_beside = mode != nullptr && std::string_view(mode->value) == "1";
  return is_beside || leaves_alpha_out(pixels_of(first));
}

std::string name_with_kind(const AVFrame& first, const Decoder& decoder,
                           const SourceOptions& options) {
  const int turn = turn_by(first, decoder, options);
  const std::string deinterlaced = decoder.deinterlaces() ? ", deinterlaced" : "";
  const std::string turned_by = turn == 1 ? "" : ", turned: " + turn_text(turn);
  const std::string repeated = repeats_chroma(pixels_of(first))
                                   ? ", chroma of " + name_of_pixels(pixels_of(first)) + " repeated"
                                   : "";
  const std::string alpha = lacks_alpha(first, decoder.stream()) ? ", without its alpha" : "";
  const std::string by = decoder.decoded_by();
  const std::string decoded = by.empty() ? "" : ", decoded by " + by;
  return decoder.name() + " (" + decoder.codec_name() + alpha + deinterlaced + turned_by +
         repeated + decoded + ")";
}

Stream timing_of(const Stream& stream, const AVStream& video) {
  Stream timing = stream;
  set_pace(timing, video);
  return timing;
}

std::int64_t microseconds_of(const AVFrame& frame, const AVStream& video) {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return 0;
  return av_rescale_q(frame.best_effort_timestamp, video.time_base, microsecond);
}

}  // namespace

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

DecodedSource::DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options)
    : DecodedSource(std::move(decoder), first_of(*decoder, options), options) {}

DecodedSource::DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                             const SourceOptions& options)
    : Source(name_with_kind(first, *decoder, options), stream_of_frames(first, *decoder, options)),
      decoder_(std::move(decoder)), ahead_(&first),
      first_frame_(microseconds_of(first, decoder_->stream())), pixels_(pixels_of(first)),
      stored_(shape_in(first)), copy_frame_(pixels_of(first), stream()),
      turn_(turn_by(first, *decoder_, options)), timing_(timing_of(stream(), decoder_->stream())),
      clock_(decoder_->stream()), is_of_new_rate_(options.rate.has_value()) {
  if (turn_ != 1) unturned_.resize(static_cast<std::size_t>(stored_.bytes()));
  ahead_time_ = clock_.next(first, timing_);
}

std::shared_ptr<Companions> DecodedSource::take_companions() {
  const std::shared_ptr<OtherTracks> others = decoder_->take_other_tracks();
  if (others) others->set_first_frame(first_frame_);
  return others;
}

bool DecodedSource::next(std::span<std::byte> pixels) {
  const AVFrame* const frame = next_frame();
  if (frame == nullptr) return false;
  if (decoder_->gpu() != nullptr) {
    copy(*GpuDecoding::download(*frame), pixels);
  } else {
    copy(*frame, pixels);
  }
  return true;
}

std::string DecodedSource::why_not_on_gpu() {
  return decoder_->gpu() != nullptr && turn_ == 1 ? "" : Source::why_not_on_gpu();
}

bool DecodedSource::next_on_gpu(std::byte* pixels, gpu::StreamHandle /*stream*/) {
  if (const std::string why_not = why_not_on_gpu(); !why_not.empty()) throw Error(why_not);
  const AVFrame* const frame = next_frame();
  if (frame != nullptr) decoder_->gpu()->copy(*frame, stream().format(), pixels);
  return frame != nullptr;
}

// Returns the next frame of the stream; null after the last one.
const AVFrame* DecodedSource::next_frame() {
  if (is_of_new_rate_) return next_of_new_rate();
  if (ahead_ == nullptr && !decode_ahead()) return nullptr;
  time_ = ahead_time_;
  require_like_the_first(*ahead_);
  return std::exchange(ahead_, nullptr);
}

bool DecodedSource::decode_ahead() {
  ahead_ = decoder_->next();
  if (ahead_ != nullptr) ahead_time_ = clock_.next(*ahead_, timing_);
  return ahead_ != nullptr;
}

// Returns the frame that the file shows at the next time of the new rate.
const AVFrame* DecodedSource::next_of_new_rate() {
  const double seconds = static_cast<double>(returned_) / stream().rate.per_second();
  const std::int64_t now = std::llround(seconds * timing_.ticks().per_second());
  while (ahead_ != nullptr && ahead_time_.start <= now) {
    av_frame_unref(shown_.get());
    if (av_frame_ref(shown_.get(), ahead_) < 0) throw std::bad_alloc();
    shown_until_ = ahead_time_.start + ahead_time_.duration;
    decode_ahead();
  }
  if (ahead_ == nullptr && now >= shown_until_) return nullptr;
  time_ = stream().regular_time(returned_++);
  require_like_the_first(*shown_);
  return shown_.get();
}

void DecodedSource::copy(const AVFrame& frame, std::span<std::byte> pixels) {
  if (turn_ == 1) return copy_frame_(frame, pixels);
  copy_frame_(frame, unturned_);
  turn(stored_, unturned_, turn_, pixels);
}

void DecodedSource::require_like_the_first(const AVFrame& frame) const {
  const io::PictureShape& all = stored_;
  const std::string at = " at frame " + std::to_string(decoder_->number());
  if (frame.width != all.width || frame.height != all.height) {
    decoder_->fail("it changes its size from " + size_text(all.width, all.height) + " to " +
                   size_text(frame.width, frame.height) + at +
                   "; ffmpeg's -vf scale makes them equal");
  }
  if (pixels_of(frame) != pixels_) {
    decoder_->fail("it changes its pixels from " + name_of_pixels(pixels_) + " to " +
                   name_of_pixels(pixels_of(frame)) + at);
  }
  require_readable(frame, *decoder_);
}

}  // namespace warpwise::live::ffmpeg
