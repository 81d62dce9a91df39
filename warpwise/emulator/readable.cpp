#include "warpwise/emulator/readable.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpwise::emulator {
namespace {

// Removes "[abi:...]". numba puts a kernel's compiler flags there, as a hash of 70 letters.
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
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_tags(plain.get()) : mangled;
}

}  // namespace warpwise::emulator
