#include "warpwise/lab/sources.hpp"

#include "warpwise/base/error.hpp"

namespace warpwise::lab {

std::filesystem::path source_root() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path root = program.parent_path().parent_path() / "share/warpwise/sources";
  if (error || !fs::is_directory(root / "warpwise", error)) {
    throw IoError("the kernels' sources are not where this program was installed: there is no " +
                  (root / "warpwise").string());
  }
  return root;
}

}  // namespace warpwise::lab
