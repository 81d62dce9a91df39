#include "warpwise/lab/measure/samples.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpwise::lab {
namespace {

TEST(Samples, MedianAndSpread) {
  std::vector<Sample> samples;
  for (int i = 100; i >= 0; --i) samples.push_back({.us = static_cast<double>(i)});
  const Timing timing = summary_of(samples);
  EXPECT_EQ(timing.median_us, 50);
  EXPECT_EQ(timing.p5_us, 5);
  EXPECT_EQ(timing.p95_us, 95);
  EXPECT_EQ(timing.samples, 101);
  EXPECT_EQ(timing.dropped, 0);
  EXPECT_EQ(summary_of({}).samples, 0);
  EXPECT_EQ(summary_of({}).median_us, 0);
}

TEST(Samples, TakenAtALoweredClockAreDropped) {
  const std::vector<Sample> samples = {{10, 1980}, {10, 1970}, {11, 1900},
                                       {20, 1200}, {12, 0},    {10, 1980}};
  const Timing timing = summary_of(samples);
  EXPECT_EQ(timing.dropped, 1);
  EXPECT_EQ(timing.samples, 5);
  EXPECT_EQ(timing.p95_us, 11);
  EXPECT_EQ(median_clock_mhz(samples), 1970);
}

TEST(Samples, NeverAllAreDropped) {
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) samples.push_back({10, i % 2 == 0 ? 500.0 : 2000.0});
  EXPECT_GE(summary_of(samples).samples, 10);
  EXPECT_EQ(summary_of(std::vector<Sample>{{10, 0}, {11, 0}}).samples, 2);
}

TEST(Samples, SettleByTheirSpreadOrByTheirMedian) {
  EXPECT_FALSE(have_settled({}));
  EXPECT_FALSE(have_settled(std::vector<Sample>{{10, 0}}));
  EXPECT_TRUE(have_settled(std::vector<Sample>{{100, 0}, {100.1, 0}, {100, 0}, {100.2, 0}}));
  EXPECT_FALSE(have_settled(
      std::vector<Sample>{{100, 0}, {100, 0}, {110, 0}, {120, 0}, {130, 0}, {140, 0}}));
  // A few outliers do not move the median.
  std::vector<Sample> samples(40, {100, 0});
  for (std::size_t i = 0; i < samples.size(); i += 10) samples[i].us = 300;
  EXPECT_TRUE(have_settled(samples));
}

}  // namespace
}  // namespace warpwise::lab
