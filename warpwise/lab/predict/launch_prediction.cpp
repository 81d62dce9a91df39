#include "warpwise/lab/predict/launch_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "warpwise/lab/predict/loads_with_first_use.hpp"

namespace warpwise::lab {
namespace {

// A grid fills a GPU if it has this many times the blocks that all SMs hold at the same time.
constexpr std::uint64_t full_rounds = 8;

// Describes the same kernel with a larger grid, and with memory that grows in proportion.
LaunchFacts enlarged(const LaunchFacts& facts, double larger) {
  LaunchFacts result = facts;
  result.larger *= larger;
  for (std::uint64_t* count : {&result.blocks, &result.memory_bytes, &result.texture_bytes})
    *count = static_cast<std::uint64_t>(std::llround(static_cast<double>(*count) * larger));
  return result;
}

LaunchFacts full(const LaunchPrediction& prediction) {
  return enlarged(prediction.facts, larger_to_fill(prediction));
}

void scale(std::uint64_t& count, double saved) {
  count = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * (1 - saved)));
}

// Returns the share of a count that a change saved.
double saved(std::uint64_t before, std::uint64_t after) {
  return before == 0 ? 0 : 1 - static_cast<double>(after) / static_cast<double>(before);
}

// Shortens blocks by a cycle for each pass or transaction that a warp saves. The warps of a block
// save their cycles at the same time. A tenth of the cycles always stays.
void shorten(emulator::LaunchResult& launch, double cycles, double warps) {
  const double least = launch.pace.block_cycles / 10;
  launch.pace.block_cycles = std::max(least, launch.pace.block_cycles - cycles / warps);
}

// Reduces counts of sectors and lines. All requested bytes still move, so `change.bytes` leaves at
// least their sectors. It reduces DRAM's sectors in proportion. Each of the `distinct` sectors
// still moves once, so `change.repeated_bytes` leaves at least these.
void save_sectors(const Change& change, std::uint64_t& sectors, std::uint64_t& lines,
                  std::uint64_t& dram, std::uint64_t bytes_asked_for, std::uint64_t distinct) {
  const std::uint64_t before = sectors;
  scale(sectors, change.bytes);
  sectors = std::max(sectors, std::min(before, bytes_asked_for / 32));
  if (before > 0) {
    const std::uint64_t least = std::min(dram, bytes_asked_for / 32);
    scale(dram, 1 - static_cast<double>(sectors) / static_cast<double>(before));
    dram = std::max(dram, least);
  }
  const std::uint64_t all = sectors;
  scale(sectors, change.repeated_bytes);
  sectors = std::max(sectors, std::min(all, distinct));
  const std::uint64_t all_lines = lines;
  scale(lines, change.bytes);
  scale(lines, change.repeated_bytes);
  lines = std::max(lines, std::min(all_lines, sectors / 4));
}

void save_instructions(const Change& change, emulator::LaunchResult& launch) {
  for (auto& [name, count] : launch.instructions_by_class) {
    scale(count, change.instructions);
    if (name == "load" || name == "store") scale(count, change.loads);
  }
  scale(launch.totals.barriers, change.barriers);
  rules::MachineInstructions& further = launch.pace.further;
  further *= (1 - change.instructions) * (1 - change.divisions);
  further.float64 *= 1 - change.doubles;
  further.conversion64 *= 1 - change.doubles;
  if (change.doubles > 0) {
    std::uint64_t& doubles = launch.instructions_by_class["float64"];
    const std::uint64_t before = doubles;
    scale(doubles, change.doubles);
    launch.instructions_by_class["float32"] += before - doubles;
  }
}

void save_machine_instructions(const Change& change, const rules::MachineInstructions& further,
                               MachineCounts& machine) {
  machine.all = std::max(0.0, machine.all - change.divisions * further.all);
  machine.integer = std::max(0.0, machine.integer - change.divisions * further.integer);
  machine.special = std::max(0.0, machine.special - change.divisions * further.special);
  machine *= 1 - change.instructions;
  machine.all -= change.loads * machine.memory;
  machine.memory *= 1 - change.loads;
  machine.special = std::max(0.0, machine.special - change.doubles * further.conversion64);
  machine.float32 += change.doubles * machine.float64;
  machine.float64 *= 1 - change.doubles;
  machine.all -= change.spills * (machine.spill_loads + machine.spill_stores);
  machine.spill_loads *= 1 - change.spills;
  machine.spill_stores *= 1 - change.spills;
}

