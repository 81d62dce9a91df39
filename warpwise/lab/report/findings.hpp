#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/report/collection.hpp"

// What the records say in a few numbers: nothing here is typed, all of it follows from them.
namespace warpwise::lab::report {

/// The rows that a ladder's steps are read from: those of its first size that have its first
/// parameters, in its order. None where nothing was timed.
std::vector<const RecordedRow*> steps_of(const Record& record);

/// The rows of a run's first size, with any parameters; those that were not run, too.
std::vector<const RecordedRow*> rows_of_first_size(const Record& record);

/// A figure by its name; nothing where the row has none.
std::optional<double> figure_of(const RecordedRow& row, const std::string& name);

/// Which of a document's steps was its best, and which of the same steps is ours.
struct DocumentsBest {
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
  bool is_alone = false;  ///< the document gives a speed-up of no other step than the first
};

struct LadderFinding {
  const RecordedRow* first = nullptr;
  const RecordedRow* last = nullptr;
  double speedup = 1;
  const RecordedRow* largest_step = nullptr;          ///< none with fewer than two steps
  const RecordedRow* last_at_largest_size = nullptr;  ///< none where there is one size
  std::optional<DocumentsBest> document;
};

/// Nothing where a run is no whole ladder, or was not timed.
std::optional<LadderFinding> finding_of(const Record& record);

std::optional<DocumentsBest> documents_best(const std::vector<const RecordedRow*>& rows);

/// A kernel whose best block is another than the document's.
struct BlockFinding {
  const Recorded* from = nullptr;
  const RecordedRow* then = nullptr;
  const RecordedRow* now = nullptr;
};

/// Of all runs; a kernel and block that several runs have comes once.
std::vector<BlockFinding> other_best_blocks(const std::vector<Recorded>& runs);

/// A primitive beside other libraries, over all cases that both were timed at.
struct PeerFinding {
  std::string primitive;
  std::size_t comparisons = 0;
  std::size_t faster = 0;
  double least = 0;  ///< the peer's time over ours
  double greatest = 0;
};

std::vector<PeerFinding> peer_findings(const std::vector<RecordedBench>& benches);

/// Of the rows that did the same on the same size in the same run: warpwise's.
const BenchRow* ours_beside(const Bench& bench, const BenchRow& peer);

}  // namespace warpwise::lab::report
