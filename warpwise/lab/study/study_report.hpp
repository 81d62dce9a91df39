#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warpwise/lab/study/study_run.hpp"

namespace warpwise::lab {

/// The line above the rows of one size: what is run where, and against which roof.
std::string heading_of(const StudyRun& run);
/// A line for each column that says what it holds. Here and below, a table is at most `width`
/// characters wide, as long as its rows' names allow: columns that matter less are left out; 0
/// stands for any width.
std::string legend_of(const StudyRun& run, std::size_t width = 0);
/// The size and the parameters that rows from this one on are for, and the names of the columns.
std::string columns_of(const StudyRun& run, const RungRow& row, std::size_t width = 0);
/// Whether they are to be shown before this row. \param before  the row above; none at the first
bool begins_table(const StudyRun& run, const RungRow* before, const RungRow& row);
/// One row for people.
std::string line_of(const StudyRun& run, const RungRow& row, std::size_t width = 0);

/// "32", "32x8" or "8x8x4".
std::string block_text(const emulator::Dim3& block);
/// "window 31, offset 7".
std::string parameters_text(const ladders::Variables& parameters);

/// The lines below a row with its counters beside the emulator's counts; empty without counters.
/// Where `width` has no room for it, a counter's name is left out.
std::string counters_of(const RungRow& row, std::size_t width = 0);
/// Why there are no counters though they were asked for, or which were left out; else empty.
std::string counters_notice(const StudyRun& run);

/// What the operands' way to the GPU and back takes; empty without one.
std::string transfers_of(const StudyRun& run);

/// The knees that the experiment asks for, a line for each curve; empty where it asks for none.
std::string knees_of(const StudyRun& run);

/// What kernels lose when multiprocessors or bandwidth are halved; empty where the run does not
/// show it.
std::string halved_text(const StudyRun& run);

/// What lab run --json prints and --out records; the keys are listed in README.md.
nlohmann::ordered_json json_of(const StudyRun& run);

/// As lab run and explain print a time, and a count beside its counter.
nlohmann::ordered_json json_of(const Timing& timing);
nlohmann::ordered_json json_of(const ComparedCount& count);

/// One line of names, then one for each row and compute capability.
std::string csv_of(const StudyRun& run);

}  // namespace warpwise::lab
