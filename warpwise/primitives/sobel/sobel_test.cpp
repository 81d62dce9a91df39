#include "warpwise/primitives/sobel/sobel.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "support/backend.hpp"
#include "support/enum_names.hpp"
#include "support/guarded_image.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;

/// One way to call sobel().
struct Case {
  ElementType src;
  int channels;
  ElementType dst;
  SobelOptions options;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.channels << " x " << name_of(c.src) << " to " << name_of(c.dst) << ", "
             << name_of(c.options.output) << " " << name_of(c.options.norm) << " "
             << name_of(c.options.kernel) << " " << name_of(c.options.border) << " "
             << name_of(c.options.channels);
}

std::vector<Case> cases_of(ElementType src, int channels) {
  std::vector<Case> cases;
  for (const SobelOutput output : all_sobel_outputs) {
    for (const Norm norm : all_norms) {
      if (output != SobelOutput::magnitude && norm != Norm::l1) continue;  // the norm is not used
      for (const SobelKernel kernel : all_sobel_kernels) {
        for (const Border border : all_borders) {
          for (const ChannelOrder order : all_channel_orders) {
            if (channels == 1 && order != ChannelOrder::rgb) continue;
            for (const ElementType dst : sobel_dst_types(src, output)) {
              cases.push_back({src, channels, dst, {output, norm, kernel, border, order}});
            }
          }
        }
      }
    }
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& [type, channels] : {std::pair{ElementType::u8, 1},
                                       {ElementType::u8, 3},
                                       {ElementType::u8, 4},
                                       {ElementType::u16, 1},
                                       {ElementType::f32, 1}}) {
    for (const Case& c : cases_of(type, channels)) cases.push_back(c);
  }
  return cases;
}

class SobelTest : public test::BackendTest {
 protected:
  /// Runs the backend on `src` and compares with `expected`, the reference's result.
  void run_and_compare(GuardedImage& src, const GuardedImage& expected, Layout to,
                       const SobelOptions& options) {
    const ConstHostView shape = expected.view();
    GuardedImage dst(shape.type(), shape.width(), shape.height(), 1, to);
    if (GetParam() == Backend::cpu) {
      sobel(src.view(), dst.view(), options);
    } else {
      const gpu::Stream stream;
      OnDevice device_src(src, stream);
      OnDevice device_dst(dst, stream);
      sobel(device_src.view(), device_dst.view(), options, stream);
      device_dst.download(stream);
    }
    test::expect_equal(shape, dst.view());
    dst.expect_guards_intact();
  }

  void compare(GuardedImage& src, Layout to, const Case& c) {
    GuardedImage expected(c.dst, src.view().width(), src.view().height());
    reference::sobel(src.view(), expected.view(), c.options);
    run_and_compare(src, expected, to, c.options);
  }

  void compare_random(const Case& c, test::Size size, Layout from, Layout to) {
    SCOPED_TRACE(testing::Message()
                 << c << ", " << size.width << "x" << size.height << ", offsets "
                 << from.offset_bytes << " and " << to.offset_bytes << ", padding "
                 << from.padding_bytes << " and " << to.padding_bytes);
    GuardedImage src(c.src, size.width, size.height, c.channels, from);
    src.fill_random(static_cast<std::uint64_t>(size.width * 31 + size.height));
    compare(src, to, c);
  }
};

TEST_P(SobelTest, EveryOptionAtAwkwardSizes) {
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;  // each call uses the next pair of layouts
  for (const Case& c : all_cases()) {
    for (const auto& size : test::awkward_sizes()) {
      const std::size_t pair = turn++ % (layouts.size() * layouts.size());
      compare_random(c, size, layouts[pair % layouts.size()], layouts[pair / layouts.size()]);
      if (HasFailure()) return;
    }
  }
}

TEST_P(SobelTest, EveryPairOfLayouts) {
  for (const Case& c : all_cases()) {
    const bool usual = c.options.kernel == SobelKernel::sobel && c.options.norm == Norm::l1 &&
                       c.options.border == Border::reflect101 &&
                       c.options.channels == ChannelOrder::rgb;
    if (!usual) continue;
    for (const test::Size& size : {test::Size{1, 1}, {17, 17}, {64, 64}, {129, 13}, {300, 7}}) {
      for (const Layout& from : test::awkward_layouts()) {
        for (const Layout& to : test::awkward_layouts()) compare_random(c, size, from, to);
      }
    }
    if (HasFailure()) return;
  }
}

