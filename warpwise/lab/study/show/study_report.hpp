#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Returns a run's heading, which names the study, the device and the roof.
std::string heading_of(const StudyRun& run);
/// Returns a legend: a line for each column, which explains the column. In all functions of this
/// file, a table leaves out the least important columns until it fits into `width` characters. A
/// row's name is never cut. A width of 0 means no limit.
std::string legend_of(const StudyRun& run, std::size_t width = 0);
/// Returns the heading of the table that begins with this row: size, parameters, names of columns.
std::string columns_of(const StudyRun& run, const RungRow& row, std::size_t width = 0);
/// Returns true if columns_of() has to be shown before this row. \param before  the row above; null
/// for the first row
bool begins_table(const StudyRun& run, const RungRow* before, const RungRow& row);
std::string line_of(const StudyRun& run, const RungRow& row, std::size_t width = 0);

/// Formats a block shape: "32", "32x8" or "8x8x4".
std::string block_text(const emulator::Dim3& block);
/// Formats parameters: "window 31, offset 7".
std::string parameters_text(const ladders::Variables& parameters);

/// Returns the lines below a row that show its counters beside the emulator's counts. Returns an
/// empty text if the row has no counters. Leaves out a counter's name if `width` has no room for
/// it.
std::string counters_of(const RungRow& row, std::size_t width = 0);
/// Returns why requested counters are missing, or which metrics were left out. Returns an empty
/// text if nothing is missing.
std::string counters_notice(const StudyRun& run);

/// Returns the times of the operands' transfers to the GPU and back; empty without such times.
std::string transfers_of(const StudyRun& run);

/// Returns a line with each curve's knee, or an empty text if the experiment asks for none.
std::string knees_of(const StudyRun& run);

/// Returns the kernels' losses of speed with half of the multiprocessors or half of the bandwidth.
/// Returns an empty text if the run did not measure them.
std::string halved_text(const StudyRun& run);

/// Writes the JSON that lab run --json prints and --out records; README.md lists the keys.
nlohmann::ordered_json json_of(const StudyRun& run);

/// Write a time, or a count and its counter, in the form that lab run and explain print.
nlohmann::ordered_json json_of(const Timing& timing);
nlohmann::ordered_json json_of(const ComparedCount& count);

/// Writes a line with the columns' names, then a line for each row and compute capability.
std::string csv_of(const StudyRun& run);

}  // namespace warpwise::lab
