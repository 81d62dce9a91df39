#include "warpwise/emulator/observe/pace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include "warpwise/emulator/device.hpp"
#include "warpwise/emulator/observe/unrolled_loops.hpp"

namespace warpwise::emulator {
namespace {

// Two blocks are neighbours if their indices differ by less than this number. They are also
// neighbours if the difference is a row of the grid, plus or minus less than this number.
// Neighbours may share the cache lines at their data's borders. Distant blocks share lines only if
// the kernel is designed so.
constexpr std::uint64_t distant_blocks = 32;
// Cycles that a warp waits for each further pass of shared memory; measured on an H200.
constexpr double cycles_of_a_further_pass = 2;
// Tags that L1 looks up in a cycle; measured on an H200.
constexpr std::uint64_t lines_in_a_pass = 4;

// Returns an operation's machine instructions except the first one. The counts by class already
// include one instruction for each operation.
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
    : Observer(launch), code_(launch.code), executed_(launch.code->operations.size()),
      atomic_kinds_(atomic_kinds(*launch.code)),
      copies_(copies_of_loads(*launch.code, *launch.pace)),
      rounds_(rounds_written_out(*launch.code, copies_)),
      is_condition_(branches_over_little(*launch.code)), model_(*launch.pace),
      cc_(launch.ccs.front()), row_(launch.grid.x < launch.grid.count() ? launch.grid.x : 0) {
  for (std::size_t i = 0; i < code_->names.size(); ++i) {
    const rules::MachineCode* code = rules::machine_code(code_->names[i]);
    further_.push_back(code == nullptr ? rules::MachineInstructions{}
                                       : without_the_first(code->first, code_->classes[i]));
    further_again_.push_back(code == nullptr ? rules::MachineInstructions{}
                                             : without_the_first(code->again, code_->classes[i]));
    const std::string& name = code_->names[i];
    reads_line_.push_back(name.starts_with("tex.") && (name.find(".1d") != std::string::npos ||
                                                       name.find(".a1d") != std::string::npos));
  }
}

bool Pace::are_distant(std::uint64_t one, std::uint64_t other) const {
  const std::uint64_t apart = std::max(one, other) - std::min(one, other);
  const std::uint64_t from_row = std::max(apart, row_) - std::min(apart, row_);
  return apart >= distant_blocks && from_row >= distant_blocks;
}

void Pace::on_block_begin(Block& block) {
  auto clock = std::make_unique<BlockClock>();
  clock->warps.resize(block.warps.size());
  for (WarpClock& warp : clock->warps) warp.ready.assign(code_->virtual_registers, 0);
  blocks_[&block] = std::move(clock);
}

void Pace::on_block_end(Block& block) {
  const BlockClock& clock = clock_of(block);
  const double cycles = last_end(clock);
  counts_.block_cycles += cycles;
  counts_.block_lengths.push_back({block.linear, cycles});
  for (const auto& [line, sectors] : clock.requested)
    counts_.block_read_sectors += sectors_in(sectors);
  blocks_.erase(&block);
}

double Pace::last_arrival(const BlockClock& block) const {
  double last = 0;
  for (const WarpClock& warp : block.warps) last = std::max({last, warp.now, warp.reached + 1});
  // Operations on one word take turns, even operations of different warps.
  for (const auto& [word, operations] : block.looped) {
    last = std::max(
        last, block.phase_began + static_cast<double>(operations) * model_.shared_loop_cycles);
  }
  return last;
}

double Pace::last_end(const BlockClock& block) const {
  double last = last_arrival(block);
  for (const WarpClock& warp : block.warps) last = std::max(last, warp.latest + 1);
  return last;
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

void Pace::on_execute(Warp& warp, const Operation& op, Mask lanes) {
  ++executed_[op.index];
  WarpClock& clock = clock_of(*warp.block).warps[warp.index];
  const Accesses& accesses = code_->accesses[op.index];
  const InstructionClass kind = code_->classes[op.index];
  double at = clock.now;
  for (const std::int32_t v : accesses.reads)
    at = std::max(at, clock.ready[static_cast<std::size_t>(v)]);
  const bool of_shared = op.space == Space::shared || op.space == Space::generic;
  const bool of_others = op.space != Space::shared;
  if (kind == InstructionClass::load) {
    if (of_shared) at = std::max(at, clock.stored_shared);
    if (of_others) at = std::max(at, clock.stored);
  }
  if (!copies_[op.index].empty()) at = std::max(at, order_of(clock, op));
  double done = at + cycles_of(op);
  if (further_[op.index].all > 0 || further_[op.index].conversion64 > 0) {
    // For divisions by the same divisor, the compiler computes the part that depends only on the
    // divisor once.
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
  // No load moves before an atomic operation, even one in another space.
  const bool is_atomic = kind == InstructionClass::atomic;
  if (kind == InstructionClass::store || is_atomic) {
    if (of_shared || is_atomic) clock.stored_shared = std::max(clock.stored_shared, at);
    if (of_others || is_atomic) clock.stored = std::max(clock.stored, at);
  }
  if (kind == InstructionClass::store || is_atomic || kind == InstructionClass::load ||
      kind == InstructionClass::texture)
    clock.reached = std::max(clock.reached, at);
  const bool ends_block = ends_straight_code(clock, op, lanes);
  if (ends_block) {
    clock.merged_stores.clear();
    clock.stores_since = 0;
    clock.merged_sectors = clock.merged_lines = 0;
    clock.loaded.clear();
    clock.awaited.clear();
  }
  if (ends_block || kind == InstructionClass::store || is_atomic) clock.wide_loads.clear();
  if (ends_block || kind == InstructionClass::load || is_atomic) clock.wide_stores.clear();
  if (ends_block && kind != InstructionClass::barrier)
    clock.reached = std::max(clock.reached, clock.latest);
  const bool goes_elsewhere =
      ends_block && op.control == Control::branch && op.guard != Operation::none && lanes != 0;
  clock.now = (ends_block ? std::max(clock.now, clock.reached) : clock.now) +
              (goes_elsewhere ? model_.branch_cycles : 1);
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
      if (access.kind == AccessKind::load) join(clock.wide_loads, access, passes);
      if (access.kind == AccessKind::store) join(clock.wide_stores, access, passes);
      const double conflicts = cycles_of_a_further_pass * (passes - 1);
      cycles = access.kind == AccessKind::atomic ? shared_atomic(block, op, access, passes)
                                                 : model_.shared_cycles + conflicts;
      if (access.kind == AccessKind::store) {
        // The warp's next accesses queue behind the store's passes.
        clock.stored_shared = std::max(clock.stored_shared, clock.issued + conflicts);
        clock.latest = std::max(clock.latest, clock.issued + conflicts);
        clock.reached = std::max(clock.reached, clock.issued + conflicts);
      }
      break;
    }
    case Space::constant:
      cycles = model_.constant_cycles * std::max(rules::constant_passes(cc_, request), 1);
      break;
    case Space::local: cycles = local(block, warp, access); break;
    default:
      if (access.kind != AccessKind::load) store(*warp.block, block, clock, access);
      if (access.kind == AccessKind::load) cycles = load(*warp.block, block, access);
      if (access.kind == AccessKind::atomic) {
        atomic(warp, op, access);
        cycles = model_.l2_cycles;
      }
      counts_.l1_passes +=
          std::max(static_cast<std::uint64_t>(rules::shared_passes(cc_, request).passes),
                   (touched_.size() + lines_in_a_pass - 1) / lines_in_a_pass);
  }
  if (access.kind == AccessKind::store) return;
  set_loaded(clock, op, cycles);
}

void Pace::on_barrier_complete(Block& block, std::uint32_t barrier) {
  if (barrier >= cluster_barrier) return;  // the barrier of a cluster or of a warpgroup
  BlockClock& clock = clock_of(block);
  const double last = last_arrival(clock);
  // barrier_cycles is the time of eight warps. A barrier takes the warps one after the other.
  constexpr double measured_warps = 8;
  const auto warps = static_cast<double>(clock.warps.size());
  const double cycles =
      std::max(model_.barrier_cycles + (warps - measured_warps) * model_.barrier_warp_cycles,
               warps * model_.barrier_warp_cycles);
  for (WarpClock& warp : clock.warps) warp.now = last + cycles;
  clock.phase_began = last + cycles;
  clock.looped.clear();
}

void Pace::add_ptx_lines(const std::vector<const Pace*>& workers, PaceCounts& counts) {
  if (workers.empty()) return;
  const std::vector<int>& lines = workers.front()->code_->ptx_lines;
  std::map<int, std::uint64_t> by_line;
  for (std::size_t i = 0; i < lines.size();) {
    // If one instruction became several operations, the largest of their counts is taken. If a
    // function is inlined twice, its lines occur twice, and their counts are added.
    const int line = lines[i];
    std::uint64_t most = 0;
    for (; i < lines.size() && lines[i] == line; ++i) {
      std::uint64_t warps = 0;
      for (const Pace* worker : workers) warps += worker->executed_[i];
      most = std::max(most, warps);
    }
    if (line > 0) by_line[line] += most;
  }
  for (const auto& [line, warps] : by_line) counts.ptx_lines.push_back({line, warps});
}

void Pace::add_reads(const Launch& launch, const std::vector<const Pace*>& workers,
                     PaceCounts& counts) {
  std::map<Address, PaceCounts::Reads> reads;
  AllocationView view;
  for (const Pace* worker : workers) {
    for (const auto& [line, readers] : worker->readers_) {
      const Address at = line * line_bytes;
      if (at < view.begin || at >= view.end) view = launch.device->find(at);
      // A texel's address is computed as if its texture were a CUDA array. For a texture in other
      // memory, the line may lie in no allocation. All lines without an allocation share entry 0.
      PaceCounts::Reads& own = reads[view.host == nullptr ? 0 : view.begin];
      own.bytes = view.host == nullptr ? own.bytes + line_bytes : view.end - view.begin;
      own.requested += readers.requested;
      own.dram += sectors_in(readers.dram);
      own.partly += readers.partly + worker->partly_read(readers);
    }
  }
  for (const auto& [begin, each] : reads) counts.reads.push_back(each);
}

void Pace::collect(const Launch& launch, const std::vector<const Pace*>& workers,
                   LaunchResult& result) {
  add_ptx_lines(workers, result.pace);
  add_reads(launch, workers, result.pace);
  for (const Pace* worker : workers) {
    worker->add_stores_to(result.pace);
    for (const auto& [word, swaps] : worker->made_swaps_) {
      result.pace.made_swaps += swaps;
      result.pace.made_swap_pairs += swaps * (swaps - 1);
    }
    for (const auto* places : {&worker->atomic_words_, &worker->atomic_parts_})
      add_busiest(launch, *places, result.pace);
    result.pace.further += worker->counts_.further;
    std::ranges::copy(worker->counts_.block_lengths, std::back_inserter(result.pace.block_lengths));
    result.pace.l1_passes += worker->counts_.l1_passes;
    result.pace.l2_read_lines += worker->counts_.l2_read_lines;
    result.pace.l2_written_lines += worker->counts_.l2_written_lines;
    result.pace.block_cycles += worker->counts_.block_cycles;
    result.pace.l2_read_sectors += worker->counts_.l2_read_sectors;
    result.pace.l2_written_sectors += worker->counts_.l2_written_sectors;
    result.pace.distinct_read_sectors += worker->counts_.distinct_read_sectors;
    result.pace.shared_loads += worker->counts_.shared_loads;
    result.pace.shared_load_bytes += worker->counts_.shared_load_bytes;
    result.pace.joined_loads += worker->counts_.joined_loads;
    result.pace.joined_passes += worker->counts_.joined_passes;
    for (std::uint64_t PaceCounts::* const count :
         {&PaceCounts::common_read_sectors, &PaceCounts::common_read_lines,
          &PaceCounts::common_lines, &PaceCounts::repeated_read_sectors,
          &PaceCounts::block_read_sectors, &PaceCounts::shared_atomic_passes,
          &PaceCounts::texture_sectors, &PaceCounts::texture_lines,
          &PaceCounts::shared_read_sectors, &PaceCounts::texture_line_tiles,
          &PaceCounts::texture_plane_tiles, &PaceCounts::atomic_sectors, &PaceCounts::swaps,
          &PaceCounts::dram_partly_written_sectors}) {
      result.pace.*count += worker->counts_.*count;
    }
  }
}

}  // namespace warpwise::emulator
