#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace warpwise::test {

/// Returns the most memory in bytes that the process has had since forget_peak(); 0 if the system
/// does not tell.
inline std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return 1024 * kib;
  }
  return 0;
}

/// Makes the memory of now the peak. The peak of an earlier test would hide a lower one.
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace warpwise::test
