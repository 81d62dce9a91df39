#include "warpwise/lab/predict/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace warpwise::lab {
namespace {

constexpr double sector_bytes = 32;
constexpr double line_bytes = 128;

class Model {
 public:
  Model(const DeviceProfile& profile, const emulator::LaunchResult& counted,
        const LaunchFacts& facts)
      : profile_(profile), counted_(counted), memory_(counted.memory.front()), facts_(facts),
        scale_(static_cast<double>(facts.blocks) /
               static_cast<double>(std::max<std::uint64_t>(counted.blocks, 1))),
        busiest_sm_(share_of_busiest_sm()) {}

  Bounds bounds() const {
    Bounds result;
    result.launch_us = profile_.figure("launch_us");
    result.next_launch_us = profile_.figure("next_launch_us");
    result.starts_us = start_us(profile_, facts_);
    result.blocks = resident_blocks();
    // Number of groups of warps that wait independently of each other. The warps of a block begin
    // together and stay near each other, so n warps count as sqrt(n) groups: docs/prediction.md.
    result.groups = result.blocks * std::sqrt(std::max(facts_.warps_per_block, 1));
    result.waves = std::max(1.0, static_cast<double>(facts_.blocks) / result.blocks /
                                     profile_.figure("multiprocessors"));
    const auto set = [&](Resource resource, double us) {
      result.us[static_cast<std::size_t>(resource)] = us;
    };
    set(Resource::dram, dram_bytes() / (1e3 * profile_.figure("dram_gb_per_s")));
    if (profile_.has_l2()) {
      const double shared = shared_l2_bytes();
      set(Resource::l2, std::max((l2_bytes() - shared) / (1e3 * profile_.figure("l2_gb_per_s")) +
                                     shared / (1e3 * profile_.figure("l2_shared_gb_per_s")),
                                 of_all_sms(l2_cycles())));
    }
    set(Resource::l1, of_busiest_sm(l1_cycles()));
    set(Resource::shared, of_busiest_sm(shared_cycles()));
    // The first pass of a request costs nothing: a constant that all lanes share is an operand of
    // the instruction that needs it.
    set(Resource::constants,
        of_busiest_sm(static_cast<double>(memory_.constant.passes - memory_.constant.requests) /
                      profile_.figure("constant_passes_per_cycle")));
    // L2 serialises the operations on one word, and those on all words of one part of L2.
    set(Resource::atomics,
        std::max({static_cast<double>(counted_.pace.atomic_cycles_of_busiest_place) * scale_ /
                      profile_.cycles_per_us(),
                  static_cast<double>(counted_.pace.atomic_cycles_of_neighbours) /
                      profile_.cycles_per_us(),
                  of_all_sms((static_cast<double>(counted_.pace.atomic_sectors) + failed_swaps()) /
                             profile_.figure("atomic_sectors_per_cycle"))}));
    // Converts tiles (parts of a texture, defined in PaceCounts) to reads by warps, the unit of the
    // rates. These were measured with lanes that read neighbouring texels. A warp's read then
    // counts as 8 tiles in a texture of one dimension, and as 16 in one of two dimensions.
    set(Resource::texture, of_busiest_sm(static_cast<double>(counted_.pace.texture_line_tiles) /
                                             (8 * profile_.figure("texture_per_cycle")) +
                                         static_cast<double>(counted_.pace.texture_plane_tiles) /
                                             (16 * profile_.figure("texture_plane_per_cycle"))));
    for (const double cycles : issue_cycles()) result.units_us.push_back(of_busiest_sm(cycles));
    result.barriers_us = of_busiest_sm(static_cast<double>(counted_.totals.barriers) /
                                       profile_.figure("barriers_per_cycle"));
    set(Resource::issue, std::max(result.barriers_us, *std::ranges::max_element(result.units_us)));
    result.waits_us = waits_us();
    result.counted_blocks = counted_blocks();
    set(Resource::latency, std::max(result.latency_without_starts_us(), result.starts_us));
    return result;
  }

