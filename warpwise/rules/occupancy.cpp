#include <algorithm>
#include <array>
#include <climits>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/rules/access.hpp"

namespace warpwise::rules {
namespace {

constexpr int kib = 1024;

/// Units in which an SM allocates registers and shared memory.
struct Allocation {
  bool registers_by_block;  ///< true: one range for a block (1.x); false: one for each warp
  int register_unit;        ///< registers are allocated in multiples of it
  int partitions;         ///< partitions of the SM, each with its share of the registers and warps
  int launch_partitions;  ///< partitions assumed by the check that a launch fits
  int shared_unit_bytes;
};

struct Row {
  ComputeCapability cc;
  SmLimits limits;
  Allocation allocation = {};
};

constexpr Allocation tesla_8k{true, 256, 1, 1, 512};
constexpr Allocation tesla_16k{true, 512, 1, 1, 512};
constexpr Allocation fermi{false, 64, 2, 2, 128};
constexpr Allocation kepler_to_turing{false, 256, 4, 4, 256};
// Blocks of CC 6.0 must also fit the other Pascal GPUs, which have four partitions.
constexpr Allocation pascal_60{false, 256, 2, 4, 256};
constexpr Allocation from_ampere{false, 256, 4, 4, 128};

/// Each row has the limits in the order of SmLimits, and the units of allocation.
constexpr Row table[] = {
    {{1, 0}, {24, 8, 8 * kib, 8 * kib, 124, 16 * kib, 16 * kib, 0, 512}, tesla_8k},
    {{1, 1}, {24, 8, 8 * kib, 8 * kib, 124, 16 * kib, 16 * kib, 0, 512}, tesla_8k},
    {{1, 2}, {32, 8, 16 * kib, 16 * kib, 124, 16 * kib, 16 * kib, 0, 512}, tesla_16k},
    {{1, 3}, {32, 8, 16 * kib, 16 * kib, 124, 16 * kib, 16 * kib, 0, 512}, tesla_16k},
    {{2, 0}, {48, 8, 32 * kib, 32 * kib, 63, 48 * kib, 48 * kib, 0, 1024}, fermi},
    {{2, 1}, {48, 8, 32 * kib, 32 * kib, 63, 48 * kib, 48 * kib, 0, 1024}, fermi},
    {{3, 0}, {64, 16, 64 * kib, 64 * kib, 63, 48 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{3, 2}, {64, 16, 64 * kib, 32 * kib, 255, 48 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{3, 5}, {64, 16, 64 * kib, 64 * kib, 255, 48 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{3, 7}, {64, 16, 128 * kib, 64 * kib, 255, 112 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{5, 0}, {64, 32, 64 * kib, 64 * kib, 255, 64 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{5, 2}, {64, 32, 64 * kib, 64 * kib, 255, 96 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{5, 3}, {64, 32, 64 * kib, 32 * kib, 255, 64 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{6, 0}, {64, 32, 64 * kib, 64 * kib, 255, 64 * kib, 48 * kib, 0, 1024}, pascal_60},
    {{6, 1}, {64, 32, 64 * kib, 64 * kib, 255, 96 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{6, 2}, {64, 32, 64 * kib, 32 * kib, 255, 64 * kib, 48 * kib, 0, 1024}, kepler_to_turing},
    {{7, 0}, {64, 32, 64 * kib, 64 * kib, 255, 96 * kib, 96 * kib, 0, 1024}, kepler_to_turing},
    {{7, 2}, {64, 32, 64 * kib, 64 * kib, 255, 96 * kib, 96 * kib, 0, 1024}, kepler_to_turing},
    {{7, 5}, {32, 16, 64 * kib, 64 * kib, 255, 64 * kib, 64 * kib, 0, 1024}, kepler_to_turing},
    {{8, 0}, {64, 32, 64 * kib, 64 * kib, 255, 164 * kib, 163 * kib, kib, 1024}, from_ampere},
    {{8, 6}, {48, 16, 64 * kib, 64 * kib, 255, 100 * kib, 99 * kib, kib, 1024}, from_ampere},
    {{8, 7}, {48, 16, 64 * kib, 64 * kib, 255, 164 * kib, 163 * kib, kib, 1024}, from_ampere},
    {{8, 9}, {48, 24, 64 * kib, 64 * kib, 255, 100 * kib, 99 * kib, kib, 1024}, from_ampere},
    {{9, 0}, {64, 32, 64 * kib, 64 * kib, 255, 228 * kib, 227 * kib, kib, 1024}, from_ampere},
    {{10, 0}, {64, 32, 64 * kib, 64 * kib, 255, 228 * kib, 227 * kib, kib, 1024}, from_ampere},
    {{10, 3}, {64, 32, 64 * kib, 64 * kib, 255, 228 * kib, 227 * kib, kib, 1024}, from_ampere},
    {{11, 0}, {48, 24, 64 * kib, 64 * kib, 255, 228 * kib, 227 * kib, kib, 1024}, from_ampere},
    {{12, 0}, {48, 24, 64 * kib, 64 * kib, 255, 100 * kib, 99 * kib, kib, 1024}, from_ampere},
    {{12, 1}, {48, 24, 64 * kib, 64 * kib, 255, 100 * kib, 99 * kib, kib, 1024}, from_ampere},
};

const Row& row_of(ComputeCapability cc) {
  const auto* const row = std::ranges::find(table, cc, &Row::cc);
  if (row == std::end(table)) detail::refuse(cc);
  return *row;
}

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/// Returns the registers that a warp takes. If a thread has one of the counts in `doubled`, CC 2.x
/// allocates in units of twice the size.
int registers_of_warp(ComputeCapability cc, const Allocation& allocation, int per_thread) {
  constexpr std::array doubled{21, 22, 29, 30, 37, 38, 45, 46};
  const bool twice = cc.major == 2 && std::ranges::find(doubled, per_thread) != doubled.end();
  return round_up(32 * per_thread, allocation.register_unit * (twice ? 2 : 1));
}

/// Returns the registers that must be free to launch a block. On 1.x a block's warps are rounded up
/// to pairs. On later GPUs every partition is assumed to hold as many warps as the fullest one.
int registers_of_block(const Row& row, int warps, int per_thread) {
  if (row.allocation.registers_by_block) {
    return round_up(round_up(warps, 2) * 32 * per_thread, row.allocation.register_unit);
  }
  return registers_of_warp(row.cc, row.allocation, per_thread) *
         round_up(warps, row.allocation.launch_partitions);
}

int blocks_by_registers(const Row& row, int warps, int per_thread) {
  if (per_thread == 0) return INT_MAX;
  if (row.allocation.registers_by_block) {
    return row.limits.registers / registers_of_block(row, warps, per_thread);
  }
  const int partitions = row.allocation.partitions;
  const int warps_of_partition =
      row.limits.registers / partitions / registers_of_warp(row.cc, row.allocation, per_thread);
  return warps_of_partition * partitions / warps;
}

int blocks_by_shared_memory(const Row& row, int bytes) {
  const int taken =
      round_up(bytes + row.limits.reserved_shared_per_block, row.allocation.shared_unit_bytes);
  return taken == 0 ? INT_MAX : row.limits.shared_bytes / taken;
}

[[noreturn]] void refuse_block(ComputeCapability cc, const std::string& what, long long given,
                               const std::string& limit, int most) {
  throw InvalidArgument("a block with " + std::to_string(given) + " " + what +
                        " cannot run on compute capability " + to_string(cc) + ", where " + limit +
                        " " + std::to_string(most) + " at most");
}

void check(const Row& row, const BlockResources& block) {
  const SmLimits& limits = row.limits;
  if (block.threads < 1 || block.registers_per_thread < 0 || block.shared_bytes < 0) {
    throw InvalidArgument(
        "a block has 1 thread or more, and no negative number of registers or bytes: given " +
        std::to_string(block.threads) + " threads, " + std::to_string(block.registers_per_thread) +
        " registers a thread, " + std::to_string(block.shared_bytes) + " bytes of shared memory");
  }
  if (block.threads > limits.threads_per_block) {
    refuse_block(row.cc, "threads", block.threads, "a block has", limits.threads_per_block);
  }
  if (block.registers_per_thread > limits.max_registers_per_thread) {
    refuse_block(row.cc, "registers a thread", block.registers_per_thread, "a thread has",
                 limits.max_registers_per_thread);
  }
  if (block.shared_bytes > limits.max_shared_per_block) {
    refuse_block(row.cc, "bytes of shared memory", block.shared_bytes, "a block has",
                 limits.max_shared_per_block);
  }
  const int registers =
      registers_of_block(row, (block.threads + 31) / 32, block.registers_per_thread);
  if (registers > limits.registers_per_block) {
    refuse_block(row.cc, "registers (allocated per warp, rounded up)", registers, "a block has",
                 limits.registers_per_block);
  }
}

}  // namespace

SmLimits sm_limits(ComputeCapability cc) { return row_of(cc).limits; }

int most_shared_bytes(ComputeCapability cc, int blocks) {
  const Row& row = row_of(cc);
  if (blocks < 1)
    throw InvalidArgument("an SM is shared by 1 block or more, given " + std::to_string(blocks));
  const int unit = row.allocation.shared_unit_bytes;
  const int share = row.limits.shared_bytes / blocks / unit * unit;
  return std::clamp(share - row.limits.reserved_shared_per_block, 0,
                    row.limits.max_shared_per_block);
}

Occupancy occupancy(ComputeCapability cc, const BlockResources& block) {
  const Row& row = row_of(cc);
  check(row, block);
  const int warps = (block.threads + 31) / 32;
  // The order is that of Limiter. Among equal limits min_element() picks the first.
  const std::array<int, 4> blocks{row.limits.warps / warps, row.limits.blocks,
                                  blocks_by_registers(row, warps, block.registers_per_thread),
                                  blocks_by_shared_memory(row, block.shared_bytes)};
  const auto* const least = std::ranges::min_element(blocks);
  return {*least, *least * warps, static_cast<double>(*least * warps) / row.limits.warps,
          static_cast<Limiter>(least - blocks.begin())};
}

}  // namespace warpwise::rules
