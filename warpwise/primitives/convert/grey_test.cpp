#include "warpwise/primitives/convert/grey.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "tests/support/message_of.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::OnDevice;

std::uint16_t expected_grey(std::uint16_t red, std::uint16_t green, std::uint16_t blue) {
  const std::uint64_t sum = 9798ULL * red + 19235ULL * green + 3735ULL * blue;
  return static_cast<std::uint16_t>((sum + 16384) / 32768);
}

float expected_grey(float red, float green, float blue) {
  // volatile: each product and sum is rounded to f32 on its own.
  volatile float r = 0.299F * red, g = 0.587F * green, b = 0.114F * blue;
  volatile float two = r + g;
  return two + b;
}

class GreyTest : public test::BackendTest {
 protected:
  static void run(GuardedImage& src, GuardedImage& dst, std::optional<ChannelOrder> order = {}) {
    if (GetParam() == Backend::cpu) return grey(src.view().in_order(order), dst.view());
    const gpu::Stream stream;
    OnDevice from(src, stream), to(dst, stream);
    grey(from.view().in_order(order), to.view(), stream);
    to.download(stream);
  }

  template <class T>
  void compare(GuardedImage& src, test::Layout layout, std::optional<ChannelOrder> order = {}) {
    const ConstHostView from = src.view();
    const int red = order == ChannelOrder::bgr ? 2 : 0;
    GuardedImage expected(from.type(), from.width(), from.height());
    for (std::int64_t y = 0; y < from.height(); ++y) {
      for (std::int64_t x = 0; x < from.width(); ++x) {
        const auto colour = [&](int i) { return load<T>(from.row(y), x * from.channels() + i); };
        store(expected.view().row(y), x, expected_grey(colour(red), colour(1), colour(2 - red)));
      }
    }
    GuardedImage dst(from.type(), from.width(), from.height(), 1, layout);
    run(src, dst, order);
    test::expect_equal<T>(expected.view(), dst.view());
    dst.expect_guards_intact();
  }

  void compare_random(ElementType type, int channels, test::Size size, test::Layout from,
                      test::Layout to, std::optional<ChannelOrder> order = {}) {
    SCOPED_TRACE(testing::Message()
                 << channels << " x " << name_of(type) << ", " << size.width << "x" << size.height
                 << ", offsets " << from.offset_bytes << " and " << to.offset_bytes);
    GuardedImage src(type, size.width, size.height, channels, from);
    src.fill_random(static_cast<std::uint64_t>(size.width * 31 + size.height));
    type == ElementType::u16 ? compare<std::uint16_t>(src, to, order)
                             : compare<float>(src, to, order);
  }
};

TEST_P(GreyTest, AwkwardSizesAndLayouts) {
  const auto& layouts = test::awkward_layouts();
  std::size_t turn = 0;  // each call uses the next pair of layouts
  for (const ElementType type : {ElementType::u16, ElementType::f32}) {
    for (const int channels : {3, 4}) {
      for (const auto& size : test::awkward_sizes()) {
        const std::size_t pair = turn++ % (layouts.size() * layouts.size());
        compare_random(type, channels, size, layouts[pair % layouts.size()],
                       layouts[pair / layouts.size()]);
      }
    }
  }
}

TEST_P(GreyTest, EveryPairOfLayouts) {
  for (const auto& from : test::awkward_layouts()) {
    for (const auto& to : test::awkward_layouts()) {
      compare_random(ElementType::u16, 3, {67, 5}, from, to);
      compare_random(ElementType::f32, 4, {67, 5}, from, to);
    }
  }
}

TEST_P(GreyTest, LargestCodes) {
  GuardedImage src(ElementType::u16, 66, 2, 3);
  for (std::int64_t y = 0; y < 2; ++y) {
    for (std::int64_t i = 0; i < 3 * 66; ++i) {
      store(src.view().row(y), i, static_cast<std::uint16_t>(65535 - y * (i % 4)));
    }
  }
  compare<std::uint16_t>(src, {});
}

TEST_P(GreyTest, ColoursAreReadInTheViewsOrder) {
  for (const ElementType type : {ElementType::u16, ElementType::f32}) {
    for (const int channels : {3, 4}) {
      for (const test::Layout& layout : {test::Layout{}, test::awkward_layouts()[3]}) {
        for (const ChannelOrder order : {ChannelOrder::bgr, ChannelOrder::rgb}) {
          SCOPED_TRACE(order == ChannelOrder::bgr ? "bgr" : "rgb");
          compare_random(type, channels, {67, 5}, layout, layout, order);
        }
      }
    }
  }
}

TEST_P(GreyTest, MoreRowsThanAGridHas) { compare_random(ElementType::u16, 3, {2, 65540}, {}, {}); }

TEST(GreyArguments, WrongOnesAreRefused) {
  const auto refusal = [](ElementType from, int channels, ElementType to, std::int64_t width) {
    const GuardedImage src(from, 4, 3, channels);
    GuardedImage dst(to, width, 3);
    return test::message_of<InvalidArgument>([&] { grey(src.view(), dst.view()); });
  };
  EXPECT_EQ(refusal(ElementType::u8, 3, ElementType::u8, 4),
            "grey: src has pixels of 3 x u8, it needs 3 or 4 channels of u16 or f32");
  EXPECT_EQ(refusal(ElementType::u16, 2, ElementType::u16, 4),
            "grey: src has pixels of 2 x u16, it needs 3 or 4 channels of u16 or f32");
  EXPECT_EQ(refusal(ElementType::u16, 3, ElementType::f32, 4),
            "grey: dst has pixels of 1 x f32, it needs 1 x u16");
  EXPECT_EQ(refusal(ElementType::f32, 4, ElementType::f32, 5),
            "grey: src is 4x3, dst is 5x3; they must be of one size");
  GuardedImage image(ElementType::u16, 8, 8, 3);
  const HostView all = image.view();
  const HostView inside(all.data(), ElementType::u16, 8, 8, 1, all.pitch_bytes());
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { grey(all, inside); }),
            "grey: src and dst overlap in memory");
}

INSTANTIATE_TEST_SUITE_P(, GreyTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
