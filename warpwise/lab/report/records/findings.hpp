#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/report/records/collection.hpp"

// Sums the records up in a few numbers, all computed from the records.
namespace warpwise::lab::report {

/// Returns the timed rows of a ladder's steps, at the record's first size and the first parameters,
/// in the ladder's order. Empty if nothing was timed.
std::vector<const RecordedRow*> steps_of(const Record& record);

/// Returns the rows of a run's first size with any parameters, including those that were not run.
std::vector<const RecordedRow*> rows_of_first_size(const Record& record);

/// Rungs of a ladder that go back to the same first rung, in the ladder's order.
struct Branch {
  std::string first;  ///< the rung that it begins with
  std::string last;
  std::vector<const RecordedRow*> rows;
};

/// Groups rows by the first rung of their branch. A first rung changes none of the other rungs in
/// `rows`. Branches are in the order of their first rungs.
std::vector<Branch> branches_of(const std::vector<const RecordedRow*>& rows);

/// Returns the roof that a ladder's shares refer to: "copy", "read" or "vsadu4". If an older record
/// does not name it, returns the roof that the run measured besides the copy roof.
std::string roof_of(const Record& record);

/// Returns a figure by its name; nothing if the row has none.
std::optional<double> figure_of(const RecordedRow& row, const std::string& name);

/// Step with the document's best speed-up, and step with our best speed-up, among the same steps.
struct DocumentsBest {
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
  bool is_alone = false;  ///< the document has only one speed-up besides the first step's
};

struct LadderFinding {
  const RecordedRow* first = nullptr;
  const RecordedRow* last = nullptr;
  double speedup = 1;
  const RecordedRow* largest_step = nullptr;          ///< null if no step follows another
  const RecordedRow* last_at_largest_size = nullptr;  ///< null if the first size is the largest
  std::optional<DocumentsBest> document;
};

/// Returns the findings on a ladder; nothing if the run is no whole ladder or was not timed.
std::optional<LadderFinding> finding_of(const Record& record);

std::optional<DocumentsBest> documents_best(const std::vector<const RecordedRow*>& rows);

/// A kernel whose best block differs from the document's block.
struct BlockFinding {
  const Recorded* from = nullptr;
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
};

/// Returns the findings of all runs. Lists a kernel with a block once per GPU, even if several runs
/// have it.
std::vector<BlockFinding> other_best_blocks(const std::vector<Recorded>& runs);

/// A primitive compared with other libraries, over all cases at which both were timed.
struct PeerFinding {
  std::string primitive;
  std::size_t comparisons = 0;
  std::size_t faster = 0;
  double least = 0;  ///< least ratio of the peer's time to ours
  double greatest = 0;
};

std::vector<PeerFinding> peer_findings(const std::vector<RecordedBench>& benches);

/// Returns Warpwise's row for the same work and size in the same run; null if there is none.
const BenchRow* ours_beside(const Bench& bench, const BenchRow& peer);

}  // namespace warpwise::lab::report
