#include "warpwise/live/ffmpeg/tags.hpp"

#include <array>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

namespace warpwise::live::ffmpeg {
namespace {

// A turn by a display matrix: the step, in x and y of the display, from a pixel to its right
// neighbour, and then to its lower neighbour. The index in `turns` is the Exif orientation.
using Turn = std::array<int, 4>;
constexpr std::array<Turn, 9> turns = {{{},
                                        {1, 0, 0, 1},
                                        {-1, 0, 0, 1},
                                        {-1, 0, 0, -1},
                                        {1, 0, 0, -1},
                                        {0, 1, 1, 0},
                                        {0, 1, -1, 0},
                                        {0, -1, -1, 0},
                                        {0, -1, 1, 0}}};
constexpr std::array<std::size_t, 4> places = {0, 1, 3, 4};  // indices in a display matrix
using DisplayMatrix = std::array<std::int32_t, 9>;

std::span<const std::uint8_t> data_in(const AVStream& video, AVPacketSideDataType type) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
  const AVPacketSideData* data = av_packet_side_data_get(video.codecpar->coded_side_data,
                                                         video.codecpar->nb_coded_side_data, type);
  return data == nullptr ? std::span<const std::uint8_t>() : std::span(data->data, data->size);
#else
  std::size_t size = 0;
  const std::uint8_t* data = av_stream_get_side_data(&video, type, &size);
  return data == nullptr ? std::span<const std::uint8_t>() : std::span(data, size);
#endif
}

void add_data(AVStream& video, AVPacketSideDataType type, const void* bytes, std::size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
  AVPacketSideData* data = av_packet_side_data_new(
      &video.codecpar->coded_side_data, &video.codecpar->nb_coded_side_data, type, size, 0);
  std::uint8_t* to = data == nullptr ? nullptr : data->data;
#else
  std::uint8_t* to = av_stream_new_side_data(&video, type, size);
#endif
  if (to == nullptr) throw std::bad_alloc();
  std::memcpy(to, bytes, size);
}

int sign(std::int32_t value) { return (value > 0) - (value < 0); }

}  // namespace

int orientation_of(const AVFrame& frame, const AVStream& video) {
  const std::uint8_t* data = data_in(video, AV_PKT_DATA_DISPLAYMATRIX).data();
  if (data == nullptr) {
    const AVFrameSideData* own = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (own == nullptr) return 1;
    data = own->data;
  }
  DisplayMatrix matrix{};
  std::memcpy(matrix.data(), data, sizeof matrix);
  Turn turn{};
  for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = sign(matrix[places[i]]);
  for (std::size_t number = 1; number < turns.size(); ++number) {
    if (turns[number] == turn) return static_cast<int>(number);
  }
  return 0;
}

void set_orientation(AVStream& video, int orientation) {
  const Turn& turn = turns.at(static_cast<std::size_t>(orientation));
  DisplayMatrix matrix{};
  for (std::size_t i = 0; i < turn.size(); ++i) matrix[places[i]] = turn[i] * (1 << 16);
  matrix[8] = 1 << 30;
  add_data(video, AV_PKT_DATA_DISPLAYMATRIX, matrix.data(), sizeof matrix);
}

std::vector<HdrMetadata> hdr_metadata_of(const AVFrame& frame, const AVStream& video) {
  std::vector<HdrMetadata> all;
  for (const auto& [type, of_frame] :
       {std::pair(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
        {AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL}}) {
    std::span<const std::uint8_t> bytes = data_in(video, type);
    const AVFrameSideData* own = av_frame_get_side_data(&frame, of_frame);
    if (bytes.empty() && own != nullptr) bytes = {own->data, own->size};
    if (!bytes.empty()) all.push_back({type, {bytes.begin(), bytes.end()}});
  }
  return all;
}

void set_hdr_metadata(AVStream& video, const std::vector<HdrMetadata>& all) {
  for (const HdrMetadata& each : all) {
    add_data(video, each.type, each.bytes.data(), each.bytes.size());
  }
}

void set_tags(Stream& stream, const AVFrame& frame, const AVStream& video) {
  const AVCodecParameters& file = *video.codecpar;
  stream.primaries =
      frame.color_primaries != AVCOL_PRI_UNSPECIFIED ? frame.color_primaries : file.color_primaries;
  stream.transfer = frame.color_trc != AVCOL_TRC_UNSPECIFIED ? frame.color_trc : file.color_trc;
  const AVRational in_file = video.sample_aspect_ratio;
  const AVRational pixel = in_file.num > 0 ? in_file : frame.sample_aspect_ratio;
  if (pixel.num > 0 && pixel.den > 0) stream.pixel_aspect = {pixel.num, pixel.den};
}

bool has_separate_alpha(const AVStream& video) {
  const AVCodecID codec = video.codecpar->codec_id;
  if (codec != AV_CODEC_ID_VP8 && codec != AV_CODEC_ID_VP9) return false;
  const AVDictionaryEntry* mode = av_dict_get(video.metadata, "alpha_mode", nullptr, 0);
  return mode != nullptr && std::string_view(mode->value) == "1";
}

}  // namespace warpwise::live::ffmpeg
