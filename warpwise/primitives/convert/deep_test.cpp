#include "warpwise/primitives/convert/deep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/samples.hpp"
#include "warpwise/io/levels.hpp"
#include "warpwise/primitives/convert/share_chroma.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;
using test::Size;

/// Kind of picture: the channels of each view, and the columns and rows that share a chroma sample.
struct Kind {
  std::vector<int> channels;
  int across = 1;
  int down = 1;
};
const Kind grey_kind{{1}};
const Kind rgb_kind{{3}};
const Kind rgba_kind{{4}};
const std::vector<Kind> kinds_of_planes = {{{1, 1, 1}}, {{1, 1, 1}, 2}, {{1, 1, 1}, 2, 2}};
const std::vector<Kind> kinds_of_pairs = {{{1, 2}}, {{1, 2}, 2}, {{1, 2}, 2, 2}};

/// The images of a picture.
struct Images {
  Images(const Kind& kind, Size size, Layout layout) {
    for (const int channels : kind.channels) {
      const bool is_chroma = !all.empty();
      const std::int64_t across = is_chroma ? kind.across : 1;
      const std::int64_t down = is_chroma ? kind.down : 1;
      all.emplace_back(ElementType::u16, (size.width + across - 1) / across,
                       (size.height + down - 1) / down, channels, layout);
    }
  }

  void fill_random(std::uint64_t seed) {
    for (GuardedImage& each : all) each.fill_random(seed++);
  }
  void expect_guards_intact() const {
    for (const GuardedImage& each : all) each.expect_guards_intact();
  }
  template <class View>
  std::vector<View> views() {
    std::vector<View> views;
    for (GuardedImage& each : all) views.push_back(each.view());
    return views;
  }
  std::uint16_t code(std::size_t image, std::int64_t x, std::int64_t y, int channel = 0) const {
    const ConstHostView view = all[image].view();
    return load<std::uint16_t>(view.row(y), x * view.channels() + channel);
  }

  std::vector<GuardedImage> all;
};

/// The images in device memory.
struct ImagesOnDevice {
  ImagesOnDevice(std::vector<GuardedImage>& images, gpu::StreamHandle stream) {
    all.reserve(images.size());
    for (GuardedImage& each : images) all.emplace_back(each, stream);
  }
  template <class View>
  std::vector<View> views() {
    std::vector<View> views;
    for (OnDevice& each : all) views.push_back(each.view());
    return views;
  }
  void download(const gpu::Stream& stream) {
    for (OnDevice& each : all) each.download(stream);
  }

  std::vector<OnDevice> all;
};

/// A frame of bytes, each plane an image.
struct ByteFrame {
  ByteFrame(PixelFormat pixels, Size size, Layout layout) : format(pixels), of(size) {
    for (int i = 0; i < plane_count(format); ++i) {
      planes.emplace_back(ElementType::u8, plane_row_bytes(format, i, size.width),
                          plane_rows(format, i, size.height), 1, layout);
    }
  }

  template <class Frame, class Views>
  Frame frame(const Views& views) const {
    std::array<typename Frame::Plane, 3> each{};
    for (std::size_t i = 0; i < views.size(); ++i) {
      each[i] = {views[i].data(), views[i].pitch_bytes()};
    }
    return Frame(format, of.width, of.height, each);
  }
  HostFrame host() {
    std::vector<HostView> views;
    for (GuardedImage& each : planes) views.push_back(each.view());
    return frame<HostFrame>(views);
  }
  int byte(int component, std::int64_t x, std::int64_t y) {
    const Samples samples = samples_of(format, component);
    return std::to_integer<int>(host().row(samples.plane, y)[samples.first + x * samples.step]);
  }
  void expect_guards_intact() const {
    for (const GuardedImage& each : planes) each.expect_guards_intact();
  }

  PixelFormat format;
  Size of;
  std::vector<GuardedImage> planes;
};

