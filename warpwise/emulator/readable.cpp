#include "warpwise/emulator/readable.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpwise::emulator {

std::string readable(std::string_view name) {
  const std::string mangled(name);
  // Demangling would read other names, such as "f", as names of types.
  if (!name.starts_with("_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : mangled;
}

}  // namespace warpwise::emulator
