#include <algorithm>
#include <array>

#include "warpwise/rules/access.hpp"

namespace warpwise::rules {
namespace {

using detail::for_each_address;
using detail::lanes_of_part;
using detail::LaneSet;

// --- CC 1.x: 16 banks, a half-warp at a time, one word broadcast in each step

/// The words that a half-warp's lanes request, with the number of lanes that request each.
struct WantedWords {
  struct Word {
    std::uint64_t index;
    int lanes;
  };
  std::array<Word, 16> words{};
  int count = 0;

  void add(std::uint64_t index) {
    const auto end = words.begin() + count;
    const auto found =
        std::find_if(words.begin(), end, [&](const Word& word) { return word.index == index; });
    if (found != end) {
      ++found->lanes;
    } else {
      words[count++] = {index, 1};
    }
  }
  static int bank(const Word& word) { return static_cast<int>(word.index % 16); }
};

/// Counts the waiting lanes of each bank.
std::array<int, 16> lanes_by_bank(const WantedWords& wanted) {
  std::array<int, 16> lanes{};
  for (int i = 0; i < wanted.count; ++i) {
    lanes[WantedWords::bank(wanted.words[i])] += wanted.words[i].lanes;
  }
  return lanes;
}

/// Counts the steps of a read, in which lanes may share a word. Each step serves all lanes of one
/// broadcast word, and one lane of every other bank. The hardware's choice of that word is not
/// documented. This function takes the most requested word of the fullest bank, so the count
/// assumes a favourable choice.
int steps_with_broadcast(WantedWords wanted) {
  int steps = 0;
  for (;; ++steps) {
    const std::array<int, 16> waiting = lanes_by_bank(wanted);
    const auto fullest = static_cast<int>(std::ranges::max_element(waiting) - waiting.begin());
    if (waiting[fullest] == 0) return steps;
    // The fullest bank serves its most requested word. Every other bank serves one lane of its
    // least requested word, so that the words of many lanes are left for later broadcasts.
    std::array<WantedWords::Word*, 16> served{};
    for (int i = 0; i < wanted.count; ++i) {
      WantedWords::Word& word = wanted.words[i];
      WantedWords::Word*& chosen = served[WantedWords::bank(word)];
      if (word.lanes == 0) continue;
      const bool broadcasts = WantedWords::bank(word) == fullest;
      if (chosen == nullptr ||
          (broadcasts ? word.lanes > chosen->lanes : word.lanes < chosen->lanes)) {
        chosen = &word;
      }
    }
    for (int bank = 0; bank < 16; ++bank) {
      if (served[bank] != nullptr) served[bank]->lanes -= bank == fullest ? served[bank]->lanes : 1;
    }
  }
}

/// Counts the steps of a write: one lane of each bank in each step. Lanes that write the same
/// address count as one, because only one of them writes.
int steps_of_write(const WarpAccess& access, std::uint32_t lanes, std::uint64_t offset) {
  LaneSet places;
  std::array<int, 16> in_bank{};
  int most = 0;
  for_each_address(access, lanes, [&](std::uint64_t address) {
    bool is_new = false;
    places.insert(address + offset, is_new);
    if (is_new) most = std::max(most, ++in_bank[(address + offset) / 4 % 16]);
  });
  return most;
}

/// Counts the steps of one 32-bit request of a half-warp: the words `offset` bytes after the lanes'
/// addresses.
int half_warp_steps(const WarpAccess& access, std::uint32_t lanes, std::uint64_t offset) {
  if (access.store) return steps_of_write(access, lanes, offset);
  WantedWords wanted;
  for_each_address(access, lanes,
                   [&](std::uint64_t address) { wanted.add((address + offset) / 4); });
  const bool words_shared = wanted.count < std::popcount(lanes);
  return words_shared ? steps_with_broadcast(wanted) : std::ranges::max(lanes_by_bank(wanted));
}

/// Returns the number of lanes in one bank, if each lane is `step` banks after the previous one and
/// the numbers of lanes and banks are equal. It is gcd(step, lanes). Because `lanes` is a power of
/// two, that is the lowest set bit of `step`, but at most `lanes`. For step 0 the number is 1,
/// because all lanes share a word.
int meeting_lanes(std::uint64_t step, int lanes) {
  const std::uint64_t divisor = step & (0 - step);
  return step == 0 ? 1 : static_cast<int>(std::min<std::uint64_t>(divisor, lanes));
}

SharedPasses half_warp_passes(const WarpAccess& access) {
  if (const detail::Step step = detail::step_of(access); step && *step % 4 == 0) {
    const int requests = 2 * std::max(1, access.bytes / 4);
    return {requests * meeting_lanes(*step / 4, 16), requests};
  }
  SharedPasses result;
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t lanes = access.active & lanes_of_part(half, 16);
    if (lanes == 0) continue;
    for (int offset = 0; offset < std::max(4, access.bytes); offset += 4) {
      result.passes += half_warp_steps(access, lanes, offset);
      result.ideal += 1;
    }
  }
  return result;
}

// --- CC 2.0 and later: 32 banks, multicast of any number of words

/// Returns the largest number of words that the lanes request of one bank. A lane's words are
/// adjacent and aligned, so all its banks are equally full. Counting its first word is enough.
/// \param folded  a bank delivers words i and i + 32 of an aligned segment of 64 words together
int conflict_degree(const WarpAccess& access, std::uint32_t lanes, bool folded) {
  const int shift = std::max(2, std::countr_zero(static_cast<unsigned>(access.bytes)));
  const int bank_bits = 7 - shift;  // 32 banks of 4 bytes make 128 bytes
  LaneSet words;
  std::array<std::uint8_t, 32> in_bank{};
  std::uint8_t degree = 0;
  for_each_address(access, lanes, [&](std::uint64_t address) {
    const std::uint64_t row = address >> (folded ? 8 : 7);
    const std::uint64_t bank = (address & 127) >> shift;
    bool is_new = false;
    words.insert(row << bank_bits | bank, is_new);
    if (is_new) degree = std::max(degree, ++in_bank[bank]);
  });
  return degree;
}

/// Returns true if every active lane requests the same words as its active partner, the lane
/// `distance` away.
bool partners_agree(const WarpAccess& access, int distance) {
  for (int lane = 0; lane < 32; ++lane) {
    const int partner = lane ^ distance;
    const std::uint32_t both = std::uint32_t{1} << lane | std::uint32_t{1} << partner;
    if ((access.active & both) == both && access.addresses[lane] != access.addresses[partner]) {
      return false;
    }
  }
  return true;
}

/// How the hardware serves a shared access since CC 2.0.
struct Phases {
  int lanes = 32;       ///< lanes served together
  bool folded = false;  ///< see conflict_degree
  int extra = 0;        ///< passes of a phase in addition to those of its conflicts
};

Phases phases_of(ComputeCapability cc, const WarpAccess& access, bool merged) {
  if (cc.major == 3) return {access.bytes == 16 ? 16 : 32, true, 0};
  if (access.bytes <= 4) return {};
  const int lanes = 128 / access.bytes;
  if (cc.major == 2) return {lanes, false, access.bytes == 16 ? 1 : 0};
  return {merged ? 2 * lanes : lanes, false, 0};
}

}  // namespace

