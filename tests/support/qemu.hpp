#pragma once

#include <filesystem>

namespace warpwise::test {

/// Returns true if QEMU's user mode runs this program, which some calls of the system do not
/// pass. QEMU answers for /proc/self/exe alone.
inline bool in_qemu() {
  std::error_code ignored;
  const std::string file =
      std::filesystem::read_symlink("/proc/thread-self/exe", ignored).filename();
  return file.starts_with("qemu-");
}

}  // namespace warpwise::test
