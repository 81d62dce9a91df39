// Models the order of loads in machine code, and accesses that the compiler joins to wider ones.

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "warpwise/emulator/observe/pace.hpp"

namespace warpwise::emulator {

bool Pace::ends_straight_code(WarpClock& clock, const Operation& op, Mask lanes) const {
  const InstructionClass kind = code_->classes[op.index];
  if (kind == InstructionClass::barrier) return true;
  if (kind != InstructionClass::control || is_condition_[op.index]) return false;
  if (rounds_[op.index] == 1) return true;
  int& rounds = clock.rounds[op.index];
  rounds = lanes == 0 ? 0 : (rounds + 1) % rounds_[op.index];
  return rounds == 0;
}

double Pace::order_of(WarpClock& clock, const Operation& op) {
  const std::vector<LoadCopy>& copies = copies_[op.index];
  const LoadCopy& copy = copies[clock.loaded[op.index]++ % copies.size()];
  clock.needed = copy.needed;
  double at = 0;
  for (const auto& [needed, ready] : clock.awaited)
    if (needed <= copy.place) at = std::max(at, ready);
  return at;
}

void Pace::set_loaded(WarpClock& clock, const Operation& op, double cycles) {
  const double ready = clock.issued + cycles;
  for (const std::int32_t v : code_->accesses[op.index].writes)
    clock.ready[static_cast<std::size_t>(v)] = ready;
  if (!copies_[op.index].empty()) clock.awaited.emplace_back(clock.needed, ready);
}

void Pace::join(std::vector<WideAccess>& all, const Access& access, int passes) {
  constexpr int widest = 16;
  const auto follows = [&](const WideAccess& wide) {
    if (wide.lanes != access.lanes || wide.word != access.bytes ||
        wide.bytes + access.bytes > wide.widest)
      return false;
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (access.addresses[lane] !=
          wide.addresses[static_cast<std::size_t>(lane)] + static_cast<std::uint64_t>(wide.bytes)) {
        return false;
      }
    }
    return true;
  };
  const auto found = std::ranges::find_if(all, follows);
  if (found == all.end()) {
    WideAccess wide{
        .lanes = access.lanes, .word = access.bytes, .bytes = access.bytes, .passes = passes};
    std::uint64_t bits = widest;
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      wide.addresses[static_cast<std::size_t>(lane)] = access.addresses[lane];
      bits |= access.addresses[lane];
    }
    wide.widest = 1 << std::countr_zero(bits);
    if (access.bytes >= 2 && wide.widest > access.bytes) all.push_back(wide);
    return;
  }
  found->bytes += access.bytes;
  found->passes += passes;
  // A load takes 1, 2 or 4 words, so for three words the compiler also loads an unused fourth one.
  // A store takes only words that the code stores.
  const bool is_store = access.kind == AccessKind::store;
  const auto bytes = static_cast<unsigned>(found->bytes);
  if (!is_store) ++counts_.joined_loads;
  if (is_store && !std::has_single_bit(bytes)) return;
  const rules::WarpAccess request{
      std::span<const std::uint64_t, warp_lanes>(found->addresses.data(), warp_lanes), found->lanes,
      static_cast<int>(std::bit_ceil(bytes)), is_store};
  const int joined = std::max(rules::shared_passes(cc_, request).passes, 1);
  counts_.joined_passes += static_cast<std::uint64_t>(std::max(found->passes - joined, 0));
  found->passes = std::min(found->passes, joined);
}

}  // namespace warpwise::emulator
