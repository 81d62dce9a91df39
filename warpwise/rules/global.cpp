#include <algorithm>
#include <array>

#include "warpwise/rules/access.hpp"

namespace warpwise::rules {
namespace {

using detail::count_in_part;
using detail::for_each_address;
using detail::lanes_of_part;
using detail::LaneSet;
using detail::Step;

/// Ways in which global memory serves a warp, by generation.
enum class Scheme { aligned_half_warps, segmented_half_warps, split_requests, sectors };

Scheme scheme_of(ComputeCapability cc) {
  if (cc < ComputeCapability{1, 2}) return Scheme::aligned_half_warps;
  if (cc.major == 1) return Scheme::segmented_half_warps;
  return cc.major < 6 ? Scheme::split_requests : Scheme::sectors;
}

/// Returns the number of lanes that the hardware serves in one request.
int lanes_per_request(ComputeCapability cc, int bytes) {
  switch (scheme_of(cc)) {
    case Scheme::aligned_half_warps:
    case Scheme::segmented_half_warps: return 16;
    case Scheme::split_requests: return bytes <= 4 ? 32 : 128 / bytes;  // 128 bytes a request
    case Scheme::sectors: break;
  }
  return 32;
}

/// Counts a half-warp on CC 1.0 and 1.1. If lane k accesses word k of an aligned segment, the
/// half-warp takes one or two transactions; otherwise it takes one for each lane.
void add_aligned_half_warp(const WarpAccess& access, int half, GlobalTraffic& traffic) {
  const std::uint32_t lanes = access.active & lanes_of_part(half, 16);
  if (lanes == 0) return;
  const auto bytes = static_cast<std::uint64_t>(access.bytes);
  const std::uint64_t alignment = bytes == 4 ? 64 : 128;
  const auto word_0 = [&](int lane) { return access.addresses[lane] - bytes * (lane % 16); };
  const std::uint64_t base = word_0(std::countr_zero(lanes));
  bool coalesced = bytes >= 4 && base % alignment == 0;
  for (std::uint32_t rest = lanes; coalesced && rest != 0; rest &= rest - 1) {
    coalesced = word_0(std::countr_zero(rest)) == base;
  }
  if (!coalesced) {
    traffic.transactions_32 += std::popcount(lanes);
  } else if (bytes == 4) {
    traffic.transactions_64 += 1;
  } else if (bytes == 8) {
    traffic.transactions_128 += 1;
  } else {
    // One transaction for each group of eight lanes that has an active lane.
    for (int quarter = 2 * half; quarter < 2 * half + 2; ++quarter) {
      traffic.transactions_128 += (lanes & lanes_of_part(quarter, 8)) != 0;
    }
  }
}

/// Counts the transaction of one segment. Each bit of `sectors` is a used 32-byte piece of it.
void add_segment(unsigned sectors, GlobalTraffic& traffic) {
  if (std::has_single_bit(sectors)) {
    traffic.transactions_32 += 1;
  } else if ((sectors & 0b0011) == 0 || (sectors & 0b1100) == 0) {
    traffic.transactions_64 += 1;
  } else {
    traffic.transactions_128 += 1;
  }
}

/// Counts the transactions of a half-warp that uses every 32-byte sector from its lowest to its
/// highest.
void add_dense_half_warp(const WarpAccess& access, int half, int segment_shift,
                         GlobalTraffic& traffic) {
  const auto [low, high] =
      std::minmax({access.addresses[16 * half] >> 5, access.addresses[16 * half + 15] >> 5});
  const std::uint64_t sectors = std::uint64_t{1} << (segment_shift - 5);
  for (std::uint64_t first = low; first <= high;) {
    const std::uint64_t end = std::min((first / sectors + 1) * sectors, high + 1);
    const unsigned mask = ((1U << (end - first)) - 1) << first % 4;
    add_segment(mask, traffic);
    first = end;
  }
}

/// Counts a half-warp on CC 1.2 and 1.3: one transaction for each segment that it touches. A
/// segment is halved as long as one half contains all accesses. The order in which the hardware
/// takes the segments does not change the count.
void add_segmented_half_warp(const WarpAccess& access, int half, Step step,
                             GlobalTraffic& traffic) {
  const int segment_shift = access.bytes == 1 ? 5 : access.bytes == 2 ? 6 : 7;
  if (step && *step <= 32) return add_dense_half_warp(access, half, segment_shift, traffic);
  LaneSet segments;
  std::array<std::uint8_t, 64> sectors;  // for each segment, a bit for every used 32 bytes
  for_each_address(access, access.active & lanes_of_part(half, 16), [&](std::uint64_t address) {
    bool is_new = false;
    const int slot = segments.insert(address >> segment_shift, is_new);
    if (is_new) sectors[slot] = 0;
    sectors[slot] |= 1U << (address >> 5 & 3);
  });
  for (std::uint64_t used = segments.used(); used != 0; used &= used - 1) {
    add_segment(sectors[std::countr_zero(used)], traffic);
  }
}

/// Counts the distinct segments of each request, for CC 2.0 and later.
int count_segments(const WarpAccess& access, int request_lanes, int segment_shift, Step step) {
  int count = 0;
  for (int part = 0; part < 32 / request_lanes; ++part) {
    count += count_in_part(access, part, request_lanes, segment_shift, step);
  }
  return count;
}

/// \param lines  true if loads move 128-byte lines, because L1 caches them
GlobalTraffic traffic_of(ComputeCapability cc, const WarpAccess& access, bool lines) {
  GlobalTraffic traffic;
  const Step step = detail::step_of(access);
  switch (scheme_of(cc)) {
    case Scheme::aligned_half_warps:
      for (int half = 0; half < 2; ++half) add_aligned_half_warp(access, half, traffic);
      return traffic;
    case Scheme::segmented_half_warps:
      for (int half = 0; half < 2; ++half) add_segmented_half_warp(access, half, step, traffic);
      return traffic;
    case Scheme::split_requests:
    case Scheme::sectors: break;
  }
  const int request_lanes = lanes_per_request(cc, access.bytes);
  if (lines && !access.store) {
    traffic.transactions_128 = count_segments(access, request_lanes, 7, step);
  } else {
    traffic.transactions_32 = count_segments(access, request_lanes, 5, step);
  }
  return traffic;
}

/// Return true if loads move L1 lines of 128 bytes, not L2 sectors.
bool global_loads_move_lines(ComputeCapability cc) { return cc.major == 2; }
bool local_loads_move_lines(ComputeCapability cc) { return cc.major == 2 || cc.major == 3; }

int ideal_transactions(ComputeCapability cc, const WarpAccess& access, bool lines) {
  const int unit = cc.major == 1 || (lines && !access.store) ? 128 : 32;
  const int request_lanes = lanes_per_request(cc, access.bytes);
  const int shift = std::countr_zero(static_cast<unsigned>(access.bytes));
  const Step step = detail::step_of(access);
  int count = 0;
  for (int part = 0; part < 32 / request_lanes; ++part) {
    const int words = count_in_part(access, part, request_lanes, shift, step);
    count += (words * access.bytes + unit - 1) / unit;
  }
  return count;
}

/// Calls `visit` for each 4-byte word of a local access, with the addresses in the hardware's
/// layout: word w of lane k is word 32 w + k.
template <typename Visit>
void for_each_local_word(const WarpAccess& access, Visit visit) {
  std::array<std::uint64_t, 32> addresses;
  for (int word = 0; word < std::max(1, access.bytes / 4); ++word) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      addresses[lane] = (access.addresses[lane] / 4 + word) * 128 + lane * 4;
    }
    visit(WarpAccess{addresses, access.active, 4, access.store});
  }
}

}  // namespace

GlobalTraffic global_traffic(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  return traffic_of(cc, access, global_loads_move_lines(cc));
}

int ideal_global_transactions(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  return ideal_transactions(cc, access, global_loads_move_lines(cc));
}

GlobalTraffic local_traffic(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  GlobalTraffic total;
  for_each_local_word(access, [&](const WarpAccess& word) {
    const GlobalTraffic traffic = traffic_of(cc, word, local_loads_move_lines(cc));
    total.transactions_32 += traffic.transactions_32;
    total.transactions_64 += traffic.transactions_64;
    total.transactions_128 += traffic.transactions_128;
  });
  return total;
}

int ideal_local_transactions(ComputeCapability cc, const WarpAccess& access) {
  detail::check(cc, access);
  int count = 0;
  for_each_local_word(access, [&](const WarpAccess& word) {
    count += ideal_transactions(cc, word, local_loads_move_lines(cc));
  });
  return count;
}

}  // namespace warpwise::rules