SharedPasses shared_passes(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  if (cc.major == 1) return half_warp_passes(access);
  const bool can_merge = cc.major >= 7 && access.bytes > 4 && !access.store;
  const std::uint64_t width = std::max(4, access.bytes);
  const detail::Step step = detail::step_of(access);
  if (step && *step % width == 0 && cc.major != 3) {
    const Phases phases = phases_of(cc, access, can_merge && *step == 0);
    const int count = 32 / phases.lanes;
    const int degree = meeting_lanes(*step / width, phases.lanes);
    return {count * (degree + phases.extra), count};
  }
  const Phases phases =
      phases_of(cc, access, can_merge && (partners_agree(access, 1) || partners_agree(access, 2)));
  SharedPasses result;
  for (int part = 0; part < 32 / phases.lanes; ++part) {
    const std::uint32_t lanes = access.active & lanes_of_part(part, phases.lanes);
    if (lanes == 0) continue;
    result.passes += conflict_degree(access, lanes, phases.folded) + phases.extra;
    result.ideal += 1;
  }
  return result;
}

int constant_passes(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  const int request_lanes = cc.major == 1 ? 16 : 32;
  const detail::Step step = detail::step_of(access);
  int passes = 0;
  for (int part = 0; part < 32 / request_lanes; ++part) {
    passes += detail::count_in_part(access, part, request_lanes, 0, step);
  }
  return passes;
}

}  // namespace warpwise::rules
