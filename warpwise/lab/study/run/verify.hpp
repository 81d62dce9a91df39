#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {

/// Result of verifying one rung. Every problem of its table, at every block shape of the rung, is
/// compared with the reference.
struct VerifiedRung {
  std::string ladder;  ///< name of the ladder or study
  std::string rung;
  int passed = 0;                      ///< number of passed cases, each a problem at a block shape
  std::map<std::string, int> skipped;  ///< number of skipped cases for each reason
  std::string failure;                 ///< message on the first wrong case; may be empty
  std::string compiler_log;            ///< set if the source does not compile

  /// Returns true if nothing failed. A rung without any case that ran does not count as right.
  bool right() const { return failure.empty() && passed > 0; }
};

/// Verifies the named rungs of a ladder, and calls `done` with each result. The problems have each
/// size and each set of parameters of the table, with
/// - rows that follow without a gap,
/// - rows that start at multiples of 32 pixels, and
/// - rows that start anywhere.
///
/// On a GPU, the source document's size is verified too.
///
/// A study that is no ladder is verified at all points of its axes, without and with memory after
/// the buffers. The kernels must leave that memory unchanged. Their result has to equal the result
/// of the study's reference kernel.
///
/// A size that is not valid with a set of parameters is skipped. A set of parameters without any
/// valid size is a failure. Parameters, constants and block shapes that only experiments have are
/// verified at one size: the table's last size that is valid with them. If no size is valid, they
/// are skipped.
/// \throws InvalidArgument  the table has no rung with one of the names
void verify(Executor& executor, const StudyTable& table, const std::vector<std::string>& rungs,
            bool on_gpu, const std::function<void(const VerifiedRung&)>& done);

}  // namespace warpwise::lab
