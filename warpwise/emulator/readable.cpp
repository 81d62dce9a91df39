#include "warpwise/emulator/readable.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "warpwise/emulator/numba_name.hpp"

namespace warpwise::emulator {
namespace {

// Removes "[abi:...]".
std::string without_tags(std::string name) {
  constexpr std::string_view tag = "[abi:";
  for (std::size_t at = 0; (at = name.find(tag, at)) != std::string::npos;) {
    name.erase(at, name.find(']', at) + 1 - at);
  }
  return name;
}

}  // namespace

std::string readable(std::string_view name) {
  const std::string mangled(name);
  // Demangling would read other names, such as "f", as names of types.
  if (!name.starts_with("_Z")) return mangled;
  if (std::optional<std::string> python = numba_name(name)) return *std::move(python);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_tags(plain.get()) : mangled;
}

bool is_of_toolkit(std::string_view file) {
  // Header folders of toolkits, their pip packages, NVIDIA Warp, and the system's compilers.
  static constexpr std::array<std::string_view, 4> folders = {
      "-linux/include/", "/nvidia/cu13/include/", "/warp/native/", "/usr/include/"};
  if (std::ranges::any_of(folders, [&](std::string_view folder) {
        return file.find(folder) != std::string_view::npos;
      }))
    return true;
  // Accepts paths like /usr/local/cuda/include and /opt/cuda-13.0/include.
  const std::string_view path = file.substr(0, file.find("/include/"));
  const std::string_view toolkit = path.substr(path.rfind('/') + 1);
  const bool is_version = toolkit.starts_with("cuda-") && toolkit.size() > 5 &&
                          toolkit.find_first_not_of("0123456789.", 5) == std::string_view::npos;
  return path.size() < file.size() && (toolkit == "cuda" || is_version);
}

}  // namespace warpwise::emulator
