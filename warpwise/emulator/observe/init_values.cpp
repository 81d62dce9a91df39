// Follows undefined values through registers.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "warpwise/emulator/instructions/operands.hpp"
#include "warpwise/emulator/instructions/warp_operations.hpp"
#include "warpwise/emulator/observe/init.hpp"

namespace warpwise::emulator {
namespace {

/// Returns a byte that looks random, and is always the same for a place and a trial.
std::uint8_t random_byte(std::size_t place, std::size_t trial) {
  std::uint64_t mixed = (place * 8 + trial + 1) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  return static_cast<std::uint8_t>(mixed >> 56);
}

std::uint8_t tried_byte(std::size_t place, std::size_t trial) {
  // A value of all ones is a NaN in every width. Its product is a NaN too, whatever the other
  // factor is, and so differs from the product of trial 0.
  return trial == 0 ? 0 : trial == 1 ? 0xff : random_byte(place, trial);
}

/// Returns the registers that an operation reads, except its guard, which is the last one.
std::span<const std::int32_t> operands_of(const Code& code, const Operation& op) {
  const auto& reads = code.accesses[op.index].reads;
  return std::span(reads).first(reads.size() - (op.guard != Operation::none ? 1 : 0));
}

}  // namespace

/// Marks lanes of a register as computed from undefined values.
void Init::poison(Warp& warp, RegisterPlace place, Mask lanes, const Origins& origins) {
  if (lanes == 0) return;
  set_shadow(warp, place, lanes, computed);
  keep_origins(warp, place, lanes, origins);
}

void Init::keep_origins(const Warp& warp, RegisterPlace place, Mask lanes, const Origins& origins) {
  if (lanes == 0) return;
  Origins& own = state_of(warp).origins[place.offset];
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    own[lane] = origins[lane];
  }
}

void Init::follow(Warp& warp, const Operation& op, Mask lanes) {
  const Kind kind = kind_of(op);
  const Accesses& own = code_->accesses[op.index];
  const auto is_poisoned = [&](std::int32_t v) { return poison_flag(warp, place_of(v)) != 0; };
  const bool reads = std::any_of(own.reads.begin(), own.reads.end(), is_poisoned) ||
                     (kind == Kind::carried && state_of(warp).carry != 0);
  if (reads) {
    check_operands(warp, op, kind, lanes);
    switch (kind) {
      case Kind::tried:
        if (op.control != Control::converge) return try_values(warp, op, lanes);
        // Lanes with different masks do not converge, so each mask has trials of its own.
        return for_each_member_mask(warp, op, lanes,
                                    [&](Mask same, Mask) { try_values(warp, op, same); });
      case Kind::summed: return sum(warp, op, lanes);
      case Kind::mixed: return mix(warp, op, lanes, false);
      case Kind::crossing: return mix(warp, op, lanes, true);
      case Kind::compared: return compare(warp, op, lanes);
      case Kind::carried: return carry(warp, op, lanes);
      default: break;
    }
  }
  // A load's result is checked when the access has taken place.
  const Mask by_guard =
      op.guard != Operation::none ? undefined_lanes(warp, {op.guard, Width::predicate}) : 0;
  for (const std::int32_t v : own.writes) set_shadow(warp, place_of(v), lanes & ~by_guard, 0);
}

/// Makes a shuffle's results undefined in lanes that read from a lane that takes no part in it.
void Init::follow_missing(Warp& warp, const Operation& op, Mask lanes) {
  // A constant operand is the same in all lanes, so the source lane makes no difference.
  if (op.a < 0 || !code_->names[op.index].starts_with("shfl")) return;
  const std::array<int, warp_lanes> from = lanes_shuffled_from(warp, op);
  const auto* const members =
      op.control == Control::converge ? source<std::uint32_t>(warp, op.members) : nullptr;
  Mask reading = 0;
  Origins origins{};
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const auto source_lane = static_cast<std::size_t>(from[lane]);
    const Mask named = members != nullptr ? members[lane] : all_lanes;
    const Mask named_there = members != nullptr ? members[source_lane] : all_lanes;
    // The source lane executes the same shuffle. If the member mask leaves it out, Check::sync
    // reports that.
    if ((lanes >> source_lane & 1) != 0 && named == named_there) continue;
    origins[lane].missing = missing(warp, from[lane], named);
    if (origins[lane].missing != Missing::none) reading |= Mask{1} << lane;
  }
  poison(warp, written(op, op.dst), reading, origins);
}

Init::Missing Init::missing(const Warp& warp, int lane, Mask members) const {
  if (warp.thread(lane) >= launch_->block.count()) return Missing::absent;
  if ((warp.live >> lane & 1) == 0) return Missing::exited;
  return (members >> lane & 1) == 0 ? Missing::not_a_member : Missing::none;
}

