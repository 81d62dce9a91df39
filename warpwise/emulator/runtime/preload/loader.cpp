// Stands in front of the loader. Every name and path of the CUDA runtime and driver leads to the
// emulated ones beside this library: Python's packages bring a runtime and ask for it by its path.
// A library that holds a runtime of its own is loaded from a copy that calls the emulated one.

#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "warpwise/emulator/runtime/preload/static_runtime.hpp"

namespace {

using warpwise::preload::beside;

// Tells a file from one that took its place at the same path.
using FileKey = std::array<std::uint64_t, 4>;

FileKey key_of(const struct stat& file) {
  return {file.st_dev, file.st_ino, static_cast<std::uint64_t>(file.st_mtim.tv_sec),
          static_cast<std::uint64_t>(file.st_mtim.tv_nsec)};
}

// Paths that were returned live until the process ends.
const char* copy_or_same(const char* file) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<FileKey, std::string>;
  struct stat status{};
  if (::stat(file, &status) != 0) return file;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(key_of(status));
  if (is_new) found->second = warpwise::preload::redirected_copy(file);
  return found->second.empty() ? file : found->second.c_str();
}

const char* emulated_or_same(const char* file) noexcept {
  static const std::string& runtime = *new std::string(beside("libcudart.so.13"));
  static const std::string& driver = *new std::string(beside("libcuda.so.1"));
  if (file == nullptr) return nullptr;
  const char* const slash = std::strrchr(file, '/');
  const std::string_view name = slash == nullptr ? file : slash + 1;
  if (name == "libcudart.so" || name == "libcudart.so.13") return runtime.c_str();
  if (name == "libcuda.so" || name == "libcuda.so.1") return driver.c_str();
  return slash == nullptr ? file : copy_or_same(file);
}

}  // namespace

// Ends with a jump, for which everything here is noexcept. A library is searched in the folders
// that its caller names, and the loader takes the place of the call for the caller.
extern "C" void* dlopen(const char* file, int mode) noexcept {
  using Dlopen = void* (*)(const char*, int) noexcept;
  static const auto next = reinterpret_cast<Dlopen>(::dlsym(RTLD_NEXT, "dlopen"));
  return next(emulated_or_same(file), mode);
}