class DeepTest : public test::BackendTest {
 protected:
  static void convert(Images& src, Images& dst, const DeepOptions& options) {
    if (GetParam() == Backend::cpu) {
      return convert_deep(src.views<ConstHostView>(), dst.views<HostView>(), options);
    }
    const gpu::Stream stream;
    ImagesOnDevice from(src.all, stream), to(dst.all, stream);
    convert_deep(from.views<ConstDeviceView>(), to.views<DeviceView>(), options, stream);
    to.download(stream);
  }

  static void round(Images& src, Range range, ByteFrame& dst) {
    if (GetParam() == Backend::cpu) {
      return round_to_8_bits(src.views<ConstHostView>(), range, dst.host());
    }
    const gpu::Stream stream;
    ImagesOnDevice from(src.all, stream), to(dst.planes, stream);
    round_to_8_bits(from.views<ConstDeviceView>(), range,
                    dst.frame<DeviceFrame>(to.views<DeviceView>()), stream);
    to.download(stream);
  }

  static void share(ByteFrame& src, ByteFrame& dst) {
    if (GetParam() == Backend::cpu) return share_chroma(src.host(), dst.host());
    const gpu::Stream stream;
    ImagesOnDevice from(src.planes, stream), to(dst.planes, stream);
    share_chroma(src.frame<DeviceFrame>(from.views<DeviceView>()),
                 dst.frame<DeviceFrame>(to.views<DeviceView>()), stream);
    to.download(stream);
  }

  /// Compares with the CPU's result for images without gaps.
  static void compare(const Kind& from, const Kind& to, Size size, Layout src_layout,
                      Layout dst_layout, const DeepOptions& options) {
    SCOPED_TRACE(testing::Message()
                 << from.channels.size() << " views to " << to.channels.size() << ", " << size.width
                 << "x" << size.height << ", offsets " << src_layout.offset_bytes << " and "
                 << dst_layout.offset_bytes);
    Images plain(from, size, {}), src(from, size, src_layout);
    for (Images* each : {&plain, &src}) {
      each->fill_random(static_cast<std::uint64_t>(size.width * 31 + size.height));
    }
    Images expected(to, size, {}), dst(to, size, dst_layout);
    convert_deep(plain.views<ConstHostView>(), expected.views<HostView>(), options);
    convert(src, dst, options);
    for (std::size_t i = 0; i < dst.all.size(); ++i) {
      test::expect_equal<std::uint16_t>(expected.all[i].view(), dst.all[i].view());
    }
    dst.expect_guards_intact();
  }
};

std::vector<std::pair<Kind, Kind>> all_conversions() {
  std::vector<std::pair<Kind, Kind>> all = {{grey_kind, rgb_kind}, {rgba_kind, rgb_kind}};
  for (const Kind& planes : kinds_of_planes) {
    all.push_back({planes, rgb_kind});
    all.push_back({rgb_kind, planes});
    all.push_back({rgba_kind, planes});
    all.push_back({grey_kind, planes});
    for (const Kind& others : kinds_of_planes) all.push_back({planes, others});
  }
  for (const Kind& pairs : kinds_of_pairs) all.push_back({pairs, rgb_kind});
  return all;
}

TEST_P(DeepTest, AwkwardSizesAndLayouts) {
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;  // each call uses the next pair of layouts, matrix and range
  for (const auto& [from, to] : all_conversions()) {
    for (const Size size : test::awkward_sizes()) {
      const std::size_t pair = turn++ % (layouts.size() * layouts.size());
      DeepOptions options{.matrix = all_matrices[turn % all_matrices.size()]};
      const Range range = all_ranges[turn % 2];
      if (from.channels[0] == 1) options.from_range = range;
      if (to.channels.size() > 1) options.to_range = range;
      compare(from, to, size, layouts[pair % layouts.size()], layouts[pair / layouts.size()],
              options);
    }
  }
}

