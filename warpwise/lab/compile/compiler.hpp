#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/machine_code.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/rules/rules.hpp"

// CUDA C++ to PTX at run time, and what the machine code of a kernel takes. See README.md.
namespace warpwise::lab {

/// The compiler refused the source. what() is one line with the first error, log() all that it
/// said, with the lines of the source.
class CompileError : public Error {
 public:
  CompileError(const std::string& summary, std::string log)
      : Error(summary), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

enum class CompilerChoice { automatic, nvcc, nvrtc };

struct CompileOptions {
  std::vector<std::string> defines;  ///< "K=V" or "K"
  int architecture = 75;             ///< compute_75
  std::vector<std::filesystem::path> include_folders;
  bool fused_multiply_add = true;  ///< false: --fmad=false
  int max_registers = 0;  ///< of a thread in machine code; 0: as many as the compiler takes
  bool host_code = true;  ///< false: the file has none, so that NVRTC leaves nothing out
  CompilerChoice compiler = CompilerChoice::automatic;
};

/// A file of CUDA C++ or PTX that was made into PTX, and what it takes to build it further.
struct Compilation {
  std::string ptx;
  std::string compiler;  ///< "nvcc 13.0.88 (PATH)", "NVRTC 13.0 (PATH)", "none: …" for a .ptx file
  std::vector<std::string> notes;  ///< what the compiler could not take, and warnings
  std::string source;              ///< the text as NVRTC took it; empty otherwise
  std::string name;                ///< of the source, as messages and line information have it
  CompileOptions options;
};

/// Compiles a .cu file, or reads a .ptx file as it is. nvcc is used where there is one that works,
/// else NVRTC, with stub headers and NVIDIA's own where they are found; host code that NVRTC does
/// not take is left out, and the notes say so.
/// \throws IoError          the file cannot be read
/// \throws InvalidArgument  an unknown extension, or an architecture that the compiler does not
///                          build for
/// \throws CompileError     the source is wrong
/// \throws Unsupported      there is no compiler here; the message says how to get one
Compilation compile_file(const std::filesystem::path& path, const CompileOptions& options,
                         const Toolchain& toolchain = find_toolchain());

/// The same for a text; `name` is what messages and line information call it.
Compilation compile_text(const std::string& text, const std::string& name,
                         const CompileOptions& options,
                         const Toolchain& toolchain = find_toolchain());

/// How often a kernel's machine code has each width of its instructions for global memory.
struct GlobalInstructions {
  int ldg_32 = 0;
  int ldg_64 = 0;
  int ldg_128 = 0;
  int stg_32 = 0;
  int stg_64 = 0;
  int stg_128 = 0;
};

/// Counts them in what nvdisasm prints: LDG.E, LDG.E.64, LDG.E.128 and the same of STG, whatever
/// else a name has. Those of 8, 16 and 256 bits are not counted.
GlobalInstructions global_instructions_in(std::string_view disassembly);

/// What one kernel's machine code takes, as ptxas reports it.
struct KernelResources {
  int architecture = 0;  ///< 90: built for sm_90
  int registers = 0;     ///< of a thread
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;   ///< of a thread: local memory
  int shared_bytes = 0;  ///< static, of a block
  /// Where they were asked for and the toolchain has a disassembler that reads the machine code.
  std::optional<GlobalInstructions> global_instructions;
  std::vector<MachineInstruction> machine_code;  ///< likewise
};

/// The same PTX without the bodies of all other kernels, so that ptxas builds only this one. Text
/// that is not laid out as the compilers write it stays whole.
std::string ptx_of_kernel(const std::string& ptx, const std::string& kernel);

/// The same PTX with the directive `.maxnreg` at each kernel, which whoever makes machine code of
/// it obeys: ptxas and the driver. What does not fit into so many registers spills to local memory.
std::string with_register_cap(const std::string& ptx, int max_registers);

/// 75 of ".target sm_75"; 0 without one.
int target_architecture(const std::string& ptx);

/// "sm_90", or "sm_75 (nearest to 1.3)" where no machine code is built for that.
std::string built_for(const KernelResources& resources, rules::ComputeCapability asked);

struct ResourceReport {
  /// One for each compute capability. Where the compiler does not build for it, that of the
  /// nearest: the greatest below it, or else the least there is. Nothing where it could not be
  /// built.
  std::vector<std::optional<KernelResources>> by_compute_capability;
  std::string built_with;   ///< "ptxas (PATH)", "NVRTC 13.0 (PATH)"
  std::string why_unknown;  ///< where something is missing above
};

/// Builds machine code with ptxas from the PTX, or with NVRTC from the source where there is no
/// ptxas. Does not throw for code that cannot be built: see why_unknown. `kernel` is a mangled
/// name. With `disassemble` the machine code is read too, which takes longer.
ResourceReport kernel_resources(const Compilation& compilation, const std::string& kernel,
                                std::span<const rules::ComputeCapability> compute_capabilities,
                                const Toolchain& toolchain = find_toolchain(),
                                bool disassemble = false);

}  // namespace warpwise::lab
