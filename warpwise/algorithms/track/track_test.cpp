#include "warpwise/algorithms/track/track.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::OnDevice;

/// A tracker of either backend that takes host frames.
class AnyTracker {
 public:
  AnyTracker(Backend backend, GuardedImage& first, const Box& box, const TrackOptions& options) {
    if (backend == Backend::cpu) {
      host_ = std::make_unique<Tracker>(first.view(), box, options);
      return;
    }
    stream_ = std::make_unique<gpu::Stream>();
    OnDevice frame(first, *stream_);
    device_ = std::make_unique<DeviceTracker>(frame.view(), box, options, *stream_);
  }

  TrackedBox next(GuardedImage& frame) {
    if (host_) return host_->next(frame.view());
    OnDevice device_frame(frame, *stream_);
    const TrackedBox found = device_->next(device_frame.view());
    // next() does not wait for the copy of the new template, which reads the frame.
    stream_->synchronize();
    return found;
  }

 private:
  std::unique_ptr<Tracker> host_;
  std::unique_ptr<gpu::Stream> stream_;
  std::unique_ptr<DeviceTracker> device_;
};

/// A random background with a random object at (x, y).
GuardedImage scene(std::int64_t x, std::int64_t y, int light = 0) {
  GuardedImage frame(ElementType::u8, 160, 120, 1, {3, 5});
  frame.fill_random(11);
  GuardedImage object(ElementType::u8, 20, 14);
  object.fill_random(12);
  for (std::int64_t row = 0; row < 14; ++row) {
    for (std::int64_t column = 0; column < 20; ++column) {
      const auto pixel = static_cast<int>(object.view().row(row)[column]) / 2 + light;
      frame.view().row(y + row)[x + column] = static_cast<std::byte>(pixel);
    }
  }
  return frame;
}

class TrackTest : public test::BackendTest {};

TEST_P(TrackTest, FollowsAnObjectToTheBorder) {
  for (const Measure measure : all_measures) {
    for (const bool update : {false, true}) {
      TrackOptions options;
      options.measure = measure;
      options.update_template = update;
      GuardedImage first = scene(70, 50);
      AnyTracker tracker(GetParam(), first, {70, 50, 20, 14}, options);
      const std::pair<int, int> path[] = {{77, 41}, {61, 26}, {46, 11}, {30, 0},
                                          {15, 0},  {0, 0},   {15, 15}};
      for (const auto& [x, y] : path) {
        GuardedImage frame = scene(x, y);
        const TrackedBox found = tracker.next(frame);
        EXPECT_EQ(found.box.x, x);
        EXPECT_EQ(found.box.y, y);
        EXPECT_EQ(found.box.width, 20);
        EXPECT_EQ(found.box.height, 14);
        if (least_is_best(measure))
          EXPECT_EQ(found.score, 0);
        else
          EXPECT_NEAR(found.score, 1, 1e-6);
      }
    }
  }
}

TEST_P(TrackTest, StaysInsideTheFrame) {
  GuardedImage first = scene(139, 105);
  AnyTracker tracker(GetParam(), first, {139, 105, 20, 14}, {});
  // The object is gone: the best place may be anywhere, but is inside the frame.
  GuardedImage empty(ElementType::u8, 160, 120);
  for (int i = 0; i < 4; ++i) {
    empty.fill_random(static_cast<std::uint64_t>(i) + 100);
    const Box box = tracker.next(empty).box;
    EXPECT_GE(box.x, 0);
    EXPECT_GE(box.y, 0);
    EXPECT_LE(box.x + box.width, 160);
    EXPECT_LE(box.y + box.height, 120);
  }
}

