#include "bench/tune.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "warpwise/base/error.hpp"

namespace warpwise::bench {
namespace {

lab::Measurement measured(double us, double mhz = 1980) {
  lab::Measurement result;
  for (int i = 0; i < 100; ++i) result.cold_samples.push_back({us * (1 + 0.0001 * i), mhz});
  result.cold.median_us = us;
  result.sm_clock_mhz = mhz;
  return result;
}

TEST(Judge, SaysWhatTheTimesSay) {
  EXPECT_EQ(judge(measured(10), measured(11), 1980).verdict, "faster");
  EXPECT_NEAR(judge(measured(10), measured(11), 1980).gain, 1.1, 0.01);
  EXPECT_EQ(judge(measured(10), measured(10.02), 1980).verdict, "same");
  EXPECT_EQ(judge(measured(11), measured(10), 1980).verdict, "slower");
}

TEST(Judge, KeepsNoThrottledTime) {
  EXPECT_EQ(judge(measured(10, 1700), measured(11, 1700), 1980).verdict, "throttled");
  EXPECT_EQ(judge(measured(10, 1980), measured(11, 1900), 1980).verdict, "throttled");
  EXPECT_EQ(judge(measured(10, 1900), measured(11, 1980), 1980).verdict, "throttled");
  // The GPU's clock is unknown.
  EXPECT_EQ(judge(measured(10, 0), measured(11, 0), 0).verdict, "faster");
}

TEST(InTurn, TakesOneOfEachPrimitive) {
  const auto named = [](const char* primitive, const char* variant) {
    return Case{primitive, variant, "warpwise", 1, 1, 0, {}, false};
  };
  std::string order;
  for (const Case& each : in_turn({named("copy", "a"), named("copy", "b"), named("copy", "c"),
                                   named("find", "d"), named("find", "e"), named("gemv", "f")})) {
    order += each.variant;
  }
  EXPECT_EQ(order, "adfbec");
}

class TuningFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text() const {
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  tuning::Entry entry(const std::string& verdict, int value = 128) const {
    return {.primitive = "copy",
            .tunable = "block_threads",
            .value = value,
            .kind = "any",
            .size = 22,
            .verdict = verdict,
            .gain = 1.5,
            .why = "",
            .work = "u8 image 4096x3072",
            .source = std::string(tuning::source_hash("copy")),
            .gpu = gpu_};
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "warpwise_tune_test";
  std::filesystem::path path_ = folder_ / "a/tuning.txt";
  tuning::Gpu gpu_{"NVIDIA H200", "9.0", 132, 13000};
  Case work_{"copy", "u8 image", "warpwise", 4096, 3072, 0, {}, false};
};

TEST_F(TuningFiles, HoldWhatWasDoneAndNothingElse) {
  {
    TuningFile file(path_);
    EXPECT_FALSE(file.holds(work_, gpu_));
    file.add(std::vector{entry("faster"), entry("slower", 512)});
  }
  const TuningFile again(path_);
  EXPECT_TRUE(again.holds(work_, gpu_));
  EXPECT_FALSE(again.holds(work_, tuning::Gpu{"NVIDIA H100", "9.0", 132, 13000}));
  Case other = work_;
  other.width = 16384;
  EXPECT_FALSE(again.holds(other, gpu_));
  EXPECT_EQ(text().find(tuning::file_header), 0U);
  EXPECT_EQ(text().rfind(tuning::file_header), 0U);
}

TEST_F(TuningFiles, WhatWasThrottledIsDoneAgain) {
  TuningFile(path_).add(std::vector{entry("faster"), entry("throttled", 512)});
  EXPECT_FALSE(TuningFile(path_).holds(work_, gpu_));
  TuningFile(path_).add(std::vector{entry("faster"), entry("same", 512)});
  EXPECT_TRUE(TuningFile(path_).holds(work_, gpu_));
}

TEST_F(TuningFiles, GoOnBehindALineThatWasCutOff) {
  TuningFile(path_).add(std::vector{entry("faster")});
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 20);
  EXPECT_FALSE(TuningFile(path_).holds(work_, gpu_));
  TuningFile(path_).add(std::vector{entry("faster")});
  EXPECT_TRUE(TuningFile(path_).holds(work_, gpu_));
}

TEST_F(TuningFiles, OfSomethingElseAreLeftAlone) {
  std::filesystem::create_directories(path_.parent_path());
  std::ofstream(path_) << "a letter\n";
  EXPECT_THROW(TuningFile{path_}, IoError);
  EXPECT_EQ(text(), "a letter\n");
  EXPECT_THROW(TuningFile{path_ / "below a file"}, IoError);
  EXPECT_THROW(TuningFile{std::filesystem::path{}}, IoError);
}

}  // namespace
}  // namespace warpwise::bench
