#include "bench/verdict.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>

#include "bench/changes.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::bench {
namespace {

// Returns samples around a median, spread by `percent` per cent, at a clock of `mhz`.
std::vector<lab::Sample> samples(double us, double percent, int count = 200, double mhz = 1980) {
  std::mt19937 random(7);
  std::vector<lab::Sample> result;
  for (int i = 0; i < count; ++i) {
    const double share = static_cast<double>(random() % 2001) / 1000 - 1;
    result.push_back({us * (1 + share * percent / 100), mhz});
  }
  return result;
}

TEST(Verdict, SaysFasterAndSlowerBeyondTwoPercent) {
  EXPECT_EQ(compare(samples(10, 1), samples(10.5, 1)).verdict, Verdict::faster);
  EXPECT_EQ(compare(samples(10.5, 1), samples(10, 1)).verdict, Verdict::slower);
  EXPECT_NEAR(compare(samples(10, 1), samples(20, 1)).ratio, 2, 0.02);
}

TEST(Verdict, SaysTheSameWithinTwoPercent) {
  EXPECT_EQ(compare(samples(10, 1), samples(10, 1)).verdict, Verdict::same);
  EXPECT_EQ(compare(samples(10, 1), samples(10.1, 1)).verdict, Verdict::same);
}

TEST(Verdict, IsUnsureWhereTheSpreadReachesAcrossALimit) {
  EXPECT_EQ(compare(samples(10, 30, 40), samples(10.3, 30, 40)).verdict, Verdict::unsure);
  EXPECT_EQ(compare(samples(10, 1), samples(10.2, 1)).verdict, Verdict::unsure);
}

TEST(Verdict, IsUnsureOfFewSamples) {
  EXPECT_EQ(compare(samples(10, 1, 7), samples(20, 1)).verdict, Verdict::unsure);
  EXPECT_EQ(compare({}, samples(20, 1)).verdict, Verdict::unsure);
}

// The ratio of the clocks, 1980 MHz to 1700 MHz, is 1.16: it may explain times that differ by the
// same ratio.
TEST(Verdict, IsUnsureOfWhatTwoClocksMayExplain) {
  EXPECT_EQ(compare(samples(10, 1), samples(11.5, 1, 200, 1700)).verdict, Verdict::unsure);
  EXPECT_EQ(compare(samples(10, 1), samples(10, 1, 200, 1700)).verdict, Verdict::unsure);
  const Comparison beyond = compare(samples(10, 1), samples(20, 1, 200, 1700));
  EXPECT_EQ(beyond.verdict, Verdict::faster);
  EXPECT_FALSE(beyond.is_comparable);
  EXPECT_NEAR(beyond.low, 2.0 * 1700 / 1980, 0.03);
  EXPECT_NEAR(beyond.high, 2.0 * 1980 / 1700, 0.03);
  EXPECT_EQ(compare(samples(20, 1, 200, 1700), samples(10, 1)).verdict, Verdict::slower);
  // A peer whose clock is unknown is judged by its times alone.
  EXPECT_EQ(compare(samples(10, 1), samples(20, 1, 200, 0)).verdict, Verdict::faster);
}

TEST(Verdict, IntervalHoldsTheTrueRatio) {
  const Comparison comparison = compare(samples(10, 20), samples(13, 20));
  EXPECT_LE(comparison.low, 1.3);
  EXPECT_GE(comparison.high, 1.3);
  EXPECT_LT(comparison.high - comparison.low, 0.2);
}

bench::Run run_of(double us) {
  Case work;
  work.primitive = "sobel";
  work.variant = "u8 magnitude l1";
  work.implementation = own_name;
  work.width = 640;
  work.height = 480;
  work.bytes = std::int64_t{2} * 640 * 480;
  Row row;
  row.work = work;
  row.times.emplace();
  row.roof_gb_per_s = 4000;
  row.times->cold_samples = samples(us, 1);
  row.times->cold = lab::summary_of(row.times->cold_samples);
  bench::Run run;
  run.device.name = "NVIDIA Test";
  run.rows.push_back(row);
  return run;
}

class Changes : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(file_) << text;
    return file_;
  }
  void TearDown() override { std::filesystem::remove(file_); }

 private:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() /
      (std::string("warpwise-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Changes, ARegressionIsWhatIsLongerBeyondDoubt) {
  const Recorded recorded(write(text_of(json_of(run_of(10)))));
  recorded.require_gpu("NVIDIA Test");
  const Change slower = recorded.changes_to(run_of(11)).at(0);
  EXPECT_NEAR(slower.since.ratio, 10.0 / 11, 0.01);
  EXPECT_TRUE(is_regression(slower, 5));
  EXPECT_FALSE(is_regression(slower, 15));
  EXPECT_FALSE(is_regression(recorded.changes_to(run_of(9)).at(0), 0));
  EXPECT_FALSE(is_regression(recorded.changes_to(run_of(10.05)).at(0), 1));
}

TEST_F(Changes, AnotherClockOrFewSamplesAreNoRegression) {
  const Recorded recorded(write(text_of(json_of(run_of(10)))));
  bench::Run slow = run_of(20);
  slow.rows[0].times->cold_samples = samples(20, 1, 200, 1700);
  EXPECT_FALSE(is_regression(recorded.changes_to(slow).at(0), 5));
  slow.rows[0].times->cold_samples = samples(20, 1, 2);
  EXPECT_FALSE(is_regression(recorded.changes_to(slow).at(0), 5));
}

TEST_F(Changes, OtherWorkIsNotCompared) {
  const Recorded recorded(write(text_of(json_of(run_of(10)))));
  bench::Run other = run_of(10);
  other.rows[0].work.width = 641;
  EXPECT_TRUE(recorded.changes_to(other).empty());
}

TEST_F(Changes, RefusesWhatIsNoRecordOfThisGpu) {
  EXPECT_THROW(Recorded("/nowhere/record.json"), IoError);
  EXPECT_THROW(Recorded(write("{")), InvalidArgument);
  EXPECT_THROW(Recorded(write("{\"machine\": {\"gpu\": \"x\"}, \"rows\": [{}]}")), InvalidArgument);
  EXPECT_THROW(
      Recorded(write(R"({"machine": {"gpu": "x"}, "rows": [{"primitive": "sobel", "variant": "v",
        "implementation": "warpwise", "width": 1, "height": 1,
        "kept_samples": {"us": [1, 2], "sm_clock_mhz": [1]}}]})")),
      InvalidArgument);
  EXPECT_THROW(Recorded(write(text_of(json_of(run_of(10))))).require_gpu("NVIDIA Other"),
               InvalidArgument);
}

}  // namespace
}  // namespace warpwise::bench