void apply(const Change& change, double warps, emulator::LaunchResult& launch) {
  emulator::MemoryCounts& memory = launch.memory.front();
  double transactions = 0;
  for (emulator::TrafficCounts* each :
       {&memory.global_load, &memory.global_store, &memory.global_atomic, &memory.local_load,
        &memory.local_store}) {
    transactions += static_cast<double>(each->bytes_moved) / 128;
    scale(each->bytes_moved, change.bytes);
    scale(each->bytes_moved, change.repeated_bytes);
  }
  emulator::PaceCounts& pace = launch.pace;
  // The change leaves reads of textures as they are.
  const std::uint64_t read_before = pace.l2_read_sectors;
  std::uint64_t dram = pace.dram_read_sectors();
  const std::uint64_t dram_before = dram;
  pace.l2_read_sectors -= pace.texture_sectors;
  pace.l2_read_lines -= pace.texture_lines;
  const std::uint64_t asked_before = pace.l2_read_sectors;
  save_sectors(change, pace.l2_read_sectors, pace.l2_read_lines, dram,
               memory.global_load.bytes_requested, pace.distinct_read_sectors);
  // A block that uses a sector at once does not read it again after L2 has lost it.
  if (change.bytes > 0)
    scale(pace.repeated_read_sectors, saved(asked_before, pace.l2_read_sectors));
  pace.l2_read_sectors += pace.texture_sectors;
  pace.l2_read_lines += pace.texture_lines;
  const double read_saved = saved(read_before, pace.l2_read_sectors);
  scale(pace.shared_read_sectors, read_saved);
  for (emulator::PaceCounts::Reads& each : pace.reads) {
    scale(each.dram, saved(dram_before, dram));
    scale(each.requested, read_saved);
    scale(each.partly, read_saved);
  }
  save_sectors(change, pace.l2_written_sectors, pace.l2_written_lines, pace.dram_written_sectors,
               memory.global_store.bytes_requested, pace.dram_written_sectors);
  // Adjacent stores write whole sectors, which DRAM need not read first.
  scale(pace.dram_filled_sectors, change.bytes);
  scale(pace.l1_passes, change.bytes);
  scale(pace.l1_passes, change.repeated_bytes);
  double passes = 0;
  for (emulator::PassCounts* each :
       {&memory.shared_load, &memory.shared_store, &memory.shared_atomic}) {
    passes += static_cast<double>(each->passes);
    scale(each->passes, change.passes);
  }
  scale(pace.joined_passes, change.passes);
  scale(pace.shared_atomic_passes, change.passes);
  // Fewer repeated bytes shorten a block by at most the share `change.repeated_bytes` of its
  // cycles.
  const double repeated_cycles = std::min(transactions * change.repeated_bytes,
                                          pace.block_cycles * warps * change.repeated_bytes);
  shorten(launch, passes * change.passes + transactions * change.bytes + repeated_cycles, warps);
  for (std::uint64_t* const each : {&pace.atomic_cycles_of_busiest_place,
                                    &pace.atomic_cycles_of_neighbours, &pace.atomic_sectors})
    scale(*each, change.atomics);
  save_instructions(change, launch);
  pace.block_cycles *= (1 - change.instructions) * (1 - change.waiting);
}

}  // namespace

Change& Change::operator+=(const Change& other) {
  for (double Change::* const share :
       {&Change::bytes, &Change::repeated_bytes, &Change::passes, &Change::instructions,
        &Change::loads, &Change::barriers, &Change::waiting, &Change::starts, &Change::doubles,
        &Change::divisions, &Change::spills, &Change::atomics}) {
    this->*share = std::min(1.0, this->*share + other.*share);
  }
  blocks_per_sm = std::max(blocks_per_sm, other.blocks_per_sm);
  return *this;
}

