#include "warpwise/live/ffmpeg/pixels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "warpwise/io/interleave.hpp"
#include "warpwise/live/chroma.hpp"
#include "warpwise/live/samples.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// How a decoder's samples become a frame's.
enum class Layout { same, planes_of_422, planes_of_444, parts_of_rgb };

struct KnownPixels {
  AVPixelFormat pixels;
  PixelFormat format;
  Layout layout;
};
// A name with J differs from the name without it only in the range.
constexpr KnownPixels known_pixels[] = {
    {AV_PIX_FMT_GRAY8, PixelFormat::gray8, Layout::same},
    {AV_PIX_FMT_YUV420P, PixelFormat::i420, Layout::same},
    {AV_PIX_FMT_YUVJ420P, PixelFormat::i420, Layout::same},
    {AV_PIX_FMT_NV12, PixelFormat::nv12, Layout::same},
    {AV_PIX_FMT_NV21, PixelFormat::nv21, Layout::same},
    {AV_PIX_FMT_YUYV422, PixelFormat::yuyv, Layout::same},
    {AV_PIX_FMT_UYVY422, PixelFormat::uyvy, Layout::same},
    {AV_PIX_FMT_YUV422P, PixelFormat::yuyv, Layout::planes_of_422},
    {AV_PIX_FMT_YUVJ422P, PixelFormat::yuyv, Layout::planes_of_422},
    {AV_PIX_FMT_YUV444P, PixelFormat::ycbcr32, Layout::planes_of_444},
    {AV_PIX_FMT_YUVJ444P, PixelFormat::ycbcr32, Layout::planes_of_444},
    {AV_PIX_FMT_RGB24, PixelFormat::rgb24, Layout::same},
    {AV_PIX_FMT_BGR24, PixelFormat::bgr24, Layout::same},
    {AV_PIX_FMT_RGBA, PixelFormat::rgba32, Layout::same},
    {AV_PIX_FMT_BGRA, PixelFormat::bgra32, Layout::same},
    {AV_PIX_FMT_GBRP, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_BGR0, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_RGB0, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_0BGR, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_0RGB, PixelFormat::rgb24, Layout::parts_of_rgb},
};

const KnownPixels* known(int pixels) {
  const auto* found = std::find_if(std::begin(known_pixels), std::end(known_pixels),
                                   [&](const KnownPixels& each) { return each.pixels == pixels; });
  return found == std::end(known_pixels) ? nullptr : found;
}

std::optional<Matrix> matrix_of(AVColorSpace space) {
  switch (space) {
    case AVCOL_SPC_BT709: return Matrix::bt709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_FCC: return Matrix::bt601;
    case AVCOL_SPC_BT2020_NCL: return Matrix::bt2020;
    default: return std::nullopt;
  }
}

std::optional<Siting> siting_of(AVChromaLocation location) {
  switch (location) {
    case AVCHROMA_LOC_LEFT: return Siting::left;
    case AVCHROMA_LOC_CENTER: return Siting::centre;
    case AVCHROMA_LOC_TOPLEFT: return Siting::top_left;
    default: return std::nullopt;
  }
}

bool is_full_by_name(int pixels) {
  return pixels == AV_PIX_FMT_YUVJ420P || pixels == AV_PIX_FMT_YUVJ422P ||
         pixels == AV_PIX_FMT_YUVJ444P;
}

std::optional<Range> range_of(AVColorRange range, int pixels) {
  if (range == AVCOL_RANGE_JPEG || is_full_by_name(pixels)) return Range::full;
  if (range == AVCOL_RANGE_MPEG) return Range::limited;
  return std::nullopt;
}

io::SamplePlane plane(const AVFrame& frame, int index) {
  return {reinterpret_cast<const std::byte*>(frame.data[index]), frame.linesize[index]};
}

void copy_planes(const AVFrame& frame, PixelFormat format, std::byte* to) {
  for (int p = 0; p < plane_count(format); ++p) {
    const auto row_bytes = static_cast<std::size_t>(plane_row_bytes(format, p, frame.width));
    const io::SamplePlane from = plane(frame, p);
    for (std::int64_t y = 0; y < plane_rows(format, p, frame.height); ++y, to += row_bytes) {
      std::memcpy(to, from.data + y * from.pitch_bytes, row_bytes);
    }
  }
}

// Copies red, green and blue from planes, or from pixels with an unused byte.
void copy_parts_of_rgb(const AVFrame& frame, std::byte* to) {
  const AVPixFmtDescriptor& pixels = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  for (int part = 0; part < 3; ++part) {
    const AVComponentDescriptor& lies = pixels.comp[part];
    const io::SamplePlane from = plane(frame, lies.plane);
    std::byte* next = to + part;
    for (std::int64_t y = 0; y < frame.height; ++y) {
      const std::byte* sample = from.data + y * from.pitch_bytes + lies.offset;
      for (std::int64_t x = 0; x < frame.width; ++x, sample += lies.step, next += 3) {
        *next = *sample;
      }
    }
  }
}

AVColorSpace colour_space(Matrix matrix) {
  switch (matrix) {
    case Matrix::bt601: return AVCOL_SPC_SMPTE170M;
    case Matrix::bt709: return AVCOL_SPC_BT709;
    case Matrix::bt2020: return AVCOL_SPC_BT2020_NCL;
  }
  return AVCOL_SPC_UNSPECIFIED;
}

