#include "warpwise/lab/compile/toolchain.hpp"

#include <algorithm>
#include <cstdlib>

#include "warpwise/lab/compile/subprocess.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Returns the toolkit that a compiler belongs to: HOME for HOME/bin/nvcc, after following links.
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

using LibraryNames = std::initializer_list<const char*>;
constexpr LibraryNames nvrtc_names = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr LibraryNames nvrtc_folders = {"lib64", "lib", "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib"};
constexpr LibraryNames cupti_names = {"libcupti.so.13", "libcupti.so.12"};
constexpr LibraryNames cupti_folders = {"extras/CUPTI/lib64", "lib64", "lib",
                                        "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};

void take_libraries(const fs::path& home, LibraryNames folders, LibraryNames names,
                    std::vector<fs::path>& known) {
  for (const char* folder : folders) {
    for (const char* name : names) {
      std::error_code error;
      const fs::path library = fs::canonical(home / folder / name, error);
      if (error || std::find(known.begin(), known.end(), library) != known.end()) continue;
      known.push_back(library);
    }
  }
}

// Takes the headers of one toolkit only, because mixed versions do not compile.
void take_headers(const fs::path& home, Toolchain& found) {
  std::error_code ignored;
  if (!found.include_folders.empty() || !fs::exists(home / "include/cuda_fp16.h", ignored)) return;
  found.include_folders.push_back(home / "include");
  if (is_folder(home / "include/cccl")) found.include_folders.push_back(home / "include/cccl");
}

fs::path in_cache(const char* folder) {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (!cache.empty()) return fs::path(cache) / "warpwise" / folder;
  const std::string home = environment("HOME");
  return home.empty() ? fs::path{} : fs::path(home) / ".cache/warpwise" / folder;
}

}  // namespace

fs::path nvrtc_cache() { return in_cache("nvrtc"); }
fs::path cupti_cache() { return in_cache("cupti"); }

Toolchain find_toolchain() {
  Toolchain found;
  for (const fs::path& home : toolkit_homes()) {
    found.searched.push_back(home);
    if (found.nvcc.empty() && is_program(home / "bin/nvcc")) found.nvcc = home / "bin/nvcc";
    if (found.ptxas.empty() && is_program(home / "bin/ptxas")) found.ptxas = home / "bin/ptxas";
    if (found.nvdisasm.empty() && is_program(home / "bin/nvdisasm")) {
      found.nvdisasm = home / "bin/nvdisasm";
    }
    take_libraries(home, nvrtc_folders, nvrtc_names, found.nvrtc_libraries);
    take_libraries(home, cupti_folders, cupti_names, found.cupti_libraries);
    take_headers(home, found);
  }
  if (std::getenv("WARPWISE_CUDA_HOME") == nullptr) {  // searches PATH and the loader's folders too
    if (found.nvdisasm.empty()) found.nvdisasm = in_search_path("nvdisasm");
    found.nvrtc_libraries.insert(found.nvrtc_libraries.end(), nvrtc_names.begin(),
                                 nvrtc_names.end());
    found.cupti_libraries.insert(found.cupti_libraries.end(), cupti_names.begin(),
                                 cupti_names.end());
  }
  if (const fs::path cache = nvrtc_cache(); !cache.empty()) {
    found.searched.push_back(cache);
    take_libraries(cache, nvrtc_folders, nvrtc_names, found.nvrtc_libraries);
    take_headers(cache, found);
    take_libraries(cupti_cache(), cupti_folders, cupti_names, found.cupti_libraries);
  }
  return found;
}

}  // namespace warpwise::lab
