#pragma once

// Internal to the emulator: a check for uses of values that were never written.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpwise/emulator/execute/shadow.hpp"
#include "warpwise/emulator/observe/observer.hpp"

namespace warpwise::emulator {

/// Follows undefined bytes, those never written, through global, shared and local memory and
/// through registers. Reports an undefined value that affects the kernel's control flow or results:
///
/// - a branch or a guard
/// - an address, a member mask or a barrier
/// - an argument of printf or malloc
/// - an atomic of global memory
/// - a store to global memory of a value computed from an undefined one
///
/// A copy of an undefined value is not reported. The copy counts as undefined, too.
///
/// How definedness passes through instructions:
///
/// - Moves, integer conversions, logic, shifts, shuffles, votes, matrix products and packed halves
///   run with several trial values in place of undefined ones. Results that are the same in all
///   trials are defined. For moves, conversions, logic and shifts this is decided bit by bit.
/// - In integer sums and products, the bits below the lowest undefined bit are defined.
/// - Other results are undefined if any operand is, unless a comparison's predicate decides them.
///
/// Not reported:
///
/// - the content of an mbarrier, and host-visible memory
/// - a copy to memory that outlives the kernel, if nothing reads it there
/// - a store to a bit-field, which writes the unwritten neighbouring bits back to their own address
///
/// A reported value counts as defined from then on, except in a register that an atomic, a matrix
/// store or a surface store takes. The shadow records which bytes of memory and registers are
/// defined. While all registers of a warp are defined, the check only reads the memory's shadow at
/// each read and updates it at each write.
class Init : public Observer {
 public:
  explicit Init(const Launch& launch);

  void on_block_end(Block& block);
  void on_guard(Warp& warp, const Operation& op, Mask lanes) {
    if (warp.poisoned != 0) guard(warp, op, lanes);
  }
  void on_execute(Warp& warp, const Operation& op, Mask lanes) {
    if (!is_on_ || lanes == 0) return;
    if (warp.poisoned != 0) follow(warp, op, lanes);
    if (has_shuffles_ && code_->classes[op.index] == InstructionClass::shuffle)
      follow_missing(warp, op, lanes);
  }
  void after_access(Warp& warp, const Operation& op, const Access& access) {
    if (is_on_) look(warp, op, access);
  }
  void on_texture_read(Warp& warp, const Operation& op, const TextureRead& read);

  bool is_on() const { return is_on_; }
  /// Returns true if the values that a warp stores now are defined.
  bool stores_defined(const Warp& warp) const { return warp.poisoned == 0 && copies_.empty(); }

 private:
  /// Rules by which definedness passes from an operation's operands to its results.
  enum class Kind : std::uint8_t {
    unknown,
    tried,     ///< by trial values
    summed,    ///< undefined from the lowest undefined bit upwards
    mixed,     ///< each lane depends on its own operands
    crossing,  ///< each lane depends on the operands of all lanes
    compared,  ///< setp and set
    carried,   ///< mixed, with a carry flag
    access,    ///< ld, st, atom, red
    matrix,    ///< ldmatrix, wmma.load, …
    copy,      ///< cp.async, in pieces for each lane or in bulk
    mbarrier,
    texture,
    stack,
    call,    ///< a system function
    unseen,  ///< reads count as defined
    control,
  };

  /// Reasons why a lane gives a shuffle no value.
  enum class Missing : std::uint8_t { none, absent, exited, not_a_member };

  /// The place that an undefined value comes from: a register unless `in_memory`, or a lane that is
  /// `missing`.
  struct Origin {
    bool in_memory = false;
    Space space = Space::global;
    std::uint8_t state = 0;
    Address address = 0;
    Missing missing = Missing::none;
  };
  using Origins = std::array<Origin, warp_lanes>;

  struct WarpState {
    Mask carry = 0;                                     ///< lanes with an undefined carry
    std::unordered_map<std::int32_t, Origins> origins;  ///< origins of registers, by their offset
  };

  /// The shadow of an access's bytes: lane i's shadow begins at base + at[i]. Null if all memory is
  /// defined. If the lanes access several allocations, each lane has its own pointer.
  struct Place {
    std::uint8_t* base = nullptr;
    const std::uint64_t* at = nullptr;
    bool is_split = false;
    std::array<std::uint8_t*, warp_lanes> own{};
    std::uint8_t* lane(int i) const {
      return is_split ? own[static_cast<std::size_t>(i)] : base == nullptr ? nullptr : base + at[i];
    }
  };

  using RegisterBytes = std::array<std::uint8_t, place_bytes(Width::w64)>;

  /// One byte of a lane's value in a register; in a constant if the offset is negative.
  struct RegisterByte {
    std::int32_t offset = 0;
    int lane = 0;
    int byte = 0;
  };

  /// How to compare the trials of an operation.
  struct Showing {
    bool crosses = false;  ///< a lane's result may be another lane's operand
    bool bits = false;     ///< single bits of a byte can be defined
  };

