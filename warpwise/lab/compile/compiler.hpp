#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/machine_code.hpp"
#include "warpwise/lab/compile/machine_operations.hpp"
#include "warpwise/lab/compile/toolchain.hpp"
#include "warpwise/rules/rules.hpp"

// Compiles CUDA C++ to PTX at run time, and reports the resources of a kernel's machine code. See
// warpwise/lab/README.md.
namespace warpwise::lab {

/// The compiler refused the source. what() is one line with the first error. log() is the
/// compiler's whole output, with the lines of the source.
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
  /// True: the greatest supported architecture below an unsupported `architecture` replaces it. If
  /// there is none, the least supported one does. Compilation::options has the replacement.
  bool nearest_architecture = false;
  std::vector<std::filesystem::path> include_folders;
  bool fused_multiply_add = true;  ///< false: --fmad=false
  int max_registers = 0;           ///< limit per thread in machine code; 0: the compiler chooses
  /// True if the source may contain host code. If NVRTC refuses it, host functions are left out.
  /// False for a source with device code alone: nothing is left out, and nvcc uses C++20.
  bool host_code = true;
  CompilerChoice compiler = CompilerChoice::automatic;
};

/// The PTX of a file of CUDA C++ or PTX, with the data that later build steps need.
struct Compilation {
  std::string ptx;
  std::string compiler;  ///< "nvcc 13.0.88 (PATH)", "NVRTC 13.0 (PATH)", "none: …" for a .ptx file
  std::vector<std::string> notes;  ///< unusable compilers, omitted host code, and warnings
  std::string source;              ///< the text that NVRTC compiled; empty otherwise
  std::string name;                ///< the source's name in messages and line information
  CompileOptions options;
};

/// Compiles a .cu file, or reads a .ptx file as it is. A working nvcc is used if there is one, else
/// NVRTC, with stub headers and NVIDIA's own where they are found. Host code that NVRTC cannot
/// compile is left out, and the notes say so.
/// \throws IoError          the file cannot be read, or nvcc cannot run to its end
/// \throws InvalidArgument  an unknown extension, an include that is no regular file, or an
///                          architecture that the compiler does not build for
/// \throws CompileError     the source is wrong
/// \throws Unsupported      there is no compiler here; the message says how to get one
Compilation compile_file(const std::filesystem::path& path, const CompileOptions& options,
                         const Toolchain& toolchain = find_toolchain());

/// Compiles a text as compile_file() compiles a file. `name` is the text's name in messages and
/// line information.
Compilation compile_text(const std::string& text, const std::string& name,
                         const CompileOptions& options,
                         const Toolchain& toolchain = find_toolchain());

/// Numbers of a kernel's machine instructions that load from or store to global memory, by width.
struct GlobalInstructions {
  int ldg_32 = 0;
  int ldg_64 = 0;
  int ldg_128 = 0;
  int stg_32 = 0;
  int stg_64 = 0;
  int stg_128 = 0;
};

/// Counts the instructions LDG and STG of 32, 64 and 128 bits in nvdisasm's output. A name without
/// a width, such as LDG.E, means 32 bits. Accesses of 8, 16 and 256 bits are not counted.
GlobalInstructions global_instructions_in(std::string_view disassembly);

/// Resources of one kernel's machine code, as ptxas reports them.
struct KernelResources {
  int architecture = 0;  ///< 90: built for sm_90
  int registers = 0;     ///< registers per thread
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;   ///< bytes of local memory per thread
  int shared_bytes = 0;  ///< bytes of static shared memory per block
  /// Set only if the caller asked for disassembly, and if the toolchain has a disassembler that
  /// reads the machine code.
  std::optional<GlobalInstructions> global_instructions;
  std::vector<MachineInstruction> machine_code;  ///< empty if global_instructions is not set
  std::vector<MachineOperation> operations;      ///< empty without ptxas
};

/// Returns the PTX without the bodies of other kernels, so that ptxas builds only `kernel`. The
/// lines keep their numbers. Returns the text unchanged if it is not laid out as compilers write
/// it.
std::string ptx_of_kernel(const std::string& ptx, const std::string& kernel);

/// Returns the PTX with the directive `.maxnreg` at each kernel. ptxas and the driver obey it.
/// Values that do not fit into so many registers spill to local memory.
std::string with_register_cap(const std::string& ptx, int max_registers);

/// Returns 75 for ".target sm_75"; 0 without one.
int target_architecture(const std::string& ptx);

/// Returns "sm_90". If no machine code is built for the compute capability `asked`, for example
/// 1.3, returns "sm_75 (nearest to 1.3)".
std::string built_for(const KernelResources& resources, rules::ComputeCapability asked);

struct ResourceReport {
  /// One entry per compute capability. If the compiler or the PTX's target excludes a capability,
  /// its entry is for the greatest possible architecture below it, or else for the least possible
  /// one. An entry is empty if its build failed.
  std::vector<std::optional<KernelResources>> by_compute_capability;
  std::string built_with;   ///< "ptxas (PATH)", "NVRTC 13.0 (PATH)"
  std::string why_unknown;  ///< why an entry is empty; empty if all entries are set
};

/// Builds machine code with ptxas from the PTX, or with NVRTC from the source if there is no ptxas.
/// Does not throw for code that cannot be built: see why_unknown. `kernel` is a mangled name. With
/// `disassemble` the machine code is read too, which takes longer. \throws Interrupted
ResourceReport kernel_resources(const Compilation& compilation, const std::string& kernel,
                                std::span<const rules::ComputeCapability> compute_capabilities,
                                const Toolchain& toolchain = find_toolchain(),
                                bool disassemble = false);

}  // namespace warpwise::lab