// The light rises: the first template fits less and less, and the updated one fits the last frame.
TEST_P(TrackTest, UpdatesItsTemplateIfAsked) {
  for (const bool update : {false, true}) {
    TrackOptions options;
    options.update_template = update;
    GuardedImage first = scene(40, 40, 0);
    AnyTracker tracker(GetParam(), first, {40, 40, 20, 14}, options);
    for (int i = 1; i <= 5; ++i) {
      GuardedImage frame = scene(40 + 3 * i, 40 - 2 * i, 4 * i);
      const TrackedBox found = tracker.next(frame);
      EXPECT_EQ(found.box.x, 40 + 3 * i);
      EXPECT_EQ(found.box.y, 40 - 2 * i);
      EXPECT_EQ(found.score, 20 * 14 * 4 * (update ? 1 : i));
    }
  }
}

// The object leaves for two frames. Its last place and the template are kept until it returns.
TEST_P(TrackTest, SaysThatTheBoxIsLost) {
  for (const Measure measure : {Measure::ncc, Measure::zncc}) {
    for (const bool update : {false, true}) {
      TrackOptions options;
      options.measure = measure;
      options.update_template = update;
      options.min_score = 0.95;
      GuardedImage first = scene(70, 50);
      AnyTracker tracker(GetParam(), first, {70, 50, 20, 14}, options);
      GuardedImage empty(ElementType::u8, 160, 120);
      for (int i = 0; i < 2; ++i) {
        empty.fill_random(static_cast<std::uint64_t>(i) + 100);
        const TrackedBox found = tracker.next(empty);
        EXPECT_TRUE(found.lost);
        EXPECT_LT(found.score, 0.95);
        EXPECT_EQ(found.box.x, 70);
        EXPECT_EQ(found.box.y, 50);
      }
      GuardedImage last = scene(63, 58);
      const TrackedBox found = tracker.next(last);
      EXPECT_FALSE(found.lost);
      EXPECT_NEAR(found.score, 1, 1e-6);
      EXPECT_EQ(found.box.x, 63);
      EXPECT_EQ(found.box.y, 58);
    }
  }
}

TEST_P(TrackTest, ABoxAsLargeAsTheFrame) {
  GuardedImage first = scene(1, 1);
  AnyTracker tracker(GetParam(), first, {0, 0, 160, 120}, {});
  GuardedImage second = scene(30, 30);
  const TrackedBox found = tracker.next(second);
  EXPECT_EQ(found.box.x, 0);
  EXPECT_EQ(found.box.y, 0);
  EXPECT_GT(found.score, 0);
}

TEST(Track, RefusesWrongArguments) {
  GuardedImage frame(ElementType::u8, 300, 300);
  GuardedImage colour(ElementType::u8, 300, 300, 3);
  GuardedImage smaller(ElementType::u8, 299, 300);
  frame.fill_random(1);
  const Box box{10, 10, 20, 20};
  const auto with_range = [](SearchRange range) {
    TrackOptions options;
    options.search_x = range;
    return options;
  };
  EXPECT_THROW(Tracker(colour.view(), box), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), {-1, 10, 20, 20}), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), {290, 10, 20, 20}), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), {0, 0, 0, 20}), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), {0, 0, 300, 300}), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), box, with_range({1, 5})), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), box, with_range({-5, -1})), InvalidArgument);
  EXPECT_THROW(Tracker(frame.view(), box, with_range({-30000, 30000})), InvalidArgument);
  for (const Measure measure : {Measure::sad, Measure::ssd}) {
    EXPECT_THROW(Tracker(frame.view(), box, {.measure = measure, .min_score = 0.5}),
                 InvalidArgument);
  }
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Tracker(frame.view(), box, {.measure = Measure::ncc, .min_score = no_number}),
               InvalidArgument);
  Tracker tracker(frame.view(), box);
  EXPECT_THROW(tracker.next(smaller.view()), InvalidArgument);
  EXPECT_THROW(tracker.next(colour.view()), InvalidArgument);
  EXPECT_EQ(tracker.next(frame.view()).score, 0);
}

INSTANTIATE_TEST_SUITE_P(, TrackTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
