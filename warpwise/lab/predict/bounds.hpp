#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/predict/device_profile.hpp"
#include "warpwise/lab/predict/machine_counts.hpp"

// Computes the least time that each resource of a GPU needs for a launch.
namespace warpwise::lab {

/// Resources that a launch may have to wait for.
enum class Resource { dram, l2, l1, shared, constants, texture, atomics, issue, latency };
/// Returns the resources' names for name_of() and value_named(): "DRAM", "L2", …
constexpr auto enum_names(Resource) {
  return std::to_array<EnumName<Resource>>({{Resource::dram, "DRAM"},
                                            {Resource::l2, "L2"},
                                            {Resource::l1, "L1"},
                                            {Resource::shared, "shared memory"},
                                            {Resource::constants, "constant memory"},
                                            {Resource::texture, "texture"},
                                            {Resource::atomics, "atomics"},
                                            {Resource::issue, "issue"},
                                            {Resource::latency, "latency"}});
}
inline constexpr std::size_t resource_count = all_values<Resource>().size();

/// Values that the compiler keeps in local memory, since registers are too few.
struct Spills {
  double loads = 0;             ///< loads of a word in the machine code
  double stores = 0;            ///< stores of a word in the machine code
  double instructions = 1;      ///< PTX instructions of the kernel
  double bytes_per_thread = 0;  ///< local memory for spilled values
};

/// Facts about a launch that the emulator's counts of some of its blocks do not contain.
struct LaunchFacts {
  std::uint64_t blocks = 0;  ///< blocks of the whole grid
  int warps_per_block = 1;
  int blocks_per_sm = 1;           ///< blocks that are resident at the same time
  std::uint64_t memory_bytes = 0;  ///< bytes of all buffers: if L2 holds them, DRAM moves each once
  std::uint64_t texture_bytes = 0;  ///< bytes of the buffers that textures read
  double share_started = 1;         ///< share of `blocks` that are started; a Change may reduce it
  Spills spills = {};
  double larger = 1;  ///< `blocks`, divided by the blocks of the launch that was counted
  /// Machine instructions of the counted blocks. If they are not known, PTX's instructions count.
  MachineCounts machine = {};
};

/// A likely value, and a range that should contain four of five measured values. docs/prediction.md
/// says how many values it did contain.
struct Range {
  double least = 0;
  double likely = 0;
  double most = 0;

  Range& operator+=(const Range& other);
};

/// Returns how many times as fast the second of two kernels is. Takes the errors of the two times
/// as independent, so that the squares of the errors add up.
Range gain_between(const Range& before, const Range& after);

/// Returns how many times as fast a kernel becomes by a change. Both times have the same errors, so
/// the least time is compared with the least, and the longest with the longest. A change that
/// halves some bounds thus gains at most 2.
Range gain_by_change(const Range& before, const Range& after);

/// The time that a launch needs on each resource alone, and on all resources together.
struct Bounds {
  std::array<double, resource_count> us{};
  double starts_us = 0;       ///< time to start the blocks, one after the other on each SM
  double waits_us = 0;        ///< time by Little's law: each block takes as long as it would alone
  double launch_us = 0;       ///< time before the first block runs, and after the last block's end
  double next_launch_us = 0;  ///< launch_us of a launch that directly follows another launch
  /// Parts of Resource::issue: the time of each unit that executes instructions, and the time of
  /// barriers.
  std::vector<double> units_us = {};
  double barriers_us = 0;
  /// A counted block: it begins when `share` of the grid is done, and lasts `us`. It may be the one
  /// that ends last.
  struct CountedBlock {
    double share = 0;
    double us = 0;
  };
  std::vector<CountedBlock> counted_blocks = {};
  double blocks = 1;  ///< blocks resident on an SM at the same time
  double groups = 1;  ///< groups of warps on an SM that run independently of each other
  double waves = 1;   ///< waves in which the grid's blocks run on all SMs

  double of(Resource resource) const { return us[static_cast<std::size_t>(resource)]; }
  /// Returns the resource that needs the longest: the bottleneck.
  Resource bottleneck_resource() const;
  /// Returns `waits_us`, or the time of the longest of `counted_blocks` if that is longer.
  double latency_without_starts_us() const;
  /// Returns the shortest likely time. All resources then work at the same time, and the GPU is
  /// faster than the profile by the factor `profile_error`.
  double least_us() const;
  /// Returns the longest likely time. No resource then works while another does, and the GPU is
  /// slower than the profile by the factor `profile_error`.
  double most_us() const;
  /// Returns the likely time, between least_us() and most_us(): the time of a closed network of
  /// queues, in which groups of warps go from resource to resource.
  double time_us() const;
  Range range_us() const { return {least_us(), time_us(), most_us()}; }
  /// Returns the likely time of a launch that directly follows another launch.
  double next_time_us() const { return time_us() - launch_us + next_launch_us; }
};

/// A part of a launch's predicted time, for reports.
struct BoundPart {
  std::string_view name;
  double us = 0;
};

/// Name of the part of a launch's time in which blocks start.
inline constexpr std::string_view starting_blocks = "starting blocks";

/// Returns the parts of a launch's time: one for each resource, and one for the start of blocks.
/// The part of latency leaves out the start of blocks.
std::vector<BoundPart> parts_of(const Bounds& bounds);

/// Returns the name of the part that needs the longest.
std::string_view bottleneck_of(const Bounds& bounds);

/// Assumed error of a profile's figures, as a factor: docs/prediction.md.
inline constexpr double profile_error = 1.2;

/// Returns Bounds::starts_us: the time to start all blocks, even if they do nothing.
double start_us(const DeviceProfile& profile, const LaunchFacts& facts);

/// Computes the bounds of a launch.
/// \param counted  counts of the grid's blocks or of a sample of them, including
///                 LaunchResult::pace, for the profile's compute capability alone
Bounds bounds_of(const DeviceProfile& profile, const emulator::LaunchResult& counted,
                 const LaunchFacts& facts);

}  // namespace warpwise::lab
