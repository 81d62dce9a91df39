#include "warpwise/live/ffmpeg/copied_tracks.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace warpwise::live::ffmpeg {
namespace {

// Longest pause of PCM that is not filled, in milliseconds. Rounded times differ by less.
constexpr std::int64_t longest_pause = 20;

constexpr int most_bytes = 1 << 20;  // in a packet of silence

// Returns the byte that is repeated in silence.
int silence_of(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_PCM_U8: return 0x80;
    case AV_CODEC_ID_PCM_MULAW: return 0xff;
    case AV_CODEC_ID_PCM_ALAW: return 0xd5;
    default: return 0;
  }
}

// Returns the bytes of one sample of all channels of PCM.
int sample_bytes(const AVCodecParameters& track) {
  return av_get_bits_per_sample(track.codec_id) / 8 * track.ch_layout.nb_channels;
}

}  // namespace

// Returns a filter that removes the ADTS headers of a transport stream's AAC packets, which .mp4
// files must not have. FFmpeg 5.1 itself removes them only in files without fragments.
PacketFilter CopiedTracks::filter_for(const OtherTracks::Track& track) const {
  const bool has_headers =
      track.codec->codec_id == AV_CODEC_ID_AAC && track.codec->extradata_size == 0;
  if (!file_.is_mp4() || !has_headers) return nullptr;
  AVBSFContext* filter = nullptr;
  check_(av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &filter));
  PacketFilter result(filter);
  check_(avcodec_parameters_copy(filter->par_in, track.codec.get()));
  filter->time_base_in = track.time_base;
  check_(av_bsf_init(filter));
  return result;
}

// Adds a track, and returns its index in the output.
int CopiedTracks::add(const OtherTracks::Track& track) {
  AVStream* stream = avformat_new_stream(&output_, nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  check_(avcodec_parameters_copy(stream->codecpar, track.codec.get()));
  stream->time_base = track.time_base;
  stream->disposition = track.disposition;
  check_(av_dict_copy(&stream->metadata, track.names.get(), 0));
  return stream->index;
}

void CopiedTracks::add() {
  check_(av_dict_copy(&output_.metadata, others_.tags().get(), 0));
  for (const OtherTracks::Track& each : others_.tracks()) {
    if (!file_.takes(*each.codec)) continue;
    const int to = add(each);
    const bool is_filled = file_.stores_pcm_without_times() && is_pcm(each.codec->codec_id) &&
                           each.codec->sample_rate > 0;
    tracks_.push_back({.from = each.number,
                       .to = to,
                       .filter = filter_for(each),
                       .sample_bytes = is_filled ? sample_bytes(*each.codec) : 0,
                       .samples = file_.keeps_late_start() ? -1 : 0});
  }
  if (file_.holds_attachments()) {
    for (const OtherTracks::Track& each : others_.attachments()) add(each);
  }
  for (const OtherTracks::Chapter& each : others_.chapters()) {
    const std::int64_t end = std::min(each.end, others_.end_of_frames()) - others_.start();
    const bool is_shown = each.start < others_.end_of_frames() && end > 0;
    if (!has_chapters_ || !is_shown) continue;
    auto* chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    if (chapter == nullptr) throw std::bad_alloc();
    chapter->id = each.id;
    chapter->time_base = microsecond;
    chapter->start = std::max<std::int64_t>(0, each.start - others_.start());
    chapter->end = end;
    check_(av_dict_copy(&chapter->metadata, each.names.get(), 0));
    int count = static_cast<int>(output_.nb_chapters);
    av_dynarray_add(&output_.chapters, &count, chapter);
    output_.nb_chapters = static_cast<unsigned>(count);
  }
}

void CopiedTracks::write(std::int64_t before) {
  while (const Packet packet = others_.take(before)) {
    const auto copied = std::ranges::find(tracks_, packet->stream_index, &Track::from);
    if (copied == tracks_.end()) continue;
    const AVRational from = others_.track(packet->stream_index).time_base;
    if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
    if (packet->dts == AV_NOPTS_VALUE) packet->dts = packet->pts;
    if (packet->pts == AV_NOPTS_VALUE || packet->dts < copied->last_stamp) continue;
    copied->last_stamp = packet->dts;
    const std::int64_t start = av_rescale_q(others_.start(), microsecond, from);
    packet->pts -= start;
    packet->dts -= start;
    packet->stream_index = copied->to;
    packet->pos = -1;
    if (copied->sample_bytes > 0) fill_pause(*copied, *packet, from);
    if (!copied->filter) {
      write_one(*copied, *packet, from);
      continue;
    }
    check_(av_bsf_send_packet(copied->filter.get(), packet.get()));
    while (av_bsf_receive_packet(copied->filter.get(), packet.get()) >= 0) {
      write_one(*copied, *packet, from);
    }
  }
}

// Writes silence before `next` if the samples so far end earlier, because the container stores no
// times of samples. Silence ends with the video, because a damaged time of later sound
// could fill the disk.
void CopiedTracks::fill_pause(Track& copied, const AVPacket& next, AVRational time_base) {
  const AVCodecParameters& track = *output_.streams[copied.to]->codecpar;
  const AVRational unit = {1, track.sample_rate};
  const std::int64_t start = av_rescale_q(next.dts, time_base, unit);
  if (copied.samples < 0) copied.samples = start;
  const bool is_filled = start - copied.samples > longest_pause * track.sample_rate / 1000 &&
                         av_rescale_q(start, unit, microsecond) < others_.end_of_video();
  const std::int64_t end = is_filled ? start : copied.samples;
  while (copied.samples < end) {
    const std::int64_t count =
        std::min<std::int64_t>(end - copied.samples, most_bytes / copied.sample_bytes);
    const Packet silence = new_packet();
    check_(av_new_packet(silence.get(), static_cast<int>(count) * copied.sample_bytes));
    std::memset(silence->data, silence_of(track.codec_id), static_cast<std::size_t>(silence->size));
    silence->pts = silence->dts = copied.samples;
    silence->duration = count;
    silence->flags |= AV_PKT_FLAG_KEY;
    silence->stream_index = copied.to;
    copied.samples += count;
    write_one(copied, *silence, unit);
  }
  copied.samples += next.size / copied.sample_bytes;
}

void CopiedTracks::write_one(Track& copied, AVPacket& packet, AVRational time_base) {
  av_packet_rescale_ts(&packet, time_base, output_.streams[packet.stream_index]->time_base);
  // FFmpeg refuses equal times of most tracks. Different times too may become equal in the
  // container's unit.
  const AVMediaType type = output_.streams[packet.stream_index]->codecpar->codec_type;
  const bool may_be_equal =
      (output_.oformat->flags & AVFMT_TS_NONSTRICT) != 0 || type == AVMEDIA_TYPE_SUBTITLE;
  packet.dts = std::max(packet.dts, copied.last_written + (may_be_equal ? 0 : 1));
  packet.pts = std::max(packet.pts, packet.dts);
  copied.last_written = packet.dts;
  write_packet_(packet);
}

}  // namespace warpwise::live::ffmpeg
