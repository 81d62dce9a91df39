#include "bench/toolkit_library.hpp"

#include <dlfcn.h>

#include "warpwise/lab/compile/toolchain.hpp"

namespace warpwise::bench {

ToolkitLibrary::ToolkitLibrary(std::string what, std::initializer_list<const char*> files)
    : what_(std::move(what)) {
  const lab::Toolchain toolchain = lab::find_toolchain();
  for (const std::string file : files) {
    if (handle_ == nullptr) handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    for (const auto& nvrtc : toolchain.nvrtc_libraries) {
      if (handle_ != nullptr) break;
      handle_ = dlopen((nvrtc.parent_path() / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (handle_ == nullptr) throw Error(what_ + " is not here");
}

void* ToolkitLibrary::symbol(const char* name) const {
  void* const found = dlsym(handle_, name);
  if (found == nullptr) throw Error(what_ + " lacks " + name);
  return found;
}

void ToolkitLibrary::check(int status, const char* call) const {
  if (status != 0) throw Error(std::string(call) + " answered " + std::to_string(status));
}

}  // namespace warpwise::bench
