#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"

namespace warpwise::cli {

/// Where a result goes.
struct Target {
  std::string path;  ///< of the file; without extension when `extension_is_open`
  bool extension_is_open = false;
};

/// One input and the targets of what comes of it.
struct Job {
  std::string input;
  std::vector<Target> targets;

  /// The path of result `index`. In a folder a result keeps the input's name; its type is the
  /// input's if that holds the result exactly, else the first of .png, .npy, .raw that does; of a
  /// .y4m file .raw.
  std::string output_path(std::size_t index, const io::PictureShape& result) const;
};

/// The folders that results go to, made if they are missing. Those that were made and hold nothing
/// in the end are removed.
class OutputFolders {
 public:
  /// \throws IoError  one cannot be made.
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

/// Whether a file is a video by its name, but no .y4m.
bool is_video(const std::string& path);

/// \throws IoError  it is; the message says that `stream` reads it.
void refuse_video(const std::string& path);

/// \throws UsageError  two of the outputs are one file, however they are written; an empty name is
/// none.
void require_distinct_places(const std::vector<std::string>& outputs);

/// The jobs that "IN... OUT" and further outputs stand for.
/// \throws UsageError  two inputs would give one result, or several inputs have no folder.
/// \throws IoError     a folder without a picture, or a file where a folder is needed.
std::vector<Job> list_jobs(const SharedOptions& options,
                           const std::vector<std::string>& further_outputs);

}  // namespace warpwise::cli
