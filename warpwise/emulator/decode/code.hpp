#pragma once

// Internal to the emulator: a decoded kernel.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

/// Returns the address of a module's n-th function. No memory has these addresses, so an access
/// through a function pointer is out of bounds.
constexpr Address function_address(std::size_t n) {
  return (Address{4} << 40) + 16 * (Address{n} + 1);
}

/// Special registers in a warp's register file, set when the warp starts.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  grid_workspace_low,
  grid_workspace_high,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,  ///< a predicate
  zero,
};

/// A memory access in a kernel. Most operations that access memory have one site. cp.async has two:
/// first the store, directly after it the load. A bulk copy has a third one, for its reduction.
struct Site {
  std::uint32_t operation = 0;                     ///< index into Code::operations
  InstructionClass kind = InstructionClass::load;  ///< load, store, atomic or texture
  /// True for an access to a call's parameter or result. Counts leave it out, as if all calls were
  /// inlined.
  bool compiler_local = false;
};

/// Virtual registers that one operation reads and writes.
struct Accesses {
  std::vector<std::int32_t> reads;
  std::vector<std::int32_t> writes;
};

/// Place of a virtual register in a warp's register file.
struct RegisterPlace {
  std::int32_t offset = 0;
  Width width = Width::none;
};

/// Offset and size of a parameter or a result in a frame.
struct FrameSlot {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A function called at run time: it recurses, or a pointer may point to it.
struct CalledFunction {
  std::string name;
  /// Index of its first operation in Code::operations. -1: not decoded, because the function
  /// has no body, or because no call through a pointer has its signature.
  std::int32_t entry = -1;
  std::uint64_t frame_bytes = 0;  ///< parameters, results and local variables
  std::vector<FrameSlot> parameters;
  std::vector<FrameSlot> results;
  std::vector<RegisterPlace> unset;  ///< registers read before they are written
};

/// A call at run time. It saves the caller's registers that are needed later, because functions
/// share the warp's register file.
struct CallSite {
  std::int32_t function = -1;        ///< index into Code::functions; -1: called by pointer
  std::vector<FrameSlot> arguments;  ///< in the caller's frame
  std::vector<FrameSlot> results;
  struct Saved {
    std::int32_t slot = 0;
    Width width = Width::none;
  };
  std::vector<Saved> saved;
};

class LazyHostCode;

struct Code {
  KernelInfo info;
  std::vector<Operation> operations;  ///< ends with an exit or a return
  std::vector<Accesses> accesses;     ///< registers of each operation
  std::size_t virtual_registers = 0;  ///< number of virtual registers
  std::vector<RegisterPlace> places;  ///< of each virtual register
  /// Registers that some path through the kernel reads before writing them.
  std::vector<RegisterPlace> unset;
  std::vector<ptx::SourceLine> lines;  ///< source line of each operation
  std::vector<int> ptx_lines;  ///< PTX line of each operation, from 1; 0: an added exit or return
  std::vector<ptx::SourceLine> counted_lines;  ///< of each operation, see counted_lines.hpp
  std::vector<InstructionClass> classes;       ///< of each operation
  std::vector<std::string> names;        ///< of each operation, for messages ("ld.global.f32")
  std::vector<std::string> files;        ///< indexed by SourceLine::file
  std::vector<ptx::SourceLine> callers;  ///< indexed by SourceLine::caller
  std::vector<std::string> functions_inlined;  ///< indexed by SourceLine::function
  std::vector<std::int32_t> lists;             ///< operands beyond those an Operation holds
  std::vector<Site> sites;
  std::vector<std::vector<std::int32_t>> jump_tables;
  /// First operations of loops that `.pragma "nounroll"` forbids to unroll.
  std::vector<std::int32_t> rolled_loops;
  std::vector<CalledFunction> functions;
  /// Indices into `functions`, by address, of the functions whose address the module takes.
  std::map<Address, std::size_t> function_at;
  std::vector<CallSite> call_sites;
  struct LaunchableKernel {
    std::string name;
    std::uint64_t parameter_bytes = 0;
  };
  std::map<Address, LaunchableKernel> kernels;  ///< kernels of the module, if the code launches any
  std::int32_t frame_register =
      Operation::none;               ///< holds the address of a called function's frame
  bool uses_stack = false;           ///< has calls at run time or alloca
  std::vector<std::byte> constants;  ///< literals, each repeated for 32 lanes
  /// Constants with the address of a module variable, filled in at launch.
  struct Relocation {
    std::size_t constant = 0;  ///< byte offset in `constants`
    std::size_t variable = 0;  ///< index into the module's variables
    std::int64_t addend = 0;
  };
  std::vector<Relocation> relocations;
  struct SpecialRegister {
    Special which = Special::zero;
    std::int32_t slot = 0;
  };
  std::vector<SpecialRegister> specials;
  /// Operations whose results are not exactly a GPU's.
  struct ModelledOperation {
    std::uint32_t operation = 0;  ///< index into operations
    Modelled what = Modelled::approximation;
    /// True if the operation changes memory inexactly. False if only its result is inexact: the
    /// order of integer additions changes no sum, but each one returns another old value.
    bool leaves_memory = false;
  };
  std::vector<ModelledOperation> modelled;
  /// Handlers of the inexact operations, by Operation::index. run_modelled() records that the
  /// operation ran, and calls its handler from here. Null for exact operations; empty if all are.
  std::vector<Handler> modelled_handlers;
  std::size_t register_bytes = 0;
  /// The kernel's machine code for this CPU, made on demand. Null if the kernel belongs to no
  /// Program.
  std::shared_ptr<LazyHostCode> host_code;
  /// A piece of shared memory between two variables, which no access may touch. Only code that was
  /// decoded with separates_shared has gaps.
  struct SharedGap {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t added = 0;  ///< bytes of this gap and of all gaps before it
    std::string before;       ///< name of the variable that ends at `begin`
  };
  std::vector<SharedGap> shared_gaps;  ///< by address
  std::uint64_t static_shared = 0;
  std::uint64_t reserved_shared = 0;  ///< the part of static_shared that a GPU reserves
  std::uint64_t reserved_shared_at = 0;
  std::uint64_t dynamic_shared_at = 0;  ///< begin of extern shared arrays
  std::uint64_t local_bytes =
      0;  ///< bytes of a thread's variables and of parameters of inlined calls, without the stack

  /// Converts an offset or a size in shared memory to its value on a GPU, which has no gaps.
  std::uint64_t without_gaps(std::uint64_t place) const {
    std::uint64_t added = 0;
    for (const SharedGap& gap : shared_gaps) added = gap.end <= place ? gap.added : added;
    return place - added;
  }

  /// Returns the file of an operation's source line; empty if unknown.
  std::string file_of(const ptx::SourceLine& source) const {
    const auto index = static_cast<std::size_t>(source.file);
    return source.file >= 0 && index < files.size() ? files[index] : std::string();
  }
};

}  // namespace warpwise::emulator
