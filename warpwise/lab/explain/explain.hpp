#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/explain/gpu/gpu_report.hpp"
#include "warpwise/lab/explain/launch/arguments.hpp"
#include "warpwise/lab/measure/block_sample.hpp"
#include "warpwise/lab/predict/launch_prediction.hpp"

// Runs a kernel of a file in the emulator and gathers its explanation.
namespace warpwise::lab {

/// Returns the default limit of warp instructions of a launch. A launch of this length takes at
/// most 20 s on one core, even with scattered accesses in a tight loop, which cost most to count.
/// The cost grows with the number of compute capabilities. One core of an AMD EPYC took 0.1 us an
/// instruction for one compute capability, and 0.31 us for eight.
constexpr std::uint64_t default_budget(std::size_t compute_capabilities) {
  return 1'000'000'000 / (7 + 3 * compute_capabilities);
}

/// Returns a request's own budget, or the default for its number of compute capabilities.
template <class Request>
std::uint64_t budget_of(const Request& request) {
  return request.budget.value_or(default_budget(request.compute_capabilities.size()));
}

struct ExplainRequest {
  std::string file;
  std::string kernel;  ///< plain or mangled name; empty: the file's only kernel
  emulator::Dim3 grid;
  emulator::Dim3 block;
  std::uint64_t dynamic_shared_bytes = 0;
  CompileOptions compile;
  std::vector<ArgumentSpec> arguments;
  /// True for the second of two compared kernels, false for the first. Not set for a single kernel.
  /// If there are more arguments than parameters, the first kernel takes its arguments from the
  /// front of the list, and the second kernel from the back.
  std::optional<bool> is_second = {};
  std::vector<rules::ComputeCapability> compute_capabilities = {{9, 0}};
  std::optional<int> registers;         ///< registers per thread that replace the compiler's number
  std::optional<std::uint64_t> budget;  ///< warp instructions; replaces default_budget()
  std::vector<DumpSpec> dumps;
  bool keep_buffers = false;  ///< keep what the kernel leaves in its buffers
  bool machine_code = false;  ///< read the machine code of the newest compute capability too
  bool fidelity = false;      ///< the text names the lines that were not emulated exactly
  std::optional<BlockSample> sample;  ///< blocks of the grid that run in place of all blocks
  emulator::Checks checks;            ///< checks in addition to those that are always on
  /// GPU whose bounds are predicted; its compute capability is one of `compute_capabilities`.
  std::optional<DeviceProfile> device;
};

/// A source line that spills.
struct SpillLine {
  std::string file;
  int line = 0;
  int instructions = 0;  ///< loads and stores of spilled words in the machine code
  int of_all = 0;        ///< loads and stores of spilled words in the whole kernel
};

/// Resources of a kernel, and the number of its blocks that fit, on one compute capability.
struct CapabilityReport {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string
      registers_from;  ///< "sm_90", "sm_75 (nearest to 1.3)", "--registers", or why not known
  std::optional<int> spill_bytes;  ///< bytes of spilled words that a thread stores
  int spill_loads = 0;             ///< loads of spilled words in the machine code
  int spill_stores = 0;            ///< stores of spilled words in the machine code
  int stack_bytes = 0;             ///< bytes of a thread's local memory in the machine code
  /// The line with the most loads and stores of spilled words. Nothing if the machine code is not
  /// known by line, or if the kernel also has arrays in local memory.
  std::optional<SpillLine> most_spills = {};
  std::vector<MachineOperation> operations = {};  ///< machine instructions; empty if not known
  std::uint64_t shared_bytes = 0;                 ///< bytes per block; on 1.x, arguments included
  rules::Occupancy occupancy;                     ///< if no block fits, only the limiter is set
  std::string why_not;                            ///< why no block fits; empty otherwise
};

/// The machine code of a kernel for each source line.
struct MachineCode {
  std::string built_for;    ///< "sm_90"
  std::string why_unknown;  ///< reason if `instructions` is empty
  std::vector<MachineInstruction> instructions;
};

struct SourceFile {
  std::string name;                ///< name in LineCounts::file
  std::string shown;               ///< name as the user gave it, or a relative path
  std::vector<std::string> lines;  ///< lines; empty if the file cannot be read
};

/// Sizes of buffers that are large enough for all accesses of the launch.
struct LargerBuffers {
  std::string sizes;          ///< "argument 0: f32[2048]"; empty if none is known
  std::string missing_check;  ///< sentence on the check that the kernel seems to lack; may be empty
};

struct Explanation {
  ExplainRequest request;
  Compilation compilation;
  emulator::KernelInfo kernel;
  std::string kernel_name;  ///< the kernel's name without parameters
  std::vector<CapabilityReport> capabilities;
  emulator::LaunchResult launch;
  std::vector<SourceFile> sources;
  std::uint64_t launches = 1;  ///< number of launches with this shape; their counts are summed
  std::uint64_t exceeded_budget = 0;  ///< budget in warp instructions that the whole grid exceeds,
                                      ///< so that only a sample ran; 0 if no budget was exceeded
  LargerBuffers larger_buffers;  ///< sizes that enough_elements() found to avoid the faults, if any
  /// Memory that the kernel could write, after the launch. Kept only if
  /// ExplainRequest::keep_buffers is set, and not after a sample.
  std::vector<Arguments::Writable> buffers;
  std::optional<MachineCode> machine_code;     ///< set if machine code was asked for
  std::optional<GpuReport> gpu;                ///< set if a GPU was asked for
  std::optional<LaunchPrediction> prediction;  ///< prediction for ExplainRequest::device

