// Uses the installed emulator as a library, with a kernel that writes the index of each thread.
#include <warpwise/emulator/emulator.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <span>

constexpr const char* ptx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry iota(.param .u64 to)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
})";

int main() {
  namespace emulator = warpwise::emulator;
  emulator::Device device;
  emulator::Program program(ptx);
  const emulator::Address buffer = device.allocate(64 * sizeof(int), "to");
  const std::span<const std::byte> parameters = std::as_bytes(std::span(&buffer, 1));
  const emulator::LaunchResult result =
      program.launch(device, "iota", {}, {64}, 0, parameters, {.compute_capabilities = {{9, 0}}});
  std::array<int, 64> numbers{};
  device.read(buffer, std::as_writable_bytes(std::span(numbers)));
  const bool right = result.faults.empty() && numbers[63] == 63 &&
                     result.memory[0].global_store.transactions_32 == 8;
  if (!right) std::puts("the emulator did something else than the kernel says");
  return right ? 0 : 1;
}
