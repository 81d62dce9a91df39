#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpwise::io {

/// Lists the pictures in a folder, sorted by name; headerless .raw files only if `raw_too`. Names
/// that begin with a dot are left out.
/// \throws IoError  the folder cannot be read, or has no pictures.
std::vector<std::string> pictures_in(const std::string& folder, bool raw_too);

/// Paths in input folders that are not read, grouped by the reason.
struct Skipped {
  std::vector<std::string> no_pictures;
  std::vector<std::string> raw;  ///< headerless files without a format and a size
  std::vector<std::string> folders;

  bool is_empty() const { return no_pictures.empty() && raw.empty() && folders.empty(); }
  /// Returns "2 files that are no pictures (a.txt, b.mp4), 1 folder (old)".
  std::string text() const;
};

/// Lists the files and folders that expand_folders() skips inside input folders. Names that begin
/// with a dot, and folders that cannot be read, are not listed.
Skipped skipped_in(std::span<const std::string> inputs, bool raw_too);

/// Lists the input files: an input that is a folder is replaced by the pictures in it.
/// \throws IoError  as pictures_in()
std::vector<std::string> expand_folders(std::span<const std::string> inputs, bool raw_too);

}  // namespace warpwise::io
