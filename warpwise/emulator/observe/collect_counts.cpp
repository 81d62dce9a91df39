// Sums the workers' counts by source line and in total.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "warpwise/emulator/observe/counts.hpp"
#include "warpwise/rules/machine_code.hpp"

namespace warpwise::emulator {

class Counts::Collector {
 public:
  Collector(const Launch& launch, const std::vector<const Counts*>& workers, LaunchResult& result)
      : launch_(launch), code_(*launch.code), workers_(workers), result_(result) {}

  void collect() {
    result_.memory.resize(launch_.ccs.size());
    make_lines();
    for (const Counts* worker : workers_) {
      result_.thread_rounds += worker->thread_rounds_;
      for (const Operation& op : code_.operations) add_execution(op, executions(*worker, op));
      for (std::size_t site = 0; site < code_.sites.size(); ++site) add_site(*worker, site);
    }
    for (const InstructionClass each : all_values<InstructionClass>()) {
      const std::uint64_t instructions = by_class_[static_cast<std::size_t>(each)];
      if (instructions == 0) continue;
      result_.instructions_by_class[std::string(name_of(each))] = instructions;
    }
  }

 private:
  using Key = std::pair<std::string, int>;

  /// Makes the list of lines, by file and number, and finds each operation's line.
  void make_lines() {
    std::map<Key, std::size_t> lines;
    for (const ptx::SourceLine& source : code_.counted_lines)
      lines.try_emplace(Key(code_.file_of(source), source.line));
    for (auto& [key, index] : lines) {
      index = result_.lines.size();
      result_.lines.push_back(
          {key.first, key.second, {}, std::vector<MemoryCounts>(launch_.ccs.size())});
    }
    for (const ptx::SourceLine& source : code_.counted_lines)
      line_of_.push_back(lines.at(Key(code_.file_of(source), source.line)));
  }

  /// Returns an operation's executions, by the interpreter and by machine code.
  Executed executions(const Counts& worker, const Operation& op) const {
    Executed all = worker.operations_[op.index];
    const HostCode* const host_code =
        launch_.host_code != nullptr ? launch_.host_code->ready() : nullptr;
    if (host_code != nullptr) {
      HostCount own;
      host_code->add(op.index, worker.host_counts_, own);
      all.warps += own.warps;
      all.threads += own.threads;
    }
    return all;
  }

  void add_execution(const Operation& op, const Executed& own) {
    const InstructionClass c = code_.classes[op.index];
    const rules::FloatOperations floats = rules::float_operations(code_.names[op.index]);
    const bool branches = op.control == Control::branch || op.control == Control::branch_indexed;
    for (ExecutionCounts* to : {&result_.totals, &result_.lines[line_of_[op.index]].execution}) {
      to->warp_instructions += own.warps;
      to->thread_instructions += own.threads;
      to->divergent_branches += own.divergent;
      if (branches) to->branches += own.warps;
      if (op.control == Control::barrier) to->barriers += own.warps;
      to->float32_operations += own.threads * floats.float32;
      to->float64_operations += own.threads * floats.float64;
    }
    by_class_[static_cast<std::size_t>(c)] += own.warps;
  }

  void add_site(const Counts& worker, std::size_t site) {
    const Site& from = code_.sites[site];
    const bool is_constant = code_.operations[from.operation].space == Space::constant;
    LineCounts& line = result_.lines[line_of_[from.operation]];
    const std::size_t ccs = launch_.ccs.size();
    for (const Space space : {Space::global, Space::shared, Space::local}) {
      const std::size_t place = site * counted_spaces + counted_space(space);
      for (std::size_t k = 0; k < ccs; ++k) {
        const SiteCounts& counts = worker.sites_[place * ccs + k];
        if (counts.requests == 0) continue;
        for (MemoryCounts* to : {&result_.memory[k], &line.memory[k]})
          add(*to, counts, space, from.kind, is_constant);
      }
    }
  }

  /// Adds the counts of one site (a memory access in the code) to a line's counts or to the total.
  /// `from` holds the site's accesses to one space.
  static void add(MemoryCounts& to, const SiteCounts& from, Space space, InstructionClass kind,
                  bool is_constant) {
    if (kind == InstructionClass::texture) {
      to.texture_requests += from.requests;
      to.texture_references += from.lanes;
      return;
    }
    const bool is_atomic = kind == InstructionClass::atomic;
    const bool is_store = kind == InstructionClass::store;
    switch (space) {
      case Space::shared:
        add(is_atomic ? to.shared_atomic : is_store ? to.shared_store : to.shared_load, from);
        break;
      case Space::local: add(is_store ? to.local_store : to.local_load, from); break;
      default:
        if (is_constant)
          add(to.constant, from);
        else
          add(is_atomic ? to.global_atomic : is_store ? to.global_store : to.global_load, from);
    }
  }

  static void add(TrafficCounts& to, const SiteCounts& from) {
    to.requests += from.requests;
    to.references += from.lanes;
    to.transactions_32 += from.transactions_32;
    to.transactions_64 += from.transactions_64;
    to.transactions_128 += from.transactions_128;
    to.bytes_requested += from.bytes_requested;
    to.bytes_moved +=
        32 * from.transactions_32 + 64 * from.transactions_64 + 128 * from.transactions_128;
    to.ideal_transactions += from.ideal;
  }

  static void add(PassCounts& to, const SiteCounts& from) {
    to.requests += from.requests;
    to.passes += from.passes;
    to.ideal_passes += from.ideal;
  }

  const Launch& launch_;
  const Code& code_;
  const std::vector<const Counts*>& workers_;
  LaunchResult& result_;
  std::vector<std::size_t> line_of_;  ///< index of each operation's line
  std::array<std::uint64_t, instruction_classes> by_class_{};
};

void Counts::collect(const Launch& launch, const std::vector<const Counts*>& workers,
                     LaunchResult& result) {
  Collector(launch, workers, result).collect();
}

}  // namespace warpwise::emulator
