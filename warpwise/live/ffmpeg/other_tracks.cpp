#include "warpwise/live/ffmpeg/other_tracks.hpp"

#include <algorithm>
#include <initializer_list>
#include <new>

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

Dictionary names_in(const AVDictionary* all) { return copied(all, {"language", "title"}); }

// Other tags describe the container, not the film.
Dictionary tags_in(const AVDictionary* all) {
  return copied(all, {"title", "artist", "album", "comment", "copyright", "date", "description",
                      "genre", "creation_time", "location"});
}

OtherTracks::Track track_of(const AVStream& stream) {
  OtherTracks::Track track{stream.index,
                           {avcodec_parameters_alloc(), free_codec},
                           stream.time_base,
                           names_in(stream.metadata),
                           stream.disposition};
  if (!track.codec || avcodec_parameters_copy(track.codec.get(), stream.codecpar) < 0) {
    throw std::bad_alloc();
  }
  track.codec->codec_tag = 0;  // a number of the source's container
  return track;
}

}  // namespace

std::string OtherTracks::Track::text() const {
  return std::string(is_sound() ? "sound" : "subtitles") + " (" +
         avcodec_get_name(codec->codec_id) + ")";
}

OtherTracks::OtherTracks(const AVFormatContext& input) : tags_(tags_in(input.metadata)) {
  if (input.start_time != AV_NOPTS_VALUE) start_ = input.start_time;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVStream& stream = *input.streams[i];
    const AVMediaType type = stream.codecpar->codec_type;
    has_cover_ = has_cover_ || (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    const bool is_known = stream.codecpar->codec_id != AV_CODEC_ID_NONE;
    if (is_known && (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE)) {
      tracks_.push_back(track_of(stream));
    }
  }
  for (unsigned i = 0; i < input.nb_chapters; ++i) {
    const AVChapter& chapter = *input.chapters[i];
    chapters_.push_back({chapter.id, av_rescale_q(chapter.start, chapter.time_base, microsecond),
                         av_rescale_q(chapter.end, chapter.time_base, microsecond),
                         names_in(chapter.metadata)});
  }
}

bool OtherTracks::has(int number) const {
  return std::ranges::any_of(tracks_, [&](const Track& each) { return each.number == number; });
}

const OtherTracks::Track& OtherTracks::track(int number) const {
  return *std::ranges::find(tracks_, number, &Track::number);
}

void OtherTracks::put(const AVPacket& packet) {
  Packet copy = new_packet();
  if (av_packet_ref(copy.get(), &packet) < 0) throw std::bad_alloc();
  const std::scoped_lock lock(mutex_);
  packets_.push_back(std::move(copy));
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
  const std::int64_t stamp = next.pts != AV_NOPTS_VALUE ? next.pts : next.dts;
  const bool is_due =
      stamp == AV_NOPTS_VALUE ||
      av_rescale_q(stamp, track(next.stream_index).time_base, microsecond) - start() < before;
  if (!is_due) return nullptr;
  Packet packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

}  // namespace warpwise::live::ffmpeg
