#pragma once

// Internal to the emulator: the race check's record of memory accesses.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace warpwise::emulator {

/// The index of one Time of one warp, among all warps of the launch. Epochs that begin later
/// have larger indices.
using Epoch = std::uint32_t;

/// An access of a 4-byte word, in 64 bits; 0 for none. The epoch has the highest bits, so touches
/// of earlier epochs are smaller numbers than touches of later ones.
struct Touch {
  std::uint64_t bits = 0;

  static constexpr int epoch_at = 36;
  static constexpr int operation_at = 16;
  static constexpr int lane_at = 11;
  static constexpr int mask_at = 7;
  static constexpr int layout_at = 5;
  static constexpr std::uint64_t epoch_bits = ~std::uint64_t{0} << epoch_at;
  static constexpr std::uint64_t most_operations = std::uint64_t{1} << (epoch_at - operation_at);
  static constexpr std::uint64_t lane_bits = std::uint64_t{31} << lane_at;
  static constexpr std::uint64_t mask_bits = std::uint64_t{15} << mask_at;
  static constexpr std::uint64_t layout_bits = std::uint64_t{3} << layout_at;

  // How lanes are assigned to the word's bytes.
  static constexpr std::uint64_t one_lane = 0;
  static constexpr std::uint64_t lane_of_two = 1;   ///< from `lane` on, two bytes for each lane
  static constexpr std::uint64_t lane_of_each = 2;  ///< from `lane` on, one byte for each lane
  static constexpr std::uint64_t mixed_lanes = 3;   ///< unknown

  static constexpr std::uint64_t strong = 1;
  static constexpr std::uint64_t narrow = 2;  ///< strong only within its block
  static constexpr std::uint64_t atomic = 4;
  static constexpr std::uint64_t several = 8;  ///< several lanes of the warp touched the same bytes
  static constexpr std::uint64_t others =
      16;  ///< also stands for unordered touches by other warps, or of other bytes by this warp

  static constexpr std::uint64_t epoch_part(Epoch epoch) {
    return std::uint64_t{epoch} << epoch_at;
  }
  static constexpr std::uint64_t lane_part(int lane) {
    return static_cast<std::uint64_t>(lane) << lane_at;
  }
  static constexpr std::uint64_t mask_part(unsigned mask) { return std::uint64_t{mask} << mask_at; }
  static constexpr std::uint64_t layout_part(std::uint64_t layout) { return layout << layout_at; }

  Epoch epoch() const { return static_cast<Epoch>(bits >> epoch_at); }
  std::uint32_t operation() const {
    return static_cast<std::uint32_t>(bits >> operation_at & (most_operations - 1));
  }
  unsigned mask() const { return static_cast<unsigned>(bits >> mask_at & 15); }
  std::uint64_t layout() const { return bits >> layout_at & 3; }
  bool is(std::uint64_t flag) const { return (bits & flag) != 0; }
  /// Returns the lane that touched a byte of the mask; -1 if unknown.
  int lane_of(int byte) const;
};

/// Merges two touches of one epoch.
Touch merged(Touch old, Touch now);
/// Returns true if two touches of one epoch are from different lanes. \param reads  the old one is
/// a read
bool are_of_different_lanes(Touch old, Touch now, bool reads);

/// The last write and one read of each word of a page.
struct ShadowPage {
  static constexpr std::size_t bytes = 4096;
  static constexpr std::size_t words = bytes / 4;
  static constexpr std::size_t spare = 3;  ///< unused words at the end, for loops over four words
  using Touches = std::array<std::uint64_t, words + spare>;

  // Allocated at the first touch, because most pages are only read, or only written.
  std::unique_ptr<Touches> writes;
  std::unique_ptr<Touches> reads;
};

/// Touched pages of a space of memory.
class Shadow {
 public:
  /// Returns the page of an address, and makes it if needed.
  ShadowPage& page_of(std::uint64_t address) {
    const std::uint64_t number = address / ShadowPage::bytes;
    Cached& cached = cached_[number % cached_.size()];
    if (cached.number != number || cached.page == nullptr) cached = {number, &pages_[number]};
    return *cached.page;
  }
  void clear() {
    cached_.fill({});
    pages_.clear();
  }

 private:
  struct Cached {
    std::uint64_t number = 0;
    ShadowPage* page = nullptr;
  };
  std::unordered_map<std::uint64_t, ShadowPage> pages_;
  std::array<Cached, 64> cached_{};
};

}  // namespace warpwise::emulator