TEST_P(DeepTest, PairsOfChromaGiveTheResultOfPlanes) {
  for (std::size_t i = 0; i < kinds_of_planes.size(); ++i) {
    const Size size{67, 5};
    Images planes(kinds_of_planes[i], size, {}), pairs(kinds_of_pairs[i], size, {});
    planes.fill_random(7);
    for (int plane = 0; plane < 3; ++plane) {
      const auto from = static_cast<std::size_t>(plane);
      const ConstHostView view = std::as_const(planes).all[from].view();
      const HostView to = pairs.all[plane == 0 ? 0 : 1].view();
      for (std::int64_t y = 0; y < view.height(); ++y) {
        for (std::int64_t x = 0; x < view.width(); ++x) {
          store(to.row(y), plane == 0 ? x : 2 * x + plane - 1, planes.code(from, x, y));
        }
      }
    }
    const DeepOptions options{Matrix::bt2020, Range::limited};
    Images expected(rgb_kind, size, {}), actual(rgb_kind, size, {});
    convert(planes, expected, options);
    convert(pairs, actual, options);
    test::expect_equal<std::uint16_t>(expected.all[0].view(), actual.all[0].view());
  }
}

// Code of black, number of codes up to white, and number of chroma codes, by ITU-R BT.2100.
struct Codes {
  std::int64_t black, luma, chroma;
};
Codes codes_of(Range range) {
  return range == Range::full ? Codes{0, 65535, 65535} : Codes{16 * 256, 219 * 256, 224 * 256};
}

// Rounds a quotient half up, and saturates.
int rounded(std::int64_t numerator, std::int64_t denominator, std::int64_t offset) {
  const std::int64_t doubled = 2 * (numerator + offset * denominator) + denominator;
  return static_cast<int>(
      std::clamp<std::int64_t>(doubled < 0 ? 0 : doubled / (2 * denominator), 0, 65535));
}

TEST_P(DeepTest, YuvOfAnotherRangeAndSharedChroma) {
  const Size size{7, 5};
  for (const Kind& from : kinds_of_planes) {
    for (const Kind& to : kinds_of_planes) {
      for (const Range from_range : all_ranges) {
        for (const Range to_range : all_ranges) {
          Images src(from, size, {}), dst(to, size, {});
          src.fill_random(11);
          convert(src, dst, {Matrix::bt709, from_range, to_range});
          const Codes was = codes_of(from_range), is = codes_of(to_range);
          for (std::int64_t y = 0; y < size.height; ++y) {
            for (std::int64_t x = 0; x < size.width; ++x) {
              ASSERT_EQ(dst.code(0, x, y),
                        rounded((src.code(0, x, y) - was.black) * is.luma, was.luma, is.black));
            }
          }
          for (std::int64_t i = 0; i < 2 * ((size.width + to.across - 1) / to.across) *
                                           ((size.height + to.down - 1) / to.down);
               ++i) {
            const std::int64_t columns = (size.width + to.across - 1) / to.across;
            const auto plane = static_cast<std::size_t>(1 + i % 2);
            const std::int64_t x = i / 2 % columns, y = i / 2 / columns;
            std::int64_t sum = 0, count = 0;
            for (std::int64_t row = y * to.down; row < std::min((y + 1) * to.down, size.height);
                 ++row) {
              for (std::int64_t column = x * to.across;
                   column < std::min((x + 1) * to.across, size.width); ++column, ++count) {
                sum += src.code(plane, column / from.across, row / from.down) - 32768;
              }
            }
            ASSERT_EQ(dst.code(plane, x, y), rounded(sum * is.chroma, count * was.chroma, 32768))
                << "plane " << plane << " at " << x << ", " << y;
          }
        }
      }
    }
  }
}

// The codes are those of table 9 of ITU-R BT.2100 for 100 % bars in limited range, at 16 bits.
TEST_P(DeepTest, WhiteBlackAndGreyHaveTheStandardsCodes) {
  Images src(rgb_kind, {3, 1}, {}), dst(kinds_of_planes[0], {3, 1}, {});
  const HostView pixels = src.all[0].view();
  for (int i = 0; i < 9; ++i) {
    store(pixels.row(0), i, static_cast<std::uint16_t>(i < 3 ? 65535 : i < 6 ? 0 : 13107));
  }
  convert(src, dst, {.matrix = Matrix::bt709, .to_range = Range::limited});
  EXPECT_EQ(dst.code(0, 0, 0), 940 << 6);
  EXPECT_EQ(dst.code(0, 1, 0), 64 << 6);
  EXPECT_EQ(dst.code(0, 2, 0), std::lround((64 + 876 / 5.0) * 64));
  for (std::size_t plane : {1U, 2U}) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(dst.code(plane, x, 0), 512 << 6);
  }
}

