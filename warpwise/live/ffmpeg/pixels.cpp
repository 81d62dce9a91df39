#include "warpwise/live/ffmpeg/pixels.hpp"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <algorithm>
#include <array>
#include <cstring>

#include "warpwise/base/samples.hpp"
#include "warpwise/io/interleave.hpp"
#include "warpwise/live/depth.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Layouts of a decoder's samples, which decide how they are copied to a frame of Warpwise.
enum class Layout { same, planes_of_422, planes_of_444, parts_of_rgb, repeated_chroma };

struct KnownPixels {
  AVPixelFormat pixels;
  PixelFormat format;
  Layout layout;
};
// FFmpeg's names with J mean full range. The alpha of YUVA is left out.
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
    {AV_PIX_FMT_YUVA420P, PixelFormat::i420, Layout::same},
    {AV_PIX_FMT_YUVA422P, PixelFormat::yuyv, Layout::planes_of_422},
    {AV_PIX_FMT_YUVA444P, PixelFormat::ycbcr32, Layout::planes_of_444},
    {AV_PIX_FMT_GBRAP, PixelFormat::rgba32, Layout::parts_of_rgb},
    {AV_PIX_FMT_ARGB, PixelFormat::rgba32, Layout::parts_of_rgb},
    {AV_PIX_FMT_ABGR, PixelFormat::rgba32, Layout::parts_of_rgb},
    {AV_PIX_FMT_GBRP, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_BGR0, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_RGB0, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_0BGR, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_0RGB, PixelFormat::rgb24, Layout::parts_of_rgb},
    {AV_PIX_FMT_YUV411P, PixelFormat::yuyv, Layout::repeated_chroma},
    {AV_PIX_FMT_YUVJ411P, PixelFormat::yuyv, Layout::repeated_chroma},
    {AV_PIX_FMT_YUV410P, PixelFormat::i420, Layout::repeated_chroma},
    {AV_PIX_FMT_YUV440P, PixelFormat::ycbcr32, Layout::repeated_chroma},
    {AV_PIX_FMT_YUVJ440P, PixelFormat::ycbcr32, Layout::repeated_chroma},
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
         pixels == AV_PIX_FMT_YUVJ444P || pixels == AV_PIX_FMT_YUVJ411P ||
         pixels == AV_PIX_FMT_YUVJ440P;
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

// Copies red, green, blue and alpha from planes, or from pixels of another order.
void copy_parts_of_rgb(const AVFrame& frame, std::byte* to) {
  const AVPixFmtDescriptor& pixels = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  for (int part = 0; part < pixels.nb_components; ++part) {
    const AVComponentDescriptor& lies = pixels.comp[part];
    const io::SamplePlane from = plane(frame, lies.plane);
    std::byte* next = to + part;
    for (std::int64_t y = 0; y < frame.height; ++y) {
      const std::byte* sample = from.data + y * from.pitch_bytes + lies.offset;
      for (std::int64_t x = 0; x < frame.width;
           ++x, sample += lies.step, next += pixels.nb_components) {
        *next = *sample;
      }
    }
  }
}

// Copies planes of YUV that have fewer chroma samples than `format`, and repeats these samples.
void repeat_chroma(const AVFrame& frame, PixelFormat format, std::span<std::byte> to) {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const bool is_444 = format == PixelFormat::ycbcr32;
  const std::int64_t columns = is_444 ? frame.width : AV_CEIL_RSHIFT(frame.width, 1);
  const bool is_420 = format == PixelFormat::i420;
  const std::int64_t rows = is_420 ? AV_CEIL_RSHIFT(frame.height, 1) : frame.height;
  const int across = is.log2_chroma_w - (is_444 ? 0 : 1);
  const int down = is.log2_chroma_h - (is_420 ? 1 : 0);
  std::vector<std::byte> chroma(static_cast<std::size_t>(2 * columns * rows));
  std::byte* next = chroma.data();
  for (int i = 1; i < 3; ++i) {
    for (std::int64_t y = 0; y < rows; ++y) {
      const std::byte* from = plane(frame, i).data + (y >> down) * plane(frame, i).pitch_bytes;
      for (std::int64_t x = 0; x < columns; ++x) *next++ = from[x >> across];
    }
  }
  const io::SamplePlane cb = {chroma.data(), columns};
  const io::SamplePlane cr = {chroma.data() + columns * rows, columns};
  if (is_444) return io::interleave_444({plane(frame, 0), cb, cr}, frame.width, frame.height, to);
  if (!is_420) {
    return io::interleave_422({plane(frame, 0), cb, cr}, frame.width, frame.height, to);
  }
  for (std::int64_t y = 0; y < frame.height; ++y) {
    std::memcpy(to.data() + y * frame.width, plane(frame, 0).data + y * plane(frame, 0).pitch_bytes,
                static_cast<std::size_t>(frame.width));
  }
  std::ranges::copy(chroma, to.begin() + std::int64_t{frame.width} * frame.height);
}

