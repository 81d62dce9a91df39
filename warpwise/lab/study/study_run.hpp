#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/lab/measure/executor.hpp"
#include "warpwise/lab/study/study_table.hpp"

// Rungs verified and then timed on a GPU, or counted in the emulator: one row each.
namespace warpwise::lab {

/// What the emulator counted of all launches of a rung, as one compute capability makes it.
struct RungCounts {
  rules::ComputeCapability compute_capability;
  Size size;  ///< of the problem that it was counted at
  std::uint64_t warp_instructions = 0;
  double active_lanes = 0;  ///< of 32, in the mean over the instructions
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
  /// Reads, writes and atomic operations of global memory and reads of textures that threads make:
  /// of each access the lanes that take part, a vector counted once.
  double references_per_pixel = 0;
  double transactions_per_request = 0;   ///< of global memory
  double bytes_moved_per_pixel = 0;      ///< between the SMs and global memory
  double shared_passes_per_request = 0;  ///< 0 without shared memory
};

/// What the machine code takes and how much of an SM's warps its blocks fill.
struct RungResources {
  rules::ComputeCapability compute_capability;
  std::optional<int> registers;
  std::string registers_from;  ///< built_for(); empty on a GPU, whose driver builds for itself
  std::optional<double> occupancy;
};

struct RungRow {
  std::string rung;  ///< or "cpu reference", "cpu 1 thread", "cpu N threads"
  std::string idea;
  std::vector<std::string> rows;  ///< of the documents
  Size size;
  ladders::Variables parameters;
  emulator::Dim3 block;
  bool on_cpu = false;
  std::string skipped;                 ///< why, in words; nothing else is known then
  std::string wrong;                   ///< likewise; a rung that is wrong is never timed
  std::optional<Timing> cold;          ///< L2 flushed before each run
  std::optional<Timing> batch;         ///< run after run on the same operands
  std::optional<double> sm_clock_mhz;  ///< median during the cold runs
  std::optional<double>
      gb_per_s;  ///< each input read once, each output written once, by the cold time
  std::optional<double> share_of_roof;
  std::string step_before;  ///< the rung that this one is a step from, where it was timed too
  std::optional<double> speedup_over_step_before;
  std::optional<double> speedup_over_first;  ///< the first of the run that computes the same
  std::vector<RungResources>
      resources;  ///< on a GPU one, in the emulator one for each that is asked for
  std::vector<RungCounts> counts;
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

struct LadderRun {
  std::string ladder;
  std::string experiment;  ///< empty for rungs that were named
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
  std::optional<double> vsadu4_roof_per_s;  ///< absolute differences of bytes
  std::vector<TransferRow> transfers;
  std::vector<RungRow> rows;
  std::string method;

  bool any_wrong() const;
};

struct LadderRequest {
  std::vector<std::string> rungs;
  std::optional<Experiment> experiment;  ///< its rungs are `rungs`
  std::optional<Size> size;              ///< in place of the table's or the experiment's
  std::optional<emulator::Dim3> block;   ///< in place of the rungs' own
  bool on_gpu = false;
  bool cpu = false;                                            ///< the CPU's rows too
  std::vector<rules::ComputeCapability> compute_capabilities;  ///< to be counted for
};

/// What the figures of a rung's row are beside those of the rows before it, and which of the
/// document's belong to it. run_ladder() does so with each row.
void compare(const LadderTable& table, const LadderRun& before, RungRow& row);

/// Is told of each row when it is there, with all that is known of the run until then.
using RowDone = std::function<void(const LadderRun&, const RungRow&)>;

/// Runs the request.
/// \throws InvalidArgument, OutOfMemory, IoError  before anything is timed where that can be known
/// \throws CompileError  a rung does not compile
LadderRun run_ladder(const LadderTable& table, const LadderRequest& request, const RowDone& done);

}  // namespace warpwise::lab
