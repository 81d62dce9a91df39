// Replaces dlopen(). CUDA 13's runtime and driver, by name or by any path, become the emulated ones
// beside this library. Paths matter because Python's packages load their own runtime by its path. A
// library that contains a runtime is loaded from a copy that calls the emulated one.

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "warpwise/emulator/runtime/preload/static_runtime.hpp"

namespace {

using warpwise::preload::beside;

void* (*loaders_dlopen())(const char*, int) noexcept {
  using Dlopen = void* (*)(const char*, int) noexcept;
  static const auto next = reinterpret_cast<Dlopen>(::dlsym(RTLD_NEXT, "dlopen"));
  return next;
}

bool is_loaded(const char* file) {
  void* const library = loaders_dlopen()(file, RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) ::dlclose(library);
  return library != nullptr;
}

// Distinguishes a file from a later one at the same path.
using FileKey = std::array<std::uint64_t, 4>;

FileKey key_of(const struct stat& file) {
  return {file.st_dev, file.st_ino, static_cast<std::uint64_t>(file.st_mtim.tv_sec),
          static_cast<std::uint64_t>(file.st_mtim.tv_nsec)};
}

// Returns the path of a redirected copy of a library that contains a CUDA runtime. Returns `file`
// for any other library, and for one that is already loaded. Copies stay until the process ends.
const char* copy_or_same(const char* file) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<FileKey, std::string>;
  struct stat status{};
  if (::stat(file, &status) != 0 || is_loaded(file)) return file;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(key_of(status));
  if (is_new) found->second = warpwise::preload::redirected_copy(file);
  return found->second.empty() ? file : found->second.c_str();
}

// Does the same for a library's name, which it looks up in LD_LIBRARY_PATH. A library in another
// folder is not copied, because only the loader knows the other folders.
const char* copy_or_same_name(const char* name) {
  const char* const folders = std::getenv("LD_LIBRARY_PATH");
  if (folders == nullptr || is_loaded(name)) return name;
  for (const char* from = folders; *from != 0;) {
    const std::string folder(from, std::strcspn(from, ":"));
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(path.c_str(), R_OK) == 0) {
      const char* const copy = copy_or_same(path.c_str());
      return copy == path.c_str() ? name : copy;
    }
    from += folder.size() + (from[folder.size()] == ':' ? 1 : 0);
  }
  return name;
}

const char* emulated_or_same(const char* file) noexcept {
  static const std::string& runtime = *new std::string(beside("libcudart.so.13"));
  static const std::string& driver = *new std::string(beside("libcuda.so.1"));
  if (file == nullptr) return nullptr;
  const char* const slash = std::strrchr(file, '/');
  const std::string_view name = slash == nullptr ? file : slash + 1;
  if (name == "libcudart.so" || name == "libcudart.so.13") return runtime.c_str();
  if (name == "libcuda.so" || name == "libcuda.so.1") return driver.c_str();
  return slash == nullptr ? copy_or_same_name(file) : copy_or_same(file);
}

}  // namespace

// Ends with a jump, so that the loader sees the original caller and searches the folders that this
// caller names. The compiler makes a jump only if everything here is noexcept.
extern "C" void* dlopen(const char* file, int mode) noexcept {
  return loaders_dlopen()(emulated_or_same(file), mode);
}
