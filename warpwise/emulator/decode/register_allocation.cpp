// Assigns the virtual registers of decoded code to places in a warp's register file. Registers that
// are never live together share a place. PTX names a new register for every value, and a warp's
// file should fit in the cache.

#include <algorithm>
#include <queue>

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
  // A guarded write keeps the old value in other lanes.
  if (code.operations[static_cast<std::size_t>(at)].guard == Operation::none) {
    for (const std::int32_t v : own.writes) clear(live, v);
  } else {
    for (const std::int32_t v : own.writes) set(live, v);
  }
  for (const std::int32_t v : own.reads) set(live, v);
}

/// Results of analyse() for the virtual registers.
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

Lives analyse(const Code& code, const std::vector<Accesses>& accesses, std::size_t registers) {
  std::vector<BasicBlock> blocks = basic_blocks(code);
  const std::size_t words = (registers + 63) / 64;
  for (BasicBlock& block : blocks) block.live_in.assign(words, 0);
  Bits live(words);
  const auto live_out = [&](const BasicBlock& block) {
    std::fill(live.begin(), live.end(), 0);
    for (const std::size_t s : block.successors) {
      for (std::size_t w = 0; w < words; ++w) live[w] |= blocks[s].live_in[w];
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      live_out(blocks[b]);
      for (std::int32_t at = blocks[b].end; at-- > blocks[b].begin;)
        step_back(live, code, accesses, at);
      if (live != blocks[b].live_in) {
        blocks[b].live_in = live;
        changed = true;
      }
    }
  }
  Lives lives;
  lives.spans.resize(registers);
  lives.at_begin = listed(blocks.front().live_in);
  for (const CalledFunction& function : code.functions) {
    const auto entry = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const auto& b) { return b.begin == function.entry; });
    lives.at_entry.push_back(entry == blocks.end() ? std::vector<std::int32_t>{}
                                                   : listed(entry->live_in));
  }
  std::vector<Interval>& result = lives.spans;
  const auto cover_all = [&](const Bits& bits, std::int32_t at) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
        result[w * 64 + static_cast<std::size_t>(std::countr_zero(left))].cover(at);
      }
    }
  };
  for (const BasicBlock& block : blocks) {
    cover_all(block.live_in, block.begin);
    live_out(block);
    cover_all(live, block.end);
    for (std::int32_t at = block.begin; at < block.end; ++at) {
      const Accesses& own = accesses[static_cast<std::size_t>(at)];
      for (const std::int32_t v : own.reads) result[static_cast<std::size_t>(v)].cover(at);
      // A handler may write one result before it reads operands of the next one. So results stay
      // live one operation longer.
      for (const std::int32_t v : own.writes) {
        result[static_cast<std::size_t>(v)].cover(at);
        result[static_cast<std::size_t>(v)].cover(at + 1);
      }
    }
  }
  if (code.call_sites.empty()) return lives;
  lives.across.resize(code.call_sites.size());
  for (const BasicBlock& block : blocks) {
    live_out(block);
    for (std::int32_t at = block.end; at-- > block.begin;) {
      const Operation& op = code.operations[static_cast<std::size_t>(at)];
      if (op.control == Control::call) {
        auto& across = lives.across[static_cast<std::size_t>(op.target)];
        for (std::size_t v = 0; v < registers; ++v) {
          if ((live[v / 64] >> (v % 64) & 1) != 0) across.push_back(static_cast<std::int32_t>(v));
        }
      }
      step_back(live, code, accesses, at);
    }
  }
  return lives;
}

}  // namespace

