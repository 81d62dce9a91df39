// Assigns the virtual registers of decoded code to places in a warp's register file. Registers that
// are never live together share a place, because PTX names a new register for every value, and a
// warp's file should fit in the cache.

#include <algorithm>
#include <queue>
#include <utility>

#include "warpwise/emulator/decode/register_allocation.hpp"

namespace warpwise::emulator {
namespace {

using Bits = std::vector<std::uint64_t>;

void set(Bits& bits, std::int32_t i) {
  bits[static_cast<std::size_t>(i) / 64] |= std::uint64_t{1} << (i % 64);
}
void clear(Bits& bits, std::int32_t i) {
  bits[static_cast<std::size_t>(i) / 64] &= ~(std::uint64_t{1} << (i % 64));
}

struct Interval {
  std::int32_t first = -1;
  std::int32_t last = -1;
  void cover(std::int32_t at) {
    if (first < 0) first = last = at;
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

struct BasicBlock {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::vector<std::size_t> successors;
  Bits live_in;
};

std::vector<BasicBlock> basic_blocks(const Code& code) {
  const auto n = static_cast<std::int32_t>(code.operations.size());
  std::vector<bool> leads(static_cast<std::size_t>(n) + 1, false);
  leads[0] = true;
  const auto targets_of = [&](const Operation& op) {
    if (op.control == Control::branch) return std::vector<std::int32_t>{op.target};
    if (op.control == Control::branch_indexed)
      return code.jump_tables[static_cast<std::size_t>(op.target)];
    return std::vector<std::int32_t>{};
  };
  const auto ends = [](const Operation& op) {
    return op.control == Control::branch || op.control == Control::branch_indexed ||
           op.control == Control::exit || op.control == Control::ret;
  };
  for (std::int32_t i = 0; i < n; ++i) {
    const Operation& op = code.operations[static_cast<std::size_t>(i)];
    if (!ends(op)) continue;
    leads[static_cast<std::size_t>(i) + 1] = true;
    for (const std::int32_t target : targets_of(op)) leads[static_cast<std::size_t>(target)] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::size_t> block_at(static_cast<std::size_t>(n) + 1, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    if (leads[static_cast<std::size_t>(i)]) {
      blocks.emplace_back();
      blocks.back().begin = i;
    }
    block_at[static_cast<std::size_t>(i)] = blocks.size() - 1;
    blocks.back().end = i + 1;
  }
  for (BasicBlock& block : blocks) {
    const Operation& last = code.operations[static_cast<std::size_t>(block.end) - 1];
    for (const std::int32_t target : targets_of(last)) {
      block.successors.push_back(block_at[static_cast<std::size_t>(target)]);
    }
    const bool unconditional = last.guard == Operation::none && ends(last);
    if (!unconditional && block.end < n)
      block.successors.push_back(block_at[static_cast<std::size_t>(block.end)]);
  }
  return blocks;
}

/// Computes liveness backwards through one operation.
void step_back(Bits& live, const Code& code, const std::vector<Accesses>& accesses,
               std::int32_t at) {
  const Accesses& own = accesses[static_cast<std::size_t>(at)];
  // A guarded write keeps the old value in other lanes, so the old value is live before it.
  if (code.operations[static_cast<std::size_t>(at)].guard == Operation::none) {
    for (const std::int32_t v : own.writes) clear(live, v);
  } else {
    for (const std::int32_t v : own.writes) set(live, v);
  }
  for (const std::int32_t v : own.reads) set(live, v);
}

/// Results of Liveness for the virtual registers.
struct Lives {
  std::vector<Interval> spans;
  /// Registers that are live after each call at run time, by Operation::target.
  std::vector<std::vector<std::int32_t>> across;
  /// Live registers at the kernel's start, and at each function's entry.
  std::vector<std::int32_t> at_begin;
  std::vector<std::vector<std::int32_t>> at_entry;
};

std::vector<std::int32_t> listed(const Bits& bits) {
  std::vector<std::int32_t> result;
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1)
      result.push_back(static_cast<std::int32_t>(w * 64) + std::countr_zero(left));
  }
  return result;
}

/// Liveness of the virtual registers, from a fixed point over the basic blocks.
class Liveness {
 public:
  Liveness(const Code& code, const std::vector<Accesses>& accesses, std::size_t registers)
      : code_(code), accesses_(accesses), registers_(registers), blocks_(basic_blocks(code)),
        live_((registers + 63) / 64) {
    for (BasicBlock& block : blocks_) block.live_in.assign(live_.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) changed = update(blocks_[b]) || changed;
    }
  }

