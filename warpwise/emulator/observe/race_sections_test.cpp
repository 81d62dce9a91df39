// The race check's critical sections and touches, without a kernel.

#include "warpwise/emulator/observe/race_sections.hpp"

#include <gtest/gtest.h>

namespace warpwise {
namespace race_sections_tests {

using emulator::CriticalSections;
using emulator::Touch;
using Fence = CriticalSections::Fence;
using Lane = CriticalSections::Lane;

constexpr std::uint64_t lock = 64;
constexpr std::uint64_t word = 5;
constexpr Touch whole{Touch::mask_part(15)};

/// Runs a section that accesses one word. Returns whether it races with an earlier section.
bool races(CriticalSections& sections, Lane lane, Fence fence, bool writes = true,
           Touch touch = whole) {
  sections.begin(lane, lock, 0, Fence::none);
  sections.on_fence(lane, fence);
  const bool found = sections.access(lane, word, touch, writes) != nullptr;
  EXPECT_TRUE(sections.end(lane, lock, 0));
  return found;
}

TEST(CriticalSections, AccessesWithoutFencesRace) {
  CriticalSections sections;
  EXPECT_FALSE(races(sections, {0, 0}, Fence::none));
  EXPECT_FALSE(races(sections, {0, 0}, Fence::none)) << "its own";
  EXPECT_TRUE(races(sections, {0, 1}, Fence::none));
  EXPECT_TRUE(races(sections, {1, 0}, Fence::none));
}

TEST(CriticalSections, AFenceMustReachTheOtherLane) {
  CriticalSections sections;
  EXPECT_FALSE(races(sections, {0, 0}, Fence::block));
  EXPECT_FALSE(races(sections, {0, 1}, Fence::block));
  EXPECT_TRUE(races(sections, {1, 0}, Fence::block));
  CriticalSections wide;
  EXPECT_FALSE(races(wide, {0, 0}, Fence::device));
  EXPECT_FALSE(races(wide, {1, 0}, Fence::device));
}

TEST(CriticalSections, ReadsAndOtherBytesDoNotRace) {
  CriticalSections sections;
  EXPECT_FALSE(races(sections, {0, 0}, Fence::none, false));
  EXPECT_FALSE(races(sections, {0, 1}, Fence::none, false));
  EXPECT_FALSE(races(sections, {0, 2}, Fence::none, true, {0}));
  sections.begin({0, 3}, lock, 0, Fence::none);
  EXPECT_EQ(sections.access({0, 3}, word + 1, whole, true), nullptr) << "another word";
}

TEST(CriticalSections, ASecondBeginReplacesTheFirst) {
  CriticalSections sections;
  sections.begin({0, 0}, 8, 0, Fence::none);
  sections.begin({0, 0}, lock, 0, Fence::none);
  EXPECT_FALSE(sections.end({0, 0}, 8, 0));
  EXPECT_FALSE(sections.end({0, 0}, lock, 1)) << "not the free value";
  EXPECT_TRUE(sections.end({0, 0}, lock, 0));
  EXPECT_FALSE(sections.end({0, 0}, lock, 0));
}

TEST(CriticalSections, WithoutASectionNothingIsRecorded) {
  CriticalSections sections;
  sections.on_fence({0, 0}, Fence::device);
  sections.forget(0);
  EXPECT_EQ(sections.access({0, 0}, word, whole, true), nullptr);
  EXPECT_FALSE(sections.any_open());
}

TEST(CriticalSections, ABarrierForgetsItsBlocks) {
  CriticalSections sections;
  EXPECT_FALSE(races(sections, {0, 0}, Fence::none));
  sections.begin({0, 0}, lock, 0, Fence::none);
  sections.begin({1, 0}, lock, 0, Fence::none);
  sections.forget(0);
  EXPECT_FALSE(sections.end({0, 0}, lock, 0));
  EXPECT_TRUE(sections.end({1, 0}, lock, 0)) << "another block's stays open";
  EXPECT_FALSE(races(sections, {0, 1}, Fence::none));
}

TEST(CriticalSections, ForgetsAllBeyondItsLimit) {
  CriticalSections sections;
  sections.begin({0, 0}, lock, 0, Fence::none);
  for (std::uint64_t i = 0; i <= std::uint64_t{1} << 20; ++i)
    EXPECT_EQ(sections.access({0, 0}, i, whole, true), nullptr);
  EXPECT_FALSE(sections.any_open());
  EXPECT_FALSE(races(sections, {0, 1}, Fence::none));
}

TEST(Touch, KnowsTheLaneOfEachByte) {
  const std::uint64_t lanes = Touch::lane_part(7) | Touch::mask_part(15);
  EXPECT_EQ(Touch{lanes}.lane_of(3), 7);
  EXPECT_EQ(Touch{lanes | Touch::layout_part(Touch::lane_of_two)}.lane_of(3), 8);
  EXPECT_EQ(Touch{lanes | Touch::layout_part(Touch::lane_of_each)}.lane_of(3), 10);
  EXPECT_EQ(Touch{lanes | Touch::layout_part(Touch::mixed_lanes)}.lane_of(3), -1);
}

TEST(Touch, MergesKeepWhatIsKnownOfTheLanes) {
  const auto by = [](int lane, unsigned mask, std::uint64_t flags = 0) {
    return Touch{Touch::lane_part(lane) | Touch::mask_part(mask) | flags};
  };
  EXPECT_FALSE(merged(by(1, 15), by(1, 15)).is(Touch::several));
  EXPECT_TRUE(merged(by(1, 15), by(2, 15)).is(Touch::several));
  EXPECT_TRUE(merged(by(1, 15, Touch::several), by(1, 15)).is(Touch::several));
  EXPECT_EQ(merged(by(1, 15, Touch::several), by(2, 3)).bits, by(1, 15, Touch::several).bits);
  EXPECT_EQ(merged(by(1, 3), by(2, 15)).bits, by(2, 15).bits);
  EXPECT_EQ(merged(by(1, 12), by(1, 3)).bits, by(1, 15).bits);
  EXPECT_EQ(merged(by(1, 12), by(2, 3)).layout(), Touch::mixed_lanes);
  EXPECT_EQ(merged(by(1, 12, Touch::several), by(1, 3)).layout(), Touch::mixed_lanes);
  EXPECT_EQ(merged(by(1, 12), by(1, 3, Touch::several)).layout(), Touch::mixed_lanes);
  EXPECT_TRUE(merged(by(1, 12, Touch::others), by(2, 3)).is(Touch::others));
}

TEST(Touch, LanesDifferIfTheirBytesDo) {
  const auto by = [](int lane, unsigned mask, std::uint64_t flags = 0) {
    return Touch{Touch::lane_part(lane) | Touch::mask_part(mask) | flags};
  };
  const std::uint64_t mixed = Touch::layout_part(Touch::mixed_lanes);
  EXPECT_FALSE(are_of_different_lanes(by(1, 15), by(1, 3), false));
  EXPECT_TRUE(are_of_different_lanes(by(1, 15), by(2, 3), false));
  EXPECT_FALSE(are_of_different_lanes(by(1, 12), by(2, 3), false)) << "no common byte";
  EXPECT_FALSE(are_of_different_lanes(by(1, 15, mixed), by(2, 3), false));
  EXPECT_FALSE(are_of_different_lanes(by(1, 15), by(2, 3, mixed), false));
  EXPECT_FALSE(are_of_different_lanes(by(1, 15, Touch::several), by(2, 3), false));
  EXPECT_TRUE(are_of_different_lanes(by(1, 15, Touch::several), by(2, 3), true));
  EXPECT_TRUE(are_of_different_lanes(by(1, 15), by(1, 3, Touch::several), false));
}

}  // namespace race_sections_tests
}  // namespace warpwise
