#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/lab/exercise/check.hpp"
#include "warpwise/lab/exercise/confine.hpp"

// Marks the folders of a class.
namespace warpwise::lab {

/// A folder of one exercise, and its marks.
struct Graded {
  std::string student;   ///< the folder that was named
  std::string exercise;  ///< name; empty if exercise.txt is missing or cannot be read
  std::filesystem::path folder;
  Marks marks;
  std::string failure;  ///< why it has no marks; else empty
};

/// Finds the exercises in folders: each folder itself, or those directly in it, by exercise.txt or
/// kernel.cu. An exercise that is found twice counts once. A folder without an exercise is in the
/// result too, with the failure.
std::vector<Graded> graded_folders(const std::vector<std::filesystem::path>& folders);

/// Marks all folders, several at a time, each in a process of its own (confine.hpp). Skips times on
/// a GPU, so that marks are the same on every machine with the same compiler.
/// \param jobs  number of processes at once
/// \param done  called after each folder
/// \returns the compiler; empty if no kernel was marked
/// \throws Unsupported  there is no NVRTC  \throws IoError  no process can be started
std::string grade(std::vector<Graded>& all, const Limits& limits, int jobs,
                  const std::function<void(const Graded&)>& done);

/// Writes a table for a spreadsheet: a line for each folder, a column for each fact.
std::string csv_of(const std::vector<Graded>& all);
/// Writes JUnit's XML: a suite for each folder, a case for each mark or failure.
std::string junit_of(const std::vector<Graded>& all);

}  // namespace warpwise::lab