 private:
  /// Returns the busiest SM's share of the grid's blocks.
  double share_of_busiest_sm() const {
    const double sms = profile_.figure("multiprocessors");
    const auto blocks = static_cast<double>(facts_.blocks);
    return std::ceil(blocks / sms) / blocks;
  }

  /// Returns the microseconds of the busiest SM, given the cycles that all counted blocks take on
  /// one SM.
  double of_busiest_sm(double cycles) const {
    return cycles * scale_ * busiest_sm_ / profile_.cycles_per_us();
  }

  /// Returns the microseconds of all SMs together, given the cycles that all counted blocks take on
  /// one SM.
  double of_all_sms(double cycles) const {
    return cycles * scale_ / (profile_.figure("multiprocessors") * profile_.cycles_per_us());
  }

  /// Returns how many more compare-and-swaps fail on the GPU than in the emulator, which runs fewer
  /// threads at a time. If threads try to change a word together, one succeeds and the others
  /// repeat. Near the grid's end fewer threads compete, so fewer of their swaps fail.
  double failed_swaps() const {
    const auto made = static_cast<double>(counted_.pace.made_swaps);
    if (made == 0) return 0;
    constexpr double lanes = 32;
    const double threads = lanes * facts_.warps_per_block *
                           std::min(static_cast<double>(facts_.blocks),
                                    resident_blocks() * profile_.figure("multiprocessors"));
    const double meet = static_cast<double>(counted_.pace.made_swap_pairs) / (made * made);
    const double on_word = std::max(1.0, made * scale_ * meet);
    const double together = std::clamp(threads * meet, 1.0, on_word);
    const double tries = together - together * (together - 1) / (2 * on_word);
    return std::max(0.0, made * tries - static_cast<double>(counted_.pace.swaps));
  }

  double resident_blocks() const {
    return std::min<double>(
        std::max(facts_.blocks_per_sm, 1),
        std::ceil(static_cast<double>(facts_.blocks) / profile_.figure("multiprocessors")));
  }

  /// Returns the share of some bytes that a cache still holds when they are requested again. If a
  /// kernel repeatedly goes through twice the cache's size, the cache holds none of these bytes.
  static double share_still_cached(double bytes, double cache_bytes) {
    return cache_bytes > 0 ? std::clamp(2 - bytes / cache_bytes, 0.0, 1.0) : 0;
  }

  /// Returns the share of common reads that L1 serves, because another block of the SM has read the
  /// line. Common reads are reads of lines that distant blocks read too.
  double common_in_l1() const {
    return share_still_cached(static_cast<double>(counted_.pace.common_lines) * line_bytes,
                              profile_.figure("l1_bytes"));
  }

  double l2_cycles() const {
    const emulator::PaceCounts& pace = counted_.pace;
    const double read = static_cast<double>(pace.l2_read_lines) -
                        common_in_l1() * static_cast<double>(pace.common_read_lines);
    const auto written = static_cast<double>(pace.l2_written_sectors) + 4 * spilled_stores();
    return read / profile_.figure("l2_read_lines_per_cycle") +
           std::max(static_cast<double>(pace.l2_written_lines) /
                        profile_.figure("l2_written_lines_per_cycle"),
                    written / profile_.figure("l2_written_sectors_per_cycle"));
  }

  /// Returns the bytes that DRAM moves for textures if the GPU has no L2: each buffer once.
  double dram_texture_bytes() const { return static_cast<double>(facts_.texture_bytes); }

  double global_and_local_bytes_moved() const {
    std::uint64_t bytes = 0;
    for (const emulator::TrafficCounts* each :
         {&memory_.global_load, &memory_.global_store, &memory_.global_atomic, &memory_.local_load,
          &memory_.local_store}) {
      bytes += each->bytes_moved;
    }
    return static_cast<double>(bytes) * scale_;
  }

