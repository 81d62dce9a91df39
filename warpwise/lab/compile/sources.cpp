#include "warpwise/lab/compile/sources.hpp"

#include <fstream>
#include <iterator>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {

std::filesystem::path source_root() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path root = program.parent_path().parent_path() / "share/warpwise/sources";
  if (error || !fs::is_directory(root / "warpwise", error)) {
    throw IoError("the kernels' sources are not installed with this program: there is no " +
                  (root / "warpwise").string());
  }
  return root;
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  // Reads only regular files: a device may have no end, and a pipe no writer.
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  if (std::filesystem::file_size(path, ignored) > most_source_bytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  try {
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file) return text;
  } catch (const std::ios_base::failure&) {
    // The system refused to read it.
  }
  return std::nullopt;
}

}  // namespace warpwise::lab
