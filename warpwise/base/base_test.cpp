#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/enum_names.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/checked.hpp"
#include "warpwise/base/float16.hpp"
#include "warpwise/base/frame.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/base/pixel_format.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/primitives/shared/pixel.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

static_assert(std::is_convertible_v<HostView, ConstHostView>);
static_assert(!std::is_convertible_v<ConstHostView, HostView>);
static_assert(!std::is_convertible_v<HostView, DeviceView>, "mixing memories must not compile");
static_assert(!std::is_convertible_v<HostView, ConstDeviceView>);
static_assert(!std::is_convertible_v<DeviceView, ConstHostView>);
static_assert(std::is_convertible_v<HostFrame, ConstHostFrame>);
static_assert(!std::is_convertible_v<ConstHostFrame, HostFrame>);
static_assert(!std::is_convertible_v<HostFrame, DeviceFrame>);
static_assert(!std::is_constructible_v<HostView, const std::uint8_t*, int, int>);
static_assert(!std::is_copy_constructible_v<Image>);

// Computes the value of a 16-bit float's bits from the definition.
double value_of(unsigned bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const unsigned fraction = bits & ((1U << fraction_bits) - 1);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 2 * bias + 1) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  const unsigned whole = exponent == 0 ? fraction : fraction | 1U << fraction_bits;
  return sign * std::ldexp(whole, (exponent == 0 ? 1 : exponent) - bias - fraction_bits);
}

// Checks that each 16-bit number survives conversion to float and back. A value between two
// adjacent 16-bit numbers must round to the nearer one, and a middle to the even one.
template <class Narrow, class ToNarrow>
void expect_conversions(int exponent_bits, int fraction_bits, ToNarrow to_narrow) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const double value = value_of(bits, exponent_bits, fraction_bits);
    const float converted = to_float(Narrow{static_cast<std::uint16_t>(bits)});
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(converted)) << bits;
      ASSERT_TRUE(std::isnan(to_float(to_narrow(converted)))) << bits;
      continue;
    }
    ASSERT_EQ(converted, value) << bits;
    ASSERT_EQ(to_narrow(converted).bits, bits);
    if (std::isinf(value)) continue;
    // Values round as if one more finite number followed the greatest; it then becomes infinity.
    double next = value_of(bits + 1, exponent_bits, fraction_bits);
    if (std::isinf(next)) next = 2 * value - value_of(bits - 1, exponent_bits, fraction_bits);
    const auto halfway = static_cast<float>((value + next) / 2);
    ASSERT_EQ(to_narrow(halfway).bits, bits + (bits & 1)) << bits;
    ASSERT_EQ(to_narrow(std::nextafter(halfway, converted)).bits, bits);
    ASSERT_EQ(to_narrow(std::nextafter(halfway, static_cast<float>(2 * next - value))).bits,
              bits + 1);
  }
}

TEST(Float16, ConvertsEveryNumberAndRoundsToNearestEven) {
  expect_conversions<Float16>(5, 10, to_float16);
  EXPECT_EQ(to_float16(1e30F).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e-30F).bits, 0x8000);
}

TEST(Float16, BFloat16ConvertsEveryNumberAndRoundsToNearestEven) {
  expect_conversions<BFloat16>(8, 7, to_bfloat16);
}

TEST(Checked, ThrowsInsteadOfOverflowing) {
  EXPECT_EQ(checked_mul(3, 4), 12);
  EXPECT_EQ(checked_add(3, 4), 7);
  EXPECT_THROW(checked_mul(huge / 2, 3), InvalidArgument);
  EXPECT_THROW(checked_add(huge, 1), InvalidArgument);
  EXPECT_THROW(checked_mul(-1, 4), InvalidArgument);
  EXPECT_THROW(checked_add(-1, 4), InvalidArgument);
}

TEST(View, KnowsItsLayout) {
  std::array<std::uint16_t, 64> pixels{};
  const HostView view(pixels.data(), 5, 4, 3, 32);
  EXPECT_EQ(view.type(), ElementType::u16);
  EXPECT_EQ(view.pixel_bytes(), 6);
  EXPECT_EQ(view.row_bytes(), 30);
  EXPECT_EQ(view.row(2) - view.data(), 64);
  EXPECT_EQ(HostView(pixels.data(), 5, 4).pitch_bytes(), 10);
}