  double dram_bytes() const {
    if (!profile_.has_l2()) return global_and_local_bytes_moved() + dram_texture_bytes();
    const emulator::PaceCounts& pace = counted_.pace;
    const double read =
        dram_read_bytes_by_group() +
        dram_store_bytes_by_group(pace.dram_filled_sectors, pace.dram_partly_written_sectors) +
        read_again_bytes();
    const double written =
        dram_store_bytes_by_group(pace.dram_written_sectors, pace.dram_partly_written_sectors);
    // At the start of a launch, L2 is full of earlier kernels' lines. Many were changed and not yet
    // written to DRAM. L2 writes such a line when the launch's reads replace it.
    const double replaced = std::min(read, profile_.figure("l2_bytes")) - written;
    return read + written + profile_.figure("l2_written_share") * std::max(replaced, 0.0) +
           spilled_beyond_l2() * line_bytes * scale_;
  }

  double bytes_of(std::uint64_t sectors) const {
    return static_cast<double>(sectors) * sector_bytes * scale_;
  }

  /// Returns the bytes that DRAM moves for reads, without read_again_bytes(). A sector counts once.
  /// Groups of neighbours, which are blocks with close indices (PaceCounts), may each read a part
  /// of a sector. If L2 moves more bytes between two of these reads than it keeps, it loses the
  /// sector. The sector then counts once for each group.
  double dram_read_bytes_by_group() const {
    double requested = bytes_of(counted_.pace.l2_written_sectors);
    for (const auto& each : counted_.pace.reads) requested += bytes_of(each.requested);
    double sum = 0;
    for (const auto& each : counted_.pace.reads) {
      const auto size = static_cast<double>(each.bytes) * facts_.larger;
      const double between = each.requested == 0 ? 0 : requested * size / bytes_of(each.requested);
      const double lost = 1 - share_still_cached(between, profile_.figure("l2_kept_bytes"));
      sum +=
          std::min(bytes_of(each.dram), size) + lost * std::max(0.0, bytes_of(each.partly) - size);
    }
    return sum;
  }

  /// Returns the bytes that DRAM moves for stores, each sector once. If L2 does not hold all
  /// buffers, `partly` written sectors count once for each group of neighbours (PaceCounts).
  double dram_store_bytes_by_group(std::uint64_t sectors, std::uint64_t partly) const {
    const double all = bytes_of(sectors);
    const double parts = bytes_of(partly);
    const auto memory = static_cast<double>(facts_.memory_bytes);
    // Blocks of a sample share fewer sectors with neighbours than blocks of the whole grid do.
    const double distinct = std::min(all, memory);
    const double lost = 1 - share_still_cached(memory, profile_.figure("l2_kept_bytes"));
    return distinct + lost * std::max(0.0, parts - memory);
  }

  /// Returns the bytes that blocks read again after L2 has lost them.
  double read_again_bytes() const {
    const auto blocks = static_cast<double>(std::max<std::uint64_t>(counted_.blocks, 1));
    const double of_block =
        static_cast<double>(counted_.pace.block_read_sectors) * sector_bytes / blocks;
    const double resident =
        std::min(of_block * resident_blocks() * profile_.figure("multiprocessors"),
                 static_cast<double>(facts_.memory_bytes));
    return (1 - share_still_cached(resident, profile_.figure("l2_kept_bytes"))) *
           static_cast<double>(counted_.pace.repeated_read_sectors) * sector_bytes * scale_;
  }

  double l2_bytes() const {
    const double sectors =
        static_cast<double>(counted_.pace.l2_read_sectors + counted_.pace.l2_written_sectors) -
        common_in_l1() * static_cast<double>(counted_.pace.common_read_sectors);
    return (sectors * sector_bytes + spilled_beyond_l1() * line_bytes) * scale_;
  }
  /// Returns the bytes of reads from L2 of lines that another SM has just read. The SMs run
  /// neighbouring blocks at about the same time.
  double shared_l2_bytes() const {
    const emulator::PaceCounts& pace = counted_.pace;
    const auto read = static_cast<double>(pace.l2_read_sectors);
    if (read == 0) return 0;
    const double left = 1 - common_in_l1() * static_cast<double>(pace.common_read_sectors) / read;
    return static_cast<double>(pace.shared_read_sectors) * left * sector_bytes * scale_;
  }

  double all_instructions() const {
    double all = 0;
    for (const auto& [name, count] : counted_.instructions_by_class) {
      all += static_cast<double>(count);
    }
    return all;
  }

