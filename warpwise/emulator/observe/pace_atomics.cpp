// Atomic operations: the cycles of L2 and of shared memory that they take.

#include <algorithm>
#include <bit>
#include <cmath>

#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/observe/pace.hpp"

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t atomic_sector_bytes = 32;
// Sectors that one part of L2 serves. On an H200, atomic operations within the same 256 bytes run
// one after the other. Operations spread over 1 KiB overlap. Sizes between these two were not
// measured, so 512 bytes are assumed.
constexpr std::uint64_t sectors_of_a_part = 16;

template <class T>
Mask equal_lanes(const Warp& warp, std::int32_t one, std::int32_t other, Mask lanes) {
  const T* const first = source<T>(warp, one);
  const T* const second = source<T>(warp, other);
  Mask equal = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (first[lane] == second[lane]) equal |= Mask{1} << lane;
  }
  return equal;
}

/// Returns the lanes whose compare-and-swap changed the word: it found the value that it compares
/// with, and the new value differs. Returns all lanes if that is unknown: nothing reads the found
/// value, it overwrites the compared one, or the word has 16 bytes.
Mask swapped(const Warp& warp, const Operation& op, Mask lanes) {
  if (op.list >= 0 || op.dst < 0 || op.dst == op.b) return lanes;
  const auto equal = [&](std::int32_t one, std::int32_t other) {
    return op.bytes == sizeof(std::uint64_t) ? equal_lanes<std::uint64_t>(warp, one, other, lanes)
                                             : equal_lanes<std::uint32_t>(warp, one, other, lanes);
  };
  return equal(op.dst, op.b) & ~equal(op.b, op.c);
}

}  // namespace

void Pace::atomic(const Warp& warp, const Operation& op, const Access& access) {
  Mask lanes = access.lanes;
  const AtomicKind& kind = atomic_kinds_[op.index];
  if (kind.is_reduced) lanes &= ~lanes + 1;
  // L2 operates on several words of a sector at once, but on one word by one operation at a time.
  std::unordered_map<std::uint64_t, std::uint64_t> of_word, of_sector;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(left)];
    std::uint64_t& most = of_sector[address / atomic_sector_bytes];
    most = std::max(most, ++of_word[address]);
  }
  const double cycles = kind.is_integer ? model_.integer_atomic_cycles : model_.atomic_cycles;
  const auto add = [&](AtomicPlace& place, double more) {
    place.cycles += more;
    place.first = std::min(place.first, warp.block->linear);
    place.last = std::max(place.last, warp.block->linear);
  };
  for (const auto& [address, operations] : of_word) {
    add(atomic_words_[address], static_cast<double>(operations) * cycles);
    if (kind.is_swap) counts_.swaps += operations;
  }
  if (kind.is_swap) {
    for (Mask left = swapped(warp, op, lanes); left != 0; left &= left - 1)
      ++made_swaps_[access.addresses[std::countr_zero(left)]];
  }
  // An H200 takes twice as long for a compare-and-swap on a sector as for an addition.
  const std::uint64_t each = kind.is_swap ? 2 : 1;
  for (const auto& [sector, operations] : of_sector) {
    counts_.atomic_sectors += each * operations;
    add(atomic_parts_[sector / sectors_of_a_part],
        static_cast<double>(each * operations) * model_.atomic_sector_cycles);
  }
}

double Pace::shared_atomic(BlockClock& block, const Operation& op, const Access& access,
                           int passes) {
  const AtomicKind& kind = atomic_kinds_[op.index];
  constexpr std::uint64_t banks = 32, word_bytes = 4;
  std::unordered_map<std::uint64_t, int> of_bank, of_word;
  int in_bank = 0, on_word = 0;
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t word = access.addresses[std::countr_zero(left)] / word_bytes;
    in_bank = std::max(in_bank, ++of_bank[word % banks]);
    on_word = std::max(on_word, ++of_word[word]);
    if (kind.is_loop) ++block.looped[word];
  }
  // Passes of shared memory for each lane of a bank. A compare-and-swap takes two. A loop around
  // it, which reads the word first and compares at the end, takes four.
  constexpr int of_loop = 4, of_swap = 2;
  const int taken = kind.is_loop        ? of_loop * in_bank
                    : kind.is_swap      ? of_swap * in_bank
                    : kind.counts_lanes ? passes
                                        : in_bank;
  counts_.shared_atomic_passes += static_cast<std::uint64_t>(taken);
  return model_.shared_cycles + taken - 1 +
         (kind.is_loop ? on_word * model_.shared_loop_cycles : 0);
}

void Pace::add_busiest(const Launch& launch,
                       const std::unordered_map<std::uint64_t, AtomicPlace>& places,
                       PaceCounts& counts) {
  for (const auto& [place, each] : places) {
    if (each.first == each.last) continue;
    // Blocks count as neighbours if a part of L2 has room for one word of each block. If the blocks
    // are the whole grid, they do not count as neighbours, because in a larger grid all blocks may
    // use the same word or part.
    constexpr std::uint64_t words = sectors_of_a_part * atomic_sector_bytes / 4;
    const std::uint64_t users = each.last - each.first + 1;
    const bool are_neighbours = users <= words && users < launch.grid.count();
    std::uint64_t& most =
        are_neighbours ? counts.atomic_cycles_of_neighbours : counts.atomic_cycles_of_busiest_place;
    most = std::max(most, static_cast<std::uint64_t>(std::llround(each.cycles)));
  }
}

}  // namespace warpwise::emulator
