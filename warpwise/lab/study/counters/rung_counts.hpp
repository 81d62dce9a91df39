#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/run/rung_run.hpp"

// Counts and resources of a rung that ran.
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
  /// Reads, writes and atomic operations of global memory and reads of textures by threads. An
  /// access counts once for each participating lane, even if a lane accesses a vector.
  double references_per_pixel = 0;
  double transactions_per_request = 0;   ///< of global memory
  double bytes_moved_per_pixel = 0;      ///< between the SMs and global memory
  double shared_passes_per_request = 0;  ///< 0 without shared memory
  /// Sum over the blocks of a product: a block's threads times the accesses to global memory and
  /// textures that its busiest warp makes.
  std::uint64_t executed_threads = 0;
  std::uint64_t idle_threads = 0;            ///< executed_threads without a reference
  double thread_efficiency_percent = 0;      ///< share of executed_threads that are not idle
  double load_transactions_per_request = 0;  ///< reads from global memory only
  emulator::TrafficCounts global_load;
  emulator::TrafficCounts global_store;
  emulator::PassCounts shared_load;
  emulator::PassCounts shared_store;
};

/// Resources of the machine code, and the share of an SM's warps that its blocks fill.
struct RungResources {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string registers_from;  ///< built_for(); empty on a GPU, whose driver builds the code itself
  std::optional<int> spill_bytes;  ///< stored and loaded by a thread
  int spill_load_bytes = 0;        ///< the loaded part; set by resources_by_rules() alone
  int stack_bytes = 0;             ///< a thread's local memory; set by resources_by_rules() alone
  std::optional<GlobalInstructions> global_instructions;
  std::optional<double> occupancy;
  std::string why_not;  ///< why not even one block fits, if the occupancy is 0
};

/// Adds up the counts of all launches.
/// \param launches     results of the emulator
/// \param index        index of `cc` among the capabilities that the emulator counted for
/// \param pixel_count  pixels of the problem, by which references and bytes are divided
RungCounts counts_of(std::span<const emulator::LaunchResult> launches, std::size_t index,
                     rules::ComputeCapability cc, std::int64_t pixel_count, const Size& size);

/// Figures of machine code to find in addition to registers. Each figure takes time to find.
struct MachineCodeFigures {
  bool spills = false;               ///< for a GPU; resources_by_rules() always finds spills
  bool global_instructions = false;  ///< if there is a disassembler
};

/// Returns the resources of the first launch: the kernels of a rung differ little in their
/// resources. Registers and occupancy come from the driver. The other figures are of the code that
/// the installed compiler builds for this GPU.
RungResources resources_on_gpu(const RungRun& run, const GpuExecutor& executor,
                               MachineCodeFigures wanted);

/// Returns the same resources from the report of ptxas or NVRTC and the rules of occupancy.
std::vector<RungResources> resources_by_rules(const RungRun& run,
                                              const std::vector<rules::ComputeCapability>& ccs,
                                              MachineCodeFigures wanted);

/// Returns the machine instructions of one of the rung's kernels; none if they are not known.
const std::vector<MachineOperation>& operations_by_rules(const RungRun& run,
                                                         const std::string& kernel,
                                                         rules::ComputeCapability cc);

}  // namespace warpwise::lab