  /// Returns how often the counted blocks run `instructions` of the machine code for spilled
  /// values. PTX has no such instructions: each is assumed to run as often as the kernel's average
  /// instruction.
  double times_run(double instructions) const {
    if (instructions == 0) return 0;
    return instructions * all_instructions() / facts_.spills.instructions;
  }
  bool knows_machine_code() const { return facts_.machine.all > 0; }
  /// Returns the warps' accesses to spilled values in the counted blocks.
  double spilled() const {
    return knows_machine_code() ? facts_.machine.spill_loads + facts_.machine.spill_stores
                                : times_run(facts_.spills.loads + facts_.spills.stores);
  }
  double spilled_stores() const {
    return knows_machine_code() ? facts_.machine.spill_stores : times_run(facts_.spills.stores);
  }

  /// Returns the bytes of the spilled values of an SM's resident blocks.
  double resident_spills() const {
    return facts_.spills.bytes_per_thread * 32 * facts_.warps_per_block * resident_blocks();
  }
  /// Returns the accesses to spilled values that reach L2. Stores always reach it, because L1
  /// writes them through. Loads reach it if the resident blocks' values exceed L1: blocks use their
  /// values in turn, so L1 has lost a value when its next use comes.
  double spilled_beyond_l1() const {
    return resident_spills() > profile_.figure("l1_bytes") ? spilled() : spilled_stores();
  }
  /// Returns the accesses to spilled values that reach DRAM. An H200's L2 keeps about four fifths
  /// of values that take 1.05 times its size, and almost none of values that take 1.5 times.
  double spilled_beyond_l2() const {
    const double all = resident_spills() * profile_.figure("multiprocessors");
    const double l2 = profile_.figure("l2_bytes");
    return l2 > 0 ? std::clamp(4 * (all / l2 - 1), 0.0, 1.0) * spilled() : spilled();
  }

  /// Returns the cycles of L1 if one SM runs all counted blocks.
  double l1_cycles() const {
    double bytes = 0;
    for (const emulator::TrafficCounts* each :
         {&memory_.global_load, &memory_.global_store, &memory_.global_atomic, &memory_.local_load,
          &memory_.local_store}) {
      bytes += static_cast<double>(each->bytes_moved);
    }
    bytes += spilled() * line_bytes;
    return std::max(bytes / profile_.figure("l1_bytes_per_cycle"),
                    (static_cast<double>(counted_.pace.l1_passes) + spilled()) /
                        profile_.figure("shared_passes_per_cycle"));
  }

  double shared_cycles() const {
    const std::uint64_t passes = memory_.shared_load.passes + memory_.shared_store.passes;
    return static_cast<double>(passes - std::min(passes, counted_.pace.joined_passes)) /
               profile_.figure("shared_passes_per_cycle") +
           static_cast<double>(counted_.pace.shared_atomic_passes) /
               profile_.figure("shared_atomics_per_cycle");
  }

  /// Returns the cycles to issue all instructions, and the cycles of the slower units.
  std::vector<double> issue_cycles() const {
    return knows_machine_code() ? machine_issue_cycles() : ptx_issue_cycles();
  }

  std::vector<double> machine_issue_cycles() const {
    const MachineCounts& machine = facts_.machine;
    const double issued = profile_.figure("issue_per_cycle");
    std::vector<double> cycles = {machine.all / issued};
    const auto take = [&](const char* unit, double count) {
      const double rate = profile_.figure(unit);
      if (rate > 0 && rate < issued) cycles.push_back(count / rate);
    };
    take("integer_per_cycle", machine.integer);
    // Half of the units for floats multiply integers.
    take("integer_per_cycle", machine.multiply);
    take("float32_per_cycle", machine.float32 + machine.half + machine.multiply);
    take("float64_per_cycle", machine.float64);
    take("special_per_cycle", machine.special);
    take("load_store_per_cycle", machine.memory + spilled());
    take("shuffle_per_cycle", machine.shuffle);
    return cycles;
  }

