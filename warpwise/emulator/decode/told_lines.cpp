#include "warpwise/emulator/decode/told_lines.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpwise::emulator {
namespace {

bool is_foreign(std::string_view file) {
  // Header folders of toolkits, their pip packages, and the system's compilers.
  static constexpr std::array<std::string_view, 4> folders = {
      "-linux/include/", "/cuda/include/", "/nvidia/cu13/include/", "/usr/include/"};
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return file.find(folder) != std::string_view::npos;
  });
}

}  // namespace

std::vector<ptx::SourceLine> lines_to_tell(const Code& code) {
  std::vector<bool> foreign;
  for (const std::string& file : code.files) foreign.push_back(is_foreign(file));
  std::vector<ptx::SourceLine> lines = code.lines;
  for (ptx::SourceLine& line : lines) {
    while (line.caller >= 0 && line.file >= 0 &&
           static_cast<std::size_t>(line.file) < foreign.size() &&
           foreign[static_cast<std::size_t>(line.file)]) {
      line = code.callers[static_cast<std::size_t>(line.caller)];
    }
  }
  return lines;
}

}  // namespace warpwise::emulator