TEST_P(SobelTest, EveryAlignmentOfSourceAndDestination) {
  const Case u8{ElementType::u8, 1, ElementType::u8, {}};
  const Case u16{ElementType::u16, 1, ElementType::u32, {}};
  for (std::int64_t from = 0; from < 16; ++from) {
    for (std::int64_t to = 0; to < 16; ++to) {
      compare_random(u8, {53, 3}, {from, 11}, {to, 11});
      compare_random(u16, {53, 3}, {from, 10}, {to, 10});
    }
  }
}

TEST_P(SobelTest, EveryWidth) {
  for (std::int64_t width = 1; width <= 140; ++width) {
    compare_random({ElementType::u8, 1, ElementType::u8, {}}, {width, 3}, {0, 0}, {0, 0});
    compare_random({ElementType::u8, 3, ElementType::u8, {}}, {width, 2}, {0, 0}, {0, 0});
    compare_random({ElementType::u8, 4, ElementType::u16, {}}, {width, 2}, {0, 0}, {0, 0});
    compare_random({ElementType::u16, 1, ElementType::u32, {}}, {width, 3}, {0, 0}, {0, 0});
    compare_random({ElementType::f32, 1, ElementType::f32, {}}, {width, 3}, {0, 0}, {0, 0});
  }
}

TEST_P(SobelTest, WarpsThatLiePartlyRightOfTheImage) {
  // The last size has so many blocks that a thread has eight rows.
  for (const test::Size& size : {test::Size{8, 40}, {64, 64}, {264, 70}, {504, 33}, {264, 6400}}) {
    for (const Border border : all_borders) {
      SobelOptions options;
      options.border = border;
      compare_random({ElementType::u8, 1, ElementType::u8, options}, size, {0, 0}, {0, 0});
      if (HasFailure()) return;
    }
  }
}

/// Fills an image with the numbers that `value` gives for (x, y, channel).
template <class T>
void fill(GuardedImage& image, const std::function<T(std::int64_t, std::int64_t, int)>& value) {
  const HostView view = image.view();
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t x = 0; x < view.width(); ++x) {
      for (int channel = 0; channel < view.channels(); ++channel) {
        store(view.row(y), x * view.channels() + channel, value(x, y, channel));
      }
    }
  }
}

/// The patterns that reach the largest sums, in numbers of the source's type.
template <class T>
std::vector<std::function<T(std::int64_t, std::int64_t, int)>> extreme_patterns(T low, T high) {
  return {[=](auto, auto, int) { return low; },
          [=](auto, auto, int) { return high; },
          [=](auto x, auto y, int) { return (x + y) % 2 == 0 ? low : high; },
          [=](auto x, auto, int) { return x % 38 < 19 ? low : high; },
          [=](auto, auto y, int) { return y % 10 < 5 ? high : low; },
          [=](auto x, auto y, int) { return x % 40 + y % 30 < 35 ? low : high; },
          [=](auto x, auto y, int channel) {
            return ((x * 7919 + y * 104729 + channel * 31) >> 3) % 2 == 0 ? low : high;
          }};
}

TEST_P(SobelTest, ExtremeValues) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(testing::Message() << c);
    GuardedImage src(c.src, 77, 21, c.channels);
    const auto each = [&](const auto& patterns) {
      for (const auto& pattern : patterns) {
        fill(src, pattern);
        compare(src, {}, c);
      }
    };
    if (c.src == ElementType::u8) each(extreme_patterns<std::uint8_t>(0, 255));
    if (c.src == ElementType::u16) each(extreme_patterns<std::uint16_t>(0, 65535));
    if (c.src == ElementType::f32) {
      each(extreme_patterns<float>(-1e36F, 1e36F));  // their squares overflow
      each(extreme_patterns<float>(0.0F, std::numeric_limits<float>::denorm_min()));
      each(extreme_patterns<float>(-0.1F, 1e8F));
    }
    if (HasFailure()) return;
  }
}

TEST_P(SobelTest, GreyOfEveryKindOfColour) {
  // 64 steps of each channel give 64 x 4096 pixels, whose neighbours along a row differ in red.
  for (const int channels : {3, 4}) {
    GuardedImage src(ElementType::u8, 64, 4096, channels);
    fill<std::uint8_t>(src, [](std::int64_t x, std::int64_t y, int channel) {
      const std::int64_t step[4] = {x, y % 64, y / 64, (x + y) % 64};
      return static_cast<std::uint8_t>(step[channel] * 255 / 63);
    });
    for (const ChannelOrder order : all_channel_orders) {
      SobelOptions options;
      options.channels = order;
      compare(src, {}, {ElementType::u8, channels, ElementType::u16, options});
    }
  }
}

