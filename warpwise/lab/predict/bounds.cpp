#include "warpwise/lab/predict/bounds.hpp"

#include <algorithm>
#include <cmath>
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
    result.starts_us = start_us(profile_, facts_);
    const auto set = [&](Resource resource, double us) {
      result.us[static_cast<std::size_t>(resource)] = us;
    };
    set(Resource::dram, dram_bytes() / (1e3 * profile_.figure("dram_gb_per_s")));
    if (profile_.has_l2()) {
      const emulator::PaceCounts& pace = counted_.pace;
      const double sm_cycles =
          static_cast<double>(pace.l2_read_lines) / profile_.figure("l2_read_lines_per_cycle") +
          static_cast<double>(pace.l2_written_lines) /
              profile_.figure("l2_written_lines_per_cycle");
      const double by_lines =
          sm_cycles * scale_ / (profile_.figure("multiprocessors") * profile_.cycles_per_us());
      set(Resource::l2, std::max(l2_bytes() / (1e3 * profile_.figure("l2_gb_per_s")), by_lines));
    }
    set(Resource::l1, of_busiest_sm(l1_cycles()));
    set(Resource::shared, of_busiest_sm(shared_cycles()));
    // An address that all lanes share is an operand of the instruction that needs its value.
    set(Resource::constants,
        of_busiest_sm(static_cast<double>(memory_.constant.passes - memory_.constant.requests) /
                      profile_.figure("constant_passes_per_cycle")));
    // L2 performs the operations on one line one after another.
    set(Resource::atomics,
        std::max(static_cast<double>(counted_.pace.atomic_cycles_of_busiest_line) * scale_,
                 static_cast<double>(counted_.pace.atomic_cycles_of_neighbours)) /
            profile_.cycles_per_us());
    set(Resource::texture, of_busiest_sm(static_cast<double>(memory_.texture_requests) /
                                         profile_.figure("texture_per_cycle")));
    set(Resource::issue, of_busiest_sm(issue_cycles()));
    set(Resource::latency, latency_us());
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

  /// Returns the bytes of textures. Each buffer counts once, since the emulator does not follow its
  /// reads.
  double texture_bytes() const { return static_cast<double>(facts_.texture_bytes); }

  double moved() const {
    std::uint64_t bytes = 0;
    for (const emulator::TrafficCounts* each :
         {&memory_.global_load, &memory_.global_store, &memory_.global_atomic, &memory_.local_load,
          &memory_.local_store}) {
      bytes += each->bytes_moved;
    }
    return static_cast<double>(bytes) * scale_;
  }

  double dram_bytes() const {
    if (!profile_.has_l2()) return moved() + texture_bytes();
    const auto scaled = [&](std::uint64_t sectors) {
      const double bytes = static_cast<double>(sectors) * sector_bytes * scale_;
      // Blocks of a sample share less with their neighbours than those of the whole grid do.
      return std::min(bytes, static_cast<double>(facts_.memory_bytes));
    };
    return scaled(counted_.pace.dram_read_sectors + counted_.pace.dram_filled_sectors) +
           scaled(counted_.pace.dram_written_sectors) + spilled_beyond_l2() * line_bytes * scale_ +
           texture_bytes();
  }

  double l2_bytes() const {
    const auto sectors =
        static_cast<double>(counted_.pace.l2_read_sectors + counted_.pace.l2_written_sectors);
    return (sectors * sector_bytes + spilled_beyond_l1() * line_bytes) * scale_ + texture_bytes();
  }

  double all_instructions() const {
    double all = 0;
    for (const auto& [name, count] : counted_.instructions_by_class) {
      all += static_cast<double>(count);
    }
    return all;
  }

  /// Returns how often the counted blocks run an instruction that the machine code has for spilled
  /// values. PTX does not have them: each is taken to run as often as the kernel's average one.
  double times_run(double instructions) const {
    if (instructions == 0) return 0;
    return instructions * all_instructions() / facts_.spills.instructions;
  }
  /// Returns the warps' accesses to spilled values in the counted blocks.
  double spilled() const { return times_run(facts_.spills.loads + facts_.spills.stores); }

  /// Returns the bytes of the spilled values of an SM's resident blocks.
  double resident_spills() const {
    return facts_.spills.bytes_per_thread * 32 * facts_.warps_per_block *
           std::min<double>(facts_.blocks_per_sm, std::ceil(static_cast<double>(facts_.blocks) /
                                                            profile_.figure("multiprocessors")));
  }
  /// Returns the accesses to spilled values that reach L2. Stores always do: L1 writes them
  /// through. Loads do if the resident blocks' values exceed L1, since each is used in turn.
  double spilled_beyond_l1() const {
    return resident_spills() > profile_.figure("l1_bytes") ? spilled()
                                                           : times_run(facts_.spills.stores);
  }
  /// Returns the accesses to spilled values that reach DRAM. L2 keeps stored values, so all depends
  /// on the size.
  double spilled_beyond_l2() const {
    const double all = resident_spills() * profile_.figure("multiprocessors");
    return all > profile_.figure("l2_bytes") ? spilled() : 0;
  }

  /// Returns the cycles of one SM that runs all counted blocks.
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
    const std::uint64_t passes =
        memory_.shared_load.passes + memory_.shared_store.passes + memory_.shared_atomic.passes;
    return static_cast<double>(passes - std::min(passes, counted_.pace.joined_passes)) /
           profile_.figure("shared_passes_per_cycle");
  }

  /// Returns the longest of these times: that of each unit that executes instructions, and that to
  /// issue all instructions.
  double issue_cycles() const {
    static const std::map<std::string, const char*> units = {
        {"integer", "integer_per_cycle"},   {"logic", "integer_per_cycle"},
        {"compare", "integer_per_cycle"},   {"float32", "float32_per_cycle"},
        {"half", "float32_per_cycle"},      {"float64", "float64_per_cycle"},
        {"special", "special_per_cycle"},   {"conversion", "conversion_per_cycle"},
        {"load", "load_store_per_cycle"},   {"store", "load_store_per_cycle"},
        {"atomic", "load_store_per_cycle"}, {"shuffle", "shuffle_per_cycle"}};
    std::map<std::string, double> instructions = {
        {"load_store_per_cycle", spilled()},
        {"barriers_per_cycle", static_cast<double>(counted_.totals.barriers)}};
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
    return longest;
  }

  /// Little's law: the resident blocks run at the same time, and each takes as long as it would
  /// alone.
  double latency_us() const {
    const double block_us = counted_.pace.block_cycles /
                            static_cast<double>(std::max<std::uint64_t>(counted_.blocks, 1)) /
                            profile_.cycles_per_us();
    const double turns =
        std::ceil(static_cast<double>(facts_.blocks) / profile_.figure("multiprocessors")) /
        facts_.blocks_per_sm;
    // An SM needs this time to start a block, however short the block is.
    return std::max(block_us * std::max(turns, 1.0), start_us(profile_, facts_));
  }

  const DeviceProfile& profile_;
  const emulator::LaunchResult& counted_;
  const emulator::MemoryCounts& memory_;
  const LaunchFacts& facts_;
  double scale_;
  double busiest_sm_;
};

}  // namespace

Resource Bounds::rules() const {
  const auto longest = std::max_element(us.begin(), us.end());
  return static_cast<Resource>(longest - us.begin());
}

double Bounds::least_us() const {
  return (launch_us + *std::max_element(us.begin(), us.end())) / profile_error;
}

double Bounds::most_us() const {
  double sum = launch_us;
  for (const double each : us) sum += each;
  return sum * profile_error;
}

double Bounds::time_us() const {
  double sum = 0;
  for (const double each : us) sum += std::pow(each, overlap);
  return launch_us + std::pow(sum, 1 / overlap);
}

double start_us(const DeviceProfile& profile, const LaunchFacts& facts) {
  return std::ceil(static_cast<double>(facts.blocks) * facts.started /
                   profile.figure("multiprocessors")) *
         profile.figure("block_start_cycles") / profile.cycles_per_us();
}

Bounds bounds_of(const DeviceProfile& profile, const emulator::LaunchResult& counted,
                 const LaunchFacts& facts) {
  return Model(profile, counted, facts).bounds();
}

}  // namespace warpwise::lab