AVChromaLocation chroma_location(Siting siting) {
  switch (siting) {
    case Siting::left: return AVCHROMA_LOC_LEFT;
    case Siting::centre: return AVCHROMA_LOC_CENTER;
    case Siting::top_left: return AVCHROMA_LOC_TOPLEFT;
  }
  return AVCHROMA_LOC_UNSPECIFIED;
}

}  // namespace

std::optional<PixelFormat> format_of(AVPixelFormat pixels) {
  const KnownPixels* found = known(pixels);
  return found == nullptr ? std::nullopt : std::optional(found->format);
}

std::string name_of_pixels(int pixels) {
  const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(pixels));
  return name == nullptr ? "of unknown format" : name;
}

ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file) {
  ColourTags tags = {matrix_of(frame.colorspace), range_of(frame.color_range, frame.format),
                     siting_of(frame.chroma_location)};
  if (!tags.matrix) tags.matrix = matrix_of(file.color_space);
  if (!tags.range) tags.range = range_of(file.color_range, frame.format);
  if (!tags.siting) tags.siting = siting_of(file.chroma_location);
  return tags;
}

std::string unknown_matrix(const AVFrame& frame, const AVCodecParameters& file) {
  for (const AVColorSpace space : {frame.colorspace, file.color_space}) {
    const bool says_something = space != AVCOL_SPC_UNSPECIFIED && space != AVCOL_SPC_RESERVED;
    if (!says_something || space == AVCOL_SPC_RGB) continue;
    const char* const name = av_color_space_name(space);
    return matrix_of(space) || name == nullptr ? "" : name;
  }
  return {};
}

void copy_frame(const AVFrame& frame, std::span<std::byte> to) {
  const KnownPixels& is = *known(frame.format);
  const std::array planes = {plane(frame, 0), plane(frame, 1), plane(frame, 2)};
  switch (is.layout) {
    case Layout::same: return copy_planes(frame, is.format, to.data());
    case Layout::planes_of_422: return io::interleave_422(planes, frame.width, frame.height, to);
    case Layout::planes_of_444: return io::interleave_444(planes, frame.width, frame.height, to);
    case Layout::parts_of_rgb: return copy_parts_of_rgb(frame, to.data());
  }
}

EncoderTags encoder_tags(const Colours& colours, PixelFormat format, AVPixelFormat pixels) {
  const AVColorRange range =
      colours.range.value == Range::full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  if (!has_luma(format)) return {AVCOL_SPC_RGB, AVCOL_RANGE_JPEG, AVCHROMA_LOC_UNSPECIFIED};
  if (format == PixelFormat::gray8) return {AVCOL_SPC_UNSPECIFIED, range, AVCHROMA_LOC_UNSPECIFIED};
  const AVPixFmtDescriptor& planes = *av_pix_fmt_desc_get(pixels);
  return {
      colour_space(colours.matrix.value), range,
      planes.log2_chroma_w > 0 ? chroma_location(colours.siting.value) : AVCHROMA_LOC_UNSPECIFIED};
}

std::optional<AVPixelFormat> planes_for(PixelFormat format) {
  switch (format) {
    case PixelFormat::gray8: return AV_PIX_FMT_GRAY8;
    case PixelFormat::i420:
    case PixelFormat::nv12:
    case PixelFormat::nv21: return AV_PIX_FMT_YUV420P;
    case PixelFormat::yuyv:
    case PixelFormat::uyvy: return AV_PIX_FMT_YUV422P;
    case PixelFormat::i444: return AV_PIX_FMT_YUV444P;
    case PixelFormat::rgb24:
    case PixelFormat::bgr24: return AV_PIX_FMT_BGR0;
    case PixelFormat::rgba32:
    case PixelFormat::bgra32: return AV_PIX_FMT_BGRA;
    default: return std::nullopt;
  }
}

void fill_frame(AVFrame& frame, PixelFormat format, std::span<const std::byte> from) {
  const ConstHostFrame source(from.data(), format, frame.width, frame.height);
  const AVPixFmtDescriptor& pixels = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  for (int component = 0; component < pixels.nb_components; ++component) {
    const AVComponentDescriptor& lies = pixels.comp[component];
    const Samples samples = samples_of(format, component);
    const bool is_chroma = component == 1 || component == 2;
    const std::int64_t columns =
        is_chroma ? AV_CEIL_RSHIFT(frame.width, pixels.log2_chroma_w) : frame.width;
    const std::int64_t rows =
        is_chroma ? AV_CEIL_RSHIFT(frame.height, pixels.log2_chroma_h) : frame.height;
    std::uint8_t* to = frame.data[lies.plane] + lies.offset;
    for (std::int64_t y = 0; y < rows; ++y, to += frame.linesize[lies.plane]) {
      const std::byte* row = source.row(samples.plane, y) + samples.first;
      if (samples.step == 1 && lies.step == 1) {
        std::memcpy(to, row, static_cast<std::size_t>(columns));
        continue;
      }
      for (std::int64_t x = 0; x < columns; ++x) {
        to[x * lies.step] = std::to_integer<std::uint8_t>(row[x * samples.step]);
      }
    }
  }
}

void fill_with_halved_chroma(AVFrame& frame, std::span<const std::byte> from) {
  std::array<HostFrame::Plane, 3> planes;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    planes[i] = {reinterpret_cast<std::byte*>(frame.data[i]), frame.linesize[i]};
  }
  share_chroma({from.data(), PixelFormat::i444, frame.width, frame.height},
               {PixelFormat::i420, frame.width, frame.height, planes});
}

}  // namespace warpwise::live::ffmpeg
