// Tests find_knee() on curves with a knee and on curves without one.
#include "warpwise/lab/study/show/knee.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "warpwise/lab/study/show/messages_testing.hpp"

namespace warpwise::lab {
namespace {

const std::vector<double> counts = {0, 64, 128, 192, 288, 416, 544};

template <class Curve>
std::vector<KneePoint> sampled(const std::vector<double>& xs, const Curve& curve) {
  std::vector<KneePoint> points;
  for (const double x : xs) points.push_back({x, curve(x)});
  return points;
}

// A curve that is flat at 70 up to x = 150, and then rises by 0.4 for each step of 1.
double bent(double x) { return 70 + 0.4 * std::max(0.0, x - 150); }

void expect_none(std::vector<KneePoint> points, const std::vector<std::string>& says) {
  const KneeSearch search = find_knee(std::move(points));
  ASSERT_FALSE(search.knee) << "at " << search.knee->at;
  expect_words(search.why_none, says);
}

TEST(Knee, OfAnExactCurve) {
  for (const double at : {64.0, 100.0, 150.0, 192.0, 300.0, 416.0 - 1}) {
    const KneeSearch search =
        find_knee(sampled(counts, [&](double x) { return 70 + 0.4 * std::max(0.0, x - at); }));
    ASSERT_TRUE(search.knee) << at << ": " << search.why_none;
    EXPECT_EQ(search.why_none, "");
    EXPECT_NEAR(search.knee->at, at, 1e-6);
    EXPECT_NEAR(search.knee->level, 70, 1e-9);
    EXPECT_NEAR(search.knee->slope, 0.4, 1e-9);
    EXPECT_LT(search.knee->largest_deviation, 1e-9);
  }
}

TEST(Knee, PointsMayComeInAnyOrderAndTwice) {
  std::vector<KneePoint> points = sampled({544, 0, 192, 64, 416, 128, 288}, bent);
  points.push_back({64, 72});
  points.push_back({64, 68});
  const KneeSearch search = find_knee(points);
  ASSERT_TRUE(search.knee) << search.why_none;
  EXPECT_NEAR(search.knee->at, 150, 1e-6);
  EXPECT_NEAR(search.knee->largest_deviation, 2.0 / 70, 1e-9);
}

TEST(Knee, NoiseMovesItLittle) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.01);
    const KneeSearch search =
        find_knee(sampled(counts, [&](double x) { return bent(x) * noise(random); }));
    ASSERT_TRUE(search.knee) << seed << ": " << search.why_none;
    EXPECT_NEAR(search.knee->at, 150, 25) << seed;
    EXPECT_NEAR(search.knee->level, 70, 3) << seed;
    EXPECT_NEAR(search.knee->slope, 0.4, 0.03) << seed;
    EXPECT_GT(search.knee->largest_deviation, 0) << seed;
  }
}

// If latency makes the first part rise a little, the knee is still near the lines' crossing.
TEST(Knee, OfTwoRisingLines) {
  const KneeSearch search =
      find_knee(sampled(counts, [](double x) { return std::max(28.7 + x / 64, 4 + x / 4); }));
  ASSERT_TRUE(search.knee) << search.why_none;
  EXPECT_NEAR(search.knee->at, (28.7 - 4) / (1.0 / 4 - 1.0 / 64), 10);
  EXPECT_LT(search.knee->largest_deviation, 0.06);
}

TEST(Knee, NoneWhereAllIsFlat) {
  expect_none(sampled(counts, [](double) { return 70.0; }), {"all flat", "changes by 0 %"});
  expect_none(sampled(counts, [](double x) { return 70 + 0.01 * x; }), {"all flat"});
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.01);
    EXPECT_FALSE(find_knee(sampled(counts, [&](double) { return 70 * noise(random); })).knee)
        << seed;
  }
}

TEST(Knee, NoneWhereAllRises) {
  const auto line = [](double x) { return 10 + 0.4 * x; };
  expect_none(sampled(counts, line), {"all rising"});
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(1, 0.01);
    EXPECT_FALSE(find_knee(sampled(counts, [&](double x) { return line(x) * noise(random); })).knee)
        << seed;
  }
  // Only the first value lies on the flat part, and one point does not make a level.
  expect_none(sampled(counts, [](double x) { return 70 + 0.4 * std::max(0.0, x - 40); }),
              {"all rising"});
}

TEST(Knee, NoneWhereItFalls) {
  expect_none(sampled(counts, [](double x) { return 300 - 0.4 * x; }), {"falls"});
}

TEST(Knee, NoneWhereOnlyTheLastValueRises) {
  expect_none(sampled(counts, [](double x) { return 70 + 0.4 * std::max(0.0, x - 450); }),
              {"only the last value", "beyond 544"});
}

TEST(Knee, NoneInScatteredPoints) {
  expect_none({{0, 70}, {64, 90}, {128, 60}, {192, 95}, {288, 65}, {416, 110}, {544, 75}},
              {"scatter"});
}

TEST(Knee, NeedsTwoPointsOnEachSide) {
  expect_none({}, {"0 points", "at least 4"});
  expect_none({{1, 5}}, {"1 point cannot"});
  expect_none({{0, 70}, {64, 70}, {64, 70}, {128, 90}}, {"3 points"});
  EXPECT_TRUE(find_knee({{0, 70}, {64, 70}, {128, 90}, {192, 115}}).knee);
}

}  // namespace
}  // namespace warpwise::lab
