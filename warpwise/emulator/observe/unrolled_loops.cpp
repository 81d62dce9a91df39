#include "warpwise/emulator/observe/unrolled_loops.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace warpwise::emulator {
namespace {

// ptxas 13.0 unrolls loops of up to 43 PTX instructions, and none from 47 on.
constexpr std::int32_t longest_loop = 45;

class Loop {
 public:
  /// \param first, branch  indices of the loop's first operation, and of its branch back
  Loop(const Code& code, std::int32_t first, std::int32_t branch)
      : code_(code), first_(static_cast<std::size_t>(first)),
        branch_(static_cast<std::size_t>(branch)) {}

  bool is_straight() const {
    for (std::size_t i = first_; i < branch_; ++i) {
      if (code_.classes[i] == InstructionClass::control ||
          code_.classes[i] == InstructionClass::barrier)
        return false;
    }
    return true;
  }

  /// Returns true if the branch depends on a comparison of a counter.
  bool counts() const {
    return std::ranges::any_of(code_.accesses[branch_].reads, [this](std::int32_t predicate) {
      const std::size_t comparison = only_writer(predicate);
      return comparison != none && code_.names[comparison].starts_with("setp") &&
             std::ranges::any_of(code_.accesses[comparison].reads,
                                 [this](std::int32_t v) { return is_counter(v); });
    });
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  /// Returns the index of the only operation in the loop that writes register v. Returns `none` if
  /// no operation or several operations write it.
  std::size_t only_writer(std::int32_t v) const {
    std::size_t found = none;
    for (std::size_t i = first_; i < branch_; ++i) {
      if (std::ranges::count(code_.accesses[i].writes, v) == 0) continue;
      if (found != none) return none;
      found = i;
    }
    return found;
  }

  bool is_counter(std::int32_t v) const {
    const std::size_t writer = only_writer(v);
    if (writer == none || code_.classes[writer] != InstructionClass::integer) return false;
    const std::vector<std::int32_t>& reads = code_.accesses[writer].reads;
    return std::ranges::all_of(
        reads, [&](std::int32_t read) { return read == v || only_writer(read) == none; });
  }

  const Code& code_;
  std::size_t first_;
  std::size_t branch_;
};

}  // namespace

std::vector<std::vector<LoadCopy>> copies_of_loads(const Code& code, const PaceModel& model) {
  std::map<int, std::map<int, std::vector<LoadCopy>>> by_line;  // loads by line and piece
  for (const PaceModel::PlacedLoad& each : model.loads)
    by_line[each.ptx_line][each.piece].push_back({each.place, each.needed});
  std::vector<std::vector<LoadCopy>> copies(code.operations.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto found = by_line.find(code.ptx_lines[i]);
    if (found == by_line.end()) continue;
    for (const auto& [piece, each] : found->second)
      if (each.size() > copies[i].size()) copies[i] = each;
  }
  return copies;
}

std::vector<int> rounds_written_out(const Code& code,
                                    const std::vector<std::vector<LoadCopy>>& copies) {
  constexpr int guess = 4;
  std::vector<int> rounds(code.operations.size(), 1);
  for (const Operation& op : code.operations) {
    const auto at = static_cast<std::int32_t>(op.index);
    if (op.control != Control::branch || op.guard == Operation::none || op.target >= at ||
        std::ranges::count(code.rolled_loops, op.target) > 0)
      continue;
    const Loop loop(code, op.target, at);
    if (!loop.is_straight()) continue;
    std::size_t most = 0;
    for (auto i = static_cast<std::size_t>(op.target); i < op.index; ++i)
      most = std::max(most, copies[i].size());
    if (most > 0) {
      rounds[op.index] = static_cast<int>(most);
    } else if (at - op.target < longest_loop && loop.counts()) {
      rounds[op.index] = guess;
    }
  }
  return rounds;
}

std::vector<bool> branches_over_little(const Code& code) {
  // Largest number of instructions that are executed under a condition, in place of a branch over
  // them. For CC 9.0, ptxas 13.0 keeps only 6 % of the branches over up to six instructions. It
  // keeps most branches over more.
  constexpr std::int32_t most = 6;
  std::vector<bool> result(code.operations.size(), false);
  for (const Operation& op : code.operations) {
    const auto first = static_cast<std::int32_t>(op.index) + 1;
    if (op.control != Control::branch || op.guard == Operation::none || op.target < first ||
        op.target - first > most)
      continue;
    result[op.index] = std::all_of(
        code.classes.begin() + first, code.classes.begin() + op.target, [](InstructionClass each) {
          return each != InstructionClass::control && each != InstructionClass::barrier;
        });
  }
  return result;
}

}  // namespace warpwise::emulator