  std::vector<double> ptx_issue_cycles() const {
    static const std::map<std::string, const char*> units = {
        {"integer", "integer_per_cycle"},   {"logic", "integer_per_cycle"},
        {"compare", "integer_per_cycle"},   {"float32", "float32_per_cycle"},
        {"half", "float32_per_cycle"},      {"float64", "float64_per_cycle"},
        {"special", "special_per_cycle"},   {"conversion", "conversion_per_cycle"},
        {"load", "load_store_per_cycle"},   {"store", "load_store_per_cycle"},
        {"atomic", "load_store_per_cycle"}, {"shuffle", "shuffle_per_cycle"}};
    std::map<std::string, double> instructions = {{"load_store_per_cycle", spilled()}};
    for (const auto& [name, count] : counted_.instructions_by_class) {
      const auto unit = units.find(name);
      if (unit != units.end()) instructions[unit->second] += static_cast<double>(count);
    }
    const rules::MachineInstructions& further = counted_.pace.further;
    const auto joined = static_cast<double>(counted_.pace.joined_loads);
    double& accesses = instructions["load_store_per_cycle"];
    accesses = std::max(0.0, accesses - joined);
    const double all = std::max(0.0, all_instructions() + spilled() + further.all - joined);
    instructions["integer_per_cycle"] += further.integer;
    instructions["float32_per_cycle"] += further.float32;
    instructions["float64_per_cycle"] += further.float64;
    instructions["special_per_cycle"] += further.special;
    instructions["conversion_per_cycle"] += further.conversion;
    instructions["conversion64_per_cycle"] += further.conversion64;
    double longest = all / profile_.figure("issue_per_cycle");
    for (const auto& [unit, count] : instructions) {
      // The rate is 0 if the GPU has no such unit, for example for double precision.
      const double rate = profile_.figure(unit);
      if (rate > 0) longest = std::max(longest, count / rate);
    }
    return {longest};
  }

  /// Returns the time by Little's law. The resident blocks run at the same time, and each takes as
  /// long as it would alone. The next block begins when the block whose place it takes has ended.
  double waits_us() const {
    if (counted_.blocks == 0) return 0;
    const double block_us = (counted_.pace.block_cycles / static_cast<double>(counted_.blocks) +
                             profile_.figure("block_turn_cycles")) /
                            profile_.cycles_per_us();
    const double turns =
        std::ceil(static_cast<double>(facts_.blocks) / profile_.figure("multiprocessors")) /
        facts_.blocks_per_sm;
    return block_us * std::max(turns, 1.0);
  }

  /// Returns the counted blocks, each with the share of the grid that ends before the block begins.
  std::vector<Bounds::CountedBlock> counted_blocks() const {
    const emulator::PaceCounts& pace = counted_.pace;
    double sum = 0;
    for (const auto& each : pace.block_lengths) sum += each.cycles;
    // A Change of the kernel reduces block_cycles, but not block_lengths. It is assumed to shorten
    // all blocks by the same factor.
    const double shorter = sum > 0 ? pace.block_cycles / sum : 1;
    const auto blocks = static_cast<double>(facts_.blocks);
    const double places = resident_blocks() * profile_.figure("multiprocessors");
    std::vector<Bounds::CountedBlock> result;
    for (const auto& [block, cycles] : pace.block_lengths) {
      const double before = static_cast<double>(block) * facts_.larger - places;
      result.push_back(
          {std::max(0.0, before / blocks), cycles * shorter / profile_.cycles_per_us()});
    }
    return result;
  }

  const DeviceProfile& profile_;
  const emulator::LaunchResult& counted_;
  const emulator::MemoryCounts& memory_;
  const LaunchFacts& facts_;
  double scale_;
  double busiest_sm_;
};

}  // namespace

Range& Range::operator+=(const Range& other) {
  least += other.least;
  likely += other.likely;
  most += other.most;
  return *this;
}

Range gain_between(const Range& before, const Range& after) {
  if (before.least <= 0 || after.least <= 0) return {};
  const auto both = [](double one, double other) {
    return std::exp(std::hypot(std::log(one), std::log(other)));
  };
  const double likely = before.likely / after.likely;
  return {likely / both(before.likely / before.least, after.most / after.likely), likely,
          likely * both(before.most / before.likely, after.likely / after.least)};
}

