#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/measure/end_to_end.hpp"
#include "warpwise/lab/measure/samples.hpp"
#include "warpwise/lab/study/knee.hpp"
#include "warpwise/lab/study/rung_counters.hpp"
#include "warpwise/lab/study/rung_counts.hpp"
#include "warpwise/lab/study/study_table.hpp"

// The points of a study verified and then timed on a GPU, or counted in the emulator: one row each.
namespace warpwise::lab {

struct RungRow {
  std::string rung;  ///< or "cpu reference", "cpu 1 thread", "cpu N threads"
  std::string idea;
  std::vector<std::string> rows;  ///< of the documents
  Size size;
  ladders::Variables parameters;
  ladders::Variables axes;  ///< constants that the run's axes set
  emulator::Dim3 block;
  Setting setting;
  bool on_cpu = false;
  std::string skipped;                 ///< why, in words; nothing else is known then
  std::string wrong;                   ///< likewise; a rung that is wrong is never timed
  std::optional<Timing> cold;          ///< L2 flushed before each run
  std::optional<Timing> batch;         ///< run after run on the same operands
  std::optional<double> sm_clock_mhz;  ///< median during the cold runs
  std::optional<double>
      gb_per_s;  ///< each input read once, each output written once, by the cold time
  std::optional<double> share_of_roof;
  std::optional<int> multiprocessors;        ///< that it ran on, where a setting says how many
  std::optional<double> neighbour_gb_per_s;  ///< what the neighbour read meanwhile
  std::optional<double> bandwidth_left;      ///< the rest, as a share of the copy roof
  std::optional<EndToEnd> end_to_end;        ///< with transfers, in the place of cold and batch
  std::string roof;         ///< "copy", "read" or "vsadu4", where the share is known
  std::string step_before;  ///< the rung that this one is a step from, where it was timed too
  std::optional<double> speedup_over_step_before;
  std::optional<double> speedup_over_first;  ///< the first of the run that computes the same
  std::vector<RungResources>
      resources;  ///< on a GPU one, in the emulator one for each that is asked for
  std::vector<RungCounts> counts;
  std::optional<CounterReading> counters;           ///< the GPU's, at this row's size
  std::optional<CounterReading> compared_counters;  ///< likewise, at the size of `counts`
  std::string not_comparable;  ///< why these are not of the launches that `counts` are of
  /// The document's own figures, where this row is what they were taken of.
  DocumentFigure document;
  std::optional<double> document_speedup_over_first;  ///< over the same rung as speedup_over_first
  std::optional<DocumentCpu> document_cpu;            ///< on a row of the CPU
};

/// The time that a problem's operands take to the GPU and back, page-locked.
struct TransferRow {
  Size size;
  ladders::Variables parameters;
  double upload_us = 0;
  double download_us = 0;
};

/// The knee of one curve: of the rows of a run that differ in one axis alone.
struct SeriesKnee {
  std::string rung;
  Size size;
  emulator::Dim3 block;
  ladders::Variables parameters;  ///< without the axis
  ladders::Variables axes;        ///< likewise: other constants that the run's axes set
  Setting setting;
  KneeSearch search;
};

struct StudyRun {
  std::string study;
  bool is_ladder = true;
  std::vector<std::string> report;  ///< figures to be shown, as StudyTable::report
  bool by_share = false;            ///< an axis is a share of the GPU
  bool by_transfer = false;         ///< an axis is the way of transfers
  std::string experiment;           ///< empty for rungs that were named
  std::string title;
  std::vector<std::string> document_rows;
  std::string document_device;
  Size document_size;
  std::string device;
  rules::ComputeCapability compute_capability;
  int multiprocessors = 0;
  bool on_gpu = false;
  int driver_version = 0;  ///< CUDA's, 13000 for 13.0
  std::optional<double> copy_roof_gb_per_s;
  std::optional<double> read_roof_gb_per_s;
  std::optional<double> vsadu4_roof_per_s;  ///< absolute differences of bytes
  std::string counters_library;             ///< the file that read them; empty without counters
  std::string counters_unavailable;         ///< why there are none though they were asked for
  std::map<std::string, std::string> counters_left_out;  ///< metrics, and why
  std::vector<TransferRow> transfers;
  std::optional<BusLimit> bus;  ///< where rows are with transfers
  std::vector<RungRow> rows;
  std::optional<KneeQuestion> knee;  ///< that the experiment asks
  std::vector<SeriesKnee> knees;     ///< none without times, and before all rows are there
  std::string method;
  std::string missing;       ///< why figures of the report are not known, in words
  bool interrupted = false;  ///< StudyRequest::stop ended it before its last point

  bool any_wrong() const;
};

struct StudyRequest {
  std::vector<std::string> rungs;
  std::optional<Experiment> experiment;  ///< its rungs are `rungs`
  std::optional<Size> size;              ///< in place of the table's or the experiment's
  std::optional<emulator::Dim3> block;   ///< in place of the rungs' own
  bool on_gpu = false;
  bool counters = false;  ///< the GPU's hardware counters too, after each rung's times
  bool cpu = false;       ///< the CPU's rows too
  std::vector<rules::ComputeCapability> compute_capabilities;  ///< to be counted for
  /// Is asked before each point; true ends the run with the rows that it has.
  std::function<bool()> stop = [] { return false; };
};

/// The kernels' share of the time of all parts; nothing where the parts were not timed.
std::optional<double> kernel_share(const EndToEnd& times);

/// One of figure_names of a row, of the compute capability with this index where it is one of
/// those. Nothing where it is not known.
std::optional<double> figure_of(const RungRow& row, std::size_t index, std::string_view name);

/// Is told of each row when it is there, with all that is known of the run until then.
using RowDone = std::function<void(const StudyRun&, const RungRow&)>;

/// Runs the request.
/// \throws InvalidArgument, OutOfMemory, IoError  before anything is timed where that can be known
/// \throws CompileError  a rung does not compile
StudyRun run_study(const StudyTable& table, const StudyRequest& request, const RowDone& done);

}  // namespace warpwise::lab
