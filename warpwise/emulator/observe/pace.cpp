#include "warpwise/emulator/observe/pace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace warpwise::emulator {
namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t words_of_a_line = 32;
// Tags that L1 looks up in a cycle; measured on an H200.
constexpr std::uint64_t lines_in_a_pass = 4;

std::uint64_t sectors_in(std::uint32_t mask) {
  return static_cast<std::uint64_t>(std::popcount(mask));
}

// Counts of a class have the first instruction.
rules::MachineInstructions without_the_first(rules::MachineInstructions all, InstructionClass c) {
  all.all -= 1;
  double* const unit = c == InstructionClass::integer || c == InstructionClass::logic ||
                               c == InstructionClass::compare
                           ? &all.integer
                       : c == InstructionClass::float32    ? &all.float32
                       : c == InstructionClass::float64    ? &all.float64
                       : c == InstructionClass::special    ? &all.special
                       : c == InstructionClass::conversion ? &all.conversion
                                                           : nullptr;
  if (unit != nullptr) *unit = std::max(0.0, *unit - 1);
  return all;
}

}  // namespace

Pace::Pace(const Launch& launch)
    : Observer(launch), code_(launch.code), model_(*launch.pace), cc_(launch.ccs.front()) {
  for (std::size_t i = 0; i < code_->names.size(); ++i) {
    const rules::MachineCode* code = rules::machine_code(code_->names[i]);
    further_.push_back(code == nullptr ? rules::MachineInstructions{}
                                       : without_the_first(code->first, code_->classes[i]));
    further_again_.push_back(code == nullptr ? rules::MachineInstructions{}
                                             : without_the_first(code->again, code_->classes[i]));
  }
}

void Pace::on_block_begin(Block& block) {
  auto clock = std::make_unique<BlockClock>();
  clock->warps.resize(block.warps.size());
  for (WarpClock& warp : clock->warps) warp.ready.assign(code_->virtual_registers, 0);
  blocks_[&block] = std::move(clock);
}

