#include <gtest/gtest.h>

#include <array>
#include <future>
#include <set>
#include <thread>

#include "warpwise/live/scene_testing.hpp"

namespace warpwise::live {
namespace {

using test::Bytes;
using test::expect_same;
using test::next_frame;
using test::open_scene;
using test::refusal;
using test::SceneTest;

constexpr std::int64_t width = 320;
constexpr std::int64_t height = 180;

SourceOptions small(PixelFormat format = PixelFormat::rgb24, Rate rate = {30, 1}) {
  return {.format = format, .width = width, .height = height, .rate = rate};
}

int at(const Bytes& rgb, std::int64_t x, std::int64_t y, int channel) {
  return std::to_integer<int>(rgb[static_cast<std::size_t>(3 * (y * width + x) + channel)]);
}

int differences(const Bytes& one, const Bytes& other) {
  int count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) count += one[i] == other[i] ? 0 : 1;
  return count;
}

TEST_F(SceneTest, IsARingBeforeABackground) {
  const Bytes frame = next_frame(*open_scene(small()));
  const auto colour = [&](std::int64_t x, std::int64_t y) {
    return std::array{at(frame, x, y, 0), at(frame, x, y, 1), at(frame, x, y, 2)};
  };
  const auto background = colour(0, 0);
  std::set<std::array<int, 3>> colours;
  int ring = 0;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      ring += colour(x, y) == background ? 0 : 1;
      colours.insert(colour(x, y));
    }
  }
  for (const std::int64_t x : {std::int64_t{0}, width - 1}) {
    for (const std::int64_t y : {std::int64_t{0}, height - 1}) EXPECT_EQ(colour(x, y), background);
  }
  EXPECT_EQ(colour(width / 2, height / 2), background) << "the hole";
  EXPECT_GT(ring, width * height / 10);
  EXPECT_LT(ring, width * height / 2);
  EXPECT_GT(colours.size(), 500U) << "light and shade";
}

// The light comes from above: the ring's first rows are brighter than its last rows.
TEST_F(SceneTest, TheTopRowComesFirst) {
  const auto source = open_scene(small());
  for (int i = 0; i < 3; ++i) {
    const Bytes frame = next_frame(*source);
    std::array<std::int64_t, 2> light{};
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) light[2 * y < height ? 0 : 1] += at(frame, x, y, 1);
    }
    EXPECT_GT(light[0], light[1]);
  }
}

TEST_F(SceneTest, AFrameIsTheSameEachTimeAndNotTheOneBefore) {
  const auto one = open_scene(small());
  const auto other = open_scene(small());
  Bytes before = next_frame(*one);
  expect_same(before, next_frame(*other));
  for (int i = 1; i < 5; ++i) {
    const Bytes frame = next_frame(*one);
    expect_same(frame, next_frame(*other));
    EXPECT_GT(differences(frame, before), 1000) << "frame " << i;
    before = frame;
  }
}

TEST_F(SceneTest, TurnsOnceInEightSeconds) {
  for (const std::int64_t fps : {1, 2}) {
    const auto source = open_scene(small(PixelFormat::rgb24, {fps, 1}));
    const Bytes first = next_frame(*source);
    for (std::int64_t i = 1; i < 8 * fps; ++i) EXPECT_NE(next_frame(*source), first);
    expect_same(next_frame(*source), first);
  }
}

TEST_F(SceneTest, EveryFormatHasTheSamePixels) {
  const Bytes rgb = next_frame(*open_scene(small()));
  const Bytes bgr = next_frame(*open_scene(small(PixelFormat::bgr24)));
  const Bytes rgba = next_frame(*open_scene(small(PixelFormat::rgba32)));
  const Bytes bgra = next_frame(*open_scene(small(PixelFormat::bgra32)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(width * height); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      ASSERT_EQ(rgb[3 * i + c], bgr[3 * i + 2 - c]);
      ASSERT_EQ(rgb[3 * i + c], rgba[4 * i + c]);
      ASSERT_EQ(rgb[3 * i + c], bgra[4 * i + 2 - c]);
    }
    ASSERT_EQ(rgba[4 * i + 3], std::byte{255});
  }
}

TEST_F(SceneTest, AnyThreadTakesFramesAndAnotherGoesOn) {
  const auto source = open_scene(small());
  const auto same = open_scene(small());
  for (int i = 0; i < 3; ++i) {
    Bytes frame;
    std::thread([&] { frame = next_frame(*source); }).join();
    expect_same(frame, next_frame(*same));
  }
  expect_same(next_frame(*source), next_frame(*same));
}

TEST_F(SceneTest, EndsWhileAnotherThreadHasItsContext) {
  auto source = open_scene(small());
  std::promise<void> is_drawn;
  std::promise<void> is_over;
  std::thread other([&] {
    next_frame(*source);
    is_drawn.set_value();
    is_over.get_future().wait();
  });
  is_drawn.get_future().wait();
  std::string said;
  try {
    next_frame(*source);
  } catch (const IoError& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("another thread"), std::string::npos) << said;
  source.reset();
  is_over.set_value();
  other.join();
  expect_same(next_frame(*open_scene(small())), next_frame(*open_scene(small())));
}

TEST_F(SceneTest, SizesOfAllKinds) {
  for (const auto& [w, h] : {std::pair{1, 1}, std::pair{3, 64}, std::pair{641, 7}}) {
    const auto source = open_scene({.width = w, .height = h});
    EXPECT_EQ(source->stream().format(), PixelFormat::rgba32);
    EXPECT_EQ(next_frame(*source).size(), static_cast<std::size_t>(4 * w * h));
  }
  EXPECT_EQ(open_scene({})->stream().text(), "1280x720 rgba32, 30 fps");
}

TEST_F(SceneTest, RefusesWhatItCannotDraw) {
  const auto with_format = refusal([] { open_scene(small(PixelFormat::nv12)); });
  EXPECT_NE(with_format.find("rgba32"), std::string::npos) << with_format;
  const auto too_large = refusal([] { open_scene({.width = 1 << 20, .height = 2}); });
  EXPECT_NE(too_large.find("at most"), std::string::npos) << too_large;
}

}  // namespace
}  // namespace warpwise::live
