#pragma once

// Internal to the emulator: a check for values that nobody has written.

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

/// Follows bytes that nobody has written, from global, shared and local memory and from registers,
/// and reports them where they decide what the kernel does or gives: a branch or whether an
/// instruction is executed, an address, a member mask or a barrier, what printf and malloc take, an
/// atomic of global memory, and a store of what was computed from them to global memory. Copies are
/// followed and not reported, also those of parts of a value.
///
/// Moves, logic, shifts, shuffles, votes, products of matrices and packed halves are followed by
/// trying several values for what is not defined: what comes out the same is defined, of moves,
/// logic and shifts bit by bit. Of integer sums and products the bits below the lowest one that is
/// not defined are. The result of another instruction is not defined where any of its operands is
/// not.
///
/// What it does not report:
/// - what an mbarrier holds; what lies in memory that the host sees;
/// - a copy to memory that leaves the kernel, and that nothing reads there, or what goes back to
///   where it was read with other bits of the same byte (a bit-field of a structure).
///
/// What has been reported counts as defined from there on. A warp whose registers are all defined
/// pays for a look at the shadow of what it reads, and for the shadow of what it writes.
class Init : public Observer {
 public:
  explicit Init(const Launch& launch);

  void ends(Block& block);
  void guards(Warp& warp, const Operation& op, Mask lanes) {
    if (warp.poisoned != 0) guard(warp, op, lanes);
  }
  void executes(Warp& warp, const Operation& op, Mask lanes) {
    if (warp.poisoned != 0 && lanes != 0) follow(warp, op, lanes);
  }
  void accesses(Warp& warp, const Operation& op, const Access& access) {
    if (is_on_) look(warp, op, access);
  }
  void reads_texture(Warp& warp, const Operation& op, const TextureRead& read);

 private:
  /// How an operation's results follow from its operands.
  enum class Kind : std::uint8_t {
    unknown,
    tried,     ///< by trying values
    summed,    ///< upwards from the lowest bit that is not defined
    mixed,     ///< each lane by its own operands
    crossing,  ///< each lane by the operands of all
    compared,  ///< setp and set
    carried,   ///< mixed, with a carry
    access,    ///< ld, st, atom, red
    matrix,    ///< ldmatrix, wmma.load, …
    copy,      ///< cp.async, in pieces for each lane or in bulk
    mbarrier,
    texture,
    stack,
    call,    ///< of a function of the system
    unseen,  ///< what it reads counts as defined
    control,
  };

  /// Where a value that is not defined comes from; a register unless `in_memory`.
  struct Origin {
    bool in_memory = false;
    Space space = Space::global;
    std::uint8_t state = 0;
    Address address = 0;
  };
  using Origins = std::array<Origin, warp_lanes>;

  struct WarpState {
    Mask carry = 0;                                     ///< lanes whose carry is not defined
    std::unordered_map<std::int32_t, Origins> origins;  ///< of registers, by their offset
  };

  /// The shadow of an access's bytes: of lane i's first one base + at[i]; null where all of memory
  /// is defined. Where the lanes lie in several allocations each has its own.
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

  /// One byte of a lane's value in a register, or of a constant where the offset is negative.
  struct RegisterByte {
    std::int32_t offset = 0;
    int lane = 0;
    int byte = 0;
  };

  /// How the trials of an operation are looked at.
  struct Showing {
    bool crosses = false;  ///< a lane's result may be another lane's operand
    bool bits = false;     ///< bits of a byte are defined though others are not
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
  void mix(Warp& warp, const Operation& op, Mask lanes, bool crosses);
  void compare(Warp& warp, const Operation& op, Mask lanes);
  void carry(Warp& warp, const Operation& op, Mask lanes);
  void sum(Warp& warp, const Operation& op, Mask lanes);
  void list_sources(const Warp& warp, const Operation& op);
  bool shows_bits(const Operation& op) const;
  void try_values(Warp& warp, const Operation& op, Mask lanes);
  void try_once(Warp& warp, const Operation& op, std::size_t number);
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
  std::vector<Kind> kinds_;  ///< of operations
  std::unordered_map<const Warp*, WarpState> states_;
  AlignedBytes scratch_;                ///< registers to try values in
  std::vector<RegisterPlace> sources_;  ///< of the operation that is tried, not defined
  /// What was tried for them, and what came out for the results, by trial and register.
  std::array<std::vector<RegisterBytes>, trials> tried_;
  std::array<std::vector<RegisterBytes>, trials> given_;
  std::vector<std::array<std::uint8_t, 16>> copies_;  ///< shadow of what a copy has read
  std::size_t next_copy_ = 0;
  std::unordered_map<std::uint64_t, BoundTexture> textures_;  ///< of shadow, by handle
  const Warp* fragment_warp_ = nullptr;  ///< whose accesses of a fragment are counted
  std::uint64_t fragment_time_ = 0;
  int fragment_access_ = 0;
};

}  // namespace warpwise::emulator
