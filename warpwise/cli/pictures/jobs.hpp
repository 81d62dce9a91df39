#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"

namespace warpwise::cli {

/// The destination of one result.
struct Target {
  std::string path;  ///< path of the file; without the extension if `extension_is_open`
  bool extension_is_open = false;
};

/// One input and the destinations of its results.
struct Job {
  std::string input;
  std::vector<Target> targets;

  /// Returns the path of result `index`. In a folder, a result keeps the input's name. It also
  /// keeps the input's type and the spelling of its extension if that type holds the result
  /// exactly. Otherwise the result of a .y4m file gets .raw. Any other result gets the first of
  /// .png, .npy and .raw that holds it exactly.
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

/// Returns true if a file exists and has the extension of a video other than .y4m.
bool is_video(const std::string& path);

/// Refuses a video as an input. \throws IoError  it is a video; the message says how to read one.
void refuse_video(const std::string& path);

/// Returns the canonical path of a file, which may not exist yet. Different paths to one file give
/// the same result, except for hard links.
std::filesystem::path canonical_path(const std::string& path);

/// Refuses outputs that lead to the same file, even by different paths. Ignores empty names.
/// \throws UsageError
void require_distinct_outputs(const std::vector<std::string>& outputs);

/// Refuses a further output that has the path of an input, or of the folder of an input. Ignores
/// empty names. \throws UsageError
void require_no_input(const std::vector<std::string>& further_outputs,
                      const std::vector<std::string>& inputs);

/// The kinds of pixels that each result of an operation may have, as shapes of 1x1 pixels.
using PossibleResults = std::vector<std::vector<io::PictureShape>>;

/// Refuses results that may get the same path, also in folders and through links. Refuses results
/// that would replace an input, except that a job's first result may replace the job's own input.
/// \throws UsageError
void require_distinct_results(const std::vector<Job>& jobs, const PossibleResults& possible);

/// Lists the jobs for the arguments "IN... OUT" and the further outputs.
/// \throws UsageError  two inputs would have the same result, or several inputs have no output
///                     folder.
/// \throws IoError     an input folder has no picture, or there is a file with the output folder's
///                     name.
std::vector<Job> list_jobs(const SharedOptions& options,
                           const std::vector<std::string>& further_outputs);

}  // namespace warpwise::cli
