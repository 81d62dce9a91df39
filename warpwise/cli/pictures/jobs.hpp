#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"

namespace warpwise::cli {

/// Destination of a result.
struct Target {
  std::string path;  ///< path of the file; without extension if `extension_is_open`
  bool extension_is_open = false;
};

/// One input and the destinations of its results.
struct Job {
  std::string input;
  std::vector<Target> targets;

  /// Returns the path of result `index`. In a folder, a result keeps the input's name. It also
  /// keeps the input's type, as the input spells it, if that type holds the result exactly.
  /// Otherwise the result of a .y4m file gets .raw, and any other the first type of .png, .npy,
  /// .raw that holds it exactly.
  std::string output_path(std::size_t index, const io::PictureShape& result) const;
};

/// Creates missing output folders. The destructor removes created folders that are still empty.
class OutputFolders {
 public:
  /// \throws IoError  a folder cannot be made.
  explicit OutputFolders(const std::vector<Job>& jobs);
  ~OutputFolders();
  OutputFolders(const OutputFolders&) = delete;
  OutputFolders& operator=(const OutputFolders&) = delete;

 private:
  void make(const std::filesystem::path& folder);
  void remove_empty();

  std::vector<std::filesystem::path> made_;
};

bool is_folder(const std::string& path);

/// Returns true for a file that exists and has a video's extension, except .y4m.
bool is_video(const std::string& path);

/// Refuses a video. \throws IoError  the message says how to read one.
void refuse_video(const std::string& path);

/// Returns the file that a path leads to, which may not exist yet. Paths to one file give one
/// place, except for hard links.
std::filesystem::path place_of(const std::string& path);

/// Refuses outputs that are the same file, even by different paths. Ignores empty names.
/// \throws UsageError
void require_distinct_places(const std::vector<std::string>& outputs);

/// Refuses a further output that has the path of an input, or of an input's folder. Ignores empty
/// names. \throws UsageError
void require_no_input(const std::vector<std::string>& further_outputs,
                      const std::vector<std::string>& inputs);

/// For each result of an operation, the kinds of pixels that it may have, as 1x1 shapes.
using PossibleResults = std::vector<std::vector<io::PictureShape>>;

/// Refuses results that may get one path, also in folders and through links, and results in the
/// place of an input. Only a job's first result may replace the job's own input.
/// \throws UsageError
void require_own_places(const std::vector<Job>& jobs, const PossibleResults& possible);

/// Lists the jobs for "IN... OUT" and further outputs.
/// \throws UsageError  two inputs would give one result, or several inputs have no folder.
/// \throws IoError     a folder has no picture, or a file stands in place of a folder.
std::vector<Job> list_jobs(const SharedOptions& options,
                           const std::vector<std::string>& further_outputs);

}  // namespace warpwise::cli
