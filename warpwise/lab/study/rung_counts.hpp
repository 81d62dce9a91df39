#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/rung_run.hpp"

// What is known of a rung that ran, except its time.
namespace warpwise::lab {

/// What the emulator counted of all launches of a rung, as one compute capability makes it.
struct RungCounts {
  rules::ComputeCapability compute_capability;
  Size size;  ///< of the problem that it was counted at
  std::uint64_t warp_instructions = 0;
  double active_lanes = 0;  ///< of 32, in the mean over the instructions
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
  /// Reads, writes and atomic operations of global memory and reads of textures that threads make:
  /// of each access the lanes that take part, a vector counted once.
  double references_per_pixel = 0;
  double transactions_per_request = 0;   ///< of global memory
  double bytes_moved_per_pixel = 0;      ///< between the SMs and global memory
  double shared_passes_per_request = 0;  ///< 0 without shared memory
  /// Of each block its threads times the accesses to global memory and textures of its busiest
  /// warp.
  std::uint64_t executed_threads = 0;
  std::uint64_t idle_threads = 0;            ///< of these, without a reference
  double thread_efficiency_percent = 0;      ///< those that are not idle
  double load_transactions_per_request = 0;  ///< of what is read from global memory
  emulator::TrafficCounts global_load;
  emulator::TrafficCounts global_store;
  emulator::PassCounts shared_load;
  emulator::PassCounts shared_store;
};

/// What the machine code takes and how much of an SM's warps its blocks fill.
struct RungResources {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string registers_from;      ///< built_for(); empty on a GPU, whose driver builds for itself
  std::optional<int> spill_bytes;  ///< stored and loaded, of a thread
  std::optional<GlobalInstructions> global_instructions;
  std::optional<double> occupancy;
  std::string why_not;  ///< why not one block fits, where the occupancy is 0
};

/// \param launches  as the emulator counted them  \param index  of `cc` in what it counted for
/// \param pixel_count  of the problem: what references and bytes are counted by
RungCounts counts_of(std::span<const emulator::LaunchResult> launches, std::size_t index,
                     rules::ComputeCapability cc, std::int64_t pixel_count, const Size& size);

/// What is asked of a compiler's machine code beside registers: each takes time.
struct MachineCodeFigures {
  bool spills = false;               ///< on a GPU; otherwise they come with the registers
  bool global_instructions = false;  ///< by a disassembler, where there is one
};

/// Of the first launch: rungs of several kernels differ little in these. Registers and occupancy
/// are the driver's, the rest is of what the compiler at hand builds for this GPU.
RungResources resources_on_gpu(const RungRun& run, const GpuExecutor& executor,
                               MachineCodeFigures wanted);

/// The same by ptxas's report and the rules of occupancy.
std::vector<RungResources> resources_by_rules(const RungRun& run,
                                              const std::vector<rules::ComputeCapability>& ccs,
                                              MachineCodeFigures wanted);

}  // namespace warpwise::lab
