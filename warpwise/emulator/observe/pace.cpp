#include "warpwise/emulator/observe/pace.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t sector_bytes = 32;

std::uint64_t sectors_in(std::uint32_t mask) {
  return static_cast<std::uint64_t>(std::popcount(mask));
}

}  // namespace

Pace::Pace(const Launch& launch)
    : Observer(launch), code_(launch.code), model_(*launch.pace), cc_(launch.ccs.front()) {}

void Pace::begins(Block& block) {
  auto clock = std::make_unique<BlockClock>();
  clock->warps.resize(block.warps.size());
  for (WarpClock& warp : clock->warps) warp.ready.assign(code_->virtual_registers, 0);
  blocks_[&block] = std::move(clock);
}

void Pace::ends(Block& block) {
  double last = 0;
  for (const WarpClock& warp : clock_of(block).warps) last = std::max(last, warp.now);
  counts_.block_cycles += last;
  blocks_.erase(&block);
}

double Pace::cycles_of(const Operation& op) const {
  switch (code_->classes[op.index]) {
    case InstructionClass::float64: return model_.float64_cycles;
    case InstructionClass::special:
    case InstructionClass::conversion:
    case InstructionClass::shuffle:
    case InstructionClass::tensor: return model_.special_cycles;
    case InstructionClass::texture: return model_.texture_cycles;
    default: return model_.arithmetic_cycles;
  }
}

void Pace::executes(Warp& warp, const Operation& op, Mask) {
  WarpClock& clock = clock_of(*warp.block).warps[warp.index];
  const Accesses& accesses = code_->accesses[op.index];
  double at = clock.now;
  for (const std::int32_t v : accesses.reads)
    at = std::max(at, clock.ready[static_cast<std::size_t>(v)]);
  const double done = at + cycles_of(op);
  for (const std::int32_t v : accesses.writes) clock.ready[static_cast<std::size_t>(v)] = done;
  clock.issued = at;
  clock.now = at + 1;
}

const Pace::Lines& Pace::touched(const Access& access) {
  touched_.clear();
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)] / sector_bytes;
    const std::uint64_t last =
        (access.addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(access.bytes) - 1) /
        sector_bytes;
    constexpr std::uint64_t in_line = line_bytes / sector_bytes;
    for (std::uint64_t sector = first; sector <= last; ++sector)
      touched_[sector / in_line] |= 1U << sector % in_line;
  }
  return touched_;
}

double Pace::load(BlockClock& block, const Access& access) {
  double cycles = model_.l1_cycles;
  std::uint64_t asked = 0;
  for (const auto& [line, sectors] : touched(access)) {
    SectorMask missing = sectors;
    if (model_.l1_bytes > 0) {
      const auto [held, is_new] = block.l1.try_emplace(line, 0);
      missing &= ~held->second;
      held->second |= sectors;
      if (is_new) block.oldest.push_back({line});
      if (block.oldest.size() * line_bytes > model_.l1_bytes) {
        block.l1.erase(block.oldest.front().line);
        block.oldest.pop_front();
      }
    }
    if (missing == 0) continue;
    asked += sectors_in(missing);
    SectorMask& known = read_[line];
    const bool in_l2 = (missing & ~known) == 0;
    counts_.dram_read_sectors += sectors_in(missing & ~known);
    known |= missing;
    cycles = std::max(cycles, in_l2 ? model_.l2_cycles : model_.dram_cycles);
  }
  counts_.l2_read_sectors += asked;
  // Lines pass through L1 one after another.
  return cycles + static_cast<double>(touched_.size()) - 1;
}

void Pace::store(BlockClock& block, const Access& access) {
  for (const auto& [line, sectors] : touched(access)) {
    counts_.l2_written_sectors += sectors_in(sectors);
    SectorMask& known = written_[line];
    counts_.dram_written_sectors += sectors_in(sectors & ~known);
    known |= sectors;
    // Written sectors are in L2, so reading them needs no DRAM read.
    read_[line] |= sectors;
    const auto held = block.l1.find(line);
    if (held != block.l1.end()) held->second &= ~sectors;
  }
}

void Pace::accesses(Warp& warp, const Operation& op, const Access& access) {
  if (access.site < 0 || access.lanes == 0 || access.space == Space::parameter ||
      code_->sites[static_cast<std::size_t>(access.site)].compiler_local) {
    return;
  }
  BlockClock& block = clock_of(*warp.block);
  WarpClock& clock = block.warps[warp.index];
  double cycles = 0;
  const rules::WarpAccess request{
      std::span<const std::uint64_t, warp_lanes>(access.addresses, warp_lanes), access.lanes,
      access.bytes, access.kind == AccessKind::store};
  switch (access.space) {
    case Space::shared: {
      const int further = std::max(rules::shared_passes(cc_, request).passes - 1, 0);
      cycles = model_.shared_cycles + further;
      break;
    }
    case Space::constant:
      cycles = model_.constant_cycles * std::max(rules::constant_passes(cc_, request), 1);
      break;
    case Space::local: cycles = model_.l1_cycles; break;
    default:
      if (access.kind != AccessKind::load) store(block, access);
      if (access.kind == AccessKind::load) cycles = load(block, access);
      if (access.kind == AccessKind::atomic) {
        counts_.l2_read_sectors += touched_.size();
        cycles = model_.l2_cycles;
      }
  }
  if (access.kind == AccessKind::store) return;
  for (const std::int32_t v : code_->accesses[op.index].writes)
    clock.ready[static_cast<std::size_t>(v)] = clock.issued + cycles;
}

void Pace::completes(Block& block, std::uint32_t barrier) {
  if (barrier >= cluster_barrier) return;  // not all of the block takes part, or other blocks do
  double last = 0;
  BlockClock& clock = clock_of(block);
  for (const WarpClock& warp : clock.warps) last = std::max(last, warp.now);
  for (WarpClock& warp : clock.warps) warp.now = last + model_.barrier_cycles;
}

void Pace::collect(const Launch&, const std::vector<const Pace*>& workers, LaunchResult& result) {
  for (const Pace* worker : workers) {
    result.pace.block_cycles += worker->counts_.block_cycles;
    result.pace.l2_read_sectors += worker->counts_.l2_read_sectors;
    result.pace.l2_written_sectors += worker->counts_.l2_written_sectors;
    result.pace.dram_read_sectors += worker->counts_.dram_read_sectors;
    result.pace.dram_written_sectors += worker->counts_.dram_written_sectors;
  }
}

}  // namespace warpwise::emulator
