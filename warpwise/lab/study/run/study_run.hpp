#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/measure/end_to_end.hpp"
#include "warpwise/lab/measure/samples.hpp"
#include "warpwise/lab/study/counters/rung_counters.hpp"
#include "warpwise/lab/study/counters/rung_counts.hpp"
#include "warpwise/lab/study/show/knee.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Verifies the points of a study, and then times them on a GPU or counts them in the emulator. Each
// point becomes a row.
namespace warpwise::lab {

/// A rung's modelled time on a GPU that need not be present.
struct ModelledTime {
  double us = 0;         ///< modelled time of the row's problem with a cold cache
  double filled_us = 0;  ///< time without the overhead of small grids: the sum of the launches'
                         ///< filled_us()
};

/// Models the times of a run in the emulator.
struct TimeModel {
  std::string device;  ///< "h200"
  std::string gpu;     ///< "an NVIDIA H200"
  rules::ComputeCapability compute_capability;
  /// Returns a rung's modelled time, or nothing if the rung cannot be modelled for the problem.
  std::function<std::optional<ModelledTime>(const StudyTable&, const Rung&, const ladders::Problem&,
                                            const emulator::Dim3& block)>
      time_of;
};

struct RungRow {
  std::string rung;  ///< the rung's name, or "cpu reference", "cpu 1 thread", "cpu N threads"
  std::string idea;
  std::vector<std::string> document_rows;  ///< rows of docs/sources.md, for example "A8"
  Size size;
  ladders::Variables parameters;
  ladders::Variables axis_constants;  ///< values of the constants that are axes of the run
  emulator::Dim3 block;
  Setting setting;
  bool on_cpu = false;
  std::string skipped;  ///< why the row was not run; empty if it was run
  std::string wrong;    ///< first difference from the expected result, or the kernel's fault; the
                        ///< row then has no times
  std::optional<Timing> cold;          ///< times with the L2 flushed before each run
  std::optional<Timing> batch;         ///< times of runs on the same operands one after another
  std::optional<double> sm_clock_mhz;  ///< median clock during the cold runs
  std::optional<double>
      gb_per_s;  ///< bytes of all inputs and outputs, each counted once, divided by the cold time
  std::optional<double> share_of_roof;
  std::optional<int> multiprocessors;        ///< SMs that the rung ran on, if a setting limits them
  std::optional<double> neighbour_gb_per_s;  ///< read rate that the neighbour kernel reached at the
                                             ///< same time
  std::optional<double> bandwidth_left;      ///< share of StudyRun::copy_roof_gb_per_s that the
                                             ///< neighbour kernel leaves
  std::optional<EndToEnd> end_to_end;        ///< time with transfers; replaces cold and batch
  std::string roof;                          ///< limit of share_of_roof: "copy", "read" or "vsadu4"
  std::string step_before;  ///< Rung::after, the rung that this one modifies, if it was timed
  std::optional<double> speedup_over_step_before;
  std::optional<double> speedup_over_first;  ///< over the run's first rung with the same problem
  std::vector<RungResources> resources;  ///< one element on a GPU; in the emulator, one for each
                                         ///< requested compute capability
  std::vector<RungCounts> counts;
  std::optional<ModelledTime> modelled;             ///< set in the emulator, with
                                                    ///< StudyRequest::model
  std::optional<CounterReading> counters;           ///< GPU's counters at this row's size
  std::optional<CounterReading> compared_counters;  ///< GPU's counters at the size of `counts`
  std::string not_comparable;  ///< how the GPU's launches differ from those of `counts`
  /// The source document's figures, if it has figures for this row.
  DocumentFigure document;
  std::optional<double> document_speedup_over_first;  ///< the document's speed-up over the rung
                                                      ///< that speedup_over_first refers to
  std::optional<DocumentCpu> document_cpu;            ///< on rows of the CPU
};

/// Time of the transfers of a problem's operands to the GPU and back, in page-locked memory.
struct TransferRow {
  Size size;
  ladders::Variables parameters;
  double upload_us = 0;
  double download_us = 0;
};

/// The knee of one curve. A curve consists of the rows of a run that differ in one axis alone.
struct SeriesKnee {
  std::string rung;
  Size size;
  emulator::Dim3 block;
  ladders::Variables parameters;      ///< parameters of the curve, without the axis
  ladders::Variables axis_constants;  ///< values of the constants that are other axes of the run
  Setting setting;
  KneeSearch search;
};

struct StudyRun {
  std::string study;
  bool is_ladder = true;
  std::vector<std::string> report;  ///< figures to show, the same as StudyTable::report
  bool varies_gpu_share = false;    ///< an axis is sm_percent or neighbour_percent
  bool varies_transfer = false;     ///< an axis chooses how operands are transferred
  std::string experiment;           ///< name of the experiment; empty if the request named rungs
  std::vector<std::string> named_rungs;  ///< named rungs; empty for an experiment or all rungs
  std::string title;
  std::vector<std::string> document_rows;
  std::string document_device;
  Size document_size;
  std::string device;
  rules::ComputeCapability compute_capability;
  int multiprocessors = 0;
  bool on_gpu = false;
  std::optional<TimeModel> model;  ///< the same as StudyRequest::model
  int driver_version = 0;          ///< CUDA version of the driver, 13000 for 13.0
  std::optional<double> copy_roof_gb_per_s;
  std::optional<double> read_roof_gb_per_s;
  std::optional<double> vsadu4_roof_per_s;  ///< absolute differences of bytes per second
  std::string counters_library;      ///< file of the library that read the counters; may be empty
  std::string counters_unavailable;  ///< why requested counters are missing
  std::map<std::string, std::string> counters_left_out;  ///< why each of these metrics was left out
  std::vector<TransferRow> transfers;
  std::optional<BusLimit> bus;  ///< set if transfers are timed
  std::vector<RungRow> rows;
  std::optional<KneeQuestion> knee;  ///< the knee that the experiment asks for
  std::vector<SeriesKnee> knees;     ///< empty without times, and until all rows are there
  std::string method;
  std::string missing;  ///< why some figures of the report are not known
  bool interrupted =
      false;  ///< StudyRequest::stop, or an error, ended the run before its last point