// Returns true for grey, RGB and YUV of 9 to 16 bits, with alpha or without.
bool is_deep(const AVPixFmtDescriptor& is) {
  constexpr std::uint64_t never =
      AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
  const bool is_xyz = std::string_view(is.name).starts_with("xyz");
  if ((is.flags & never) != 0 || is_xyz || is.log2_chroma_w > 1 || is.log2_chroma_h > 1) {
    return false;
  }
  const auto* const end = is.comp + is.nb_components;
  const bool are_equal =
      std::all_of(is.comp, end, [&](const auto& each) { return each.depth == is.comp[0].depth; });
  return are_equal && is.comp[0].depth > 8 && is.comp[0].depth <= 16;
}

io::DeepPlanes planes_of(const AVPixFmtDescriptor& is) {
  if (is.log2_chroma_w == 0) return io::DeepPlanes::yuv444;
  return is.log2_chroma_h == 0 ? io::DeepPlanes::yuv422 : io::DeepPlanes::yuv420;
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

int pixels_of(const AVFrame& frame) {
  if (frame.hw_frames_ctx == nullptr) return frame.format;
  return reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data)->sw_format;
}

std::optional<io::PictureShape> shape_of(int pixels, std::int64_t width, std::int64_t height) {
  const KnownPixels* found = known(pixels);
  if (found != nullptr) return io::PictureShape::of(found->format, width, height);
  const AVPixFmtDescriptor* is = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels));
  if (is == nullptr || !is_deep(*is)) return std::nullopt;
  const bool is_grey = is->nb_components < 3;
  if (!is_grey && !is_rgb(pixels)) return io::PictureShape::of(planes_of(*is), width, height);
  const int channels = is_grey ? 1 : is->nb_components;
  return io::PictureShape::interleaved(ElementType::u16, channels, width, height);
}

int depth_of(int pixels) {
  return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels))->comp[0].depth;
}

bool is_rgb(int pixels) {
  return (av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels))->flags & AV_PIX_FMT_FLAG_RGB) !=
         0;
}

bool leaves_alpha_out(int pixels) {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels));
  return (is.flags & AV_PIX_FMT_FLAG_ALPHA) != 0 && !is_rgb(pixels);
}

bool repeats_chroma(int pixels) {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels));
  return is.log2_chroma_w > 1 || is.log2_chroma_h > is.log2_chroma_w;
}

std::string name_of_pixels(int pixels) {
  const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(pixels));
  return name == nullptr ? "of unknown format" : name;
}

std::string readable_pixels_like(int pixels) {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(pixels));
  const int bits = is.comp[0].depth;
  std::string end;
  for (const int whole : {16, 14, 12, 10, 9}) {
    if (bits > 8 && (end.empty() || whole >= bits)) end = std::to_string(whole) + "le";
  }
  const bool has_colours = (is.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
  if (has_colours) return end.empty() ? "rgb24" : end == "16le" ? "rgb48le" : "gbrp" + end;
  if (is.nb_components < 3) return "gray" + end;
  const char* const chroma = is.log2_chroma_w == 0 ? "444" : is.log2_chroma_h == 0 ? "422" : "420";
  return "yuv" + std::string(chroma) + "p" + end;
}