__extension__ using Wide = __int128;

/// Returns numerator / denominator, rounded half up, as a code.
std::uint16_t code_of(Wide numerator, Wide denominator) {
  const Wide doubled = 2 * numerator + denominator;
  const Wide down = doubled >= 0 ? doubled / (2 * denominator) : -1;
  return static_cast<std::uint16_t>(std::clamp<Wide>(down, 0, 65535));
}

// Computes the expected codes in integers: many grey pixels of limited range lie at a half.
TEST_P(DeepTest, YuvBecomesRgbByTheStandardsFormula) {
  const struct {
    Matrix matrix;
    std::int64_t red, green, blue, one;
  } weights[] = {{Matrix::bt601, 299, 587, 114, 1000},
                 {Matrix::bt709, 2126, 7152, 722, 10000},
                 {Matrix::bt2020, 2627, 6780, 593, 10000}};
  const struct {
    Range range;
    int bits;
    std::int64_t luma, chroma, black;
  } codes[] = {{Range::full, 16, 65535, 65535, 0},
               {Range::full, 10, 65472, 65472, 0},
               {Range::limited, 10, 219 * 256, 224 * 256, 16 * 256}};
  constexpr std::int64_t width = 211, height = 97;
  for (const auto& k : weights) {
    for (const auto& c : codes) {
      Images src(kinds_of_planes[0], {width, height}, {}), dst(rgb_kind, {width, height}, {});
      src.fill_random(5);
      for (std::size_t plane = 0; plane < 3; ++plane) {
        const HostView view = src.all[plane].view();
        for (std::int64_t y = 0; y < height; ++y) {
          for (std::int64_t x = 0; x < width; ++x) {
            const bool is_neutral = plane > 0 && y % 2 == 0;
            const int code =
                is_neutral ? 32768 : src.code(plane, x, y) >> (16 - c.bits) << (16 - c.bits);
            store(view.row(y), x, static_cast<std::uint16_t>(code));
          }
        }
      }
      convert(src, dst, {.matrix = k.matrix, .from_range = c.range, .from_bits = c.bits});
      for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
          const std::int64_t luma = src.code(0, x, y) - c.black;
          const std::int64_t cb = src.code(1, x, y) - 32768, cr = src.code(2, x, y) - 32768;
          const Wide grey = static_cast<Wide>(luma) * c.chroma * k.one;
          const Wide red = grey + 2 * (k.one - k.red) * cr * c.luma;
          const Wide blue = grey + 2 * (k.one - k.blue) * cb * c.luma;
          const Wide green = grey * k.one - k.red * red - k.blue * blue;
          const Wide one = static_cast<Wide>(c.luma) * c.chroma * k.one;
          ASSERT_EQ(dst.code(0, x, y, 0), code_of(65535 * red, one)) << x << ", " << y;
          ASSERT_EQ(dst.code(0, x, y, 1), code_of(65535 * green, one * k.green)) << x << ", " << y;
          ASSERT_EQ(dst.code(0, x, y, 2), code_of(65535 * blue, one)) << x << ", " << y;
        }
      }
    }
  }
}

TEST_P(DeepTest, MoreRowsThanAGridHas) {
  compare(rgb_kind, kinds_of_planes[0], {2, 65540}, {}, {}, {});
}