TEST_P(SobelTest, LargerThanOneTask) {
  compare_random({ElementType::u8, 1, ElementType::u8, {}}, {3001, 503}, {0, 0}, {0, 0});
  compare_random({ElementType::u8, 1, ElementType::u8, {}}, {3001, 503}, {2, 9}, {1, 0});
  compare_random({ElementType::u8, 3, ElementType::u8, {}}, {1501, 303}, {0, 0}, {0, 0});
  compare_random({ElementType::f32, 1, ElementType::f32, {}}, {1501, 303}, {0, 0}, {0, 0});
}

TEST_P(SobelTest, MoreRowsThanAGridHas) {
  // A grid has at most 65535 blocks in y; the image has more blocks of 16 rows.
  compare_random({ElementType::u8, 4, ElementType::u8, {}}, {1, 65535 * 16 + 45}, {0, 0}, {0, 0});
}

/// Fills `src` so that the Sobel gradient at (4 m + 1, 1) is (m, m²), and `expected` with the
/// reference's magnitudes. With r = m², the one at that pixel is √(r² + r), just below r + 1/2.
template <class T>
void just_below_half(GuardedImage& src, GuardedImage& expected) {
  fill<T>(src, [](std::int64_t x, std::int64_t y, int) -> T {
    const std::int64_t m = x / 4;
    const std::int64_t odd = m % 2;
    if (x % 4 == 2 && y == 1) return static_cast<T>((m - odd) / 2);
    if (x % 4 == 1 && y == 2) return static_cast<T>((m * m - odd) / 2);
    return static_cast<T>(x % 4 == 2 && y == 2 ? odd : 0);
  });
  reference::sobel(src.view(), expected.view(), {.norm = Norm::l2});
}

TEST_P(SobelTest, RootsJustBelowHalfRoundDown) {
  GuardedImage u8(ElementType::u8, 4 * 23, 3);
  GuardedImage u16_result(ElementType::u16, 4 * 23, 3);
  just_below_half<std::uint8_t>(u8, u16_result);
  for (std::int64_t m = 0; m < 23; ++m) {
    EXPECT_EQ(load<std::uint16_t>(u16_result.view().row(1), 4 * m + 1), m * m);
  }
  run_and_compare(u8, u16_result, {}, {.norm = Norm::l2});

  GuardedImage u16(ElementType::u16, 4 * 363, 3);
  GuardedImage u32_result(ElementType::u32, 4 * 363, 3);
  just_below_half<std::uint16_t>(u16, u32_result);
  for (std::int64_t m = 0; m < 363; ++m) {
    EXPECT_EQ(load<std::uint32_t>(u32_result.view().row(1), 4 * m + 1), m * m);
  }
  run_and_compare(u16, u32_result, {}, {.norm = Norm::l2});
}

TEST(Sobel, ReferenceByHand) {
  const std::uint8_t pixels[9] = {1,  2,   4,   //
                                  8,  16,  32,  //
                                  64, 128, 255};
  const ConstHostView src(pixels, 3, 3);
  const auto centre = [&](SobelOutput output, SobelKernel kernel) {
    std::int16_t result[9] = {};
    reference::sobel(src, HostView(result, 3, 3), {.output = output, .kernel = kernel});
    return result[4];
  };
  EXPECT_EQ(centre(SobelOutput::dx, SobelKernel::sobel), (4 - 1) + 2 * (32 - 8) + (255 - 64));
  EXPECT_EQ(centre(SobelOutput::dy, SobelKernel::sobel), (64 - 1) + 2 * (128 - 2) + (255 - 4));
  EXPECT_EQ(centre(SobelOutput::dx, SobelKernel::scharr), 3 * 3 + 10 * 24 + 3 * 191);
  EXPECT_EQ(centre(SobelOutput::dy, SobelKernel::scharr), 3 * 63 + 10 * 126 + 3 * 251);

  std::uint16_t magnitude[9] = {};
  reference::sobel(src, HostView(magnitude, 3, 3));
  EXPECT_EQ(magnitude[4], 242 + 566);
  EXPECT_EQ(magnitude[0], 0);  // mirrored on both axes
  reference::sobel(src, HostView(magnitude, 3, 3), {.norm = Norm::l2});
  EXPECT_EQ(magnitude[4], 616);  // sqrt(378920) = 615.56
  reference::sobel(src, HostView(magnitude, 3, 3), {.border = Border::replicate});
  EXPECT_EQ(magnitude[0], (3 * (2 - 1) + 16 - 8) + (3 * (8 - 1) + 16 - 2));
  reference::sobel(src, HostView(magnitude, 3, 3), {.border = Border::constant});
  EXPECT_EQ(magnitude[0], (2 * 2 + 16) + (2 * 8 + 16));
  std::uint8_t saturated[9] = {};
  reference::sobel(src, HostView(saturated, 3, 3));
  EXPECT_EQ(saturated[4], 255);
}

