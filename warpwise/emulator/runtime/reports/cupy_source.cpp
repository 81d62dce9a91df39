#include "warpwise/emulator/runtime/reports/cupy_source.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace warpwise::emulator::runtime {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the text of a source that CuPy has compiled and deleted; empty if it is not kept.
std::string kept_source(const fs::path& file) {
  std::error_code error;
  if (!file.string().ends_with(".cubin.cu") || fs::exists(file, error)) return {};
  const char* const folder = std::getenv("CUPY_CACHE_DIR");
  const char* const home = std::getenv("HOME");
  const fs::path cache = folder != nullptr
                             ? fs::path(folder)
                             : fs::path(home == nullptr ? "" : home) / ".cupy/kernel_cache";
  return text_of(cache / file.filename());
}

/// Moves "FILE:LINE" in a text to another file, by a number of lines. "FILE:" without a number is
/// left as it is.
std::string moved(const std::string& text, const std::string& file, const std::string& to, int by) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(file + ":", from)) != std::string::npos;) {
    const char* const number = text.data() + at + file.size() + 1;
    int line = 0;
    const auto end = std::from_chars(number, text.data() + text.size(), line).ptr;
    const auto behind = static_cast<std::size_t>(end - text.data());
    result += end == number ? text.substr(from, behind - from)
                            : text.substr(from, at - from) + to + ":" + std::to_string(line + by);
    from = behind;
  }
  return result + text.substr(from);
}

}  // namespace

void name_python_lines(std::vector<Fault>& faults, const std::string& python_file) {
  for (Fault& fault : faults) {
    const std::string file = fault.file;
    const std::string source = kept_source(file);
    if (source.empty()) continue;
    const std::string python = text_of(python_file);
    const std::size_t at = python.find(source);
    if (at == std::string::npos) continue;
    const auto by = static_cast<int>(
        std::count(python.begin(), python.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    fault.file = python_file;
    fault.line += by;
    fault.message = moved(fault.message, file, python_file, by);
    for (SourcePlace& caller : fault.called_from) {
      if (caller.file == file) caller = {python_file, caller.line + by};
    }
  }
}

}  // namespace warpwise::emulator::runtime