TEST_P(DeepTest, EveryCodeIsRoundedAsLevelsSay) {
  const struct {
    Kind kind;
    PixelFormat to;
    Range range;
    io::Coding first, others;
  } cases[] = {
      {grey_kind, PixelFormat::gray8, Range::full, io::Coding::full, {}},
      {grey_kind, PixelFormat::gray8, Range::limited, io::Coding::limited, {}},
      {rgb_kind, PixelFormat::bgr24, Range::limited, io::Coding::full, io::Coding::full},
      {rgba_kind, PixelFormat::rgba32, Range::full, io::Coding::full, io::Coding::full},
      {kinds_of_planes[0], PixelFormat::i444, Range::full, io::Coding::full,
       io::Coding::full_chroma},
      {kinds_of_planes[0], PixelFormat::ycbcr32, Range::limited, io::Coding::limited,
       io::Coding::limited},
  };
  for (const auto& [kind, format, range, first, others] : cases) {
    const Size size{256, 256};
    Images src(kind, size, {});
    for (GuardedImage& each : src.all) {
      const HostView view = each.view();
      for (std::int64_t i = 0; i < 65536 * view.channels(); ++i) {
        store(view.data(), i, static_cast<std::uint16_t>(i / view.channels()));
      }
    }
    ByteFrame dst(format, size, {});
    round(src, range, dst);
    const int components = kind.channels.size() > 1 ? 3 : kind.channels[0];
    for (int component = 0; component < components; ++component) {
      const auto expected = io::levels(16, 8, component == 0 ? first : others);
      for (int code = 0; code < 65536; ++code) {
        ASSERT_EQ(dst.byte(component, code % 256, code / 256),
                  expected[static_cast<std::size_t>(code)])
            << name_of(format) << ", component " << component << ", code " << code;
      }
    }
    if (format != PixelFormat::ycbcr32) continue;
    for (int x = 0; x < 256; ++x) EXPECT_EQ(dst.byte(3, x, x), 255);
  }
}

// Hardware decoders return frames with samples of this kind, for example P010.
TEST_P(DeepTest, FewerBitsInTheHighestOnesAreScaledAsLevelsSay) {
  const std::pair<Kind, Kind> cases[] = {{kinds_of_pairs[2], kinds_of_planes[2]},
                                         {kinds_of_planes[0], kinds_of_planes[0]}};
  for (const auto& [from, to] : cases) {
    for (const int bits : {8, 10, 12}) {
      for (const Range range : all_ranges) {
        const Size size{256, 64};
        Images src(from, size, {}), dst(to, size, {});
        const auto code_at = [&](std::int64_t i) { return (i * 7 + i / 1000) % (1 << bits); };
        for (GuardedImage& each : src.all) {
          const HostView view = each.view();
          for (std::int64_t i = 0; i < view.width() * view.height() * view.channels(); ++i) {
            store(view.data(), i, static_cast<std::uint16_t>(code_at(i) << (16 - bits)));
          }
        }
        convert(src, dst, {.from_range = range, .to_range = range, .from_bits = bits});
        for (int plane = 0; plane < 3; ++plane) {
          const bool is_full_chroma = range == Range::full && plane > 0;
          const io::Coding coding = range == Range::limited ? io::Coding::limited
                                    : is_full_chroma        ? io::Coding::full_chroma
                                                            : io::Coding::full;
          const std::vector<std::uint16_t> expected = io::levels(bits, 16, coding);
          const int channels = plane > 0 ? src.all.back().view().channels() : 1;
          const auto at = static_cast<std::size_t>(plane);
          const ConstHostView view = std::as_const(dst).all[at].view();
          for (std::int64_t i = 0; i < view.width() * view.height(); ++i) {
            const std::int64_t code = code_at(channels * i + (channels > 1 ? plane - 1 : 0));
            ASSERT_EQ(dst.code(at, i % view.width(), i / view.width()),
                      expected[static_cast<std::size_t>(code)])
                << bits << " bits, " << name_of(range) << ", plane " << plane << ", code " << code;
          }
        }
      }
    }
  }
}