TEST(Sobel, RefusesWhatItCannotCompute) {
  GuardedImage u8(ElementType::u8, 8, 8);
  GuardedImage narrower(ElementType::u8, 7, 8);
  GuardedImage i16(ElementType::i16, 8, 8);
  GuardedImage f32(ElementType::f32, 8, 8);
  GuardedImage two_channels(ElementType::u8, 8, 8, 2);
  GuardedImage deep_colour(ElementType::u16, 8, 8, 3);
  EXPECT_THROW(sobel(u8.view(), narrower.view()), InvalidArgument);
  EXPECT_THROW(sobel(u8.view(), f32.view()), InvalidArgument);
  EXPECT_THROW(sobel(u8.view(), i16.view()), InvalidArgument);
  EXPECT_THROW(sobel(u8.view(), two_channels.view()), InvalidArgument);
  EXPECT_THROW(sobel(f32.view(), u8.view()), InvalidArgument);
  EXPECT_THROW(sobel(i16.view(), u8.view()), InvalidArgument);
  EXPECT_THROW(sobel(two_channels.view(), u8.view()), InvalidArgument);
  EXPECT_THROW(sobel(deep_colour.view(), u8.view()), InvalidArgument);
  EXPECT_THROW(sobel(u8.view(), u8.view()), InvalidArgument);
  const HostView image = u8.view();
  EXPECT_THROW(sobel(image.sub_view(0, 0, 5, 8), image.sub_view(3, 0, 5, 8)), InvalidArgument);
  EXPECT_NO_THROW(sobel(image.sub_view(0, 0, 4, 8), image.sub_view(4, 0, 4, 8)));
}

TEST(Sobel, SaysWhichTypesAreRight) {
  GuardedImage u8(ElementType::u8, 8, 8);
  GuardedImage f32(ElementType::f32, 8, 8);
  try {
    sobel(u8.view(), f32.view());
    FAIL() << "a f32 magnitude of u8 pixels was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "sobel: dst has pixels of 1 x f32, magnitude of 1 x u8 needs 1 x u8 or 1 x u16");
  }
}

TEST(Sobel, NamesLeadBackToTheirValues) {
  EXPECT_TRUE(test::names_each_enumerator<SobelOutput>());
  EXPECT_TRUE(test::names_each_enumerator<Norm>());
  EXPECT_TRUE(test::names_each_enumerator<SobelKernel>());
  EXPECT_TRUE(test::names_each_enumerator<Border>());
  EXPECT_TRUE(test::names_each_enumerator<ChannelOrder>());
  EXPECT_EQ(value_named<Norm>("l3"), std::nullopt);
  EXPECT_EQ(value_named<Border>(""), std::nullopt);
}

TEST(Sobel, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  std::uint8_t from = 0;
  std::uint8_t to = 0;
  EXPECT_THROW(sobel(DeviceView(&from, 1, 1), DeviceView(&to, 1, 1), {}, nullptr), NoCudaDevice);
}

TEST(Sobel, RefusesOptionsThatDoNotExist) {
  GuardedImage src(ElementType::u8, 4, 4);
  GuardedImage dst(ElementType::u8, 4, 4);
  const auto refused = [&](auto SobelOptions::* option) {
    SobelOptions options;
    options.*option = static_cast<std::remove_reference_t<decltype(options.*option)>>(77);
    EXPECT_THROW(sobel(src.view(), dst.view(), options), InvalidArgument);
  };
  refused(&SobelOptions::output);
  refused(&SobelOptions::norm);
  refused(&SobelOptions::kernel);
  refused(&SobelOptions::border);
  refused(&SobelOptions::channels);
}

INSTANTIATE_TEST_SUITE_P(, SobelTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
