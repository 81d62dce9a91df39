#pragma once

// Internal to the emulator: what the race check remembers of memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace warpwise::emulator {

/// A number for what a warp of a block does at one time. Later ones are larger.
using Epoch = std::uint32_t;

/// An access of a word of 4 bytes, in 64 bits; 0 for none. The epoch comes first, so that touches
/// from before an epoch are those that are less than its first one.
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

  // Which lane touches which of the word's bytes.
  static constexpr std::uint64_t one_lane = 0;
  static constexpr std::uint64_t lane_of_two = 1;   ///< from `lane` on, two bytes each
  static constexpr std::uint64_t lane_of_each = 2;  ///< from `lane` on, a byte each
  static constexpr std::uint64_t mixed_lanes = 3;   ///< not known

  static constexpr std::uint64_t strong = 1;
  static constexpr std::uint64_t narrow = 2;  ///< strong for threads of its block alone
  static constexpr std::uint64_t atomic = 4;
  static constexpr std::uint64_t several = 8;  ///< the same bytes, by several lanes of its warp
  static constexpr std::uint64_t others = 16;  ///< other warps too, which nothing orders with it

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
  /// The lane that touched a byte of the mask; -1 where it is not known.
  int lane_of(int byte) const;
};

/// What two touches of one epoch come to.
Touch merged(Touch old, Touch now);
/// Whether two touches of one epoch are of different lanes. \param reads  what the old one does
bool are_of_different_lanes(Touch old, Touch now, bool reads);

/// The last write and a read of each word of a page.
struct ShadowPage {
  static constexpr std::size_t bytes = 4096;
  static constexpr std::size_t words = bytes / 4;
  using Touches = std::array<std::uint64_t, words>;

  // Each from its first touch on: most pages are only read, or only written.
  std::unique_ptr<Touches> writes;
  std::unique_ptr<Touches> reads;
};

/// The pages of a space of memory that anybody has touched.
class Shadow {
 public:
  /// The page of an address, made where there is none.
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
