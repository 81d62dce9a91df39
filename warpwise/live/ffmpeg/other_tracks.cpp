#include "warpwise/live/ffmpeg/other_tracks.hpp"

#include <algorithm>
#include <initializer_list>
#include <new>
#include <utility>

#include "warpwise/base/counted.hpp"

namespace warpwise::live::ffmpeg {
namespace {

void free_codec(AVCodecParameters* codec) { avcodec_parameters_free(&codec); }

Dictionary copied(const AVDictionary* all, std::initializer_list<const char*> keys) {
  Dictionary copy;
  for (const char* key : keys) {
    const AVDictionaryEntry* entry = av_dict_get(all, key, nullptr, 0);
    if (entry != nullptr) copy.set(key, entry->value);
  }
  return copy;
}

// Copies the tags that describe the film. Tags that describe the container are left out.
Dictionary tags_in(const AVDictionary* all) {
  return copied(all, {"title", "artist", "album", "comment", "copyright", "date", "description",
                      "genre", "creation_time", "location"});
}

std::int64_t stamp_of(const AVPacket& packet) {
  return packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
}

OtherTracks::Track track_of(const AVStream& stream, std::initializer_list<const char*> names) {
  OtherTracks::Track track{stream.index,       {avcodec_parameters_alloc(), free_codec},
                           stream.time_base,   copied(stream.metadata, names),
                           stream.disposition, AV_NOPTS_VALUE};
  if (stream.start_time != AV_NOPTS_VALUE) {
    track.start = av_rescale_q(stream.start_time, stream.time_base, microsecond);
  }
  if (!track.codec || avcodec_parameters_copy(track.codec.get(), stream.codecpar) < 0) {
    throw std::bad_alloc();
  }
  track.codec->codec_tag = 0;  // the source's container has other numbers
  return track;
}

enum class TrackKind : std::uint8_t { copied, attachment, cover, video, unknown, data, hidden };

// Decides how a track is copied. A track that FFmpeg discards, such as the names of the chapters of
// an .mp4 file, is hidden: FFmpeg gives its content in another way.
TrackKind kind_of(const AVStream& stream) {
  const AVMediaType type = stream.codecpar->codec_type;
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) return TrackKind::cover;
  if (stream.discard == AVDISCARD_ALL) return TrackKind::hidden;
  if (type == AVMEDIA_TYPE_VIDEO) return TrackKind::video;
  if (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE) {
    return stream.codecpar->codec_id != AV_CODEC_ID_NONE ? TrackKind::copied : TrackKind::unknown;
  }
  const bool is_file = av_dict_get(stream.metadata, "filename", nullptr, 0) != nullptr &&
                       av_dict_get(stream.metadata, "mimetype", nullptr, 0) != nullptr;
  return type == AVMEDIA_TYPE_ATTACHMENT && is_file ? TrackKind::attachment : TrackKind::data;
}

}  // namespace

std::string OtherTracks::Track::text() const {
  return std::string(is_sound() ? "sound" : "subtitles") + " (" +
         avcodec_get_name(codec->codec_id) + ")";
}

std::vector<std::string> OtherTracks::parts() const {
  std::vector<std::string> parts;
  for (const Track& each : tracks_) parts.push_back(each.text());
  if (!chapters_.empty()) parts.emplace_back("chapters");
  if (!attachments_.empty()) parts.push_back(attachments_text());
  parts.insert(parts.end(), never_copied_.begin(), never_copied_.end());
  if (!hdr_metadata_.empty()) parts.emplace_back("the HDR metadata");
  return parts;
}

std::string OtherTracks::attachments_text() const {
  return attachments_.empty() ? "" : counted(attachments_.size(), "attachment");
}

OtherTracks::OtherTracks(const AVFormatContext& input, int video) : tags_(tags_in(input.metadata)) {
  if (input.start_time != AV_NOPTS_VALUE) start_ = input.start_time;
  std::map<TrackKind, std::size_t> others;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVStream& stream = *input.streams[i];
    const TrackKind kind = kind_of(stream);
    if (kind == TrackKind::copied) {
      tracks_.push_back(track_of(stream, {"language", "title"}));
    } else if (kind == TrackKind::attachment) {
      attachments_.push_back(track_of(stream, {"filename", "mimetype", "title"}));
    } else if (stream.index != video) {
      ++others[kind];
    }
  }
  if (others.contains(TrackKind::cover)) never_copied_.emplace_back("the cover picture");
  for (const auto& [kind, text] : {std::pair(TrackKind::video, "further video track"),
                                   {TrackKind::unknown, "unknown track"},
                                   {TrackKind::data, "data track"}}) {
    if (others.contains(kind)) never_copied_.push_back(counted(others[kind], text));
  }
  for (unsigned i = 0; i < input.nb_chapters; ++i) {
    const AVChapter& chapter = *input.chapters[i];
    chapters_.push_back({chapter.id, av_rescale_q(chapter.start, chapter.time_base, microsecond),
                         av_rescale_q(chapter.end, chapter.time_base, microsecond),
                         copied(chapter.metadata, {"language", "title"})});
  }
}

bool OtherTracks::is_late(const Track& track) const {
  constexpr std::int64_t least = AV_TIME_BASE / 50;
  return track.is_sound() && track.start != AV_NOPTS_VALUE && track.start - start() > least;
}

bool OtherTracks::has(int number) const {
  return std::ranges::any_of(tracks_, [&](const Track& each) { return each.number == number; });
}

const OtherTracks::Track& OtherTracks::track(int number) const {
  return *std::ranges::find(tracks_, number, &Track::number);
}

