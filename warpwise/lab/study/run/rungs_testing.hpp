#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {

namespace fs = std::filesystem;

/// Gives a test a copy of a ladder's folder that it may edit, and a cache of its own. Without a
/// compiler, the tests are skipped with the reason.
class Rungs : public testing::Test {
 protected:
  void SetUp() override {
    try {
      require_compiler();
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
    const fs::path nvrtc = nvrtc_cache();
    std::string name = (fs::temp_directory_path() / "warpwise-ladder-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    // NVRTC may be installed in the user's cache, so the test's cache links to it.
    fs::create_directories(folder_ / "cache/warpwise");
    if (fs::exists(nvrtc)) fs::create_directory_symlink(nvrtc, folder_ / "cache/warpwise/nvrtc");
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  StudyTable edited(const std::string& ladder) {
    const StudyTable installed = find_study(ladder);
    fs::copy(installed.folder, folder_ / ladder);
    return read_study(folder_ / ladder);
  }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  std::vector<fs::path> cached() const {
    std::vector<fs::path> result;
    const fs::path rungs = folder_ / "cache/warpwise/rungs";
    if (!fs::exists(rungs)) return result;
    for (const auto& each : fs::directory_iterator(rungs)) result.push_back(each.path());
    return result;
  }

  fs::path folder_;
};

}  // namespace warpwise::lab
