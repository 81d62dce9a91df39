#pragma once

// Internal to the emulator: lets exceptions pass through machine code made at run time.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpwise::emulator {

/// Tells the C++ runtime how to unwind machine code. Below the return address, the frame holds the
/// registers rbx, rbp, r12, r13, r14 and r15, pushed in this order, and then `stack_bytes` bytes.
class UnwindTable {
 public:
  UnwindTable(const void* code, std::size_t bytes, std::size_t stack_bytes);
  ~UnwindTable();
  UnwindTable(const UnwindTable&) = delete;
  UnwindTable& operator=(const UnwindTable&) = delete;

 private:
  std::vector<std::uint8_t> table_;
};

}  // namespace warpwise::emulator
