#pragma once

// Internal to the emulator: a kernel, decoded.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warpwise/emulator/decode/operation.hpp"
#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

/// The address of a module's n-th function: in a window of its own, where no memory lies.
constexpr Address function_address(std::size_t n) {
  return (Address{4} << 40) + 16 * (Address{n} + 1);
}

/// Special registers that a warp's register file holds, set when the warp starts.
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

/// A place in a kernel where memory is accessed. Most such operations have one; cp.async has a
/// store and, right behind it, a load.
struct Site {
  std::uint32_t operation = 0;                     ///< index into Code::operations
  InstructionClass kind = InstructionClass::load;  ///< load, store, atomic or texture
  /// Passing a parameter to an inlined call, which costs nothing on a GPU.
  bool compiler_local = false;
};

/// The virtual registers that one operation reads and writes.
struct Accesses {
  std::vector<std::int32_t> reads;
  std::vector<std::int32_t> writes;
};

/// Where a virtual register lies in a warp's register file.
struct RegisterPlace {
  std::int32_t offset = 0;
  Width width = Width::none;
};

/// Bytes of a parameter or a result, and where in a frame they lie.
struct FrameSlot {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A function that calls reach at run time: it recurses, or a pointer may point to it.
struct CalledFunction {
  std::string name;
  std::int32_t entry = -1;  ///< index into Code::operations; -1: it fits no call of the kernel
  std::uint64_t frame_bytes = 0;  ///< parameters, results and local variables
  std::vector<FrameSlot> parameters;
  std::vector<FrameSlot> results;
  std::vector<RegisterPlace> unset;  ///< as Code::unset, when it is entered
};

/// A call at run time. The caller's registers that are needed afterwards are saved: functions share
/// the warp's register file.
struct CallSite {
  std::int32_t function = -1;        ///< index into Code::functions; -1: a pointer says which
  std::vector<FrameSlot> arguments;  ///< in the caller's frame
  std::vector<FrameSlot> results;
  struct Saved {
    std::int32_t slot = 0;
    Width width = Width::none;
  };
  std::vector<Saved> saved;
};

struct Code {
  KernelInfo info;
  std::vector<Operation> operations;  ///< the last one is an exit or a return
  std::vector<Accesses> accesses;     ///< of each operation
  std::size_t virtual_registers = 0;  ///< that they number
  std::vector<RegisterPlace> places;  ///< of each virtual register
  /// Registers that some way through the kernel reads before it has written them.
  std::vector<RegisterPlace> unset;
  std::vector<ptx::SourceLine> lines;       ///< of each operation
  std::vector<ptx::SourceLine> told_lines;  ///< at which its counts are told: see told_lines.hpp
  std::vector<InstructionClass> classes;    ///< of each operation
  std::vector<std::string> names;           ///< of each operation, for messages ("ld.global.f32")
  std::vector<std::string> files;           ///< that SourceLine::file indexes
  std::vector<ptx::SourceLine> callers;     ///< that SourceLine::caller indexes
  std::vector<std::string> functions_inlined;  ///< that SourceLine::function indexes
  std::vector<std::int32_t> lists;             ///< operands beyond those an Operation holds
  std::vector<Site> sites;
  std::vector<std::vector<std::int32_t>> jump_tables;
  std::vector<CalledFunction> functions;
  std::map<Address, std::size_t> function_at;  ///< of those whose address the module takes
  std::vector<CallSite> call_sites;
  struct LaunchableKernel {
    std::string name;
    std::uint64_t parameter_bytes = 0;
  };
  std::map<Address, LaunchableKernel>
      kernels;  ///< those of the module, where the code launches any
  std::int32_t frame_register =
      Operation::none;               ///< of 64 bits: where a called function's frame is
  bool uses_stack = false;           ///< it calls at run time, or takes memory by alloca
  std::vector<std::byte> constants;  ///< literals, each for 32 lanes
  /// Constants that hold the address of a module variable, known at launch.
  struct Relocation {
    std::size_t constant = 0;  ///< byte offset
    std::size_t variable = 0;  ///< index into the module's variables
    std::int64_t addend = 0;
  };
  std::vector<Relocation> relocations;
  struct SpecialRegister {
    Special which = Special::zero;
    std::int32_t slot = 0;
  };
  std::vector<SpecialRegister> specials;
  /// What does not do exactly what a GPU's instruction does.
  struct ModelledOperation {
    std::uint32_t operation = 0;  ///< index into operations
    Modelled what = Modelled::approximation;
    bool leaves_memory = false;  ///< what it leaves in memory is not exact either
  };
  std::vector<ModelledOperation> modelled;
  std::vector<Handler> modelled_handlers;  ///< of each operation, null for exact ones; or empty
  std::size_t register_bytes = 0;
  std::uint64_t static_shared = 0;
  std::uint64_t reserved_shared = 0;  ///< of these, what is none of the kernel's own variables
  std::uint64_t reserved_shared_at = 0;
  std::uint64_t dynamic_shared_at = 0;  ///< where extern shared arrays begin
  std::uint64_t local_bytes =
      0;  ///< of a thread without its stack, inlined calls' parameters included

  /// The file of an operation's source line; empty if it is not known.
  std::string file_of(const ptx::SourceLine& source) const {
    const auto index = static_cast<std::size_t>(source.file);
    return source.file >= 0 && index < files.size() ? files[index] : std::string();
  }
};

}  // namespace warpwise::emulator