// Returns the video's pause between two joined recordings, in microseconds of whole frames. The
// pause lets sound that is longer than its video play to its end. A small difference gets no pause.
std::int64_t OtherTracks::pause_for_sound() const {
  const std::int64_t longer = sound_end_ - video_end_;
  if (longer < static_cast<std::int64_t>(step_back_of_a_join * AV_TIME_BASE)) return 0;
  return frame_ > 0 ? (longer + frame_ - 1) / frame_ * frame_ : longer;
}

std::int64_t OtherTracks::end_of_video() const {
  const std::scoped_lock lock(mutex_);
  return video_end_ - start();
}

std::int64_t OtherTracks::pause_before(std::size_t join) const {
  const std::scoped_lock lock(mutex_);
  return join < pauses_.size() ? pauses_[join] : 0;
}

// Returns the shift of the packet's recording: the time added to all its times, so that it follows
// the recording before. The first packet, of any track, determines the shift. A recording begins
// if decoding times step back. Display times do not show this: they also step back inside a
// recording if frames are stored in another order.
std::int64_t OtherTracks::shift_of(Clock& clock, const AVPacket& packet, AVRational unit) {
  constexpr auto step_back = static_cast<std::int64_t>(step_back_of_a_join * AV_TIME_BASE);
  constexpr std::int64_t longest_delay = 10 * std::int64_t{AV_TIME_BASE};  // between two tracks
  if (packet.dts == AV_NOPTS_VALUE) return recordings_[clock.recording].shift;
  const std::int64_t time = av_rescale_q(packet.dts, unit, microsecond);
  if (clock.last && time <= *clock.last - step_back) {
    // Another track may have stepped back first, and so begun this recording. If the video went on
    // for longest_delay after that, only that track stepped back. The video begins a new one.
    const bool has_begun =
        clock.recording + 1 < recordings_.size() &&
        (&clock != &video_clock_ || video_end_ - recordings_.back().start <= longest_delay);
    if (!has_begun) {
      const std::int64_t start = av_rescale_q(stamp_of(packet), unit, microsecond);
      const std::int64_t pause = pause_for_sound();
      recordings_.push_back({video_end_ + pause, video_end_ + pause - start, pause});
    }
    clock.recording = recordings_.size() - 1;
    if (&clock == &video_clock_) pauses_.push_back(recordings_.back().pause);
  }
  clock.last = time;
  return recordings_[clock.recording].shift;
}

void OtherTracks::end_at(double seconds) {
  constexpr double longest = 1e9;  // seconds
  end_of_frames_ =
      first_frame_ + static_cast<std::int64_t>(std::min(seconds, longest) * AV_TIME_BASE);
}

void OtherTracks::record_video_time(const AVPacket& packet, AVRational time_base) {
  const std::int64_t stamp = stamp_of(packet);
  if (stamp == AV_NOPTS_VALUE) return;
  const std::scoped_lock lock(mutex_);
  const std::int64_t start = av_rescale_q(stamp, time_base, microsecond);
  const std::int64_t shift = shift_of(video_clock_, packet, time_base);
  frame_ = av_rescale_q(packet.duration, time_base, microsecond);
  video_end_ = std::max(video_end_, start + frame_ + shift);
}

void OtherTracks::put(const AVPacket& packet) {
  Packet copy = new_packet();
  if (av_packet_ref(copy.get(), &packet) < 0) throw std::bad_alloc();
  const Track& own = track(packet.stream_index);
  const AVRational unit = own.time_base;
  const std::scoped_lock lock(mutex_);
  Clock& clock = clocks_[packet.stream_index];
  const std::int64_t shift = shift_of(clock, packet, unit);
  if (own.is_sound() && stamp_of(packet) != AV_NOPTS_VALUE) {
    const std::int64_t end = av_rescale_q(stamp_of(packet) + packet.duration, unit, microsecond);
    sound_end_ = std::max(sound_end_, end + shift);
  }
  const std::int64_t units = av_rescale_q(shift, microsecond, unit);
  if (copy->pts != AV_NOPTS_VALUE) copy->pts += units;
  if (copy->dts != AV_NOPTS_VALUE) copy->dts += units;
  Span& span = spans_[packet.stream_index];
  if (span.recording != clock.recording) span = {span.latest, span.latest, clock.recording};
  if (copy->dts != AV_NOPTS_VALUE) {
    if (copy->dts <= span.before) return;
    span.latest = std::max(span.latest, copy->dts);
  }
  packets_.push_back(std::move(copy));
}

bool OtherTracks::is_like(const OtherTracks& other) const {
  return std::ranges::equal(tracks_, other.tracks_, [](const Track& a, const Track& b) {
    return a.number == b.number && a.codec->codec_id == b.codec->codec_id &&
           a.codec->sample_rate == b.codec->sample_rate && av_cmp_q(a.time_base, b.time_base) == 0;
  });
}

void OtherTracks::continue_after_reconnection(std::int64_t start, std::int64_t at) {
  const std::scoped_lock lock(mutex_);
  recordings_.push_back({at, at - start});
  video_end_ = at;
  video_clock_ = {recordings_.size() - 1, std::nullopt};
  for (const Track& each : tracks_) clocks_[each.number] = video_clock_;
  has_ended_ = false;
}

void OtherTracks::end() {
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
}

bool OtherTracks::has_ended() const {
  const std::scoped_lock lock(mutex_);
  return has_ended_;
}

Packet OtherTracks::take(std::int64_t before) {
  const std::scoped_lock lock(mutex_);
  if (packets_.empty()) return nullptr;
  const AVPacket& next = *packets_.front();
  const std::int64_t stamp = stamp_of(next);
  const bool is_due =
      stamp == AV_NOPTS_VALUE ||
      av_rescale_q(stamp, track(next.stream_index).time_base, microsecond) - start() < before;
  if (!is_due) return nullptr;
  Packet packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

}  // namespace warpwise::live::ffmpeg
