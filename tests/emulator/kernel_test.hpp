#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"

/// Base of the tests that run the kernels of tests/emulator/kernels.
namespace warpwise::test {

using emulator::Address;
using emulator::Dim3;
using emulator::LaunchResult;

struct Mode {
  bool count = false;
  int threads = 1;
};

/// Runs each kernel with and without counts, on one and on two threads of the CPU.
class Kernels : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
#ifndef WARPWISE_KERNELS_PTX
    GTEST_SKIP() << "no CUDA toolkit compiled tests/emulator/kernels";
#endif
  }

  Emulated load(const std::string& file) const { return Emulated(kernels_ptx(file)); }

  void prepare(Emulated& emulated) const {
    emulated.options.count = GetParam().count;
    emulated.options.threads = GetParam().threads;
    if (GetParam().count) emulated.options.compute_capabilities = {{1, 3}, {9, 0}};
  }

  template <class... Arguments>
  LaunchResult run(Emulated& emulated, std::string_view kernel, Dim3 grid, Dim3 block,
                   const Arguments&... arguments) const {
    prepare(emulated);
    LaunchResult result = emulated.launch(kernel, grid, block, arguments...);
    for (const emulator::Fault& fault : result.faults) {
      ADD_FAILURE() << kernel << ": " << fault.message << " at " << fault.file << ":" << fault.line;
    }
    if (GetParam().count) {
      EXPECT_GT(result.totals.warp_instructions, 0U);
      EXPECT_GE(result.totals.warp_instructions * 32, result.totals.thread_instructions);
    }
    return result;
  }
};

inline std::uint32_t blocks_for(std::size_t count, std::uint32_t block) {
  return static_cast<std::uint32_t>((count + block - 1) / block);
}

inline std::vector<int> random_integers(std::size_t count, std::uint32_t seed, int low = -1000,
                                        int high = 1000) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> distribution(low, high);
  std::vector<int> values(count);
  for (int& value : values) value = distribution(random);
  return values;
}

}  // namespace warpwise::test