TEST_P(DeepTest, RoundedFramesOfAwkwardSizesAndLayouts) {
  const std::pair<Kind, PixelFormat> cases[] = {
      {grey_kind, PixelFormat::gray8},           {rgb_kind, PixelFormat::rgb24},
      {rgba_kind, PixelFormat::bgra32},          {kinds_of_planes[2], PixelFormat::i420},
      {kinds_of_pairs[2], PixelFormat::nv21},    {kinds_of_planes[1], PixelFormat::yuyv},
      {kinds_of_planes[1], PixelFormat::uyvy},   {kinds_of_planes[0], PixelFormat::ycbcr32},
      {kinds_of_planes[0], PixelFormat::ycrcb24}};
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;
  for (const auto& [kind, format] : cases) {
    for (const Size size : test::awkward_sizes()) {
      const std::size_t pair = turn++ % (layouts.size() * layouts.size());
      Images src(kind, size, layouts[pair % layouts.size()]);
      src.fill_random(turn);
      ByteFrame dst(format, size, layouts[pair / layouts.size()]);
      round(src, Range::limited, dst);
      const bool is_yuv = kind.channels.size() > 1;
      const auto level = io::levels(
          16, 8, format == PixelFormat::gray8 || is_yuv ? io::Coding::limited : io::Coding::full);
      int component = 0;
      for (std::size_t i = 0; i < src.all.size(); ++i) {
        const ConstHostView view = src.all[i].view();
        for (int channel = 0; channel < view.channels(); ++channel, ++component) {
          for (std::int64_t y = 0; y < view.height(); ++y) {
            for (std::int64_t x = 0; x < view.width(); ++x) {
              ASSERT_EQ(dst.byte(component, x, y), level[src.code(i, x, y, channel)])
                  << name_of(format) << ", " << size.width << "x" << size.height;
            }
          }
        }
      }
      if (size.width % 2 == 1 && (format == PixelFormat::yuyv || format == PixelFormat::uyvy)) {
        EXPECT_EQ(dst.byte(0, size.width, 0), dst.byte(0, size.width - 1, 0));
      }
      dst.expect_guards_intact();
    }
  }
}

TEST_P(DeepTest, SharedChromaIsTheMeanOfItsPixels) {
  const struct {
    PixelFormat format;
    int across, down;
  } cases[] = {{PixelFormat::i420, 2, 2},    {PixelFormat::nv12, 2, 2},   {PixelFormat::nv21, 2, 2},
               {PixelFormat::yuyv, 2, 1},    {PixelFormat::uyvy, 2, 1},   {PixelFormat::i444, 1, 1},
               {PixelFormat::ycbcr32, 1, 1}, {PixelFormat::ycrcb24, 1, 1}};
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;
  for (const auto& [format, across, down] : cases) {
    for (const Size size : test::awkward_sizes()) {
      const std::size_t pair = turn++ % (layouts.size() * layouts.size());
      ByteFrame src(PixelFormat::i444, size, layouts[pair % layouts.size()]);
      for (GuardedImage& each : src.planes) each.fill_random(++turn);
      ByteFrame dst(format, size, layouts[pair / layouts.size()]);
      share(src, dst);
      for (int component = 0; component < 3; ++component) {
        const int columns = component == 0 ? 1 : across;
        const int rows = component == 0 ? 1 : down;
        for (std::int64_t y = 0; y < size.height; y += rows) {
          for (std::int64_t x = 0; x < size.width; x += columns) {
            double sum = 0;
            int count = 0;
            for (std::int64_t row = y; row < std::min(y + rows, size.height); ++row) {
              for (std::int64_t column = x; column < std::min(x + columns, size.width); ++column) {
                sum += src.byte(component, column, row);
                ++count;
              }
            }
            ASSERT_EQ(dst.byte(component, x / columns, y / rows), std::floor(sum / count + 0.5))
                << name_of(format) << ", " << size.width << "x" << size.height;
          }
        }
      }
      if (format == PixelFormat::ycbcr32) {
        EXPECT_EQ(dst.byte(3, size.width - 1, size.height - 1), 255);
      }
      dst.expect_guards_intact();
    }
  }
}

