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
  std::string ladder;  ///< or the study
  std::string rung;
  int passed = 0;                      ///< problems times block shapes
  std::map<std::string, int> skipped;  ///< how many, by reason
  std::string failure;                 ///< of the first that is wrong; empty when none is
  std::string compiler_log;            ///< where the source does not compile

  /// A rung that could not be run at all does not count as right.
  bool right() const { return failure.empty() && passed > 0; }
};

/// Verifies the named rungs of a ladder; `done` is told of each. The problems are each size and
/// each set of parameters of the table, with rows that follow without a gap, rows that start at
/// multiples of 32 pixels, and rows that start anywhere; on a GPU the document's size comes to
/// these. Of a study that is no ladder there are all points of its axes in place of that, with and
/// without memory behind the buffers that must stay as it is; the result has to be its reference
/// kernel's. Parameters, constants and block shapes that only an experiment has follow at one size,
/// the last of the table that is valid with them. A size that is not valid with some parameters is
/// skipped; parameters of the table without any valid size are an error.
/// \throws Unsupported  there is no compiler here
void verify(Executor& executor, const StudyTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done);

}  // namespace warpwise::lab
