#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/arguments.hpp"

/// Helpers of the emulator's tests: a program, a device and its buffers.
namespace warpwise::test {

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the PTX that the build has made from a file in tests/emulator/kernels, or "" without a
/// CUDA toolkit.
inline std::string kernels_ptx(const std::string& name) {
#ifdef WARPWISE_KERNELS_PTX
  return read_text(WARPWISE_KERNELS_PTX "/" + name + ".ptx");
#else
  (void)name;
  return {};
#endif
}

/// Returns the engine that runs the tests' kernels: the default one, or, if the environment has
/// WARPWISE_TEST_ENGINE=machine_code, machine code from the start.
inline emulator::Engine engine_of_tests() {
  const char* const name = std::getenv("WARPWISE_TEST_ENGINE");
  return name != nullptr && std::string_view(name) == "machine_code"
             ? emulator::Engine::machine_code
             : emulator::Engine::automatic;
}

/// A program on a device of its own.
class Emulated {
 public:
  explicit Emulated(std::string_view ptx) : program(ptx) { options.engine = engine_of_tests(); }

  template <class T>
  emulator::Address buffer(const std::vector<T>& content, std::string name = {}) {
    const emulator::Address address = device.allocate(content.size() * sizeof(T), std::move(name));
    device.write(address, std::as_bytes(std::span(content)));
    return address;
  }

  template <class T>
  std::vector<T> read(emulator::Address address, std::size_t count) {
    std::vector<T> content(count);
    device.read(address, std::as_writable_bytes(std::span(content)));
    return content;
  }

  template <class... Arguments>
  emulator::LaunchResult launch(std::string_view kernel, emulator::Dim3 grid, emulator::Dim3 block,
                                const Arguments&... arguments) {
    return program.launch(device, kernel, grid, block, dynamic_shared_bytes,
                          emulator::pack_arguments(program.kernel(kernel), arguments...), options);
  }

  emulator::Program program;
  emulator::Device device{std::uint64_t{1} << 30};
  emulator::LaunchOptions options;
  std::uint64_t dynamic_shared_bytes = 0;
};

/// Returns random words. About a quarter of them are extreme values.
inline std::vector<std::uint32_t> random_words(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  static constexpr std::uint32_t extremes[] = {
      0,      1,      0xffffffff, 0x80000000, 0x7fffffff, 0x80, 0x7f, 0x8000,
      0x7fff, 0xffff, 0x80808080, 0x7f7f7f7f, 0xff00ff00, 31,   32};
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random());
    if (random() % 4 == 0) word = extremes[random() % std::size(extremes)];
  }
  return words;
}

/// Returns random floats from `low` to `high`.
inline std::vector<float> random_floats(std::size_t count, std::uint32_t seed, float low = -8,
                                        float high = 8) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(random);
  return values;
}

}  // namespace warpwise::test
