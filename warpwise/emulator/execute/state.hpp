#pragma once

// Internal to the emulator: what decoded code looks like and what it runs on.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/ptx/parser.hpp"

namespace warpwise::emulator {

inline constexpr int warp_lanes = 32;
using Mask = std::uint32_t;
inline constexpr Mask all_lanes = 0xffffffffU;

// Generic addresses of a block's shared memory, of a thread's local memory and of the kernel's
// parameters lie in these windows of 2^40 bytes each; global memory begins above them.
inline constexpr Address shared_window = Address{1} << 40;
inline constexpr Address local_window = Address{2} << 40;
inline constexpr Address parameter_window = Address{3} << 40;
inline constexpr Address global_base = Address{16} << 40;
inline constexpr Address window_bytes = Address{1} << 40;

enum class Space : std::uint8_t { generic, global, constant, shared, local, parameter };

struct Warp;
struct Block;
struct Worker;
struct Operation;
/// Computes one operation for the active lanes of a warp.
using Handler = void (*)(Warp&, const Operation&);

/// What the scheduler does with an operation; `plain` ones only call their handler.
enum class Control : std::uint8_t {
  plain,
  converge,  ///< plain, but all lanes of its member mask must have arrived (`.sync`)
  branch,
  branch_indexed,
  exit,
  barrier,
  trap,
};

/// How wide a register or an operand is. Registers of 16 bits take a lane of 32, zero-extended.
enum class Width : std::uint8_t { none, predicate, w16, w32, w64, w128 };

/// One PTX instruction, decoded. Operands are byte offsets: of a register's 32 lanes in the warp's
/// register file, or (negative, ~offset) in the code's constants. A predicate is one 32-bit mask.
struct Operation {
  static constexpr std::int32_t none = INT32_MIN;
  Handler run = nullptr;
  std::int32_t dst = none;
  std::int32_t dst2 = none;
  std::int32_t a = none;
  std::int32_t b = none;
  std::int32_t c = none;
  std::int32_t d = none;
  std::int32_t guard = none;
  std::int32_t members = none;  ///< of a converging operation: the operand of its member mask
  std::int32_t target = 0;      ///< of a branch: an index into Code::operations, or of a jump table
  std::int64_t offset = 0;      ///< added to an address
  std::uint32_t variant = 0;    ///< what its handler distinguishes at run time
  std::int32_t list = -1;       ///< first of its entries in Code::lists
  std::int32_t site = -1;       ///< index of a memory access among the code's
  std::uint32_t index = 0;      ///< of itself in Code::operations
  Control control = Control::plain;
  bool guard_negated = false;
  bool polls = false;      ///< reads what another thread may write: a loop around it may be a spin
  std::uint8_t bytes = 0;  ///< of one element of a memory access
  std::uint8_t count = 1;  ///< elements of a vector access
};

enum class InstructionClass : std::uint8_t {
  integer,
  logic,
  float32,
  float64,
  half,
  special,
  conversion,
  compare,
  move,
  load,
  store,
  atomic,
  texture,
  shuffle,
  tensor,
  barrier,
  control,
};
inline constexpr int instruction_classes = static_cast<int>(InstructionClass::control) + 1;
std::string_view to_string(InstructionClass c);

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
  zero,
};

/// A kernel, decoded.
struct Code {
  KernelInfo info;
  std::vector<Operation> operations;      ///< the last one is an exit
  std::vector<ptx::SourceLine> lines;     ///< of each operation
  std::vector<InstructionClass> classes;  ///< of each operation
  std::vector<std::int32_t> lists;        ///< operands beyond those an Operation holds
  std::vector<std::string> names;         ///< of each operation, for messages ("ld.global.f32")
  std::vector<std::vector<std::int32_t>> jump_tables;
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
  std::size_t register_bytes = 0;
  std::size_t sites = 0;  ///< memory accesses
  std::uint64_t static_shared = 0;
  std::uint64_t dynamic_shared_at = 0;  ///< where extern shared arrays begin
  std::uint64_t local_bytes = 0;        ///< of a thread, its calls' parameters included
  std::vector<bool>
      compiler_local;  ///< of each site: passing a parameter, which costs nothing on a GPU
};

// ---- running

/// Bytes that begin at a multiple of a cache line, not initialised.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t bytes)
      : data_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 64) / 64 * 64))),
        bytes_(bytes) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

struct AllocationView {
  Address begin = 1;
  Address end = 0;
  std::byte* host = nullptr;
};

/// Lanes of a warp at one place.
struct Group {
  enum class State : std::uint8_t { ready, converging, barrier };
  std::uint32_t pc = 0;
  Mask mask = 0;
  State state = State::ready;
  bool yielded = false;       ///< spun in vain: others first
  std::uint32_t barrier = 0;  ///< that a group in State::barrier waits at
};

struct Warp {
  std::byte* registers = nullptr;
  const std::byte* constants = nullptr;
  Mask active = 0;     ///< lanes that the current operation is for
  Mask live = 0;       ///< lanes that have not exited
  bool whole = false;  ///< active covers live: what a handler writes for other lanes is never read
  Mask carry = 0;      ///< CC.CF of each lane
  std::uint32_t index = 0;  ///< in its block
  Block* block = nullptr;
  Worker* worker = nullptr;
  std::vector<Group> groups;
  bool polled = false;         ///< since the last backward branch
  int spins = 0;               ///< backward branches of polling loops since the last switch
  bool spun = false;           ///< its last turn ended in a spin
  std::uint64_t executed = 0;  ///< warp instructions
};

