#pragma once

// Internal to the emulator: alternative orders of turns for a launch's blocks and warps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace warpwise::emulator {

/// An order in which blocks and warps take turns, determined by a number and a seed. Order 1 is the
/// usual one reversed. In later orders, turns are short and interleaved.
class Schedule {
 public:
  Schedule(unsigned order, std::uint64_t seed, std::uint64_t blocks)
      : random_(seed * 1000003 + order), order_(order), blocks_(blocks) {
    if (order == 1) {
      first_ = blocks - 1;
      step_ = blocks - 1;  // -1 modulo blocks
      return;
    }
    first_ = random_() % blocks;
    step_ = random_() % blocks;
    while (std::gcd(step_, blocks) != 1) step_ = (step_ + 1) % blocks;
  }

  /// Returns the index of the block that begins as the i-th.
  std::uint64_t block(std::uint64_t i) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{first_} + Wide{i} * step_) % blocks_);
  }

  /// Returns the number of instructions of a warp's turn. Most turns are short, because many errors
  /// need another thread between two neighbouring instructions.
  std::uint64_t turn_instructions() {
    if (order_ == 1) return std::uint64_t{1} << 18;
    const std::uint64_t bits = random_();
    return 1 + (bits >> 8) % (std::uint64_t{1} << (1 + bits % 8));
  }

  /// Returns true if some lanes of a warp shall run ahead of the others. In every second order it
  /// is true for half of the turns. In the other orders it is rare, because separate lanes take
  /// time.
  bool lanes_part() { return order_ > 1 && random_() % (order_ % 2 == 0 ? 2 : 16) == 0; }
  /// Returns a random set of lanes.
  std::uint32_t lanes() { return static_cast<std::uint32_t>(random_() >> 32); }

  /// Orders the warps for their next turns.
  template <class T>
  void arrange_warps(std::vector<T>& all) {
    if (order_ == 1)
      std::ranges::reverse(all);
    else
      shuffle(all);
  }
  /// Orders the blocks for their next turns. Order 1 keeps the order in which they began.
  template <class T>
  void arrange_blocks(std::vector<T>& all) {
    if (order_ > 1) shuffle(all);
  }

 private:
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_() % i]);
  }

  std::mt19937_64 random_;
  unsigned order_;
  std::uint64_t blocks_;
  std::uint64_t first_ = 0;
  std::uint64_t step_ = 0;
};

/// A byte of memory, and the instruction that last changed it.
struct Watch {
  const std::byte* byte = nullptr;
  std::uint64_t address = 0;  ///< address in the kernel's address space
  std::byte value{};
  bool has_changed = false;
  std::uint32_t operation = 0;
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
};

}  // namespace warpwise::emulator
