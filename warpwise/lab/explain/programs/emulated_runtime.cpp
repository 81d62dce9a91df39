#include "warpwise/lab/explain/programs/emulated_runtime.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/runtime/observe.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

// Returns the folder in which the loader found libwarpwise.
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

bool on_emulated_runtime() {
  return ::dlsym(RTLD_DEFAULT, emulator::runtime::observe_name) != nullptr;
}

fs::path emulated_runtime_folder() {
  // On the emulated runtime, the loaded library is in the same folder as the runtime.
  const fs::path folder =
      on_emulated_runtime() ? library_folder() : library_folder() / "warpwise/emulated";
  std::error_code ignored;
  if (fs::exists(folder / "libcudart.so.13", ignored)) return folder;
  throw Error(
      "the emulated CUDA runtime is not here: " + folder.string() +
      " has no libcudart.so.13; Warpwise builds and installs it if there is a CUDA toolkit");
}

void search_first(const fs::path& folder) {
  std::string search = folder.string();
  const char* before = std::getenv("LD_LIBRARY_PATH");
  if (before != nullptr && *before != '\0') search += std::string(":") + before;
  ::setenv("LD_LIBRARY_PATH", search.c_str(), 1);
}

}  // namespace warpwise::lab