  bool any_wrong() const;
};

struct StudyRequest {
  std::vector<std::string> rungs;
  std::optional<Experiment> experiment;  ///< source of the axes; empty: the table has them
  std::optional<Size> size;              ///< replaces the table's or the experiment's sizes
  std::optional<emulator::Dim3> block;   ///< replaces the block shapes of all but shipped rungs
  bool on_gpu = false;
  bool counters = false;  ///< read the GPU's hardware counters too, after each rung's times
  bool cpu = false;       ///< add rows of the CPU
  std::optional<TimeModel> model;                              ///< for rows of the emulator
  std::vector<rules::ComputeCapability> compute_capabilities;  ///< capabilities to count for
  /// Is called before each point. If it returns true, the run ends with the rows that it has.
  std::function<bool()> stop = [] { return false; };
  /// Is called if a rung fails, with the rows before it, before the error is thrown.
  std::function<void(const StudyRun&)> failed = [](const StudyRun&) {};
};

/// Returns the kernels' share of the sum of upload, kernel and download time. Returns nothing if
/// these parts were not timed.
std::optional<double> kernel_share(const EndToEnd& times);

/// Returns a figure of a row, or nothing if the figure is not known. `name` is one of figure_names.
/// `index` chooses the compute capability for figures that depend on it.
std::optional<double> figure_of(const RungRow& row, std::size_t index, std::string_view name);

/// A function that is called with each finished row and the run so far.
using RowDone = std::function<void(const StudyRun&, const RungRow&)>;

/// Runs a study as the request says.
/// \throws InvalidArgument, OutOfMemory, IoError  errors that can be found before anything is timed
/// \throws CompileError, NoCudaDevice, CudaError  a rung does not compile, or the GPU fails
StudyRun run_study(const StudyTable& table, const StudyRequest& request, const RowDone& done);

}  // namespace warpwise::lab
