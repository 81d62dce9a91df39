#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/lab/explain/advice/findings.hpp"

// Finds the branches that leave lanes of a warp idle.
namespace warpwise::lab {

/// Divides a launch's idle lanes among the lines that branch.
class Divergence {
 public:
  /// Divides each file's lines into parts. A part begins at a line where many branches diverge. A
  /// line with few divergent branches begins a part only if no earlier branch has left lanes idle.
  explicit Divergence(const Explanation& explanation);

  /// Returns the finding on the part that begins at a line, if its idle lanes cost enough time.
  std::optional<Finding> finding(const emulator::LineCounts& line);

 private:
  using Place = std::pair<std::string, int>;         // a file and its line
  using Callers = std::map<Place, std::set<Place>>;  // by line: the lines that call its function
  struct Work {
    double warps = 0;  ///< warp instructions that ran
    double full = 0;   ///< warp instructions that would do the same work with all 32 lanes active
  };

  static Callers callers_of(const Explanation& explanation);
  static double share_in_part(const Place& place, const Callers& callers,
                              std::map<Place, double>& shares, int depth = 0);
  Work work_after(const emulator::LineCounts& line);

  const Explanation& explanation_;
  std::map<Place, Place> begins_;  ///< maps a line to the first line of its part
  std::optional<Callers> callers_;
};

}  // namespace warpwise::lab
