#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/report/records/collection.hpp"

// Sums the records up in a few numbers. All of them are computed, and none is typed.
namespace warpwise::lab::report {

/// Returns the rows of a ladder's steps: those of its first size with its first parameters, in the
/// ladder's order. None if nothing was timed.
std::vector<const RecordedRow*> steps_of(const Record& record);

/// Returns the rows of a run's first size with any parameters, including those that were not run.
std::vector<const RecordedRow*> rows_of_first_size(const Record& record);

/// Rungs of a ladder that lead from one to the next, in the ladder's order.
struct Branch {
  std::string first;  ///< the rung that it begins with
  std::string last;
  std::vector<const RecordedRow*> rows;
};

/// Groups rows by the rung that begins their branch. Such a rung changes no other rung of the rows.
/// Branches are in the order of these rungs.
std::vector<Branch> branches_of(const std::vector<const RecordedRow*>& rows);

/// Returns the roof of a ladder's shares: "copy", "read" or "vsadu4". Older records do not name the
/// roof; then it is the roof that the run measured besides the copy.
std::string roof_of(const Record& record);

/// Returns a figure by its name; nothing if the row has none.
std::optional<double> figure_of(const RecordedRow& row, const std::string& name);

/// The document's best step, and our best among the same steps.
struct DocumentsBest {
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
  bool is_alone = false;  ///< the document has speed-ups of this and the first step alone
};

struct LadderFinding {
  const RecordedRow* first = nullptr;
  const RecordedRow* last = nullptr;
  double speedup = 1;
  const RecordedRow* largest_step = nullptr;          ///< null with fewer than two steps
  const RecordedRow* last_at_largest_size = nullptr;  ///< null if there is one size
  std::optional<DocumentsBest> document;
};

/// Returns the findings on a ladder; nothing if the run is no whole ladder or was not timed.
std::optional<LadderFinding> finding_of(const Record& record);

std::optional<DocumentsBest> documents_best(const std::vector<const RecordedRow*>& rows);

/// A kernel whose best block differs from the document's.
struct BlockFinding {
  const Recorded* from = nullptr;
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
};

/// Returns the findings of all runs. Lists a kernel with a block once, even if several runs have
/// it.
std::vector<BlockFinding> other_best_blocks(const std::vector<Recorded>& runs);

/// A primitive compared with another library, over all cases at which both were timed.
struct PeerFinding {
  std::string primitive;
  std::size_t comparisons = 0;
  std::size_t faster = 0;
  double least = 0;  ///< the peer's time over ours
  double greatest = 0;
};

std::vector<PeerFinding> peer_findings(const std::vector<RecordedBench>& benches);

/// Returns Warpwise's row for the same work and size in the same run.
const BenchRow* ours_beside(const Bench& bench, const BenchRow& peer);

}  // namespace warpwise::lab::report
