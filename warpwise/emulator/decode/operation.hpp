#pragma once

// Internal to the emulator: one instruction, decoded.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "warpwise/base/enum_names.hpp"

namespace warpwise::emulator {

inline constexpr int warp_lanes = 32;
using Mask = std::uint32_t;
inline constexpr Mask all_lanes = 0xffffffffU;

/// `cluster` is the shared memory of a cluster's blocks, each of which sees its own as `shared`
/// too.
enum class Space : std::uint8_t { generic, global, constant, shared, local, parameter, cluster };
/// As the text of a fault calls them.
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

/// Which observers a kernel is decoded for: handlers that access memory exist once for each set of
/// observe/sets.hpp.
enum class ObserverSet;

/// What the scheduler does with an operation; `plain` ones only call their handler.
enum class Control : std::uint8_t {
  plain,
  converge,  ///< plain, but all lanes of its member mask must have arrived (`.sync`)
  branch,
  branch_indexed,
  exit,
  barrier,
  trap,
  warpgroup,  ///< four warps of the block execute it together
  call,       ///< of a function that is not inlined
  ret,
};

/// What ends some time after the instruction that starts it, and who learns of its end.
enum class Asynchronous : std::uint32_t {
  none,
  copy,  ///< cp.async: a thread that waits for its groups, or at an mbarrier that tracks them
  bulk,  ///< a bulk copy to global memory: a thread that waits for its groups
  by_mbarrier,  ///< a bulk copy to shared memory: a thread that waits at its mbarrier
  product,      ///< wgmma: a warpgroup that waits for its groups
};

/// How wide a register or an operand is. Registers of 16 bits take a lane of 32, zero-extended.
enum class Width : std::uint8_t { none, predicate, w16, w32, w64, w128 };

/// One PTX instruction, decoded. Operands are byte offsets: of a register's 32 lanes in the warp's
/// register file, or (negative, ~offset) in the code's constants. A predicate is one 32-bit mask.
struct Operation {
  static constexpr std::int32_t none = INT32_MIN;
  // What the scheduler looks at comes first.
  Handler run = nullptr;
  std::int32_t guard = none;
  std::uint32_t index = 0;  ///< of itself in Code::operations
  Control control = Control::plain;
  Space space = Space::generic;  ///< that a memory access states
  std::uint8_t bytes = 0;        ///< of one element of a memory access
  std::uint8_t count = 1;        ///< elements of a vector access
  bool guard_negated : 1 = false;
  bool a_negated : 1 = false;  ///< predicate a is read as `!a`
  bool b_negated : 1 = false;
  bool c_negated : 1 = false;
  bool short_address : 1 = false;  ///< the address is in a register of 32 bits
  /// Other threads may wait for what it writes, or write what it waits for: an atomic, a volatile,
  /// relaxed, acquiring or releasing access. A loop around such a read may be a spin.
  bool strong : 1 = false;
  bool narrow : 1 = false;    ///< strong for threads of the block alone
  bool system : 1 = false;    ///< an atomic that the host may look on at
  bool releases : 1 = false;  ///< strong, and tells what comes before it
  std::int32_t dst = none;
  std::int32_t dst2 = none;  ///< the second result of `a|b`
  std::int32_t a = none;
  std::int32_t b = none;
  std::int32_t c = none;
  std::int32_t d = none;
  std::int32_t members = none;  ///< of a converging operation: the operand of its member mask
  std::int32_t target =
      0;  ///< of a branch: an index into Code::operations, or of a jump table; of a call: its site
  std::int64_t offset = 0;  ///< added to an address
  std::uint32_t flags = 0;  ///< its family's flags, which decode/flags.hpp packs and unpacks
  std::int32_t list = -1;   ///< first of its entries in Code::lists
  std::int32_t site = -1;   ///< of a memory access: the first of its entries in Code::sites
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
