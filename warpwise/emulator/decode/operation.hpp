#pragma once

// Internal to the emulator: a decoded instruction.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpwise/base/enum_names.hpp"

namespace warpwise::emulator {

inline constexpr int warp_lanes = 32;
using Mask = std::uint32_t;
inline constexpr Mask all_lanes = 0xffffffffU;

/// Spaces of memory. `cluster` is the shared memory of a cluster's blocks. Each block sees its own
/// shared memory also as `shared`.
enum class Space : std::uint8_t { generic, global, constant, shared, local, parameter, cluster };
/// Names in messages of faults.
constexpr auto enum_names(Space) {
  return std::to_array<EnumName<Space>>({{Space::generic, "generic"},
                                         {Space::global, "global"},
                                         {Space::constant, "constant"},
                                         {Space::shared, "shared"},
                                         {Space::local, "local"},
                                         {Space::parameter, "parameter"},
                                         {Space::cluster, "cluster"}});
}

struct Warp;
struct Operation;
/// Computes one operation for the active lanes of a warp.
using Handler = void (*)(Warp&, const Operation&);

/// The observers of a launch: counts, checks or the pace model (observe/sets.hpp). A kernel is
/// decoded for one set, because handlers that access memory are compiled once for each set.
enum class ObserverSet;

/// Tells the scheduler how to handle an operation. For `plain`, it calls the operation's handler
/// and does nothing else.
enum class Control : std::uint8_t {
  plain,
  converge,  ///< like plain, once all lanes of the member mask have arrived (`.sync`)
  branch,
  branch_indexed,
  exit,
  barrier,
  trap,
  warpgroup,  ///< four warps of the block execute it together
  call,       ///< calls a function that is not inlined
  ret,
};

/// Kinds of asynchronous operations, with the threads that can wait for their end.
enum class Asynchronous : std::uint32_t {
  none,
  copy,         ///< cp.async: threads that wait for its group, or at an mbarrier that tracks it
  bulk,         ///< bulk copy to global memory: threads that wait for its group
  by_mbarrier,  ///< bulk copy to shared memory: threads that wait at its mbarrier
  product,      ///< wgmma: warpgroups that wait for its group
};

/// Width of a register or an operand. A register of 16 bits takes 32 bits a lane, zero-extended.
enum class Width : std::uint8_t { none, predicate, w16, w32, w64, w128 };

/// One decoded PTX instruction. An operand is the byte offset of a register's 32 lanes in the
/// warp's register file. A negative operand is ~offset in the code's constants. A predicate is one
/// 32-bit mask.
struct Operation {
  static constexpr std::int32_t none = INT32_MIN;
  // Members for the scheduler come first.
  Handler run = nullptr;
  std::int32_t guard = none;
  std::uint32_t index = 0;  ///< own index in Code::operations
  Control control = Control::plain;
  Space space = Space::generic;  ///< the space that a memory access states
  std::uint8_t bytes = 0;        ///< bytes of one element of a memory access
  std::uint8_t count = 1;        ///< elements of a vector access
  std::uint8_t unread = 0;       ///< elements at a vector load's end that nothing reads
  bool guard_negated : 1 = false;
  bool a_negated : 1 = false;  ///< predicate a is read as `!a`
  bool b_negated : 1 = false;
  bool c_negated : 1 = false;
  bool short_address : 1 = false;  ///< the address register has 32 bits
  /// An atomic, volatile, relaxed, acquiring or releasing access. Another thread may wait for the
  /// value that the access writes, or may write the value that the access waits for. A loop around
  /// the access may be a spin loop.
  bool strong : 1 = false;
  bool narrow : 1 = false;       ///< strong only for threads of its block
  bool system : 1 = false;       ///< an atomic that the host may observe
  bool releases : 1 = false;     ///< strong, and publishes earlier accesses
  bool is_volatile : 1 = false;  ///< strong because it is volatile
  std::int32_t dst = none;
  std::int32_t dst2 = none;  ///< second result of `a|b`
  std::int32_t a = none;
  std::int32_t b = none;
  std::int32_t c = none;
  std::int32_t d = none;
  std::int32_t members = none;  ///< member mask of a converging operation
  std::int32_t target =
      0;  ///< branch: index into Code::operations or of a jump table; call: index of its site
  std::int64_t offset = 0;  ///< added to an address
  std::uint32_t flags = 0;  ///< flags of its family, see decode/flags.hpp
  std::int32_t list = -1;   ///< index of its first entry in Code::lists
  std::int32_t site = -1;   ///< index of a memory access's first entry in Code::sites
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
constexpr auto enum_names(InstructionClass) {
  return std::to_array<EnumName<InstructionClass>>({{InstructionClass::integer, "integer"},
                                                    {InstructionClass::logic, "logic"},
                                                    {InstructionClass::float32, "float32"},
                                                    {InstructionClass::float64, "float64"},
                                                    {InstructionClass::half, "half"},
                                                    {InstructionClass::special, "special"},
                                                    {InstructionClass::conversion, "conversion"},
                                                    {InstructionClass::compare, "compare"},
                                                    {InstructionClass::move, "move"},
                                                    {InstructionClass::load, "load"},
                                                    {InstructionClass::store, "store"},
                                                    {InstructionClass::atomic, "atomic"},
                                                    {InstructionClass::texture, "texture"},
                                                    {InstructionClass::shuffle, "shuffle"},
                                                    {InstructionClass::tensor, "tensor"},
                                                    {InstructionClass::barrier, "barrier"},
                                                    {InstructionClass::control, "control"}});
}
inline constexpr std::size_t instruction_classes = all_values<InstructionClass>().size();

}  // namespace warpwise::emulator
