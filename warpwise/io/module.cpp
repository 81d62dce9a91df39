#include "warpwise/io/module.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "warpwise/base/error.hpp"
#include "warpwise/base/pixel_format.hpp"

namespace warpwise::io {
namespace {

// Returns the full path of a file in libwarpwise's folder. AddressSanitizer's dlopen() does not
// search this program's run path for a bare name.
std::string path_beside_library(const std::string& file) {
  Dl_info library{};
  ::dladdr(reinterpret_cast<void*>(&frame_bytes), &library);
  return (std::filesystem::path(library.dli_fname).parent_path() / file).string();
}

}  // namespace

void* module_entry(const std::string& file, const char* entry, const std::string& who,
                   const std::string& remedy) {
  void* library = ::dlopen(path_beside_library(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  // Falls back to the loader's search path. A second build of libwarpwise, for the emulated GPU,
  // lies in a folder of its own, and the modules lie in the folder of the first.
  if (library == nullptr) library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : ::dlsym(library, entry);
  if (found != nullptr) return found;
  throw IoError(who + " need the module " + file + ", which cannot be loaded (" + ::dlerror() +
                "); " + remedy);
}

}  // namespace warpwise::io
