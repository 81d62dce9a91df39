#pragma once

// Internal to the emulator: counts the cost of a kernel's instructions and accesses.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpwise/emulator/host_code/host_code.hpp"
#include "warpwise/emulator/host_code/quick_counts.hpp"
#include "warpwise/emulator/observe/observer.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::emulator {

/// Counts instructions, branches and barriers of each operation. Computes the cost of each access
/// by the rules of rules/rules.hpp, for every compute capability of the launch. Fills in
/// LaunchResult's totals, lines, memory, thread_rounds and instructions_by_class.
class Counts : public Observer {
 public:
  explicit Counts(const Launch& launch);

  void on_block_begin(Block& block);
  void on_block_end(const Block& block);

  void on_execute(const Warp&, const Operation& op, Mask lanes) {
    Executed& count = operations_[op.index];
    ++count.warps;
    // Usually all lanes are active. Counting bits is a function call on the oldest CPUs.
    count.threads +=
        lanes == all_lanes ? warp_lanes : static_cast<std::uint64_t>(std::popcount(lanes));
  }
  void on_diverge(const Warp&, const Operation& op) { ++operations_[op.index].divergent; }

  void after_access(Warp& warp, const Operation&, const Access& access) {
    if (access.site < 0 || access.space == Space::parameter) return;
    // Accesses to another block's shared memory use another network, for which there is no rule.
    if (access.owner != nullptr && access.owner != warp.block) return;
    if (access.space == Space::global) ++warp.accesses;
    if (!ccs_.empty()) count(access);
  }
  void on_texture_read(Warp& warp, const Operation& op, const TextureRead& read);

  /// Returns the counters of a site's accesses to one space: an array of numbers_of_site()
  /// integers. They are the members of SiteCounts, for one compute capability after another.
  /// Returns null if these accesses are not counted.
  std::uint64_t* numbers(std::int32_t site, Space space) {
    if (ccs_.empty() || code_->sites[static_cast<std::size_t>(site)].compiler_local) return nullptr;
    const std::size_t place =
        static_cast<std::size_t>(site) * counted_spaces + counted_space(space);
    return &sites_[place * ccs_.size()].requests;
  }
  std::size_t numbers_of_site() const {
    return ccs_.size() * sizeof(SiteCounts) / sizeof(std::uint64_t);
  }
  QuickCounts& quick() { return quick_; }

  static void collect(const Launch& launch, const std::vector<const Counts*>& workers,
                      LaunchResult& result);

 private:
  struct Executed {
    std::uint64_t warps = 0;
    std::uint64_t threads = 0;
    std::uint64_t divergent = 0;
  };

  /// Number of separately counted spaces: global and constant, shared, local.
  static constexpr std::size_t counted_spaces = 3;
  static std::size_t counted_space(Space space) {
    switch (space) {
      case Space::shared: return 1;
      case Space::local: return 2;
      default: return 0;
    }
  }

  /// Counts of one site, for one space and one compute capability.
  struct SiteCounts {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;  ///< lanes that took part in the requests
    std::uint64_t bytes_requested = 0;
    std::uint64_t transactions_32 = 0, transactions_64 = 0, transactions_128 = 0;
    std::uint64_t ideal = 0;  ///< least number of transactions or passes
    std::uint64_t passes = 0;
  };

  /// Cost of one access, by the rules.
  struct Cost {
    rules::GlobalTraffic traffic;
    rules::SharedPasses passes;
    int ideal = 0;
  };

  /// Key of a cache of costs, for accesses of one site and space whose addresses grow by one step
  /// from lane to lane. The costs are in `costs_`. The rules use the first address only modulo 256.
  struct Pattern {
    std::uint64_t stride = 0;
    Mask active = 0;
    std::uint32_t base = 0;  ///< lane 0's address modulo 256, computed if lane 0 is inactive
    int bytes = 0;  ///< bytes of each lane; a copy may move fewer than its instruction states
    bool filled = false;
  };

  /// Key of a second cache of costs, for accesses whose addresses have no common step. The costs
  /// are in `shape_costs_`. `place` stands for the site and the space.
  struct Shape {
    std::size_t place = 0;
    Mask active = 0;  ///< 0: none yet
    int bytes = 0;
    /// Distances of the lanes' addresses from the aligned 256 bytes that hold the first active
    /// lane's address. 0 for inactive lanes.
    std::array<std::uint64_t, warp_lanes> offsets{};
  };

  class Collector;

  void count(const Access& access);
  /// Returns costs for each compute capability of an access whose lanes have no common step.
  const Cost* costs_of_shape(const rules::WarpAccess& request, Space space, std::size_t place);
  static Cost cost_of(rules::ComputeCapability cc, Space space, const rules::WarpAccess& access);
  static void add(SiteCounts& counts, const Cost& cost, int lanes, int bytes);

  const Code* code_;
  std::uint64_t block_threads_;
  std::uint64_t thread_rounds_ = 0;
  std::vector<rules::ComputeCapability> ccs_;
  std::vector<Executed> operations_;
  std::vector<HostCount> host_counts_;  ///< counts of each operation, by machine code
  std::vector<SiteCounts> sites_;       ///< [site][counted space][cc]
  std::vector<Pattern> patterns_;       ///< [site][counted space][entry]
  std::vector<Cost> costs_;             ///< costs of each pattern, [pattern][cc]
  std::vector<Shape> shapes_;           ///< the most recent shapes
  std::vector<Cost> shape_costs_;       ///< [shape][cc]
  QuickCounts quick_;
};

}  // namespace warpwise::emulator