TEST(View, RefusesWhatIsNoImage) {
  std::array<std::uint8_t, 64> pixels{};
  std::uint8_t* null = nullptr;
  EXPECT_THROW(HostView(null, 4, 4), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 0, 4), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 4, -1), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 4, 4, 0), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 4, 4, 1, 3), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 4, 1, 1, -4), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), huge / 2, 4), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), 4, huge / 2), InvalidArgument);
  EXPECT_THROW(HostView(pixels.data(), ElementType::u16, 1, 1, 1 << 30), InvalidArgument);
}

TEST(View, CutsParts) {
  std::array<std::uint8_t, 64> pixels{};
  const HostView view(pixels.data(), 8, 8);
  const HostView part = view.sub_view(2, 3, 4, 5);
  EXPECT_EQ(part.data() - view.data(), 26);
  EXPECT_EQ(part.pitch_bytes(), 8);
  EXPECT_THROW((void)view.sub_view(5, 0, 4, 1), InvalidArgument);
  EXPECT_THROW((void)view.sub_view(0, 5, 1, 4), InvalidArgument);
  EXPECT_THROW((void)view.sub_view(-1, 0, 1, 1), InvalidArgument);
  EXPECT_THROW((void)view.sub_view(0, 0, 0, 1), InvalidArgument);
  EXPECT_THROW((void)view.sub_view(0, 0, huge, 1), InvalidArgument);
}

TEST(View, LoadsAndStoresAtAnyAlignment) {
  std::array<std::byte, 16> bytes{};
  store<std::uint32_t>(bytes.data() + 1, 2, 0xDEADBEEF);
  EXPECT_EQ(load<std::uint32_t>(bytes.data() + 1, 2), 0xDEADBEEF);
  EXPECT_EQ(bytes[9], std::byte{0xEF});
}

TEST(Image, StartsRowsAtCacheLines) {
  Image image(ElementType::f32, 17, 3, 2);
  EXPECT_EQ(image.view().pitch_bytes(), 192);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.view().data()) % 64, 0u);
  const Image moved = std::move(image);
  EXPECT_EQ(moved.view().width(), 17);
  EXPECT_THROW(Image(ElementType::u8, 0, 1), InvalidArgument);
  EXPECT_THROW(Image(ElementType::u8, huge / 4, huge / 4), InvalidArgument);
}

TEST(EnumNames, AValueWithoutANameIsAQuestionMark) {
  static_assert(name_of(ElementType::u8) == "u8");
  static_assert(name_of(static_cast<ElementType>(200)) == "?");
  EXPECT_EQ(name_of(static_cast<PixelFormat>(77)), "?");
}

// Tests names_each_enumerator(), which finds faults in tables of names, such as a missing value.
enum class Complete { a, b };
constexpr auto enum_names(Complete) {
  return std::to_array<EnumName<Complete>>({{Complete::b, "b"}, {Complete::a, "a"}});
}
enum class Lacking : std::uint8_t { a, b };
constexpr auto enum_names(Lacking) { return std::to_array<EnumName<Lacking>>({{Lacking::a, "a"}}); }
enum class Repeated { a, b };
constexpr auto enum_names(Repeated) {
  return std::to_array<EnumName<Repeated>>({{Repeated::a, "a"}, {Repeated::a, "b"}});
}
enum class Ambiguous { a, b };
constexpr auto enum_names(Ambiguous) {
  return std::to_array<EnumName<Ambiguous>>({{Ambiguous::a, "a"}, {Ambiguous::b, "a"}});
}

TEST(EnumNames, TablesThatMissAValueAreFound) {
  EXPECT_TRUE(test::names_each_enumerator<Complete>());
  EXPECT_FALSE(test::names_each_enumerator<Lacking>());
  EXPECT_FALSE(test::names_each_enumerator<Repeated>());
  EXPECT_FALSE(test::names_each_enumerator<Ambiguous>());
}

TEST(ElementType, NamesComeBack) { EXPECT_TRUE(test::names_each_enumerator<ElementType>()); }

TEST(PixelFormat, NamesComeBack) {
  EXPECT_TRUE(test::names_each_enumerator<PixelFormat>());
  EXPECT_EQ(value_named<PixelFormat>("rgb"), std::nullopt);
  EXPECT_EQ(value_named<PixelFormat>(""), std::nullopt);
}

