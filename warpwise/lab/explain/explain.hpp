#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/explain/arguments.hpp"
#include "warpwise/lab/explain/gpu_report.hpp"
#include "warpwise/lab/measure/block_sample.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

// Runs a kernel of a file in the emulator and gathers what there is to say about it.
namespace warpwise::lab {

/// Warp instructions that a launch may take by default. They take at most 20 s of one core, for
/// scattered accesses in a tight loop, which cost most to count; each further compute capability
/// adds to the cost. Measured on one core of an AMD EPYC: 0.1 us an instruction with one, 0.31 us
/// with
/// eight.
constexpr std::uint64_t default_budget(std::size_t compute_capabilities) {
  return 1'000'000'000 / (7 + 3 * compute_capabilities);
}

struct ExplainRequest {
  std::string file;
  std::string kernel;  ///< plain or mangled; empty: the only one of the file
  emulator::Dim3 grid;
  emulator::Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  CompileOptions compile;
  std::vector<ArgumentSpec> arguments;
  std::vector<rules::ComputeCapability> compute_capabilities = {{9, 0}};
  std::optional<int> registers;         ///< of a thread, in place of the compiler's
  std::optional<std::uint64_t> budget;  ///< in place of default_budget()
  std::vector<DumpSpec> dumps;
  bool machine_code = false;          ///< that of the newest compute capability is read too
  bool fidelity = false;              ///< the text says of each line what was not exact
  std::optional<BlockSample> sample;  ///< of the grid's blocks, in place of all
  /// Whose bounds are predicted; its compute capability is one of those above.
  std::optional<DeviceProfile> device;
};

/// What a kernel takes, and how many of its blocks fit, on one compute capability.
struct CapabilityReport {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string
      registers_from;  ///< "sm_90", "sm_75 (nearest to 1.3)", "--registers", or why not known
  std::optional<int> spill_bytes;  ///< stored by a thread
  std::uint64_t shared_bytes = 0;  ///< of a block; on 1.x with its arguments, which lie there
  rules::Occupancy occupancy;      ///< all 0 where not one block fits
  std::string why_not;             ///< why no block fits; empty otherwise
};

/// A kernel's machine code, line by line of its source.
struct MachineCode {
  std::string built_for;    ///< "sm_90"
  std::string why_unknown;  ///< there is none then
  std::vector<MachineInstruction> instructions;
};

struct SourceFile {
  std::string name;                ///< as LineCounts::file has it
  std::string shown;               ///< the name that the user gave, where it is that file
  std::vector<std::string> lines;  ///< empty when it cannot be read
};

struct Explanation {
  ExplainRequest request;
  Compilation compilation;
  emulator::KernelInfo kernel;
  std::string kernel_name;  ///< without its parameters
  std::vector<CapabilityReport> capabilities;
  emulator::LaunchResult launch;
  std::vector<SourceFile> sources;
  std::uint64_t launches = 1;                  ///< with this shape, whose counts are summed
  std::optional<MachineCode> machine_code;     ///< where it was asked for
  std::optional<GpuReport> gpu;                ///< likewise
  std::optional<LaunchPrediction> prediction;  ///< for ExplainRequest::device

  /// Where it is there, and known; else null.
  const LaunchPrediction* known_prediction() const {
    return prediction && prediction->why_not.empty() ? &*prediction : nullptr;
  }

  /// What the counts are of, where that is not one whole launch: a sample of its blocks, what ran
  /// until it was stopped, or several launches. Empty otherwise.
  std::string counted() const;

  const SourceFile* source(const std::string& file) const;
  /// A line of a source, without the blanks around it; empty when it is not known.
  std::string source_line(const std::string& file, int line) const;
  /// What the machine code has for a line, in order.
  std::vector<MachineInstruction> instructions_of(const emulator::LineCounts& line) const;
  /// Instructions without a source line are shown only if they ran, or are machine code.
  bool is_shown(const emulator::LineCounts& line) const;
};

class GpuProbe;

/// Compiles, runs, counts, writes the dumps. \param gpu  where it is run too, if anywhere
/// \throws InvalidArgument, CompileError, Unsupported, OutOfMemory, IoError  as compile_file(),
///         emulator::Program and Arguments do
Explanation explain(const ExplainRequest& request, const ReadTexture& read_texture,
                    GpuProbe* gpu = nullptr);

/// The same of a launch that was counted already: `request` says what it was.
Explanation explain_launch(ExplainRequest request, Compilation compilation,
                           emulator::KernelInfo kernel, emulator::LaunchResult launch);

/// Predicts an explanation's launch for ExplainRequest::device, if there is one.
void add_prediction(Explanation& explanation, const MemoryBytes& memory, const RunSample& run);

/// The installed profile of a GPU with this compute capability; of several the one with the
/// most DRAM bandwidth.
std::optional<DeviceProfile> profile_of(rules::ComputeCapability cc);

}  // namespace warpwise::lab