void Init::mix(Warp& warp, const Operation& op, Mask lanes, bool crosses) {
  const Accesses& own = code_->accesses[op.index];
  Mask undefined = 0;
  for (const std::int32_t v : own.reads) undefined |= undefined_lanes(warp, place_of(v));
  undefined &= lanes;
  if (crosses && undefined != 0) undefined = lanes;
  const Origins origins = origins_of(warp, op);
  for (const std::int32_t v : own.writes) {
    set_shadow(warp, place_of(v), lanes & ~undefined, 0);
    poison(warp, place_of(v), undefined, origins);
  }
}

/// Handles integer sums and products: result bit n depends only on operand bits up to n.
void Init::sum(Warp& warp, const Operation& op, Mask lanes) {
  const Accesses& own = code_->accesses[op.index];
  std::array<std::uint64_t, warp_lanes> undefined{};
  for (const std::int32_t v : own.reads) {
    const RegisterPlace place = place_of(v);
    const std::uint8_t* shadow = shadow_at(warp, place);
    for (Mask left = undefined_lanes(warp, place) & lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (place.width == Width::predicate) undefined[lane] = 1;
      if (place.width == Width::predicate) continue;
      for (std::size_t k = 0; k < value_bytes(place.width); ++k) {
        const std::uint64_t bits = undefined_bits(shadow[lane * lane_bytes(place.width) + k]);
        undefined[lane] |= bits << (8 * k);
      }
    }
  }
  const Origins origins = origins_of(warp, op);
  for (const std::int32_t v : own.writes) {
    const RegisterPlace place = place_of(v);
    set_shadow(warp, place, lanes, 0);
    std::uint8_t* shadow = shadow_at(warp, place);
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t lowest = undefined[lane] & (0 - undefined[lane]);
      const std::uint64_t bits = 0 - lowest;  // from the lowest undefined bit upwards
      for (std::size_t k = 0; k < value_bytes(place.width); ++k) {
        shadow[lane * lane_bytes(place.width) + k] =
            state_of_bits(static_cast<std::uint8_t>(bits >> (8 * k)));
      }
    }
    count_poison(warp, place);
    keep_origins(warp, place, undefined_lanes(warp, place) & lanes, origins);
  }
}

/// Handles a comparison. Its result is defined if its predicate operand decides it.
void Init::compare(Warp& warp, const Operation& op, Mask lanes) {
  Mask decided = 0;
  const Combination how = flags_of<CompareFlags>(op).combination;
  if (how == Combination::with_and || how == Combination::with_or) {
    const Mask c = predicate(warp, op.c, op.c_negated);
    decided = how == Combination::with_and ? ~c : c;
    if (op.c >= 0) decided &= ~undefined_lanes(warp, {op.c, Width::predicate});
    if (op.guard != Operation::none)
      decided &= ~undefined_lanes(warp, {op.guard, Width::predicate});
  }
  mix(warp, op, lanes & ~decided, false);
  for (const std::int32_t v : code_->accesses[op.index].writes)
    set_shadow(warp, place_of(v), lanes & decided, 0);
}

void Init::carry(Warp& warp, const Operation& op, Mask lanes) {
  const auto flags = flags_of<CarryFlags>(op);
  Mask& carry = state_of(warp).carry;
  Mask undefined = flags.reads != 0 ? carry & lanes : 0;
  const Origins origins = origins_of(warp, op);
  for (const std::int32_t v : code_->accesses[op.index].reads)
    undefined |= undefined_lanes(warp, place_of(v)) & lanes;
  for (const std::int32_t v : code_->accesses[op.index].writes) {
    set_shadow(warp, place_of(v), lanes & ~undefined, 0);
    poison(warp, place_of(v), undefined, origins);
  }
  if (flags.writes != 0) carry = (carry & ~lanes) | undefined;
}

/// Runs an operation on copies of its registers, with the trial's values for undefined operands.
void Init::try_once(Warp& warp, const Operation& op, Mask lanes, std::size_t number) {
  auto& tried = tried_[number];
  tried.resize(sources_.size());
  if (scratch_.size() == 0) {
    scratch_ = AlignedBytes(code_->register_bytes);
    std::memset(scratch_.data(), 0, scratch_.size());
  }
  const auto& [reads, writes] = code_->accesses[op.index];
  auto* copies = reinterpret_cast<std::uint8_t*>(scratch_.data());
  const auto* real = reinterpret_cast<const std::uint8_t*>(warp.registers);
  for (const auto* registers : {&reads, &writes}) {
    for (const std::int32_t v : *registers) {
      const RegisterPlace place = place_of(v);
      std::memcpy(copies + place.offset, real + place.offset, place_bytes(place.width));
    }
  }
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const RegisterPlace place = sources_[s];
    const std::uint8_t* shadow = shadow_at(warp, place);
    const auto first = static_cast<std::size_t>(place.offset);
    for (std::size_t i = 0; i < place_bytes(place.width); ++i) {
      const std::uint8_t value = tried_byte(first + i, number);
      const std::uint8_t bits =
          place.width == Width::predicate ? shadow[i] : undefined_bits(shadow[i]);
      copies[first + i] = static_cast<std::uint8_t>((copies[first + i] & ~bits) | (value & bits));
      tried[s][i] = copies[first + i];
    }
  }
  std::byte* const registers = std::exchange(warp.registers, scratch_.data());
  const Mask active = std::exchange(warp.active, lanes);
  const bool whole = std::exchange(warp.whole, false);
  op.run(warp, op);
  warp.registers = registers;
  warp.active = active;
  warp.whole = whole;
  auto& given = given_[number];
  given.resize(writes.size());
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const RegisterPlace place = place_of(writes[w]);
    std::memcpy(given[w].data(), copies + place.offset, place_bytes(place.width));
  }
}