  Lives lives() {
    Lives lives;
    lives.at_begin = listed(blocks_.front().live_in);
    for (const CalledFunction& function : code_.functions) {
      const auto entry = std::find_if(blocks_.begin(), blocks_.end(),
                                      [&](const auto& b) { return b.begin == function.entry; });
      lives.at_entry.push_back(entry == blocks_.end() ? std::vector<std::int32_t>{}
                                                      : listed(entry->live_in));
    }
    lives.spans = spans();
    if (!code_.call_sites.empty()) lives.across = across_calls();
    return lives;
  }

 private:
  // Sets live_ to the registers that are live at a block's end.
  void live_out(const BasicBlock& block) {
    std::fill(live_.begin(), live_.end(), 0);
    for (const std::size_t s : block.successors) {
      for (std::size_t w = 0; w < live_.size(); ++w) live_[w] |= blocks_[s].live_in[w];
    }
  }

  // Returns true if the registers that are live at the block's begin have changed.
  bool update(BasicBlock& block) {
    live_out(block);
    for (std::int32_t at = block.end; at-- > block.begin;) step_back(live_, code_, accesses_, at);
    return std::exchange(block.live_in, live_) != live_;
  }

  std::vector<Interval> spans() {
    std::vector<Interval> result(registers_);
    const auto span = [&](std::int32_t v) -> Interval& {
      return result[static_cast<std::size_t>(v)];
    };
    for (const BasicBlock& block : blocks_) {
      for (const std::int32_t v : listed(block.live_in)) span(v).cover(block.begin);
      live_out(block);
      for (const std::int32_t v : listed(live_)) span(v).cover(block.end);
      for (std::int32_t at = block.begin; at < block.end; ++at) {
        const Accesses& own = accesses_[static_cast<std::size_t>(at)];
        for (const std::int32_t v : own.reads) span(v).cover(at);
        // A handler may write one result before it reads the operands of its next result.
        // Results therefore stay live one operation longer.
        for (const std::int32_t v : own.writes) {
          span(v).cover(at);
          span(v).cover(at + 1);
        }
      }
    }
    return result;
  }

  std::vector<std::vector<std::int32_t>> across_calls() {
    std::vector<std::vector<std::int32_t>> across(code_.call_sites.size());
    for (const BasicBlock& block : blocks_) {
      live_out(block);
      for (std::int32_t at = block.end; at-- > block.begin;) {
        const Operation& op = code_.operations[static_cast<std::size_t>(at)];
        if (op.control == Control::call) {
          auto& saved = across[static_cast<std::size_t>(op.target)];
          const std::vector<std::int32_t> now = listed(live_);
          saved.insert(saved.end(), now.begin(), now.end());
        }
        step_back(live_, code_, accesses_, at);
      }
    }
    return across;
  }

  const Code& code_;
  const std::vector<Accesses>& accesses_;
  std::size_t registers_;
  std::vector<BasicBlock> blocks_;
  Bits live_;
};

/// Makes special registers live from the start, because they are set before the first operation. If
/// the code has calls at run time, special registers stay live to the end, because calls do not
/// save them. Sets the registers that each call saves. Returns the special registers.
std::vector<std::int32_t> keep_specials(Code& code, Lives& lives,
                                        const std::vector<Width>& widths) {
  std::vector<std::int32_t> kept;
  for (const auto& special : code.specials) kept.push_back(special.slot);
  if (code.frame_register != Operation::none) kept.push_back(code.frame_register);
  for (const std::int32_t v : kept) {
    Interval& span = lives.spans[static_cast<std::size_t>(v)];
    span.cover(0);
    if (!code.call_sites.empty()) span.cover(static_cast<std::int32_t>(code.operations.size()));
  }
  for (std::size_t i = 0; i < code.call_sites.size(); ++i) {
    for (const std::int32_t v : lives.across[i]) {
      if (std::find(kept.begin(), kept.end(), v) != kept.end()) continue;
      code.call_sites[i].saved.push_back({v, widths[static_cast<std::size_t>(v)]});
    }
  }
  return kept;
}

/// Places of registers in a warp's file. Registers that are never live together share a place.
class Places {
 public:
  Places(const std::vector<Interval>& spans, const std::vector<Width>& widths)
      : widths_(widths), place_(widths.size(), 0) {
    std::vector<std::size_t> order;
    for (std::size_t v = 0; v < widths.size(); ++v) {
      if (spans[v].first >= 0) order.push_back(v);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return spans[x].first < spans[y].first; });
    for (const std::size_t v : order) place_[v] = pools_[kind_of(v)].take(spans[v]);
    base_[1] = (pools_[0].count * kind_bytes[0] + 63) / 64 * 64;
    base_[2] = base_[1] + pools_[1].count * kind_bytes[1];
  }

