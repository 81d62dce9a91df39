#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/report/records/collection.hpp"

// Summarises the records in a few numbers, which are all computed from the records.
namespace warpwise::lab::report {

/// Returns the timed rows of a ladder's steps, at the record's first size and with the first row's
/// parameters, in the ladder's order. Returns nothing if no row was timed.
std::vector<const RecordedRow*> steps_of(const Record& record);

/// Returns the rows of a run's first size, for all parameters and including rows that were not run.
std::vector<const RecordedRow*> rows_of_first_size(const Record& record);

/// A branch of a ladder: all rungs that build, step by step, on the same first rung.
struct Branch {
  std::string first;  ///< the branch's first rung
  std::string last;
  std::vector<const RecordedRow*> rows;
};

/// Groups rows by branch. A branch begins with a rung whose `step_before` is not among the rows
/// before it. Branches are in the order of their first rungs.
std::vector<Branch> branches_of(const std::vector<const RecordedRow*>& rows);

/// Returns the roof that a ladder's shares refer to: "copy", "read" or "vsadu4". For an older
/// record without a named roof, returns the roof that the run measured besides the copy roof.
std::string roof_of(const Record& record);

/// Returns a figure by its name, or nothing if the row lacks the figure.
std::optional<double> figure_of(const RecordedRow& row, const std::string& name);

/// The step with the best speed-up in the document, and the step with the best measured speed-up.
/// Only steps with both speed-ups count.
struct DocumentsBest {
  const RecordedRow* in_document = nullptr;
  const RecordedRow* measured = nullptr;
  bool is_alone = false;  ///< besides the first step, only one step has both speed-ups
};

struct LadderFinding {
  const RecordedRow* first = nullptr;
  const RecordedRow* last = nullptr;
  double speedup = 1;
  const RecordedRow* largest_step = nullptr;  ///< null if no step is faster than a timed step
  const RecordedRow* last_at_largest_size = nullptr;  ///< null if the first size is the largest
  std::optional<DocumentsBest> document;
};

/// Returns the findings on a ladder; nothing if the run is no whole ladder, or was not timed.
std::optional<LadderFinding> finding_of(const Record& record);

/// Returns true if a run timed a whole ladder in at least two steps: the first and the last step
/// then tell the gain of the ladder. Runs of named rungs and interrupted runs are not whole.
bool is_of_whole_ladder(const Record& record);

std::optional<DocumentsBest> documents_best(const std::vector<const RecordedRow*>& rows);

/// A kernel for which a block other than the document's block is now the fastest.
struct BlockFinding {
  const Recorded* from = nullptr;
  const RecordedRow* document_row = nullptr;  ///< row with the document's block
  const RecordedRow* fastest_row = nullptr;   ///< row with the fastest block
};

/// Returns the findings of all runs. Lists a pair of rung and block only once for each GPU.
std::vector<BlockFinding> other_best_blocks(const std::vector<Recorded>& runs);

/// A primitive compared with other libraries, over all cases for which both have a time.
struct PeerFinding {
  std::string primitive;
  std::size_t comparisons = 0;
  std::size_t faster = 0;
  double least = 0;  ///< least ratio of another library's time to our time
  double greatest = 0;
};

std::vector<PeerFinding> peer_findings(const std::vector<RecordedBench>& benches);

/// Returns Warpwise's row for the work and size of another library's row `peer` in the same run.
/// Returns null if there is none.
const BenchRow* ours_beside(const Bench& bench, const BenchRow& peer);

}  // namespace warpwise::lab::report