void Pace::on_block_end(Block& block) {
  double last = 0;
  for (const WarpClock& warp : clock_of(block).warps)
    last = std::max({last, warp.now, warp.latest + 1});
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

void Pace::on_execute(Warp& warp, const Operation& op, Mask) {
  WarpClock& clock = clock_of(*warp.block).warps[warp.index];
  const Accesses& accesses = code_->accesses[op.index];
  const InstructionClass kind = code_->classes[op.index];
  double at = clock.now;
  for (const std::int32_t v : accesses.reads)
    at = std::max(at, clock.ready[static_cast<std::size_t>(v)]);
  if (kind == InstructionClass::load) at = std::max(at, clock.stored);
  double done = at + cycles_of(op);
  if (further_[op.index].all > 0 || further_[op.index].conversion64 > 0) {
    // The compiler computes what a divisor alone decides once.
    bool again = false;
    if (accesses.reads.size() > 1) {
      const std::int32_t divisor = accesses.reads[1];
      const double since = clock.ready[static_cast<std::size_t>(divisor)];
      const auto [last, is_new] = clock.divided_by.try_emplace(divisor, since);
      again = !is_new && last->second == since;
      last->second = since;
    }
    const rules::MachineInstructions& further = (again ? further_again_ : further_)[op.index];
    counts_.further += further;
    // These further instructions wait for each other.
    done += further.all * model_.arithmetic_cycles;
  }
  for (const std::int32_t v : accesses.writes) clock.ready[static_cast<std::size_t>(v)] = done;
  clock.issued = at;
  clock.latest = std::max(clock.latest, at);
  if (kind == InstructionClass::store || kind == InstructionClass::atomic)
    clock.stored = std::max(clock.stored, at);
  const bool ends_block = kind == InstructionClass::control || kind == InstructionClass::barrier;
  if (ends_block) clock.merged_stores.clear();
  if (ends_block || kind == InstructionClass::store || kind == InstructionClass::atomic)
    clock.wide_loads.clear();
  clock.now = (ends_block ? clock.latest : clock.now) + 1;
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

Pace::SectorMask Pace::missing_in_l1(BlockClock& block, Line line, SectorMask sectors) {
  if (model_.l1_bytes == 0) return sectors;
  const auto [held, is_new] = block.l1.try_emplace(line, 0);
  const SectorMask missing = sectors & ~held->second;
  held->second |= sectors;
  if (is_new) block.oldest.push_back({line});
  if (block.oldest.size() * line_bytes > model_.l1_bytes) {
    block.l1.erase(block.oldest.front().line);
    block.oldest.pop_front();
  }
  return missing;
}

double Pace::load(BlockClock& block, const Access& access) {
  double cycles = model_.l1_cycles;
  for (const auto& [line, sectors] : touched(access)) {
    const SectorMask missing = missing_in_l1(block, line, sectors);
    if (missing == 0) continue;
    counts_.l2_read_sectors += sectors_in(missing);
    ++counts_.l2_read_lines;
    SectorMask& known = read_[line];
    counts_.distinct_read_sectors += sectors_in(missing & ~requested_[line]);
    requested_[line] |= missing;
    const bool in_l2 = (missing & ~known) == 0;
    const SectorMask moved = whole_dram_accesses(missing & ~known);
    counts_.dram_read_sectors += sectors_in(moved & ~known);
    known |= moved;
    cycles = std::max(cycles, in_l2 ? model_.l2_cycles : model_.dram_cycles);
  }
  // Lines pass through L1 one after another.
  return cycles + static_cast<double>(touched_.size()) - 1;
}

double Pace::local(BlockClock& block, const Warp& warp, const Access& access) {
  constexpr Line of_local_memory = Line{1} << 63;
  constexpr int lanes_in_sector = sector_bytes / 4;
  double cycles = model_.l1_cycles;
  touched_.clear();
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)];
    for (std::uint64_t at = first; at < first + static_cast<std::uint64_t>(access.bytes); at += 4)
      touched_[of_local_memory | static_cast<Line>(warp.index) << 32 | at / 4] |=
          1U << std::countr_zero(left) / lanes_in_sector;
  }
  for (const auto& [line, sectors] : touched_) {
    const SectorMask missing = missing_in_l1(block, line, sectors);
    if (access.kind == AccessKind::store) {
      // L1 writes them through.
      ++counts_.l2_written_lines;
      counts_.l2_written_sectors += sectors_in(sectors);
    } else if (missing != 0) {
      ++counts_.l2_read_lines;
      counts_.l2_read_sectors += sectors_in(missing);
      cycles = model_.l2_cycles;
    }
  }
  counts_.l1_passes += touched_.size();
  return cycles + static_cast<double>(touched_.size()) - 1;
}

Pace::SectorMask Pace::whole_dram_accesses(SectorMask sectors) const {
  if (model_.dram_sectors == 1) return sectors;
  constexpr SectorMask first_of_pairs = 0b0101;
  const SectorMask pairs = (sectors | sectors >> 1) & first_of_pairs;
  return pairs | pairs << 1;
}

void Pace::store(BlockClock& block, WarpClock& warp, const Access& access) {
  for (const auto& [line, sectors] : touched(access)) {
    SectorMask sent = sectors;
    if (access.kind == AccessKind::store) {
      SectorMask& merged = warp.merged_stores[line];
      sent &= ~merged;
      merged |= sectors;
    }
    counts_.l2_written_sectors += sectors_in(sent);
    counts_.l2_written_lines += sent == 0 ? 0 : 1;
    // Written sectors are in L2, so reading them needs no DRAM read.
    WrittenLine& written = written_[line];
    written.read_before |= sectors & read_[line] & ~written.touched;
    written.touched |= sectors;
    read_[line] |= sectors;
    const auto held = block.l1.find(line);
    if (held != block.l1.end()) held->second &= ~sectors;
  }
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(left)];
    for (std::uint64_t at = first; at < first + static_cast<std::uint64_t>(access.bytes); ++at)
      written_[at / line_bytes].bytes.set(at % line_bytes);
  }
}