TEST(DeepArguments, WrongOnesAreRefused) {
  const auto refusal = [](const Kind& from, const Kind& to, const DeepOptions& options = {},
                          Size size = {8, 6}) {
    Images src(from, {8, 6}, {}), dst(to, size, {});
    return test::message_of<InvalidArgument>(
        [&] { convert_deep(src.views<ConstHostView>(), dst.views<HostView>(), options); });
  };
  const Kind& planes = kinds_of_planes[0];
  EXPECT_EQ(refusal({{2}}, rgb_kind),
            "convert_deep: src has pixels of 2 x u16; it must be one view of 1, 3 or 4 x u16, or "
            "the luma and chroma planes of u16");
  EXPECT_EQ(refusal(rgb_kind, kinds_of_pairs[0]),
            "convert_deep: dst needs one view of 3 x u16, or three of 1 x u16");
  EXPECT_EQ(refusal(rgb_kind, planes, {.from_range = Range::limited}),
            "convert_deep: from_range is limited, but src is RGB, whose range is full");
  EXPECT_EQ(refusal(rgb_kind, planes, {.from_bits = 10}),
            "convert_deep: from_bits is 10, but src is RGB, whose samples have 16 bits");
  EXPECT_EQ(refusal(planes, rgb_kind, {.from_bits = 17}),
            "convert_deep: from_bits is 17, it needs 8 to 16");
  EXPECT_EQ(refusal(planes, rgb_kind, {.to_range = Range::limited}),
            "convert_deep: to_range is limited, but dst is RGB, whose range is full");
  EXPECT_EQ(refusal(planes, rgb_kind, {}, {7, 6}),
            "convert_deep: src is 8x6, dst is 7x6; they must be of one size");
  EXPECT_EQ(refusal({{1, 1, 1}, 4}, rgb_kind),
            "convert_deep: luma is 8x6, Cb is 2x6 and Cr is 2x6; this is neither 4:4:4, 4:2:2 nor "
            "4:2:0");
  GuardedImage image(ElementType::u16, 8, 6, 4);
  const HostView all[] = {image.view()};
  const ConstHostView from[] = {all[0]};
  const HostView inside[] = {{all[0].data(), ElementType::u16, 8, 6, 3, all[0].pitch_bytes()}};
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { convert_deep(from, inside); }),
            "convert_deep: src and dst overlap in memory");
}

TEST(DeepColours, AreReadAndWrittenInTheViewsOrder) {
  using enum ChannelOrder;
  std::uint16_t red_first[] = {65535, 300, 7, 9}, blue_first[] = {7, 300, 65535, 9}, turned[3];
  const auto planes_of = [](const ConstHostView& pixel) {
    std::array<std::uint16_t, 3> codes{};
    const HostView planes[] = {{&codes[0], 1, 1}, {&codes[1], 1, 1}, {&codes[2], 1, 1}};
    convert_deep(std::span(&pixel, 1), planes);
    return codes;
  };
  for (const int channels : {3, 4}) {
    const ConstHostView turned_view(blue_first, 1, 1, channels);
    EXPECT_EQ(planes_of(turned_view.in_order(bgr)), planes_of({red_first, 1, 1, channels}));
  }
  const ConstHostView src[] = {{red_first, 1, 1, 4}};
  const HostView dst[] = {HostView(turned, 1, 1, 3).in_order(bgr)};
  convert_deep(src, dst);
  EXPECT_TRUE(std::equal(turned, turned + 3, blue_first));
  std::array<std::uint8_t, 3> bytes{};
  const ConstHostView result[] = {dst[0]};
  round_to_8_bits(result, Range::full, {bytes.data(), PixelFormat::rgb24, 1, 1});
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 3>{255, 1, 0}));
}

TEST(DeepArguments, OtherFramesAreRefused) {
  const auto refusal = [](const Kind& from, PixelFormat to, Size size = {8, 6}) {
    Images src(from, {8, 6}, {});
    ByteFrame dst(to, size, {});
    return test::message_of<InvalidArgument>(
        [&] { round_to_8_bits(src.views<ConstHostView>(), Range::full, dst.host()); });
  };
  EXPECT_EQ(refusal(rgb_kind, PixelFormat::rgba32),
            "round_to_8_bits: src does not have the components of a frame of rgba32");
  EXPECT_EQ(refusal(rgb_kind, PixelFormat::i444),
            "round_to_8_bits: src does not have the components of a frame of i444");
  EXPECT_EQ(refusal(kinds_of_planes[0], PixelFormat::i420),
            "round_to_8_bits: component 1 of src is 8x6, that of i420 is 4x3");
  EXPECT_EQ(refusal(rgb_kind, PixelFormat::rgb24, {8, 5}),
            "round_to_8_bits: src is 8x6, dst is 8x5; they must be of one size");
}

INSTANTIATE_TEST_SUITE_P(, DeepTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
