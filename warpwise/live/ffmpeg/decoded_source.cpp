#include "warpwise/live/ffmpeg/decoded_source.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <new>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/live/ffmpeg/pixels.hpp"
#include "warpwise/live/ffmpeg/tags.hpp"
#include "warpwise/live/rotation.hpp"

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
                 " is interlaced; --deinterlace makes whole frames");
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

// Returns the turn that the source applies to its frames, as an Exif orientation; 1 for no turn.
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

// Returns true if the frames are YUV with alpha and the alpha is wanted.
bool is_read_as_rgba(const AVFrame& first, const SourceOptions& options) {
  const io::PictureShape shape = shape_in(first);
  const bool is_yuv = shape.planes || (shape.format && has_luma(*shape.format));
  return options.with_alpha && is_yuv && shape.format != PixelFormat::gray8 &&
         leaves_alpha_out(pixels_of(first));
}

// Describes the frames as the source returns them.
Stream stream_of_frames(const AVFrame& first, const Decoder& decoder,
                        const SourceOptions& options) {
  const AVStream& video = decoder.stream();
  const int turn = turn_by(first, decoder, options);
  // The colours are guessed from the stored size, before the turn.
  Stream stream = stream_of(shape_in(first), {}, options.colours, tags_of(first, *video.codecpar));
  // A GPU's pixels may have unused bits, so the depth is that of the file's pixels.
  stream.depth =
      depth_of(first.hw_frames_ctx == nullptr ? pixels_of(first) : video.codecpar->format);
  if (is_read_as_rgba(first, options)) stream.shape = shape_with_alpha(stream.shape);
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

std::string alpha_text(const AVFrame& first, const AVStream& video, const SourceOptions& options) {
  if (is_read_as_rgba(first, options)) {
    const Stream yuv =
        stream_of(shape_in(first), {}, options.colours, tags_of(first, *video.codecpar));
    return ", with its alpha as RGBA of " + text_of(yuv.colours, yuv.format_of_8_bits());
  }
  const bool has_alpha = has_separate_alpha(video) || leaves_alpha_out(pixels_of(first));
  return has_alpha ? ", without its alpha" : "";
}

// Returns the frames' shape before the turn.
io::PictureShape stored_shape(const AVFrame& first, const SourceOptions& options) {
  return is_read_as_rgba(first, options) ? shape_with_alpha(shape_in(first)) : shape_in(first);
}

// Describes the frames as the decoder gives them.
Stream yuv_of(const Stream& stream, const AVFrame& first) {
  Stream stored = stream;
  stored.shape = shape_in(first);
  stored.shape.full_range = stream.shape.full_range;
  return stored;
}

std::string name_with_kind(const AVFrame& first, const Decoder& decoder,
                           const SourceOptions& options) {
  const int turn = turn_by(first, decoder, options);
  const std::string deinterlaced = decoder.deinterlaces() ? ", deinterlaced" : "";
  const std::string turned_by = turn == 1 ? "" : ", turned: " + turn_text(turn);
  const std::string repeated = repeats_chroma(pixels_of(first))
                                   ? ", chroma of " + name_of_pixels(pixels_of(first)) + " repeated"
                                   : "";
  const std::string alpha = alpha_text(first, decoder.stream(), options);
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

std::string short_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

// Returns true if matrix and range are equal, so that frames need no conversion of colours.
bool have_one_meaning(const Colours& one, const Colours& other) {
  return one.matrix.value == other.matrix.value && one.range.value == other.range.value;
}

}  // namespace

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

DecodedSource::DecodedSource(std::unique_ptr<Decoder> decoder, const SourceOptions& options,
                             Reopen reopen)
    : DecodedSource(std::move(decoder), first_of(*decoder, options), options, std::move(reopen)) {}

DecodedSource::DecodedSource(std::unique_ptr<Decoder>&& decoder, const AVFrame& first,
                             const SourceOptions& options, Reopen reopen)
    : Source(name_with_kind(first, *decoder, options), stream_of_frames(first, *decoder, options)),
      decoder_(std::move(decoder)), reopen_(std::move(reopen)),
      reconnect_seconds_(options.reconnect_seconds), ahead_(&first),
      first_frame_(microseconds_of(first, decoder_->stream())), pixels_(pixels_of(first)),
      stored_(stored_shape(first, options)), decoded_(yuv_of(stream(), first)),
      copy_frame_(pixels_of(first), decoded_), colours_(options.colours),
      turn_(turn_by(first, *decoder_, options)), timing_(timing_of(stream(), decoder_->stream())),
      clock_(decoder_->stream()), is_resampled_(options.rate.has_value()) {
  if (options.rescale) scaler_.emplace(first, stream().colours);
  if (is_read_as_rgba(first, options)) {
    copy_with_alpha_.emplace(pixels_, decoded_);
  }
  if (turn_ != 1) unturned_.resize(static_cast<std::size_t>(stored_.bytes()));
  ahead_time_ = clock_.next(first, timing_);
}

std::shared_ptr<Companions> DecodedSource::take_companions() {
  const std::shared_ptr<OtherTracks> others = decoder_->take_other_tracks(ahead_);
  if (others) others->set_first_frame(first_frame_);
  others_ = others;
  return others;
}

std::vector<std::string> DecodedSource::take_news() {
  const std::scoped_lock lock(news_mutex_);
  return std::exchange(news_, {});
}

void DecodedSource::add_news(std::string news) {
  const std::scoped_lock lock(news_mutex_);
  news_.push_back(std::move(news));
}

bool DecodedSource::next(std::span<std::byte> pixels) {
  const AVFrame* const frame = next_frame();
  if (frame != nullptr) copy(*frame, pixels);
  return frame != nullptr;
}

std::string DecodedSource::why_not_on_gpu() {
  return decoder_ && decoder_->gpu() != nullptr && turn_ == 1 ? "" : Source::why_not_on_gpu();
}

bool DecodedSource::next_on_gpu(std::byte* pixels, gpu::StreamHandle /*stream*/) {
  if (const std::string why_not = why_not_on_gpu(); !why_not.empty()) throw Error(why_not);
  const AVFrame* const frame = next_frame();
  if (frame != nullptr) decoder_->gpu()->copy(*frame, decoded_, pixels);
  return frame != nullptr;
}

// Returns the next frame of the stream; null after the last one.
const AVFrame* DecodedSource::next_frame() {
  if (!decoder_) return nullptr;
  if (is_resampled_) return next_resampled_frame();
  if (ahead_ == nullptr && !decode_ahead()) return nullptr;
  time_ = ahead_time_;
  return &scaled_like_first(*std::exchange(ahead_, nullptr));
}

// Decodes the next frame into ahead_. Ends the other tracks only after the last frame, although the
// file may have been read long before. Their end tells a sink that all frames were read.
bool DecodedSource::decode_ahead() {
  const auto end_others = [&] {
    if (const auto others = others_.lock()) others->end();
  };
  try {
    ahead_ = decode();
  } catch (const IoError&) {
    end_others();
    throw;
  }
  if (ahead_ == nullptr) {
    end_others();
    return false;
  }
  ahead_time_ = clock_.next(*ahead_, timing_, others_.lock().get());
  last_arrival_ = Clock::now();
  return true;
}

const AVFrame* DecodedSource::decode() {
  const std::int64_t before = decoder_->http_resumptions();
  std::string loss = decoder_->name() + " has ended";
  try {
    const AVFrame* frame = decoder_->next();
    if (decoder_->http_resumptions() > before) {
      ++reconnections_;
      add_news(decoder_->name() + ": the server goes on from where its answer broke off");
    }
    if (frame != nullptr || !reopen_) return frame;
  } catch (const IoError& error) {
    if (!reopen_) throw;
    loss = error.what();
  }
  add_news(loss + "; connecting again for up to " + short_text(reconnect_seconds_) + " s");
  return open_again();
}

// Closes the lost input before opening it again, because it may hold a port.
const AVFrame* DecodedSource::open_again() {
  const Clock::time_point lost = Clock::now();
  const std::string name = decoder_->name();
  const std::int64_t number = decoder_->number();
  decoder_.reset();
  for (std::string failure;; std::this_thread::sleep_for(std::chrono::seconds(1))) {
    const Clock::time_point asked = Clock::now();
    const std::chrono::duration<double> tried = asked - lost;
    if (tried.count() > reconnect_seconds_) {
      throw IoError(failure + "; the peer did not come back (--reconnect " +
                    short_text(reconnect_seconds_) + ")");
    }
    try {
      std::unique_ptr<Decoder> decoder = reopen_();
      const AVFrame* first = decoder->next();
      failure = "cannot read " + name + ": it has no frame";
      if (first == nullptr) continue;
      decoder_ = std::move(decoder);
      decoder_->continue_numbering_after(number);
      continue_with_new_input(*first, asked);
      return first;
    } catch (const IoError& error) {
      failure = error.what();
    }
  }
}

// Places the new input's frames after the frames so far. The pause between them is the time since
// the last frame arrived, in whole frames if all frames have the same duration.
void DecodedSource::continue_with_new_input(const AVFrame& first, Clock::time_point asked) {
  const std::chrono::duration<double> passed = asked - last_arrival_;
  std::int64_t pause = std::llround(passed.count() * timing_.ticks().per_second());
  const std::int64_t frame = timing_.regular_time(0).duration;
  if (!timing_.is_varying) pause = pause / frame * frame;
  const std::int64_t at = ahead_time_.start + std::max(ahead_time_.duration, pause);
  const auto microseconds = static_cast<std::int64_t>(
      std::llround(static_cast<double>(at) / timing_.ticks().per_second() * AV_TIME_BASE));
  const std::int64_t stated = decoder_->input().start_time;
  const std::int64_t start =
      stated != AV_NOPTS_VALUE ? stated : microseconds_of(first, decoder_->stream());
  clock_.continue_after_reconnection(decoder_->stream(), start, microseconds);
  const bool goes_on =
      decoder_->continue_tracks(others_.lock(), start, first_frame_ + microseconds);
  ++reconnections_;
  std::ostringstream pause_text;
  pause_text << std::fixed << std::setprecision(1) << passed.count();
  add_news(decoder_->name() + " is connected again after " + pause_text.str() + " s" +
           (goes_on ? "" : "; its sound has changed or is missing"));
}

// Resamples to the user's rate: returns the file's frame on display when the next frame is due.
const AVFrame* DecodedSource::next_resampled_frame() {
  const double seconds = static_cast<double>(returned_) / stream().rate.per_second();
  const std::int64_t now = std::llround(seconds * timing_.ticks().per_second());
  while (ahead_ != nullptr && ahead_time_.start <= now) {
    av_frame_unref(shown_.get());
    if (av_frame_ref(shown_.get(), ahead_) < 0) throw std::bad_alloc();
    shown_until_ = ahead_time_.start + ahead_time_.duration;
    try {
      decode_ahead();
    } catch (const IoError&) {
      failure_ = std::current_exception();  // thrown when the time of the shown frame has ended
      ahead_ = nullptr;
    }
  }
  if (ahead_ == nullptr && now >= shown_until_) {
    if (failure_) std::rethrow_exception(failure_);
    return nullptr;
  }
  time_ = stream().regular_time(returned_++);
  return &scaled_like_first(*shown_);
}

void DecodedSource::copy(const AVFrame& frame, std::span<std::byte> pixels) {
  const std::span<std::byte> to = turn_ == 1 ? pixels : unturned_;
  if (decoder_->gpu() != nullptr) {
    decoder_->gpu()->download(frame, decoded_, to);
  } else {
    copy_with_alpha_ ? (*copy_with_alpha_)(frame, to) : copy_frame_(frame, to);
  }
  if (turn_ != 1) turn(stored_, unturned_, turn_, pixels);
}

// Returns the frame, scaled if its size, pixels or colours differ from the first frame's.
const AVFrame& DecodedSource::scaled_like_first(const AVFrame& frame) {
  const io::PictureShape& all = stored_;
  const bool has_size = frame.width == all.width && frame.height == all.height;
  const bool is_alike = has_size && pixels_of(frame) == pixels_;
  if (is_alike && !scaler_) {
    require_readable(frame, *decoder_);
    return frame;
  }
  const std::string was = has_size ? name_of_pixels(pixels_) : size_text(all.width, all.height);
  std::string is =
      has_size ? name_of_pixels(pixels_of(frame)) : size_text(frame.width, frame.height);
  const std::string at = " at frame " + std::to_string(decoder_->number());
  if (!scaler_) {
    decoder_->fail("it changes its " + std::string(has_size ? "pixels" : "size") + " from " + was +
                   " to " + is + at + "; --rescale makes all frames like the first one");
  }
  require_readable(frame, *decoder_);
  const Colours colours =
      stream_of(shape_in(frame), {}, colours_, tags_of(frame, *video().codecpar)).colours;
  if (is_alike && have_one_meaning(colours, stream().colours)) return frame;
  if (is_alike) is = text_of(colours, PixelFormat::i420);
  if (reported_.insert(is).second)
    add_news(decoder_->name() + ": " + is + at +
             (is_alike ? ", converted to the first frame's colours" : ", scaled to " + was));
  return (*scaler_)(frame, colours);
}

}  // namespace warpwise::live::ffmpeg