/// A texture as a worker reads it.
struct BoundTexture {
  Texture texture;
  const std::byte* texels = nullptr;  ///< null: none, or freed
  bool exists = false;
};

struct Launch;

struct Block {
  Dim3 index;
  std::uint64_t linear = 0;
  std::vector<Warp> warps;
  AlignedBytes registers;  ///< of all warps
  AlignedBytes specials;   ///< what special registers begin with: [warp][special][lane]
  AlignedBytes shared;
  AlignedBytes local;      ///< of all threads, one after another
  std::uint32_t live = 0;  ///< threads
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0: all live threads
    std::uint32_t votes = 0;     ///< of a reduction
    std::uint32_t count_true = 0;
  };
  std::array<Barrier, 16> barriers{};
  bool stopped = false;
};

/// Memory counts of one site for one space and one compute capability.
struct SiteCounts {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< that took part in the requests
  std::uint64_t bytes_requested = 0;
  std::uint64_t transactions_32 = 0, transactions_64 = 0, transactions_128 = 0;
  std::uint64_t ideal = 0;  ///< transactions or passes
  std::uint64_t passes = 0;
};

struct OperationCounts {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
  std::uint64_t divergent = 0;
};

/// A fault as a worker meets it: where it came first, and how often.
struct FaultRecord {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint64_t count = 0;
  std::string message;
};

/// What one CPU thread of a launch has for itself.
struct Worker {
  Worker();
  ~Worker();
  const Launch* launch = nullptr;
  const Code* code = nullptr;
  Device::State* device = nullptr;
  AllocationView last;  ///< allocation of the last global access
  bool counting = false;
  std::vector<OperationCounts> operations;
  /// counts[(site * 3 + space) * ccs + cc], space 0 global, 1 shared, 2 local; constants in 0.
  std::vector<SiteCounts> sites;
  std::map<std::pair<FaultKind, std::uint32_t>, FaultRecord> faults;
  std::map<std::uint64_t, std::string> printed;  ///< by block
  std::uint64_t printed_bytes = 0;
  std::map<std::uint64_t, BoundTexture> textures;  ///< that its warps read, by handle
  struct Memo;
  std::unique_ptr<Memo> memo;
};

/// What the workers of a launch tell each other.
struct Progress {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> next_block = 0;
  std::atomic<std::uint64_t> executed = 0;  ///< warp instructions, charged now and then
};

/// What all workers of a launch share and, but for its progress, none changes.
struct Launch {
  const Code* code = nullptr;
  Device::State* device = nullptr;
  Dim3 grid;
  Dim3 block;
  std::uint64_t shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  AlignedBytes constants;  ///< the code's, relocated
  std::vector<rules::ComputeCapability> ccs;
  bool atomic = false;  ///< more than one worker: global atomics need the CPU's
  std::uint64_t budget = 0;
  Progress* progress = nullptr;
};

/// Records a fault at an operation for one lane.
void record_fault(Warp& warp, const Operation& op, FaultKind kind, int lane, std::string message);

// ---- operands, for handlers

template <class T>
const T* source(const Warp& warp, std::int32_t operand) {
  const std::byte* base = operand >= 0 ? warp.registers + operand : warp.constants + ~operand;
  return reinterpret_cast<const T*>(base);
}

template <class T>
T* destination(const Warp& warp, std::int32_t operand) {
  return reinterpret_cast<T*>(warp.registers + operand);
}

/// Writes a result's active lanes. Lanes that have exited may hold anything.
template <class S>
void write_lanes(const Warp& warp, std::int32_t operand, const S* out) {
  S* to = destination<S>(warp, operand);
  if (warp.whole) {
    std::memcpy(to, out, sizeof(S) * warp_lanes);
  } else {
    for (int i = 0; i < warp_lanes; ++i) to[i] = (warp.active >> i & 1) != 0 ? out[i] : to[i];
  }
}

/// A predicate's lanes.
inline Mask predicate(const Warp& warp, std::int32_t operand) {
  return *source<Mask>(warp, operand);
}

inline void set_predicate(Warp& warp, std::int32_t operand, Mask value) {
  Mask& mask = *destination<Mask>(warp, operand);
  mask = (mask & ~warp.active) | (value & warp.active);
}

// ---- decoding and running

/// \throws InvalidArgument, Unsupported  with the instruction and its source line
Code decode(const ptx::Module& module, const ptx::Function& kernel);

/// Runs blocks of the launch until none is left or the launch is stopped.
void run_blocks(Worker& worker);

/// What Operation::variant of a barrier holds.
enum class BarrierKind : std::uint32_t { sync, arrive, reduce_popc, reduce_and, reduce_or };

// ---- the handlers

/// A handler and the widths of its operands in PTX's order: dst, dst2, a, b, c, d.
struct Entry {
  Handler handler = nullptr;
  std::array<Width, 6> widths{};
};
using Table = std::map<std::string, Entry, std::less<>>;

/// Arithmetic, logic, comparisons, conversions, moves: lanes.cpp compiles the same source for this
/// machine's instruction set and for the baseline.
const Table& lane_operations();

}  // namespace warpwise::emulator
