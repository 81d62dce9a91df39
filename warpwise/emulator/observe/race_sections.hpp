#pragma once

// Internal to the race check: critical sections, for Check::strict.

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warpwise/emulator/execute/state.hpp"
#include "warpwise/emulator/observe/race_shadow.hpp"

namespace warpwise::emulator {

/// Critical sections of lanes. A section begins when a compare-and-swap on a place in memory, the
/// lock, succeeds. It ends when its lane gives the place its old value back. Two sections of one
/// place may come in either order on a GPU. If no fence separates an access from its section's
/// begin, the access therefore races with the accesses of other sections, even of later ones.
class CriticalSections {
 public:
  /// Fences since a section's begin: none, for the block, for the device.
  enum class Fence : std::uint8_t { none, block, device };

  /// A lane of a launch.
  struct Lane {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    auto operator<=>(const Lane&) const = default;
  };
  /// A lane's access of a word in a critical section.
  struct Guarded {
    Lane lane;
    Touch touch;  ///< 0: no access
    bool writes = false;
    Fence fence = Fence::none;
    std::uint32_t barriers = 0;  ///< barriers that the lane's warp had passed before
  };

  bool any_open() const { return !open_.empty(); }
  void clear() { *this = {}; }
  /// Begins a lane's section, in place of an open one. \param expected  the place's old value
  void begin(Lane lane, std::uint64_t place, std::uint64_t expected, Fence fence);
  /// Ends a lane's section if `value` is the old value of `place` again. Returns true if it did.
  bool end(Lane lane, std::uint64_t place, std::uint64_t value);
  void on_fence(Lane lane, Fence fence);
  /// Records an access of a word in the lane's section, if one is open. Returns an access of
  /// another section that it races with, or null.
  const Guarded* access(Lane lane, std::uint64_t word, Touch touch, bool writes);
  /// Forgets the sections of a block's warps when a barrier orders them before the block's later
  /// sections.
  /// \param warps  a bit for each warp that has come to the barrier
  void forget(std::uint64_t block, Mask warps = ~Mask{0});

 private:
  // Limit of recorded accesses, in open and in ended sections. Beyond it all are forgotten.
  static constexpr std::size_t most_accesses = std::size_t{1} << 20;

  /// The last read and the last write of a word with each kind of fence.
  using Word = std::array<Guarded, 6>;
  using Place = std::pair<std::uint64_t, std::uint64_t>;  ///< a lock's address, and its free value
  struct Section {
    Place place;
    Fence fence = Fence::none;
    std::vector<std::pair<std::uint64_t, Guarded>> accesses;
  };

  std::uint32_t barriers_of(Lane lane) const;
  std::map<Lane, Section>::iterator close(std::map<Lane, Section>::iterator section);

  std::map<Lane, Section> open_;
  std::map<Place, std::unordered_map<std::uint64_t, Word>> ended_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t>
      barriers_;  ///< number of passed barriers, by block and warp, of warps with accesses
  std::size_t accesses_ = 0;
};

}  // namespace warpwise::emulator
