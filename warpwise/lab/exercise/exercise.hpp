#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"
#include "warpwise/primitives/shared/ladder.hpp"

// Exercises. In an exercise a student mends a slow or wrong kernel. It is run at several problem
// sizes, and gates limit its counts. docs/teaching.md describes the files of an exercise.
namespace warpwise::lab {

/// A number that describes a launch. A Gate may limit it. docs/exercises.md explains each figure.
enum class Figure : std::uint8_t {
  sectors_per_element,
  references_per_element,
  bank_conflicts,
  divergent_branches,
  instructions_per_element,
  active_lanes,
  thread_efficiency,
  atomic_requests,
  local_requests,
  occupancy_percent,
  block_cycles,
  gpu_time_ratio,
};
constexpr auto enum_names(Figure) {
  return std::to_array<EnumName<Figure>>(
      {{Figure::sectors_per_element, "sectors_per_element"},
       {Figure::references_per_element, "references_per_element"},
       {Figure::bank_conflicts, "bank_conflicts"},
       {Figure::divergent_branches, "divergent_branches"},
       {Figure::instructions_per_element, "instructions_per_element"},
       {Figure::active_lanes, "active_lanes"},
       {Figure::thread_efficiency, "thread_efficiency"},
       {Figure::atomic_requests, "atomic_requests"},
       {Figure::local_requests, "local_requests"},
       {Figure::occupancy_percent, "occupancy_percent"},
       {Figure::block_cycles, "block_cycles"},
       {Figure::gpu_time_ratio, "gpu_time_ratio"}});
}

/// A figure's limit, and hints for a kernel that misses it: what the counts mean, then the cure.
struct Gate {
  Figure figure = Figure::sectors_per_element;
  double limit = 0;
  bool is_least = false;  ///< true: the figure must be at least `limit`; false: at most `limit`
  std::vector<std::string> hints;
};

struct NamedArgument {
  std::string name;
  std::string spec;  ///< for `explain --arg`; each {…} is evaluated first: f32[{width * height}]
};

struct Exercise {
  std::string name;  ///< the folder's name
  std::filesystem::path folder;
  std::string title;
  int list_position = 0;  ///< position of the exercise in `list`; "lecture" in exercise.json
  std::string kernel;
  std::vector<NamedArgument> arguments;
  std::vector<std::string> grid;   ///< expressions; variables: block_x, block_y and the size's
  std::vector<std::string> block;  ///< expressions; if empty, the kernel's file declares the block
  /// Expression for the number of elements, by which figures per element are divided. reference.cu,
  /// which computes the expected result, has a thread for each element.
  std::string elements;
  std::string element;   ///< name of an element in messages: "pixel"
  std::string row;       ///< expression for the elements of a row; "0": there are no rows
  double tolerance = 0;  ///< allowed error of floats, relative to the expected value
  std::vector<ladders::Variables> sizes;  ///< gates are counted at the first of these sizes
  ladders::Variables timed_size;          ///< size for gpu_time_ratio
  std::vector<Gate> gates;
  std::vector<std::string> hints_wrong;  ///< hints for a wrong result
  std::vector<std::string> hints_race;   ///< hints for a race; empty: a general hint is given
};

/// Limit on the warp instructions of a student's launch: ten times those of the slowest start.cu,
/// the kernel that students begin with.
inline constexpr std::uint64_t exercise_budget = 4'000'000;

/// Returns the arguments for a size.
std::vector<ArgumentSpec> arguments_of(const Exercise& exercise, const ladders::Variables& size);
/// Evaluates one to three expressions. \throws InvalidArgument  a value is no valid extent
emulator::Dim3 dimensions_in(const std::vector<std::string>& expressions,
                             const ladders::Variables& variables);
/// Formats a size: "width 33, height 5".
std::string to_text(const ladders::Variables& size);

/// Reads an exercise's folder.
/// \throws InvalidArgument  with the file, the field, and what is expected there
/// \throws IoError          exercise.json cannot be read
Exercise read_exercise(const std::filesystem::path& folder);

/// Returns the installed exercises in the order of their positions in `list`.
std::vector<Exercise> all_exercises();
/// Returns an installed exercise. \throws InvalidArgument  the name is unknown; the message has the
/// most similar name
Exercise find_exercise(std::string_view name);

/// A student's folder, as its exercise.txt describes it.
struct Started {
  std::string exercise;   ///< the exercise's name
  std::string marks;      ///< result of the last check: "3 of 5"; empty before the first check
  std::string hinted;     ///< word for the mark and the hints of the last hint; may be empty
  std::size_t hints = 0;  ///< number of hints that were given for this word
};
/// Names of files in a student's folder.
inline constexpr const char* kernel_file = "kernel.cu";
inline constexpr const char* started_file = "exercise.txt";

/// Makes a student's folder, with the task and the kernel to mend.
/// \throws InvalidArgument  the folder exists and is not empty
/// \throws IoError
void start(const Exercise& exercise, const std::filesystem::path& folder);
/// Returns true if a file, link or folder has this name, or if the process may not examine it.
bool is_there(const std::filesystem::path& file);
/// Returns the contents of a folder's exercise.txt, or nothing if there is no such file.
/// \throws IoError  the file cannot be read, or names no exercise
std::optional<Started> started_in(const std::filesystem::path& folder);
/// Writes exercise.txt. \throws IoError
void keep(const std::filesystem::path& folder, const Started& started);

/// Reads a student's file, which must be a regular file of at most 1 MiB and no link.
/// \throws IoError  with the reason
std::string student_file(const std::filesystem::path& path);

}  // namespace warpwise::lab