Range gain_by_change(const Range& before, const Range& after) {
  if (before.least <= 0 || after.least <= 0) return {1, 1, 1};
  const auto [least, most] = std::minmax(
      {before.least / after.least, before.likely / after.likely, before.most / after.most});
  return {least, before.likely / after.likely, most};
}

Resource Bounds::bottleneck_resource() const {
  const auto longest = std::max_element(us.begin(), us.end());
  return static_cast<Resource>(longest - us.begin());
}

double Bounds::least_us() const {
  return (launch_us + *std::max_element(us.begin(), us.end())) / profile_error;
}

double Bounds::latency_without_starts_us() const {
  double longest = waits_us;
  for (const CountedBlock& each : counted_blocks) longest = std::max(longest, each.us);
  return longest;
}

double Bounds::most_us() const {
  double sum = launch_us + std::min(waits_us, starts_us);
  for (const double each : us) sum += each;
  return std::max(sum, time_us()) * profile_error;
}

double Bounds::time_us() const {
  // Schweitzer's approximation of mean value analysis. The `customers` are groups of warps, blocks
  // or waves. Each customer needs an equal share of a resource's time, and waits for the customers
  // that use the resource when it arrives.
  const auto waits = [](double needed, double customers, double time) {
    const double others = needed * (customers - 1) / customers;
    return time > others ? needed / customers / (1 - others / time)
                         : std::numeric_limits<double>::infinity();
  };
  const auto after = [&](double time) {
    double sum = waits_us + waits(starts_us, blocks, time);
    for (const Resource each : all_values<Resource>()) {
      if (each == Resource::latency) continue;
      if (each == Resource::dram || each == Resource::l2) continue;
      if (each == Resource::issue && !units_us.empty()) continue;
      sum += waits(of(each), groups, time);
    }
    for (const double each : units_us) sum += waits(each, groups, time);
    // All warps of a block come to a barrier together. The block's own time already contains the
    // barriers, so only the wait for other blocks is added.
    sum += waits(barriers_us, blocks, time) - barriers_us / blocks;
    // L2 and DRAM serve the same accesses at the same time. The blocks of a wave begin together and
    // send their requests together, so a wave is one customer.
    return sum + waits(std::max(of(Resource::dram), of(Resource::l2)), waves, time);
  };
  double least = 0, most = waits_us + starts_us;
  for (const double each : us) most += each;
  for (const double each : units_us) most += each;
  most += barriers_us;
  constexpr int halvings = 50;
  for (int i = 0; i < halvings && most > 0; ++i) {
    const double middle = (least + most) / 2;
    (after(middle) > middle ? least : most) = middle;
  }
  double last = most;
  for (const CountedBlock& each : counted_blocks)
    last = std::max(last, each.share * most + each.us);
  return launch_us + last;
}

std::vector<BoundPart> parts_of(const Bounds& bounds) {
  std::vector<BoundPart> parts;
  for (const Resource each : all_values<Resource>()) {
    const bool waits = each == Resource::latency && bounds.starts_us > 0;
    parts.push_back({name_of(each), waits ? bounds.latency_without_starts_us() : bounds.of(each)});
  }
  parts.push_back({starting_blocks, bounds.starts_us});
  return parts;
}

std::string_view bottleneck_of(const Bounds& bounds) {
  const bool starts = bounds.bottleneck_resource() == Resource::latency &&
                      bounds.starts_us > bounds.latency_without_starts_us();
  return starts ? starting_blocks : name_of(bounds.bottleneck_resource());
}

double start_us(const DeviceProfile& profile, const LaunchFacts& facts) {
  return std::ceil(static_cast<double>(facts.blocks) * facts.share_started /
                   profile.figure("multiprocessors")) *
         std::max(profile.figure("block_start_cycles"),
                  facts.warps_per_block * profile.figure("warp_start_cycles")) /
         profile.cycles_per_us();
}

Bounds bounds_of(const DeviceProfile& profile, const emulator::LaunchResult& counted,
                 const LaunchFacts& facts) {
  return Model(profile, counted, facts).bounds();
}

}  // namespace warpwise::lab
