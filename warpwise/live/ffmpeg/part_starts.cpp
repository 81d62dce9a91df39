#include "warpwise/live/ffmpeg/part_starts.hpp"

#include <algorithm>
#include <span>

namespace warpwise::live::ffmpeg {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Returns true for an IDR NAL unit of H.264 or HEVC, by the type in its first byte.
bool is_idr(AVCodecID codec, std::uint8_t first) {
  if (codec == AV_CODEC_ID_H264) return (first & 31) == 5;
  const int type = first >> 1 & 63;
  return type == 19 || type == 20;
}

bool is_parameters(AVCodecID codec, std::uint8_t first) {
  if (codec == AV_CODEC_ID_H264) return (first & 31) == 7 || (first & 31) == 8;
  const int type = first >> 1 & 63;
  return type >= 32 && type <= 34;
}

// Returns the size in bytes of the length field before each NAL unit, as in .mp4 and .mkv files; 0
// if there is none.
int length_bytes_of(const AVCodecParameters& video) {
  const std::size_t place = video.codec_id == AV_CODEC_ID_H264 ? 4 : 21;
  const Bytes extra(video.extradata, static_cast<std::size_t>(video.extradata_size));
  return extra.size() > place && extra[0] == 1 ? (extra[place] & 3) + 1 : 0;
}

// Takes the first NAL unit from the data. Returns an empty unit at the end.
Bytes take_by_length(Bytes& data, int length_bytes) {
  if (data.size() < static_cast<std::size_t>(length_bytes)) return {};
  std::size_t length = 0;
  for (int i = 0; i < length_bytes; ++i) length = length << 8 | data[static_cast<std::size_t>(i)];
  data = data.subspan(static_cast<std::size_t>(length_bytes));
  const Bytes unit = data.first(std::min(length, data.size()));
  data = data.subspan(unit.size());
  return unit;
}

Bytes take_by_start(Bytes& data) {
  constexpr std::uint8_t start[] = {0, 0, 1};
  const auto begin = std::ranges::search(data, start).end();
  const auto end = std::search(begin, data.end(), std::begin(start), std::end(start));
  const Bytes unit(begin, end);
  data = {end, data.end()};
  return unit;
}

}  // namespace

PartStarts::PartStarts(const AVCodecParameters& video)
    : video_(video), length_bytes_(length_bytes_of(video)) {}

bool PartStarts::is_start(const AVPacket& packet) {
  have_changed_ = have_changed_ || packet.pts == AV_NOPTS_VALUE;
  const bool is_key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
  switch (video_.codec_id) {
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9: return is_key && !have_changed_;
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC: return is_restart(packet) && is_key;
    default: return false;
  }
}

// Returns true if a decoder can begin here. Sets have_changed_ if the video's parameters change.
bool PartStarts::is_restart(const AVPacket& packet) {
  std::string parameters;
  bool has_idr = false;
  Bytes rest(packet.data, static_cast<std::size_t>(packet.size));
  while (!rest.empty()) {
    const Bytes unit =
        length_bytes_ > 0 ? take_by_length(rest, length_bytes_) : take_by_start(rest);
    if (unit.empty()) break;
    has_idr = has_idr || is_idr(video_.codec_id, unit[0]);
    if (is_parameters(video_.codec_id, unit[0])) parameters.append(unit.begin(), unit.end());
  }
  if (parameters_.empty()) parameters_ = parameters;
  std::size_t changed_bytes = 0;
  const bool has_new =
      av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &changed_bytes) != nullptr;
  have_changed_ = have_changed_ || has_new || (!parameters.empty() && parameters != parameters_);
  const bool is_known = !parameters.empty() || video_.extradata_size > 0;
  return has_idr && is_known && !have_changed_;
}

}  // namespace warpwise::live::ffmpeg
