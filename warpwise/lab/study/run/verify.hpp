#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {

/// Result of one rung. Every problem of its ladder's table, at every block shape that the rung
/// declares, is compared with the reference.
struct VerifiedRung {
  std::string ladder;  ///< or the study
  std::string rung;
  int passed = 0;                      ///< cases that passed; a case is a problem at a block shape
  std::map<std::string, int> skipped;  ///< number of skipped cases by reason
  std::string failure;                 ///< the first wrong case; empty if there is none
  std::string compiler_log;            ///< set if the source does not compile

  /// Returns true if nothing failed. A rung that could not be run at all does not count as right.
  bool right() const { return failure.empty() && passed > 0; }
};

/// Verifies the named rungs of a ladder, and calls `done` with each result. The problems are each
/// size and each set of parameters of the table, with
/// - rows that follow without a gap,
/// - rows that start at multiples of 32 pixels, and
/// - rows that start anywhere.
///
/// On a GPU the document's size is added.
///
/// A study that is no ladder is verified at all points of its axes instead, with and without memory
/// after the buffers. That memory must stay unchanged, and the result has to equal the result of
/// the study's reference kernel.
///
/// Sizes that are not valid with a set of the table's parameters are skipped; a set without any
/// valid size is a failure. Parameters, constants and block shapes that only an experiment has are
/// verified at one size: the table's last size that is valid with them. They are skipped if no size
/// of the table is valid.
/// \throws InvalidArgument  the table has no rung of a name
void verify(Executor& executor, const StudyTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done);

}  // namespace warpwise::lab
