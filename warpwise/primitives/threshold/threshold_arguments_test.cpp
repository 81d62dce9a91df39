// Arguments that threshold() refuses, and the names of its methods.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "support/enum_names.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise {
namespace {

using test::GuardedImage;

TEST(Threshold, RefusesOptionsOutOfRange) {
  GuardedImage src(ElementType::u8, 4, 4);
  GuardedImage dst(ElementType::u8, 4, 4);
  GuardedImage src16(ElementType::u16, 4, 4);
  GuardedImage dst16(ElementType::u16, 4, 4);
  const auto refuses = [&](const ThresholdOptions& options) {
    EXPECT_THROW(threshold(src.view(), dst.view(), options), InvalidArgument)
        << options.window << ' ' << options.offset << ' ' << options.maximum;
  };
  for (const std::int64_t window :
       {std::int64_t{0}, std::int64_t{2}, std::int64_t{-3}, std::int64_t{1} << 24,
        (std::int64_t{1} << 24) + 1, std::numeric_limits<std::int64_t>::max()}) {
    refuses({.window = window});
  }
  refuses({.offset = std::numeric_limits<double>::quiet_NaN()});
  refuses({.offset = std::numeric_limits<double>::infinity()});
  refuses({.maximum = 256});
  EXPECT_THROW(threshold(src16.view(), dst16.view(), {.window = (1 << 23) + 1}), InvalidArgument);
  EXPECT_THROW(threshold(src16.view(), dst16.view(), {.maximum = 65536}), InvalidArgument);
  EXPECT_NO_THROW(threshold(src16.view(), dst16.view(), {.maximum = 65535}));
}

TEST(Threshold, RefusesViewsThatDoNotFit) {
  GuardedImage src(ElementType::u8, 4, 4);
  GuardedImage dst(ElementType::u8, 4, 4);
  GuardedImage narrower(ElementType::u8, 3, 4);
  GuardedImage u16(ElementType::u16, 4, 4);
  GuardedImage f32(ElementType::f32, 4, 4);
  GuardedImage two_channels(ElementType::u8, 4, 4, 2);
  const ThresholdOptions options;
  EXPECT_THROW(threshold(src.view(), narrower.view(), options), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), u16.view(), options), InvalidArgument);
  EXPECT_THROW(threshold(f32.view(), f32.view(), options), InvalidArgument);
  EXPECT_THROW(threshold(two_channels.view(), two_channels.view(), options), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), src.view(), options), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), dst.view(), options, narrower.view()), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), dst.view(), options, u16.view()), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), dst.view(), options, src.view()), InvalidArgument);
  EXPECT_THROW(threshold(src.view(), dst.view(), options, dst.view()), InvalidArgument);
  EXPECT_NO_THROW(threshold(src.view(), dst.view(), options, f32.view()));
}

TEST(Threshold, NamesItsMethods) {
  EXPECT_TRUE(test::names_each_enumerator<ThresholdMethod>());
  EXPECT_EQ(name_of(ThresholdMethod::exact_mean), "exact-mean");
  EXPECT_EQ(value_named<ThresholdMethod>("median"), std::nullopt);
}

TEST(Threshold, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  std::uint8_t pixel = 0;
  std::uint8_t other = 0;
  for (const ThresholdMethod method : all_threshold_methods) {
    EXPECT_THROW(
        threshold(DeviceView(&pixel, 1, 1), DeviceView(&other, 1, 1), {.method = method}, nullptr),
        NoCudaDevice);
  }
}

TEST(Threshold, RefusesMethodsThatDoNotExist) {
  GuardedImage src(ElementType::u8, 4, 4);
  GuardedImage dst(ElementType::u8, 4, 4);
  ThresholdOptions options;
  options.method = static_cast<ThresholdMethod>(77);
  EXPECT_THROW(threshold(src.view(), dst.view(), options), InvalidArgument);
}

}  // namespace
}  // namespace warpwise