  /// Returns the prediction if there is one and it is known; else null.
  const LaunchPrediction* known_prediction() const {
    return prediction && prediction->why_not.empty() ? &*prediction : nullptr;
  }

  /// Returns the time that the GPU took with a cold L2, as a multiple of the predicted time.
  /// Returns nothing if either time is unknown.
  std::optional<double> measured_over_predicted() const;

  /// Describes what the counts cover if they do not cover one whole launch: a sample of the blocks,
  /// the part of a launch before it was stopped, or several launches. Empty otherwise.
  std::string counted() const;

  const SourceFile* source(const std::string& file) const;
  /// Returns a line of a source without the blanks around it; empty if it is not known.
  std::string source_line(const std::string& file, int line) const;
  /// Returns the bytes of the buffer that a parameter points to; 0 if they are not known.
  std::uint64_t buffer_bytes(std::size_t parameter) const;
  /// Returns the machine instructions of a line, in order.
  std::vector<MachineInstruction> instructions_of(const emulator::LineCounts& line) const;
  /// Returns true if a line is shown. Instructions without a source line are shown only if they ran
  /// or are machine code.
  bool is_shown(const emulator::LineCounts& line) const;
};

class GpuProbe;

/// Compiles the kernel, runs it, counts, and writes the dumps. If the grid exceeds the budget, a
/// sample of its blocks runs instead, unless a dump needs all of them.
/// \param gpu  GPU that runs the kernel too; null for none
/// \throws InvalidArgument, CompileError, Unsupported, OutOfMemory, IoError  as compile_file(),
///                           emulator::Program and Arguments throw
Explanation explain(const ExplainRequest& request, const ReadTexture& read_texture,
                    GpuProbe* gpu = nullptr);

/// Explains a launch that was counted already; `request` describes the launch.
Explanation explain_launch(ExplainRequest request, Compilation compilation,
                           emulator::KernelInfo kernel, emulator::LaunchResult launch);

/// Returns true if a launch has faults other than FaultKind::interrupted. An interrupted launch can
/// still be predicted, because the prediction counts a sample of its own.
bool is_faulty(const emulator::LaunchResult& launch);

/// Returns the place of a fault. For a fault in a header of the CUDA toolkit, returns the program's
/// line that called the header's function, if that line is known.
emulator::SourcePlace own_place(const emulator::Fault& fault);

/// Predicts the time of a launch on ExplainRequest::device. Predicts nothing without a device,
/// after a fault, or if no block fits on a multiprocessor.
void add_prediction(Explanation& explanation, const MemoryBytes& memory, const RunSample& run);

/// Returns the installed profile of a GPU with this compute capability: the profile of the GPU
/// named `gpu`, else the one with the most DRAM bandwidth.
std::optional<DeviceProfile> profile_of(rules::ComputeCapability cc, std::string_view gpu = "");

}  // namespace warpwise::lab
