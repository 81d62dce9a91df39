#pragma once

#include <filesystem>

namespace warpwise::test {

/// Returns true if QEMU's user mode runs this program: some system calls fail there. QEMU replaces
/// /proc/self/exe alone, so /proc/thread-self/exe names QEMU.
inline bool in_qemu() {
  std::error_code ignored;
  const std::string file =
      std::filesystem::read_symlink("/proc/thread-self/exe", ignored).filename();
  return file.starts_with("qemu-");
}

}  // namespace warpwise::test
