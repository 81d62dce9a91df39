#include "warpwise/lab/compile/toolchain.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path in_search_path(const std::string& program) {
  std::string rest = environment("PATH");
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return {};
}

// The toolkit that a compiler belongs to: HOME/bin/nvcc, through links.
fs::path home_of(const fs::path& compiler) {
  std::error_code error;
  const fs::path real = fs::canonical(compiler, error);
  return error ? fs::path{} : real.parent_path().parent_path();
}

std::vector<fs::path> toolkit_homes() {
  if (const char* only = std::getenv("WARPWISE_CUDA_HOME")) return {fs::path(only)};
  std::vector<fs::path> homes = {environment("CUDA_HOME"), environment("CUDA_PATH"),
                                 home_of(environment("CUDACXX")), home_of(in_search_path("nvcc")),
                                 "/usr/local/cuda"};
  std::erase_if(homes, [](const fs::path& home) { return home.empty(); });
  return homes;
}

void take_libraries(const fs::path& home, Toolchain& found) {
  constexpr const char* folders[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                     "targets/sbsa-linux/lib"};
  for (const char* folder : folders) {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
      std::error_code error;
      const fs::path library = fs::canonical(home / folder / name, error);
      if (error) continue;
      const auto& known = found.nvrtc_libraries;
      if (std::find(known.begin(), known.end(), library) == known.end()) {
        found.nvrtc_libraries.push_back(library);
      }
    }
  }
}

// One set of headers only: two versions mixed do not compile.
void take_headers(const fs::path& home, Toolchain& found) {
  std::error_code ignored;
  if (!found.include_folders.empty() || !fs::exists(home / "include/cuda_fp16.h", ignored)) return;
  found.include_folders.push_back(home / "include");
  if (is_folder(home / "include/cccl")) found.include_folders.push_back(home / "include/cccl");
}

}  // namespace

fs::path nvrtc_cache() {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (!cache.empty()) return fs::path(cache) / "warpwise/nvrtc";
  const std::string home = environment("HOME");
  return home.empty() ? fs::path{} : fs::path(home) / ".cache/warpwise/nvrtc";
}

Toolchain find_toolchain() {
  Toolchain found;
  for (const fs::path& home : toolkit_homes()) {
    found.searched.push_back(home);
    if (found.nvcc.empty() && is_program(home / "bin/nvcc")) found.nvcc = home / "bin/nvcc";
    if (found.ptxas.empty() && is_program(home / "bin/ptxas")) found.ptxas = home / "bin/ptxas";
    take_libraries(home, found);
    take_headers(home, found);
  }
  if (std::getenv("WARPWISE_CUDA_HOME") == nullptr) {
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
      found.nvrtc_libraries.emplace_back(name);  // the loader searches
    }
  }
  if (const fs::path cache = nvrtc_cache(); !cache.empty()) {
    found.searched.push_back(cache);
    take_libraries(cache, found);
    take_headers(cache, found);
  }
  return found;
}

}  // namespace warpwise::lab
