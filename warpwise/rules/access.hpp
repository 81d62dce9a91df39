#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "warpwise/rules/rules.hpp"

/// Code shared by the rules for memory accesses: checks of the arguments, masks of lanes, and
/// counts of distinct addresses, which allocate no memory.
namespace warpwise::rules::detail {

[[noreturn]] void refuse(ComputeCapability cc);
[[noreturn]] void refuse_bytes(int bytes);
bool is_known(ComputeCapability cc);

inline void check(ComputeCapability cc, const WarpAccess& access) {
  if (!is_known(cc)) refuse(cc);
  const auto bytes = static_cast<unsigned>(access.bytes);
  if (bytes > 16 || !std::has_single_bit(bytes)) refuse_bytes(access.bytes);
}

/// Returns the mask of the lanes of request number `part`, from 0. The hardware splits a warp's
/// access into requests of `lanes` neighbouring lanes each.
inline std::uint32_t lanes_of_part(int part, int lanes) {
  const std::uint32_t first = lanes == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << lanes) - 1;
  return first << (part * lanes);
}

/// Calls `visit(address)` for each lane of the mask, lowest first.
template <typename Visit>
void for_each_address(const WarpAccess& access, std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(access.addresses[std::countr_zero(lanes)]);
}

using Step = std::optional<std::uint64_t>;

/// Returns the distance between neighbouring lanes' addresses, without its sign, if all lanes are
/// active and all distances are equal. Most accesses of kernels have this form, and the rules have
/// closed forms for it.
inline Step step_of(const WarpAccess& access) {
  if (access.active != ~std::uint32_t{0}) return std::nullopt;
  const std::uint64_t step = access.addresses[1] - access.addresses[0];
  std::uint64_t expected = access.addresses[0];
  std::uint64_t different = 0;
  for (int lane = 0; lane < 32; ++lane) {  // no branch, so that the compiler vectorises it
    different |= access.addresses[lane] ^ expected;
    expected += step;
  }
  const bool descends = static_cast<std::int64_t>(step) < 0;
  const bool wraps = (access.addresses[31] < access.addresses[0]) != descends;
  if (different != 0 || wraps) return std::nullopt;
  return descends ? 0 - step : step;
}

/// A set of at most 32 numbers: a hash table with 64 slots.
class LaneSet {
 public:
  /// Inserts `key` and returns its slot; `is_new` is false if it was present.
  int insert(std::uint64_t key, bool& is_new) {
    // Kernels often access addresses with a stride. Multiplying by the golden ratio spreads any
    // arithmetic progression evenly over the slots.
    auto slot = static_cast<int>((key * 0x9e3779b97f4a7c15U) >> 58);
    for (; (used_ >> slot & 1) != 0; slot = (slot + 1) % 64) {
      if (keys_[slot] == key) {
        is_new = false;
        return slot;
      }
    }
    used_ |= std::uint64_t{1} << slot;
    keys_[slot] = key;
    is_new = true;
    return slot;
  }
  /// Returns a bit for each slot in use.
  std::uint64_t used() const { return used_; }
  int size() const { return std::popcount(used_); }

 private:
  std::uint64_t used_ = 0;
  std::array<std::uint64_t, 64> keys_{};
};

/// Counts the distinct values of `address >> shift` over the lanes.
inline int count_distinct(const WarpAccess& access, std::uint32_t lanes, int shift) {
  if (lanes == 0) return 0;
  LaneSet set;
  std::uint64_t previous = access.addresses[std::countr_zero(lanes)] >> shift;
  bool is_new = false;
  set.insert(previous, is_new);
  for_each_address(access, lanes & (lanes - 1), [&](std::uint64_t address) {
    const std::uint64_t key = address >> shift;
    if (key != previous) set.insert(key, is_new);  // usually neighbours share a segment
    previous = key;
  });
  return set.size();
}

/// Counts the distinct segments of 2^shift bytes that one request accesses: the distinct values of
/// `address >> shift`. `part` and `lanes` are as for lanes_of_part().
/// \param step  step_of() of the access
inline int count_in_part(const WarpAccess& access, int part, int lanes, int shift, Step step) {
  if (!step) return count_distinct(access, access.active & lanes_of_part(part, lanes), shift);
  if (*step >> shift != 0) return lanes;
  // A step smaller than a segment skips no segment.
  const auto [low, high] = std::minmax({access.addresses[part * lanes] >> shift,
                                        access.addresses[part * lanes + lanes - 1] >> shift});
  return static_cast<int>(high - low) + 1;
}

}  // namespace warpwise::rules::detail
