#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/lab/exercise/check.hpp"
#include "warpwise/lab/exercise/confine.hpp"

// Marks the exercises in the folders of a class.
namespace warpwise::lab {

/// A folder of one exercise, and its marks.
struct Graded {
  std::string student;   ///< the folder that was passed to graded_folders()
  std::string exercise;  ///< name; empty if exercise.txt is missing or cannot be read
  std::filesystem::path folder;
  Marks marks;
  int all_marks = 0;        ///< number of the exercise's marks that count; 0: not known
  std::string failure;      ///< why the folder has no marks; empty if it has marks
  bool is_exercise = true;  ///< false: there is no exercise in this folder, or no such folder
};

/// Finds the exercises in folders. A folder with exercise.txt or kernel.cu is an exercise. In any
/// other folder, each direct subfolder with one of these files is an exercise. An exercise that is
/// found twice counts once. A folder without an exercise is in the result too, with its failure.
std::vector<Graded> graded_folders(const std::vector<std::filesystem::path>& folders);

/// Marks all folders, several at a time, each in a confined process (confine.hpp). Skips times on a
/// GPU, so that marks are the same on every machine with the same compiler.
/// \param jobs  number of processes at once
/// \param done  called after each folder
/// \returns the compiler; empty if no kernel was marked
/// \throws Unsupported  there is no NVRTC  \throws IoError  no process can be started
std::string grade(std::vector<Graded>& all, const Limits& limits, int jobs,
                  const std::function<void(const Graded&)>& done);

/// Writes a table for a spreadsheet: a line for each folder, with its marks and first failure.
std::string csv_of(const std::vector<Graded>& all);
/// Writes JUnit's XML: a suite for each folder, and a case for each mark. A folder without marks
/// has one case with the failure.
std::string junit_of(const std::vector<Graded>& all);

}  // namespace warpwise::lab