void Pace::atomic(const Block& block, const Operation& op, const Access& access) {
  Mask lanes = access.lanes;
  const std::uint64_t first = access.addresses[std::countr_zero(lanes)];
  bool at_one_address = true;
  for (Mask left = lanes; left != 0; left &= left - 1)
    at_one_address &= access.addresses[std::countr_zero(left)] == first;
  // The compiler reduces a warp's integers for one address, and has one lane add them.
  const std::string& name = code_->names[op.index];
  const bool is_integer =
      name.find(".f") == std::string::npos && name.find(".bf") == std::string::npos;
  const bool is_reduced =
      is_integer &&
      std::ranges::any_of(std::array{".add.", ".min.", ".max.", ".and.", ".or.", ".xor."},
                          [&](const char* each) { return name.find(each) != std::string::npos; });
  if (at_one_address && is_reduced) lanes &= ~lanes + 1;
  // L2 operates on the words of a sector at once, and on one word by one operation after the other.
  std::unordered_map<std::uint64_t, std::uint64_t> of_word, of_sector;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(left)];
    std::uint64_t& most = of_sector[address / sector_bytes];
    most = std::max(most, ++of_word[address]);
  }
  const double cycles = is_integer ? model_.integer_atomic_cycles : model_.atomic_cycles;
  for (const auto& [sector, operations] : of_sector) {
    AtomicLine& line = atomics_[sector * sector_bytes / line_bytes];
    line.cycles += static_cast<double>(operations) * cycles;
    line.first = std::min(line.first, block.linear);
    line.last = std::max(line.last, block.linear);
  }
}

void Pace::join(WarpClock& warp, const Access& access, int passes) {
  constexpr int widest = 16;
  const auto follows = [&](const WideLoad& wide) {
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
  const auto found = std::ranges::find_if(warp.wide_loads, follows);
  if (found == warp.wide_loads.end()) {
    WideLoad wide{
        .lanes = access.lanes, .word = access.bytes, .bytes = access.bytes, .passes = passes};
    std::uint64_t bits = widest;
    for (Mask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      wide.addresses[static_cast<std::size_t>(lane)] = access.addresses[lane];
      bits |= access.addresses[lane];
    }
    wide.widest = 1 << std::countr_zero(bits);
    if (access.bytes >= 2 && wide.widest > access.bytes) warp.wide_loads.push_back(wide);
    return;
  }
  found->bytes += access.bytes;
  found->passes += passes;
  // Three words are a load of two and one of one: as many loads as the number has bits.
  const auto words = static_cast<unsigned>(found->bytes / access.bytes);
  counts_.joined_loads +=
      static_cast<std::uint64_t>(1 + std::popcount(words - 1) - std::popcount(words));
  if (!std::has_single_bit(words)) return;
  const rules::WarpAccess request{
      std::span<const std::uint64_t, warp_lanes>(found->addresses.data(), warp_lanes), found->lanes,
      found->bytes, false};
  const int joined = std::max(rules::shared_passes(cc_, request).passes, 1);
  counts_.joined_passes += static_cast<std::uint64_t>(std::max(found->passes - joined, 0));
  found->passes = std::min(found->passes, joined);
}

void Pace::add_stores_to(PaceCounts& counts) const {
  for (const auto& [line, written] : written_) {
    SectorMask partial = 0;
    for (std::uint64_t sector = 0; sector < line_bytes / sector_bytes; ++sector) {
      std::uint64_t filled = 0;
      for (std::uint64_t i = 0; i < sector_bytes; ++i)
        filled += written.bytes[sector * sector_bytes + i] ? 1 : 0;
      if (filled > 0 && filled < sector_bytes) partial |= 1U << sector;
    }
    counts.dram_written_sectors += sectors_in(whole_dram_accesses(written.touched));
    counts.dram_filled_sectors += sectors_in(whole_dram_accesses(partial & ~written.read_before));
  }
}

void Pace::after_access(Warp& warp, const Operation& op, const Access& access) {
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
      if (access.kind == AccessKind::load) {
        ++counts_.shared_loads;
        counts_.shared_load_bytes += static_cast<std::uint64_t>(access.bytes);
      }
      const int passes = std::max(rules::shared_passes(cc_, request).passes, 1);
      if (access.kind == AccessKind::load) join(clock, access, passes);
      cycles = model_.shared_cycles + passes - 1;
      break;
    }
    case Space::constant:
      cycles = model_.constant_cycles * std::max(rules::constant_passes(cc_, request), 1);
      break;
    case Space::local: cycles = local(block, warp, access); break;
    default:
      if (access.kind != AccessKind::load) store(block, clock, access);
      if (access.kind == AccessKind::load) cycles = load(block, access);
      if (access.kind == AccessKind::atomic) {
        counts_.l2_read_sectors += touched_.size();
        atomic(*warp.block, op, access);
        cycles = model_.l2_cycles;
      }
      counts_.l1_passes +=
          std::max(static_cast<std::uint64_t>(rules::shared_passes(cc_, request).passes),
                   (touched_.size() + lines_in_a_pass - 1) / lines_in_a_pass);
  }
  if (access.kind == AccessKind::store) return;
  for (const std::int32_t v : code_->accesses[op.index].writes)
    clock.ready[static_cast<std::size_t>(v)] = clock.issued + cycles;
}