  // init.cpp
  Kind kind_of(const Operation& op);
  WarpState& state_of(const Warp& warp) { return states_[&warp]; }
  RegisterPlace place_of(std::int32_t virtual_register) const {
    return code_->places[static_cast<std::size_t>(virtual_register)];
  }
  RegisterPlace operand(const Operation& op, std::int32_t offset) const;
  RegisterPlace written(const Operation& op, std::int32_t offset) const;
  void guard(Warp& warp, const Operation& op, Mask lanes);
  void check_operand(Warp& warp, const Operation& op, std::int32_t offset, Mask lanes,
                     std::string_view what);
  void check_operands(Warp& warp, const Operation& op, Kind kind, Mask lanes);
  void report(Warp& warp, const Operation& op, Mask lanes, const Origins& origins,
              std::string_view what);
  std::string described(const Warp& warp, const Origin& origin) const;
  Origins origins_of(Warp& warp, const Operation& op);

  // init_values.cpp
  void follow(Warp& warp, const Operation& op, Mask lanes);
  void follow_missing(Warp& warp, const Operation& op, Mask lanes);
  void mix(Warp& warp, const Operation& op, Mask lanes, bool crosses);
  void compare(Warp& warp, const Operation& op, Mask lanes);
  void carry(Warp& warp, const Operation& op, Mask lanes);
  void sum(Warp& warp, const Operation& op, Mask lanes);
  void list_sources(const Warp& warp, const Operation& op);
  bool shows_bits(const Operation& op) const;
  void try_values(Warp& warp, const Operation& op, Mask lanes);
  Missing missing(const Warp& warp, int lane, Mask members) const;
  void try_once(Warp& warp, const Operation& op, Mask lanes, std::size_t number);
  RegisterBytes shadow_of_result(const Warp& warp, RegisterPlace place, std::size_t number,
                                 Mask lanes, const Showing& showing) const;
  std::uint8_t state_of_byte(const Warp& warp, std::size_t number, std::size_t byte, int lane,
                             const Showing& showing) const;
  void poison(Warp& warp, RegisterPlace place, Mask lanes, const Origins& origins);
  void keep_origins(const Warp& warp, RegisterPlace place, Mask lanes, const Origins& origins);

  // init_memory.cpp
  bool find(Warp& warp, const Access& access, Place& place) const;
  static bool is_defined(const Access& access, const Place& place);
  static void define(const Access& access, const Place& place);
  static Origin origin_of(const Access& access, const Place& place, int lane);
  static std::uint8_t kept_in_memory(std::uint8_t state, bool leaves);
  static bool goes_back(const Origin& origin, Space space, Address address, std::size_t bytes);
  void look(Warp& warp, const Operation& op, const Access& access);
  void check_taken(Warp& warp, const Operation& op, const Access& access, const Place& place);
  RegisterByte register_byte(const Operation& op, const Access& access, int lane, int byte) const;
  void count_fragment_access(const Warp& warp);
  void load(Warp& warp, const Operation& op, const Access& access, const Place& place);
  void load_elements(Warp& warp, const Operation& op, const Access& access, const Place& place);
  void load_matrix(Warp& warp, const Operation& op, const Access& access, const Place& place);
  template <class Body>
  void keep_twice(const Operation& op, RegisterByte to, const Body& body) const;
  void load_copies(const Warp& warp, const Operation& op, const Access& access, const Place& place);
  void store_copies(const Operation& op, const Access& access, const Place& place);
  void store(Warp& warp, const Operation& op, const Access& access, const Place& place);
  void store_elements(Warp& warp, const Operation& op, const Access& access, const Place& place);
  void store_matrix(Warp& warp, const Operation& op, const Access& access, const Place& place);
  void change(Warp& warp, const Operation& op, const Access& access, const Place& place);

  // init_textures.cpp
  const BoundTexture* texture_shadow(const Warp& warp, std::uint64_t handle);
  void sample_shadow(Warp& warp, const Operation& op, const TextureRead& read);
  void move_texels(Warp& warp, const Operation& op, const TextureRead& read);

  static constexpr std::size_t trials = 6;

  const Launch* launch_;
  const Code* code_;
  bool is_on_;
  bool has_shuffles_ = false;
  std::vector<Kind> kinds_;  ///< kinds of each operation
  std::unordered_map<const Warp*, WarpState> states_;
  AlignedBytes scratch_;                ///< registers for trials
  std::vector<RegisterPlace> sources_;  ///< undefined operands of the operation that is tried
  /// Trial values of the operands, and their results, by trial and register.
  std::array<std::vector<RegisterBytes>, trials> tried_;
  std::array<std::vector<RegisterBytes>, trials> given_;
  std::vector<std::array<std::uint8_t, 16>> copies_;  ///< shadows that a copy has read
  std::size_t next_copy_ = 0;
  std::unordered_map<std::uint64_t, BoundTexture> textures_;  ///< shadows of textures, by handle
  /// An instruction on a matrix may take several accesses, as may a copy. fragment_access_ numbers
  /// them from 0. The instruction is identified by its warp and the warp's executed instructions.
  const Warp* fragment_warp_ = nullptr;
  std::uint64_t fragment_time_ = 0;
  int fragment_access_ = 0;
};

}  // namespace warpwise::emulator