/// Lists the undefined registers that an operation reads.
void Init::list_sources(const Warp& warp, const Operation& op) {
  sources_.clear();
  for (const std::int32_t v : operands_of(*code_, op)) {
    const RegisterPlace place = place_of(v);
    if (poison_flag(warp, place) == 0) continue;
    const bool is_known = std::any_of(sources_.begin(), sources_.end(),
                                      [&](auto each) { return each.offset == place.offset; });
    if (!is_known) sources_.push_back(place);
  }
}

void Init::try_values(Warp& warp, const Operation& op, Mask lanes) {
  list_sources(warp, op);
  const Origins origins = origins_of(warp, op);
  const Mask by_guard =
      op.guard != Operation::none ? undefined_lanes(warp, {op.guard, Width::predicate}) & lanes : 0;
  for (std::size_t trial = 0; trial < trials; ++trial) try_once(warp, op, lanes, trial);

  // All results are compared before any shadow changes, because a register may be both an operand
  // and a result.
  const Showing showing{code_->classes[op.index] == InstructionClass::shuffle, shows_bits(op)};
  const auto& writes = code_->accesses[op.index].writes;
  std::vector<RegisterBytes> shadows;
  for (std::size_t w = 0; w < writes.size(); ++w)
    shadows.push_back(shadow_of_result(warp, place_of(writes[w]), w, lanes, showing));
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const RegisterPlace place = place_of(writes[w]);
    std::memcpy(shadow_at(warp, place), shadows[w].data(), place_bytes(place.width));
    count_poison(warp, place);
    keep_origins(warp, place, undefined_lanes(warp, place) & lanes, origins);
    poison(warp, place, by_guard, origins);
  }
}

/// Returns a register's shadow after the trials of some lanes.
Init::RegisterBytes Init::shadow_of_result(const Warp& warp, RegisterPlace place,
                                           std::size_t number, Mask lanes,
                                           const Showing& showing) const {
  RegisterBytes shadow;
  std::memcpy(shadow.data(), shadow_at(warp, place), place_bytes(place.width));
  if (place.width == Width::predicate) {
    const auto mask_in = [](const RegisterBytes& bytes) {
      Mask mask = 0;
      std::memcpy(&mask, bytes.data(), sizeof(mask));
      return mask;
    };
    Mask differs = 0;
    for (const auto& given : given_) differs |= mask_in(given[number]) ^ mask_in(given_[0][number]);
    const Mask mask = (mask_in(shadow) & ~lanes) | (differs & lanes);
    std::memcpy(shadow.data(), &mask, sizeof(mask));
    return shadow;
  }
  const std::size_t step = lane_bytes(place.width);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::size_t k = 0; k < step; ++k) {
      const std::size_t byte = static_cast<std::size_t>(lane) * step + k;
      shadow[byte] = state_of_byte(warp, number, byte, lane, showing);
    }
  }
  return shadow;
}

/// Returns the state of a result's byte: defined, copied from one byte of a source, or computed.
std::uint8_t Init::state_of_byte(const Warp& warp, std::size_t number, std::size_t byte, int lane,
                                 const Showing& showing) const {
  std::uint8_t bits = 0;
  for (std::size_t t = 1; t < trials; ++t)
    bits |= given_[t][number][byte] ^ given_[0][number][byte];
  if (bits == 0) return 0;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const RegisterPlace place = sources_[s];
    if (place.width == Width::predicate) continue;
    const std::uint8_t* shadow = shadow_at(warp, place);
    const std::size_t step = lane_bytes(place.width);
    // A shuffle leaves each byte at its place in the word.
    const std::size_t begin = showing.crosses ? byte % step : static_cast<std::size_t>(lane) * step;
    const std::size_t end = showing.crosses ? step * warp_lanes : begin + step;
    for (std::size_t from = begin; from < end; from += showing.crosses ? step : 1) {
      if (shadow[from] == 0) continue;
      bool same = true;
      for (std::size_t t = 0; t < trials && same; ++t)
        same = tried_[t][s][from] == given_[t][number][byte];
      if (same) return shadow[from];
    }
  }
  return showing.bits ? state_of_bits(bits) : computed;
}

}  // namespace warpwise::emulator