  std::size_t bytes() const { return base_[2] + pools_[2].count * kind_bytes[2]; }

  /// Returns a register's offset in bytes. A register that is never live may have any offset.
  std::int32_t offset_of(std::size_t v) const {
    const std::size_t kind = kind_of(v);
    return static_cast<std::int32_t>(base_[kind] + place_[v] * kind_bytes[kind]);
  }

 private:
  // Three kinds of places: masks, 32 lanes of 4 bytes, 32 lanes of 8 bytes.
  static constexpr std::size_t kind_bytes[] = {sizeof(Mask), sizeof(std::uint32_t) * warp_lanes,
                                               sizeof(std::uint64_t) * warp_lanes};
  std::size_t kind_of(std::size_t v) const {
    return widths_[v] == Width::predicate ? 0 : widths_[v] == Width::w64 ? 2 : 1;
  }

  struct Pool {
    std::size_t count = 0;
    std::vector<std::size_t> free;
    using Busy = std::pair<std::int32_t, std::size_t>;  // end of use, place
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;

    /// Returns a place for a register that is live in `span`. Must be called in the order in which
    /// the spans begin.
    std::size_t take(const Interval& span) {
      // An operation may write one register before it reads another. A place is therefore free only
      // after the operation with its last use.
      while (!busy.empty() && busy.top().first < span.first) {
        free.push_back(busy.top().second);
        busy.pop();
      }
      if (free.empty()) free.push_back(count++);
      const std::size_t place = free.back();
      free.pop_back();
      busy.push({span.last, place});
      return place;
    }
  };

  const std::vector<Width>& widths_;
  std::vector<std::size_t> place_;
  Pool pools_[3];
  std::size_t base_[3] = {0, 0, 0};
};

/// Replaces the registers in operations, lists, special registers and calls by their places.
void replace_registers(Code& code, const Places& places) {
  const auto replace = [&](std::int32_t& operand) {
    if (operand >= 0) operand = places.offset_of(static_cast<std::size_t>(operand));
  };
  for (Operation& op : code.operations) {
    for (std::int32_t* operand :
         {&op.dst, &op.dst2, &op.a, &op.b, &op.c, &op.d, &op.guard, &op.members}) {
      replace(*operand);
    }
  }
  for (std::int32_t& operand : code.lists) replace(operand);
  for (auto& special : code.specials) replace(special.slot);
  if (code.frame_register != Operation::none) replace(code.frame_register);
  for (CallSite& site : code.call_sites) {
    for (CallSite::Saved& saved : site.saved) replace(saved.slot);
  }
}

/// Sets Operation::unread of vector loads.
void count_unread(Code& code, const std::vector<Accesses>& accesses, std::size_t registers) {
  std::vector<bool> is_read(registers);
  for (const Accesses& each : accesses) {
    for (const std::int32_t v : each.reads) is_read[static_cast<std::size_t>(v)] = true;
  }
  for (Operation& op : code.operations) {
    if (op.count == 1 || !code.names[op.index].starts_with("ld.")) continue;
    const auto last = code.lists.begin() + op.list + op.count - 1;
    while (op.unread + 1 < op.count && !is_read[static_cast<std::size_t>(*(last - op.unread))])
      ++op.unread;
  }
}

}  // namespace

void allocate_registers(Code& code, const std::vector<Accesses>& accesses,
                        const std::vector<Width>& widths) {
  count_unread(code, accesses, widths.size());
  Lives lives = Liveness(code, accesses, widths.size()).lives();
  const std::vector<std::int32_t> kept = keep_specials(code, lives, widths);
  const Places places(lives.spans, widths);
  constexpr std::size_t least_bytes = 256;  // a 64-bit register of 32 lanes, if none is ever live
  code.register_bytes = std::max(places.bytes(), least_bytes);
  replace_registers(code, places);
  for (std::size_t v = 0; v < widths.size(); ++v) {
    code.places.push_back({places.offset_of(v), widths[v]});
  }
  const auto unset = [&](const std::vector<std::int32_t>& live) {
    std::vector<RegisterPlace> unset_places;
    for (const std::int32_t v : live) {
      if (std::find(kept.begin(), kept.end(), v) == kept.end())
        unset_places.push_back(code.places[static_cast<std::size_t>(v)]);
    }
    return unset_places;
  };
  code.unset = unset(lives.at_begin);
  for (std::size_t i = 0; i < code.functions.size(); ++i)
    code.functions[i].unset = unset(lives.at_entry[i]);
}

}  // namespace warpwise::emulator
