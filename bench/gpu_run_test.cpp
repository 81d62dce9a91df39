#include "bench/gpu_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"

namespace warpwise::bench {
namespace {

nlohmann::json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

// Once, Python's part of a bench was cut off, and the finished GPU times were lost with it.
TEST(KeepBeforeAndAfter, WhatEndsTheSecondPartLosesNoFirst) {
  const std::string path = testing::TempDir() + "warpwise_kept.json";
  std::filesystem::remove(path);
  nlohmann::json report = {{"machine", {{"name", "none"}}}, {"rows", {1, 2}}};
  const nlohmann::json first = report;
  const auto cut_off = [&] {
    report["python"] = 3;
    throw std::runtime_error("cut off");
  };
  EXPECT_THROW(keep_before_and_after(path, report, cut_off), std::runtime_error);
  EXPECT_EQ(read(path), first);
  report.erase("python");
  keep_before_and_after(path, report, [&] {
    EXPECT_EQ(read(path), first);
    report["python"] = 3;
  });
  EXPECT_EQ(read(path), report);
  std::filesystem::remove(path);
}

TEST(KeepBeforeAndAfter, WithoutAFileOnlyAdds) {
  const nlohmann::json report = {{"machine", {{"name", "none"}}}, {"rows", {1}}};
  int added = 0;
  keep_before_and_after("", report, [&] { ++added; });
  EXPECT_EQ(added, 1);
  EXPECT_THROW(keep_before_and_after("/nowhere/kept.json", report, [&] { ++added; }), IoError);
  EXPECT_EQ(added, 1);
}

}  // namespace
}  // namespace warpwise::bench
