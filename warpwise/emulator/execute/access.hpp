#pragma once

// Internal to the emulator: how a warp's addresses become the host's, with checks and counts.

#include <functional>
#include <span>
#include <vector>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

enum class AccessKind : std::uint8_t { load, store, atomic };

/// Where the lanes of an access lie on the host: base + at[i] for the lanes of `valid`; the other
/// lanes have some valid lane's place, so that a load need not branch.
struct Resolved {
  std::byte* base = nullptr;
  alignas(64) std::uint64_t at[warp_lanes];
  Mask valid = 0;
  bool contiguous = false;  ///< all lanes valid, each right behind the one before
};

/// Resolves an access of `bytes` a lane at addresses[i], of lanes `active`, in one space (not
/// generic), records the faults of lanes that cannot be served, and counts the rest.
void resolve(Warp& warp, const Operation& op, Space space, AccessKind kind, int bytes,
             const std::uint64_t* addresses, Mask active, Resolved& out);

/// Calls body(space, addresses in that space, lanes) for the spaces that the active lanes'
/// addresses lie in.
template <class Body>
void for_each_space(Space space, std::uint64_t* addresses, Mask active, const Body& body) {
  if (space != Space::generic) {
    body(space, active);
    return;
  }
  Mask global = 0;
  for (int i = 0; i < warp_lanes; ++i) {
    global |= static_cast<Mask>(addresses[i] >= global_base) << i;
  }
  if ((global & active) == active) {
    body(Space::global, active);
    return;
  }
  Mask left = active;
  while (left != 0) {
    const Address window = addresses[std::countr_zero(left)] & ~(window_bytes - 1);
    Mask same = 0;
    for (int i = 0; i < warp_lanes; ++i) {
      const bool in = window >= global_base ? addresses[i] >= global_base
                                            : (addresses[i] & ~(window_bytes - 1)) == window;
      same |= static_cast<Mask>(in) << i;
    }
    same &= left;
    left &= ~same;
    const Space found = window == shared_window      ? Space::shared
                        : window == local_window     ? Space::local
                        : window == parameter_window ? Space::parameter
                                                     : Space::global;
    if (found != Space::global) {
      for (int i = 0; i < warp_lanes; ++i) {
        if ((same >> i & 1) != 0) addresses[i] -= window;
      }
    }
    body(found, same);
  }
}

/// The addresses of an operation's address operand; variant bit 31 says that the register has 32
/// bits.
inline constexpr std::uint32_t address_is_32_bits = 1U << 31;
inline constexpr std::uint32_t space_shift = 24;  ///< of the Space in an access's variant
inline Space space_of(const Operation& op) {
  return static_cast<Space>(op.variant >> space_shift & 7);
}
void load_addresses(const Warp& warp, const Operation& op, std::uint64_t* addresses);

/// Adds one texture request to the operation's site.
void count_texture(Warp& warp, const Operation& op);

/// The handler of a load (or store) of elements of a PTX type into (from) registers of a width;
/// null for a pair that PTX does not allow. Its registers are Operation::count entries of
/// Code::lists. For Space::parameter the load is from the kernel's own parameters at
/// Operation::offset, in bounds; in any other space its address is resolved.
Handler load_handler(std::string_view type, Width width, Space space);
Handler store_handler(std::string_view type, Width width);
/// atom and red by operation and type ("add.u32"), and cp.async: operands dst, address a, values b
/// and c.
const Table& atomic_operations();
void copy_async(Warp& warp, const Operation& op);
/// shfl, vote, match, redux, activemask, bar.red's result, clocks, ...
const Table& warp_operations();
/// Conversions, rounding modes, half precision, approximations: what is not worth vectorising.
const Table& number_operations();
/// Arithmetic and comparisons of f16, bf16 and pairs of them.
const Table& half_operations();
/// The operands of an instruction whose handler takes them as a list, and its variant.
struct DecodedOperands {
  std::vector<std::int32_t> list;
  std::uint32_t variant = 0;
  const ptx::Operand* address = nullptr;  ///< the place in memory that it accesses, if any
  bool supported = false;
};
/// Gives a register or literal its operand: (operand, width, whether it is written).
using OperandReader = std::function<std::int32_t(const ptx::Operand&, Width, bool)>;

/// tex.*, and ldmatrix, mma, ...: null for other instructions and for forms that are not run.
const Entry* find_texture_operation(const ptx::Instruction& instruction);
const Entry* find_tensor_operation(const ptx::Instruction& instruction);
DecodedOperands texture_operands(const ptx::Instruction& instruction, const OperandReader& read);
DecodedOperands tensor_operands(const ptx::Instruction& instruction, const OperandReader& read);

}  // namespace warpwise::emulator
