// Decodes each kernel of a PTX text and runs it. Refuses a text or a launch only with an Error.
//
// Each run is bounded: one block of 64 threads, 4,096 warp instructions, 1 MiB of device memory,
// one CPU thread, and at most 4 KiB of parameters. The parameters are zeros, so that a kernel knows
// no address of the host, and no host memory is visible to the device. Kernels run in the
// interpreter, because sanitizers do not check machine code that is made at run time.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace {

using namespace warpwise;
using namespace warpwise::emulator;

constexpr std::uint64_t device_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t heap_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t stack_bytes = std::uint64_t{4} << 10;
constexpr std::uint64_t most_parameter_bytes = std::uint64_t{4} << 10;
constexpr std::uint64_t budget = 4096;

void run(Program& program, const std::string& name, Checks checks) {
  const KernelInfo& kernel = program.kernel(name);
  std::uint64_t parameter_bytes = 0;
  if (!kernel.parameter_bytes.empty())
    parameter_bytes = kernel.parameter_offsets.back() + kernel.parameter_bytes.back();
  if (parameter_bytes > most_parameter_bytes) return;
  Device device(device_bytes);
  if (checks.has(Check::init)) device.track_definedness();
  LaunchOptions options;
  options.engine = Engine::interpreter;
  options.checks = checks;
  options.budget = budget;
  options.threads = 1;
  options.heap_bytes = heap_bytes;
  options.stack_bytes = stack_bytes;
  options.compute_capabilities = {{9, 0}};
  const std::vector<std::byte> parameters(parameter_bytes);
  program.launch(device, name, {1}, {64}, 0, parameters, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    Program program(std::string_view(reinterpret_cast<const char*>(data), size));
    for (const std::string& name : program.kernel_names()) {
      for (const Checks checks : {Checks{}, Checks::all()}) {
        try {
          run(program, name, checks);
        } catch (const Error&) {
        }
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