void allocate_registers(Code& code, const std::vector<Accesses>& accesses,
                        const std::vector<Width>& widths) {
  Lives lives = analyse(code, accesses, widths.size());
  std::vector<Interval>& spans = lives.spans;
  // Special registers are set before the first operation, and functions do not save them.
  std::vector<std::int32_t> kept;
  for (const auto& special : code.specials) kept.push_back(special.slot);
  if (code.frame_register != Operation::none) kept.push_back(code.frame_register);
  for (const std::int32_t v : kept) {
    spans[static_cast<std::size_t>(v)].cover(0);
    if (!code.call_sites.empty())
      spans[static_cast<std::size_t>(v)].cover(static_cast<std::int32_t>(code.operations.size()));
  }
  for (std::size_t i = 0; i < code.call_sites.size(); ++i) {
    for (const std::int32_t v : lives.across[i]) {
      if (std::find(kept.begin(), kept.end(), v) != kept.end()) continue;
      code.call_sites[i].saved.push_back({v, widths[static_cast<std::size_t>(v)]});
    }
  }

  std::vector<std::size_t> order;
  for (std::size_t v = 0; v < widths.size(); ++v) {
    if (spans[v].first >= 0) order.push_back(v);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return spans[x].first < spans[y].first; });

  // Three kinds of places: masks, 32 lanes of 4 bytes, 32 lanes of 8 bytes.
  struct Pool {
    std::size_t bytes = 0;
    std::size_t count = 0;
    std::vector<std::size_t> free;
    using Busy = std::pair<std::int32_t, std::size_t>;  // until, place
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  };
  Pool pools[3];
  pools[0].bytes = sizeof(Mask);
  pools[1].bytes = sizeof(std::uint32_t) * warp_lanes;
  pools[2].bytes = sizeof(std::uint64_t) * warp_lanes;
  const auto pool_of = [](Width width) {
    return width == Width::predicate ? 0 : width == Width::w64 ? 2 : 1;
  };
  std::vector<std::size_t> place(widths.size(), 0);
  for (const std::size_t v : order) {
    Pool& pool = pools[pool_of(widths[v])];
    // An operation may write one register and still read another, so places are free only after the
    // last use.
    while (!pool.busy.empty() && pool.busy.top().first < spans[v].first) {
      pool.free.push_back(pool.busy.top().second);
      pool.busy.pop();
    }
    if (pool.free.empty()) pool.free.push_back(pool.count++);
    place[v] = pool.free.back();
    pool.free.pop_back();
    pool.busy.push({spans[v].last, place[v]});
  }
  std::size_t base[3] = {0, 0, 0};
  base[1] = (pools[0].count * pools[0].bytes + 63) / 64 * 64;
  base[2] = base[1] + pools[1].count * pools[1].bytes;
  // Unused registers may have any place.
  code.register_bytes = std::max<std::size_t>(base[2] + pools[2].count * pools[2].bytes, 256);
  const auto resolve = [&](std::int32_t& operand) {
    if (operand < 0) return;
    const auto v = static_cast<std::size_t>(operand);
    const int pool = pool_of(widths[v]);
    operand = static_cast<std::int32_t>(base[pool] + place[v] * pools[pool].bytes);
  };
  for (Operation& op : code.operations) {
    for (std::int32_t* operand :
         {&op.dst, &op.dst2, &op.a, &op.b, &op.c, &op.d, &op.guard, &op.members}) {
      resolve(*operand);
    }
  }
  for (std::int32_t& operand : code.lists) resolve(operand);
  for (auto& special : code.specials) resolve(special.slot);
  if (code.frame_register != Operation::none) resolve(code.frame_register);
  for (CallSite& site : code.call_sites) {
    for (CallSite::Saved& saved : site.saved) resolve(saved.slot);
  }
  for (std::size_t v = 0; v < widths.size(); ++v) {
    auto offset = static_cast<std::int32_t>(v);
    resolve(offset);
    code.places.push_back({offset, widths[v]});
  }
  const auto unset = [&](const std::vector<std::int32_t>& live) {
    std::vector<RegisterPlace> places;
    for (const std::int32_t v : live) {
      if (std::find(kept.begin(), kept.end(), v) == kept.end())
        places.push_back(code.places[static_cast<std::size_t>(v)]);
    }
    return places;
  };
  code.unset = unset(lives.at_begin);
  for (std::size_t i = 0; i < code.functions.size(); ++i)
    code.functions[i].unset = unset(lives.at_entry[i]);
}

}  // namespace warpwise::emulator
