// A unit test of a CUDA kernel without a GPU. The emulator runs the kernel's PTX, checks every
// access, and counts transactions.
//
//   kernel_test saxpy.ptx

#include <warpwise/emulator/arguments.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace emulator = warpwise::emulator;

static int failures = 0;

static void expect(bool right, const char* what) {
  std::printf("%s: %s\n", right ? "ok" : "WRONG", what);
  failures += right ? 0 : 1;
}

static emulator::Address upload(emulator::Device& device, const std::vector<float>& values,
                                const char* name) {
  const emulator::Address address = device.allocate(values.size() * sizeof(float), name);
  device.write(address, std::as_bytes(std::span(values)));
  return address;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("kernel_test saxpy.ptx\n", stderr);
    return 2;
  }
  try {
    std::ifstream file(argv[1]);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    emulator::Program program(ptx);
    emulator::Device device;

    const int count = 1000;  // not a multiple of a warp: the last block has idle threads
    std::vector<float> x(count), y(count, 1);
    for (int i = 0; i < count; ++i) x[i] = static_cast<float>(i);
    const emulator::Address x_there = upload(device, x, "x");
    const emulator::Address y_there = upload(device, y, "y");

    emulator::LaunchOptions options;
    options.compute_capabilities = {{9, 0}};
    const auto launch = [&](int n) {
      return program.launch(
          device, "saxpy", {8}, {128}, 0,
          emulator::pack_arguments(program.kernel("saxpy"), n, 2.0F, x_there, y_there), options);
    };

    const emulator::LaunchResult result = launch(count);
    device.read(y_there, std::as_writable_bytes(std::span(y)));
    bool right = true;
    for (int i = 0; i < count; ++i) right = right && y[i] == 2 * x[i] + 1;
    expect(right, "every element is 2 x + 1");
    expect(result.faults.empty(), "no access is out of bounds");
    // 4000 bytes are 125 sectors of 32 bytes: the kernel writes each sector once, and all of it.
    expect(result.memory[0].global_store.transactions_32 == 125,
           "y is written in 125 transactions");

    // This call has an error on purpose: it passes more elements than the buffers hold.
    const emulator::LaunchResult wrong = launch(count + 1);
    const bool caught =
        !wrong.faults.empty() && wrong.faults[0].kind == emulator::FaultKind::out_of_bounds;
    expect(caught, "an element too many is found");
    if (caught) {
      std::printf("%s, line %d\n", wrong.faults[0].message.c_str(), wrong.faults[0].line);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_test: %s\n", error.what());
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
