// Compares occupancy() with NVIDIA's calculator, cuda_occupancy.h of the CUDA toolkit.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::rules {
namespace {

cudaOccDeviceProp device(ComputeCapability cc) {
  const SmLimits limits = sm_limits(cc);
  cudaOccDeviceProp properties;
  properties.computeMajor = cc.major;
  properties.computeMinor = cc.minor;
  properties.maxThreadsPerBlock = limits.threads_per_block;
  properties.maxThreadsPerMultiprocessor = 32 * limits.warps;
  properties.regsPerBlock = limits.registers_per_block;
  properties.regsPerMultiprocessor = limits.registers;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerMultiprocessor = limits.shared_bytes;
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = limits.max_shared_per_block;
  properties.reservedSharedMemPerBlock = limits.reserved_shared_per_block;
  return properties;
}

/// Returns the number of blocks that an SM holds by NVIDIA's header; 0 if none can run, -1 for a
/// GPU unknown to the header.
int oracle(const cudaOccDeviceProp& properties, const BlockResources& block,
           cudaOccResult& result) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = properties.maxThreadsPerBlock;
  attributes.numRegs = block.registers_per_thread;
  attributes.sharedSizeBytes = 0;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = block.shared_bytes;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, block.threads, block.shared_bytes);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

unsigned flag_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::warps: return OCC_LIMIT_WARPS;
    case Limiter::blocks: return OCC_LIMIT_BLOCKS;
    case Limiter::registers: return OCC_LIMIT_REGISTERS;
    case Limiter::shared_memory: return OCC_LIMIT_SHARED_MEMORY;
  }
  return 0;
}

void expect_equal(ComputeCapability cc, const cudaOccDeviceProp& properties,
                  const BlockResources& block) {
  cudaOccResult result;
  const int expected = oracle(properties, block, result);
  const auto what = [&] {
    return to_string(cc) + ": " + std::to_string(block.threads) + " threads, " +
           std::to_string(block.registers_per_thread) + " registers, " +
           std::to_string(block.shared_bytes) + " bytes";
  };
  ASSERT_GE(expected, 0) << what();
  if (expected == 0) {
    ASSERT_THROW(occupancy(cc, block), InvalidArgument) << what();
    return;
  }
  const Occupancy found = occupancy(cc, block);
  ASSERT_EQ(found.blocks_per_sm, expected) << what();
  ASSERT_NE(flag_of(found.limiter) & result.limitingFactors, 0U) << what();
  // The limiter is the first one if several tie.
  for (int before = 0; before < static_cast<int>(found.limiter); ++before) {
    ASSERT_EQ(flag_of(static_cast<Limiter>(before)) & result.limitingFactors, 0U) << what();
  }
}

class AgainstCudaOccupancy : public testing::TestWithParam<ComputeCapability> {};

// Tests every number of warps, with a full or partial last warp, and every number of registers.
// Tests every 37th number of bytes of shared memory.
TEST_P(AgainstCudaOccupancy, EqualOverAllThatMatters) {
  const ComputeCapability cc = GetParam();
  const SmLimits limits = sm_limits(cc);
  const cudaOccDeviceProp properties = device(cc);
  const int most = limits.max_shared_per_block;
  for (int warps = 1; warps <= 32; ++warps) {
    for (int registers = 0; registers <= limits.max_registers_per_thread; ++registers) {
      const int threads = 32 * warps - (registers + warps) % 32;
      for (const int shared : {0, 1, 4097, 16 * 1024, 32 * 1024 + 129, most}) {
        expect_equal(cc, properties, {threads, registers, shared});
        if (HasFatalFailure()) return;
      }
    }
  }
  for (int shared = 0; shared <= most; shared += 37) {
    for (const int threads : {32, 96, 128, 256}) {
      expect_equal(cc, properties, {threads, 16, shared});
      if (HasFatalFailure()) return;
    }
  }
}

bool oracle_knows(ComputeCapability cc) {
  cudaOccResult result;
  return oracle(device(cc), {128, 16, 0}, result) >= 0;
}

std::vector<ComputeCapability> known_to_both() {
  std::vector<ComputeCapability> both;
  for (const auto& cc : known_compute_capabilities()) {
    if (oracle_knows(cc)) both.push_back(cc);
  }
  return both;
}

INSTANTIATE_TEST_SUITE_P(Known, AgainstCudaOccupancy, testing::ValuesIn(known_to_both()),
                         [](const auto& gpu) {
                           return "CC_" + std::to_string(gpu.param.major) + "_" +
                                  std::to_string(gpu.param.minor);
                         });

// The header refuses the first two generations; occupancy_test computes those by hand.
TEST(CudaOccupancy, KnowsAllButTheOldest) {
  for (const auto& cc : known_compute_capabilities()) {
    EXPECT_EQ(oracle_knows(cc), cc.major >= 3) << to_string(cc);
  }
}

// Compares limits that the header states itself. The test passes all other limits to the header.
TEST(CudaOccupancy, SharesItsLimits) {
  for (const auto& cc : known_to_both()) {
    const cudaOccDeviceProp properties = device(cc);
    int blocks = 0;
    ASSERT_EQ(cudaOccMaxBlocksPerMultiprocessor(&blocks, &properties), CUDA_OCC_SUCCESS);
    EXPECT_EQ(sm_limits(cc).blocks, blocks) << to_string(cc);
    if (cc.major < 7) continue;
    // The header must accept the greatest share of shared memory unchanged, and refuse one byte
    // more.
    std::size_t bytes = sm_limits(cc).shared_bytes;
    ASSERT_EQ(cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &properties), CUDA_OCC_SUCCESS);
    EXPECT_EQ(static_cast<std::size_t>(sm_limits(cc).shared_bytes), bytes) << to_string(cc);
    ++bytes;
    EXPECT_NE(cudaOccAlignUpShmemSizeVoltaPlus(&bytes, &properties), CUDA_OCC_SUCCESS)
        << to_string(cc);
  }
}

}  // namespace
}  // namespace warpwise::rules
