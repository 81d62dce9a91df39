// Stands in front of the loader. Every name and path of the CUDA runtime and driver leads to the
// emulated ones beside this library: Python's packages bring a runtime and ask for it by its path.

#include <dlfcn.h>

#include <cstring>
#include <string>

namespace {

/// Returns the path of a library beside this one. It lives until the process ends.
const char* beside(const char* name) {
  Dl_info own{};
  ::dladdr(reinterpret_cast<const void*>(&beside), &own);
  const std::string path = own.dli_fname;
  return (new std::string(path.substr(0, path.rfind('/') + 1) + name))->c_str();
}

const char* emulated_or_same(const char* file) noexcept {
  static const char* const runtime = beside("libcudart.so.13");
  static const char* const driver = beside("libcuda.so.1");
  if (file == nullptr) return nullptr;
  const char* const slash = std::strrchr(file, '/');
  const std::string_view name = slash == nullptr ? file : slash + 1;
  if (name == "libcudart.so" || name == "libcudart.so.13") return runtime;
  if (name == "libcuda.so" || name == "libcuda.so.1") return driver;
  return file;
}

}  // namespace

// Ends with a jump, for which everything here is noexcept. A library is searched in the folders that
// its caller names, and the loader takes the place of the call for the caller.
extern "C" __attribute__((optimize("O2"))) void* dlopen(const char* file, int mode) noexcept {
  using Dlopen = void* (*)(const char*, int) noexcept;
  static const auto next = reinterpret_cast<Dlopen>(::dlsym(RTLD_NEXT, "dlopen"));
  return next(emulated_or_same(file), mode);
}
