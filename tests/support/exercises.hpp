#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/exercise/check.hpp"
#include "warpwise/lab/exercise/exercise.hpp"

// Helpers of the tests of exercises. Without NVRTC, tests that compile are skipped with the
// reason.
namespace warpwise::lab {

namespace fs = std::filesystem;

inline double no_gpu() { throw NoCudaDevice("no GPU in a test"); }

inline std::optional<Checker> checker_of(const std::string& name) {
  try {
    return Checker(find_exercise(name));
  } catch (const Unsupported& error) {
    std::cout << "skipped: " << error.what() << "\n";
    return std::nullopt;
  }
}

#define CHECKER_OR_SKIP(checker, name)   \
  const auto checker = checker_of(name); \
  if (!checker) GTEST_SKIP() << "there is no NVRTC"

inline const Mark& mark_of(const Marks& marks, const std::string& name) {
  return *std::ranges::find(marks.marks, name, &Mark::name);
}

inline std::string start_of(const std::string& name) {
  return *read_text(find_exercise(name).folder / "start.cu");
}
inline std::string solution_of(const std::string& name) {
  return *read_text(find_exercise(name).folder / "solution.cu");
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Makes a temporary folder, which is removed at the end of the test.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "exercise-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

  // Makes a student's folder for an exercise, with this kernel in it.
  fs::path student(const std::string& name, const std::string& exercise,
                   const std::string& kernel) const {
    const fs::path folder = path_ / name;
    start(find_exercise(exercise), folder);
    std::ofstream(folder / kernel_file) << kernel;
    return folder;
  }

 private:
  fs::path path_;
};

}  // namespace warpwise::lab