void Pace::on_barrier_complete(Block& block, std::uint32_t barrier) {
  if (barrier >= cluster_barrier) return;  // not all of the block takes part, or other blocks do
  double last = 0;
  BlockClock& clock = clock_of(block);
  for (const WarpClock& warp : clock.warps) last = std::max({last, warp.now, warp.latest + 1});
  // The figure is of eight warps. The barrier takes the block's warps one after the other.
  constexpr double measured_warps = 8;
  const auto warps = static_cast<double>(clock.warps.size());
  const double cycles =
      std::max(model_.barrier_cycles + (warps - measured_warps) * model_.barrier_warp_cycles,
               warps * model_.barrier_warp_cycles);
  for (WarpClock& warp : clock.warps) warp.now = last + cycles;
}

void Pace::collect(const Launch& launch, const std::vector<const Pace*>& workers,
                   LaunchResult& result) {
  std::unordered_map<Line, AtomicLine> atomics;
  for (const Pace* worker : workers) {
    worker->add_stores_to(result.pace);
    for (const auto& [line, found] : worker->atomics_) {
      AtomicLine& all = atomics[line];
      all.cycles += found.cycles;
      all.first = std::min(all.first, found.first);
      all.last = std::max(all.last, found.last);
    }
    result.pace.further += worker->counts_.further;
    result.pace.l1_passes += worker->counts_.l1_passes;
    result.pace.l2_read_lines += worker->counts_.l2_read_lines;
    result.pace.l2_written_lines += worker->counts_.l2_written_lines;
    result.pace.block_cycles += worker->counts_.block_cycles;
    result.pace.l2_read_sectors += worker->counts_.l2_read_sectors;
    result.pace.l2_written_sectors += worker->counts_.l2_written_sectors;
    result.pace.dram_read_sectors += worker->counts_.dram_read_sectors;
    result.pace.distinct_read_sectors += worker->counts_.distinct_read_sectors;
    result.pace.shared_loads += worker->counts_.shared_loads;
    result.pace.shared_load_bytes += worker->counts_.shared_load_bytes;
    result.pace.joined_loads += worker->counts_.joined_loads;
    result.pace.joined_passes += worker->counts_.joined_passes;
  }
  for (const auto& [line, each] : atomics) {
    if (each.first == each.last) continue;
    // Words of 32 neighbours fit into a line. If these are the grid, the line may be everyone's.
    const std::uint64_t users = each.last - each.first + 1;
    const bool are_neighbours = users <= words_of_a_line && users < launch.grid.count();
    std::uint64_t& most = are_neighbours ? result.pace.atomic_cycles_of_neighbours
                                         : result.pace.atomic_cycles_of_busiest_line;
    most = std::max(most, static_cast<std::uint64_t>(std::llround(each.cycles)));
  }
}

}  // namespace warpwise::emulator