MemoryBytes memory_of(const ladders::Problem& problem, const Rung& rung) {
  MemoryBytes bytes;
  for (const ladders::Operand& each : problem.operands) {
    bytes.all += each.memory().size();
    if (rung.textures.count(each.name()) != 0) bytes.textures += each.memory().size();
  }
  return bytes;
}

emulator::SampleModel sample_model(const DeviceProfile& profile) {
  emulator::SampleModel model;
  model.pace = profile.pace(1);
  // Blocks at an image's borders differ from others, so a mean needs many threads. At least 64
  // blocks run, even if they are large.
  model.threads = 32768;
  model.fewest_blocks = 64;
  // The limit ends a sample whose blocks spin until a block outside the sample has run.
  model.budget = 100'000'000;
  return model;
}

LaunchPrediction predict_launch(const DeviceProfile& profile, std::uint64_t threads,
                                LaunchFacts facts, const BuiltCode& code, const RunSample& run) {
  LaunchPrediction prediction;
  prediction.profile = profile;
  prediction.facts = facts;
  emulator::LaunchOptions options =
      sample_model(profile).options(profile.compute_capability, threads, facts.blocks_per_sm);
  options.pace->loads = loads_with_first_use(code.operations);
  prediction.sample = run(options);
  if (!prediction.sample.faults.empty()) {
    const emulator::Fault& fault = prediction.sample.faults.front();
    prediction.why_not =
        "the prediction needs to run part of the grid alone, which failed: " + fault.message +
        (fault.kind == emulator::FaultKind::budget ? "; a larger budget may be enough" : "");
    return prediction;
  }
  prediction.facts.machine =
      machine_counts(code.operations, code.ptx, prediction.sample.pace.ptx_lines);
  prediction.bounds = bounds_of(profile, prediction.sample, prediction.facts);
  return prediction;
}

double larger_to_fill(const LaunchPrediction& prediction) {
  const LaunchFacts& facts = prediction.facts;
  const auto sms = static_cast<std::uint64_t>(prediction.profile.figure("multiprocessors"));
  const std::uint64_t enough =
      full_rounds * sms * static_cast<std::uint64_t>(std::max(facts.blocks_per_sm, 1));
  if (facts.blocks >= enough || facts.blocks == 0) return 1;
  return static_cast<double>(enough) / static_cast<double>(facts.blocks);
}

Bounds bounds_when_larger(const LaunchPrediction& prediction, double larger) {
  return bounds_of(prediction.profile, prediction.sample, enlarged(prediction.facts, larger));
}

Bounds bounds_when_full(const LaunchPrediction& prediction) {
  return bounds_when_larger(prediction, larger_to_fill(prediction));
}

double filled_us(const LaunchPrediction& prediction) {
  const Bounds bounds = bounds_when_full(prediction);
  return (bounds.time_us() - bounds.launch_us) / larger_to_fill(prediction);
}

double gain_of(const LaunchPrediction& prediction, const Change& change) {
  return gain_range_of(prediction, change).likely;
}

Range gain_range_of(const LaunchPrediction& prediction, const Change& change) {
  const auto work = [](Bounds bounds) {
    bounds.launch_us = 0;
    return bounds.range_us();
  };
  LaunchFacts facts = full(prediction);
  const Range before = work(bounds_of(prediction.profile, prediction.sample, facts));
  emulator::LaunchResult changed = prediction.sample;
  // apply() divides by the number of warps, so it must not be 0.
  const double warps = std::max(1.0, static_cast<double>(facts.warps_per_block));
  apply(change, warps, changed);
  facts.blocks_per_sm = std::max(facts.blocks_per_sm, change.blocks_per_sm);
  facts.share_started *= 1 - change.starts;
  facts.spills.loads *= 1 - change.spills;
  facts.spills.stores *= 1 - change.spills;
  save_machine_instructions(change, prediction.sample.pace.further, facts.machine);
  return gain_by_change(before, work(bounds_of(prediction.profile, changed, facts)));
}

}  // namespace warpwise::lab
