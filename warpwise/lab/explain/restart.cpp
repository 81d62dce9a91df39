#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "warpwise/lab/explain/primitive.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* restarted = "WARPWISE_RESTARTED_ON_EMULATOR";

// Where the loader found libwarpwise.
fs::path library_folder() {
  fs::path found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* result) {
        const fs::path path = library->dlpi_name;
        if (!path.filename().string().starts_with("libwarpwise.so")) return 0;
        *static_cast<fs::path*>(result) = path.parent_path();
        return 1;
      },
      &found);
  std::error_code error;
  const fs::path canonical = fs::canonical(found, error);
  return error ? found : canonical;
}

}  // namespace

void restart_on_emulated_runtime(char* const* arguments, rules::ComputeCapability cc) {
  const fs::path folder = library_folder() / "warpwise/emulated";
  std::error_code ignored;
  if (!fs::exists(folder / "libcudart.so.13", ignored)) {
    throw Error("the primitives' kernels are not here: " + folder.string() +
                " has no libcudart.so.13; it is built and installed with Warpwise where there is a "
                "CUDA toolkit");
  }
  if (std::getenv(restarted) != nullptr) {
    throw Error("the emulated CUDA runtime in " + folder.string() +
                " was not loaded: something stands before it");
  }
  std::string search = folder.string();
  const char* before = std::getenv("LD_LIBRARY_PATH");
  if (before != nullptr && *before != '\0') search += std::string(":") + before;
  ::setenv("LD_LIBRARY_PATH", search.c_str(), 1);
  constexpr rules::ComputeCapability least = {7, 5};
  ::setenv("WARPWISE_EMULATED_CC", rules::to_string(std::max(cc, least)).c_str(), 0);
  ::setenv(restarted, "1", 1);
  ::execv("/proc/self/exe", arguments);
  throw Error(std::string("the command could not be started again: ") + std::strerror(errno));
}

}  // namespace warpwise::lab
