#include "warpwise/live/ffmpeg/copied_tracks.hpp"

#include <algorithm>
#include <new>

namespace warpwise::live::ffmpeg {

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

void CopiedTracks::add() {
  check_(av_dict_copy(&output_.metadata, others_.tags().get(), 0));
  for (const OtherTracks::Track& each : others_.tracks()) {
    if (!file_.takes(*each.codec)) continue;
    AVStream* stream = avformat_new_stream(&output_, nullptr);
    if (stream == nullptr) throw std::bad_alloc();
    check_(avcodec_parameters_copy(stream->codecpar, each.codec.get()));
    stream->time_base = each.time_base;
    stream->disposition = each.disposition;
    check_(av_dict_copy(&stream->metadata, each.names.get(), 0));
    tracks_.push_back({.from = each.number, .to = stream->index, .filter = filter_for(each)});
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
    if (packet->pts == AV_NOPTS_VALUE || packet->dts <= copied->last_stamp) continue;
    copied->last_stamp = packet->dts;
    const std::int64_t start = av_rescale_q(others_.start(), microsecond, from);
    packet->pts -= start;
    packet->dts -= start;
    packet->stream_index = copied->to;
    packet->pos = -1;
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

void CopiedTracks::write_one(Track& copied, AVPacket& packet, AVRational time_base) {
  av_packet_rescale_ts(&packet, time_base, output_.streams[packet.stream_index]->time_base);
  // Two different times may become equal in the container's unit.
  packet.dts = std::max(packet.dts, copied.last_written + 1);
  packet.pts = std::max(packet.pts, packet.dts);
  copied.last_written = packet.dts;
  write_packet_(packet);
}

}  // namespace warpwise::live::ffmpeg
