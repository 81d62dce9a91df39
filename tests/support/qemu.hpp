#pragma once

#include <filesystem>

namespace warpwise::test {

/// Returns true if QEMU's user mode runs this program, in which some system calls fail. QEMU
/// replaces only /proc/self/exe, so that /proc/thread-self/exe is QEMU itself.
inline bool in_qemu() {
  std::error_code ignored;
  const std::string file =
      std::filesystem::read_symlink("/proc/thread-self/exe", ignored).filename();
  return file.starts_with("qemu-");
}

}  // namespace warpwise::test