ColourTags tags_of(const AVFrame& frame, const AVCodecParameters& file) {
  ColourTags tags = {matrix_of(frame.colorspace), range_of(frame.color_range, pixels_of(frame)),
                     siting_of(frame.chroma_location)};
  if (!tags.matrix) tags.matrix = matrix_of(file.color_space);
  if (!tags.range) tags.range = range_of(file.color_range, pixels_of(frame));
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

FrameCopy::FrameCopy(int pixels, const Stream& stream) {
  if (stream.is_deep()) levels_ = levels_of(stream, depth_of(pixels), 16);
}

void FrameCopy::operator()(const AVFrame& frame, std::span<std::byte> to) const {
  if (!levels_.empty()) return copy_deep(frame, to);
  const KnownPixels& is = *known(frame.format);
  const std::array planes = {plane(frame, 0), plane(frame, 1), plane(frame, 2)};
  switch (is.layout) {
    case Layout::same: return copy_planes(frame, is.format, to.data());
    case Layout::planes_of_422: return io::interleave_422(planes, frame.width, frame.height, to);
    case Layout::planes_of_444: return io::interleave_444(planes, frame.width, frame.height, to);
    case Layout::parts_of_rgb: return copy_parts_of_rgb(frame, to.data());
    case Layout::repeated_chroma: return repeat_chroma(frame, is.format, to);
  }
}

// Copies samples of more than 8 bits. FFmpeg reads them by its description of the pixel format.
void FrameCopy::copy_deep(const AVFrame& frame, std::span<std::byte> to) const {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const std::uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
  const io::PictureShape shape = shape_of(frame.format, frame.width, frame.height).value();
  std::vector<std::uint16_t> row(static_cast<std::size_t>(frame.width));
  for (int i = 0; i < static_cast<int>(levels_.size()); ++i) {
    const std::vector<std::uint16_t>& level = levels_[static_cast<std::size_t>(i)];
    const auto [first, step, columns, rows] = sample_positions(shape, i);
    const int times = i > 0 && repeats_chroma(frame.format) ? 2 : 1;
    std::byte* out = to.data() + 2 * first;
    for (std::int64_t y = 0; y < rows; ++y, out += 2 * step * columns) {
      av_read_image_line2(row.data(), data, frame.linesize, &is, 0, static_cast<int>(y / times), i,
                          static_cast<int>(columns), 0, sizeof row[0]);
      for (std::int64_t x = 0; x < columns; ++x) {
        store(out, x * step, level[row[static_cast<std::size_t>(x)]]);
      }
    }
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

AVPixelFormat deep_pixels_for(const Stream& deep, int bits) {
  std::string name = "gbrp";
  if (deep.shape.channels == 1) name = "gray";
  if (deep.shape.channels == 4) name = "gbrap";
  if (deep.shape.planes == io::DeepPlanes::yuv420) name = "yuv420p";
  if (deep.shape.planes == io::DeepPlanes::yuv422) name = "yuv422p";
  if (deep.shape.planes == io::DeepPlanes::yuv444) name = "yuv444p";
  return av_get_pix_fmt((name + std::to_string(bits) + "le").c_str());
}

DeepFill::DeepFill(const Stream& deep, AVPixelFormat pixels)
    : shape_(deep.shape), levels_(levels_of(deep, 16, depth_of(pixels))),
      neutral_(static_cast<std::uint16_t>(1 << (depth_of(pixels) - 1))) {}

void DeepFill::operator()(AVFrame& frame, std::span<const std::byte> from) const {
  const AVPixFmtDescriptor& is = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const std::byte* next_plane = from.data();
  const int parts = is_rgb(frame.format) ? is.nb_components : std::min<int>(is.nb_components, 3);
  for (int i = 0; i < parts; ++i) {
    const bool is_shared = i > 0 && !is_rgb(frame.format);
    const int columns = is_shared ? AV_CEIL_RSHIFT(frame.width, is.log2_chroma_w) : frame.width;
    const int rows = is_shared ? AV_CEIL_RSHIFT(frame.height, is.log2_chroma_h) : frame.height;
    const std::int64_t step = shape_.planes ? 1 : shape_.channels;
    const std::byte* in = shape_.planes ? next_plane : from.data() + 2 * i;
    const int plane = is.comp[i].plane;
    auto* out = reinterpret_cast<std::byte*>(frame.data[plane]);
    const int times = is_shared && shape_.planes && shape_.plane_height(1) < rows ? 2 : 1;
    for (int y = 0; y < rows; ++y, out += frame.linesize[plane]) {
      fill_row(i, in + 2 * step * columns * (y / times), step, out, columns);
    }
    if (shape_.planes) next_plane += 2 * shape_.plane_width(i) * shape_.plane_height(i);
  }
}

void DeepFill::fill_row(int component, const std::byte* from, std::int64_t step, std::byte* to,
                        int columns) const {
  const auto number = static_cast<std::size_t>(component);
  if (number >= levels_.size()) {
    for (int x = 0; x < columns; ++x) store(to, x, neutral_);
    return;
  }
  const std::vector<std::uint16_t>& level = levels_[number];
  for (int x = 0; x < columns; ++x) store(to, x, level[load<std::uint16_t>(from, x * step)]);
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
    const bool is_repeated = is_chroma && plane_rows(format, samples.plane, frame.height) < rows;
    for (std::int64_t y = 0; y < rows; ++y, to += frame.linesize[lies.plane]) {
      const std::byte* row = source.row(samples.plane, is_repeated ? y / 2 : y) + samples.first;
      if (lies.depth > 8) {
        for (std::int64_t x = 0; x < columns; ++x) {
          const auto code = std::to_integer<unsigned>(row[x * samples.step]) << (lies.depth - 8);
          store(reinterpret_cast<std::byte*>(to), x, static_cast<std::uint16_t>(code));
        }
        continue;
      }
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
