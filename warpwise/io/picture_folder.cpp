#include "warpwise/io/picture_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::io {

namespace fs = std::filesystem;

namespace {

// macOS keeps a picture's attributes in a file beside it: ._a.png.
bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

}  // namespace

std::vector<std::string> pictures_in(const std::string& folder, bool raw_too) {
  std::vector<std::string> pictures;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const std::string extension = extension_of(path);
    const bool wanted = !is_hidden(entry->path()) &&
                        (is_readable_extension(extension) || (raw_too && extension == ".raw"));
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

std::string Skipped::text() const {
  constexpr std::size_t most_names = 3;
  std::string text;
  const auto add = [&](const std::vector<std::string>& paths, std::string_view one,
                       const char* behind) {
    if (paths.empty()) return;
    text += (text.empty() ? "" : ", ") + counted(paths.size(), one) + behind + " (";
    for (std::size_t i = 0; i < std::min(most_names, paths.size()); ++i) {
      text += (i > 0 ? ", " : "") + fs::path(paths[i]).filename().string();
    }
    text += paths.size() > most_names ? ", …)" : ")";
  };
  add(no_pictures, "file",
      no_pictures.size() == 1 ? " that is no picture" : " that are no pictures");
  add(raw, ".raw file", " without a format and a size");
  add(folders, "folder", "");
  return text;
}

Skipped skipped_in(std::span<const std::string> inputs, bool raw_too) {
  Skipped skipped;
  for (const std::string& input : inputs) {
    std::error_code error;
    for (fs::directory_iterator entry(input, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string path = entry->path().string();
      if (is_hidden(entry->path())) continue;
      std::error_code ignored;
      if (entry->is_directory(ignored)) {
        skipped.folders.push_back(path);
      } else if (extension_of(path) == ".raw") {
        if (!raw_too) skipped.raw.push_back(path);
      } else if (!is_readable_extension(extension_of(path)) || !entry->is_regular_file(ignored)) {
        skipped.no_pictures.push_back(path);
      }
    }
  }
  for (auto* paths : {&skipped.no_pictures, &skipped.raw, &skipped.folders}) {
    std::ranges::sort(*paths);
  }
  return skipped;
}

std::vector<std::string> expand_folders(std::span<const std::string> inputs, bool raw_too) {
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
