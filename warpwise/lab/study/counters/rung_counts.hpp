#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

// Counts of a rung that ran, and resources of its machine code.
namespace warpwise::lab {

/// Counts of all launches of a rung, by the rules of one compute capability.
struct RungCounts {
  rules::ComputeCapability compute_capability;
  Size size;  ///< size of the counted problem
  std::uint64_t warp_instructions = 0;
  double active_lanes = 0;  ///< mean number of active lanes of a warp instruction, at most 32
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
  /// References per pixel. A reference is one lane's part of a read, write or atomic operation of
  /// global memory, or of a read of a texture. A lane that accesses a vector makes one reference.
  double references_per_pixel = 0;
  double transactions_per_request = 0;   ///< transactions of global memory per request of a warp
  double bytes_moved_per_pixel = 0;      ///< bytes moved between the SMs and global memory
  double shared_passes_per_request = 0;  ///< passes of shared memory per request; 0 if it is not
                                         ///< used
  /// References if each thread of a block made one at every access of the block's busiest warp.
  /// Accesses are those to global memory and textures. The report calls the figure
  /// executed_threads.
  std::uint64_t possible_references = 0;
  std::uint64_t unmade_references = 0;   ///< part of possible_references that no thread made; the
                                         ///< report calls it idle_threads
  double thread_efficiency_percent = 0;  ///< share of possible_references that was made
  double load_transactions_per_request = 0;  ///< as transactions_per_request, for reads alone
  emulator::TrafficCounts global_load;
  emulator::TrafficCounts global_store;
  emulator::PassCounts shared_load;
  emulator::PassCounts shared_store;
};

/// Resources of the machine code, and the share of an SM's warps that its blocks fill.
struct RungResources {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string registers_from;      ///< text of built_for(); empty on a GPU, whose driver builds the
                                   ///< code itself
  std::optional<int> spill_bytes;  ///< bytes that a thread spills: stores and loads
  int spill_load_bytes = 0;        ///< bytes of spill loads; set by resources_by_rules() alone
  int stack_bytes = 0;             ///< bytes of a thread's local memory; set by
                                   ///< resources_by_rules() alone
  std::optional<GlobalInstructions> global_instructions;
  std::optional<double> occupancy;
  std::string why_not;  ///< why no block fits an SM, if the occupancy is 0
};

/// Adds up the counts of all launches.
/// \param launches     results of the emulator
/// \param index        index of `cc` among the capabilities that the emulator counted for
/// \param pixel_count  pixels of the problem, by which references and bytes are divided
RungCounts counts_of(std::span<const emulator::LaunchResult> launches, std::size_t index,
                     rules::ComputeCapability cc, std::int64_t pixel_count, const Size& size);

/// Figures of machine code to find in addition to registers. Finding a figure takes time.
struct MachineCodeFigures {
  bool spills = false;               ///< spills on a GPU; resources_by_rules() always finds them
  bool global_instructions = false;  ///< found only if there is a disassembler
};

/// Returns the resources of the rung's first kernel; its other kernels differ little. Registers and
/// occupancy come from the driver. The other figures come from code that the installed compiler
/// builds for this GPU.
RungResources resources_on_gpu(const RungRun& run, const GpuExecutor& executor,
                               MachineCodeFigures wanted);

/// Returns the resources of the rung's first kernel for each of `ccs`, without a GPU. Registers and
/// spills come from ptxas or NVRTC, occupancy from rules::occupancy().
std::vector<RungResources> resources_by_rules(const RungRun& run,
                                              const std::vector<rules::ComputeCapability>& ccs,
                                              MachineCodeFigures wanted);

/// Returns the machine instructions of one of the rung's kernels, or nothing if they are not known.
const std::vector<MachineOperation>& operations_by_rules(const RungRun& run,
                                                         const std::string& kernel,
                                                         rules::ComputeCapability cc);

}  // namespace warpwise::lab