TEST(PixelFormat, OddSizesRoundChromaUp) {
  EXPECT_EQ(frame_bytes(PixelFormat::rgb24, 5, 3), 45);
  EXPECT_EQ(frame_bytes(PixelFormat::yuyv, 5, 3), 36);
  EXPECT_EQ(frame_bytes(PixelFormat::nv12, 5, 3), 15 + 2 * 6);
  EXPECT_EQ(frame_bytes(PixelFormat::i420, 5, 3), 15 + 2 * 6);
  EXPECT_EQ(frame_bytes(PixelFormat::i420, 1, 1), 3);
  EXPECT_EQ(frame_bytes(PixelFormat::i444, 5, 3), 45);
  EXPECT_EQ(frame_bytes(PixelFormat::ycbcr32, 5, 3), 60);
  EXPECT_THROW(frame_bytes(PixelFormat::ycbcr32, huge / 8, 8), InvalidArgument);
}

TEST(Frame, FindsPlanesInOneBuffer) {
  std::vector<std::byte> bytes(27);
  const HostFrame frame(bytes.data(), PixelFormat::i420, 5, 3);
  EXPECT_EQ(frame.plane(1).data - bytes.data(), 15);
  EXPECT_EQ(frame.plane(2).data - bytes.data(), 21);
  EXPECT_EQ(frame.row(2, 1) - bytes.data(), 24);
  const ConstHostFrame constant = frame;
  EXPECT_EQ(constant.plane(2).data, frame.plane(2).data);
}

TEST(Frame, TakesAViewOfItsLayout) {
  std::array<std::uint8_t, 64> pixels{};
  const HostFrame frame(PixelFormat::rgb24, HostView(pixels.data(), 4, 4, 3, 16));
  EXPECT_EQ(frame.plane(0).pitch_bytes, 16);
  EXPECT_THROW(HostFrame(PixelFormat::rgba32, HostView(pixels.data(), 4, 4, 3)), InvalidArgument);
  EXPECT_THROW(HostFrame(PixelFormat::nv12, HostView(pixels.data(), 4, 4)), InvalidArgument);
  EXPECT_EQ(test::message_of<InvalidArgument>(
                [&] { HostFrame(PixelFormat::rgb24, HostView(pixels.data(), 4, 4)); }),
            "a view of 1 x u8 is no rgb24 frame");
  EXPECT_THROW(HostFrame(nullptr, PixelFormat::nv12, 4, 4), InvalidArgument);
  EXPECT_EQ(test::message_of<InvalidArgument>(
                [&] { HostFrame(pixels.data(), PixelFormat::nv12, -4, 4); }),
            "a frame of -4 columns");
  EXPECT_THROW(HostFrame(pixels.data(), static_cast<PixelFormat>(99), 2, 2), InvalidArgument);
}

TEST(Border, StandsForPixelsOutside) {
  EXPECT_EQ(border_index(-1, 4, Border::reflect101), 1);
  EXPECT_EQ(border_index(4, 4, Border::reflect101), 2);
  EXPECT_EQ(border_index(-1, 1, Border::reflect101), 0);
  EXPECT_EQ(border_index(2, 2, Border::reflect101), 0);
  EXPECT_EQ(border_index(-1, 4, Border::replicate), 0);
  EXPECT_EQ(border_index(4, 4, Border::replicate), 3);
  EXPECT_EQ(border_index(4, 4, Border::constant), -1);
  EXPECT_EQ(border_index(3, 4, Border::constant), 3);
}

TEST(Validate, TellsNeighboursFromOverlaps) {
  std::array<std::uint8_t, 256> pixels{};
  const HostView view(pixels.data(), 16, 16);
  const auto left = view.sub_view(0, 0, 8, 16);
  EXPECT_NO_THROW(detail::require_disjoint("test", left, view.sub_view(8, 0, 8, 16)));
  EXPECT_NO_THROW(detail::require_disjoint("test", view.sub_view(8, 0, 8, 16), left));
  EXPECT_NO_THROW(detail::require_disjoint("test", left, view.sub_view(8, 4, 8, 12)));
  EXPECT_THROW(detail::require_disjoint("test", left, view.sub_view(7, 0, 8, 16)), InvalidArgument);
  EXPECT_THROW(detail::require_disjoint("test", left, view.sub_view(0, 15, 8, 1)), InvalidArgument);
  // Columns 12 to 15 overlap columns 8 to 15 of a view that is not made from `view`.
  EXPECT_THROW(detail::require_disjoint("test", view.sub_view(12, 0, 4, 16),
                                        HostView(pixels.data() + 8, 8, 8, 1, 16)),
               InvalidArgument);
}

}  // namespace
}  // namespace warpwise
