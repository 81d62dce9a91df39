#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/study_table.hpp"

namespace warpwise::lab {

/// What became of one rung: every problem of its ladder's table, at every block shape that the rung
/// declares, against the reference.
struct VerifiedRung {
  std::string ladder;
  std::string rung;
  int passed = 0;                      ///< problems times block shapes
  std::map<std::string, int> skipped;  ///< how many, by reason
  std::string failure;                 ///< of the first that is wrong; empty when none is
  std::string compiler_log;            ///< where the source does not compile

  /// A rung of which nothing could be run is not right.
  bool right() const { return failure.empty() && passed > 0; }
};

/// Verifies the named rungs of a ladder; `done` is told of each. The problems are each size and
/// each set of parameters of the table, with rows that follow without a gap, rows that start at
/// multiples of 32 pixels, and rows that start anywhere; on a GPU the document's size comes to
/// these. A size that is none with some parameters is skipped; parameters that no size goes with
/// are wrong.
/// \throws Unsupported  there is no compiler here
void verify(Executor& executor, const LadderTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done);

}  // namespace warpwise::lab
