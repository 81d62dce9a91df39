#include "warpwise/io/picture_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::io {

namespace fs = std::filesystem;

std::vector<std::string> pictures_in(const std::string& folder, bool raw_too) {
  std::vector<std::string> pictures;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const std::string extension = extension_of(path);
    const bool wanted = is_readable_extension(extension) || (raw_too && extension == ".raw");
    std::error_code leads_nowhere;  // set for a dangling link
    if (wanted && entry->is_regular_file(leads_nowhere)) pictures.push_back(path);
  }
  if (error) throw IoError("cannot read the folder " + folder + ": " + error.message());
  if (pictures.empty()) {
    throw IoError("the folder " + folder + " has no picture in it" +
                  (raw_too ? "" : " (.raw files need a format and a size)"));
  }
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

std::vector<std::string> files_of(std::span<const std::string> inputs, bool raw_too) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    const bool is_folder = fs::is_directory(input, ignored);
    const std::vector<std::string> each =
        is_folder ? pictures_in(input, raw_too) : std::vector{input};
    files.insert(files.end(), each.begin(), each.end());
  }
  return files;
}

}  // namespace warpwise::io
