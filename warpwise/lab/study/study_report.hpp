#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "warpwise/lab/study/study_run.hpp"

namespace warpwise::lab {

/// The line above the rows of one size: what is run where, and against which roof.
std::string heading_of(const LadderRun& run);
/// The size and the parameters that rows from this one on are for, and the names of the columns.
std::string columns_of(const RungRow& row, bool on_gpu);
/// One row for people.
std::string line_of(const RungRow& row, bool on_gpu);

/// What the operands' way to the GPU and back takes; empty without one.
std::string transfers_of(const LadderRun& run);

/// What lab run --json prints and --out records; the keys are listed in README.md.
nlohmann::ordered_json json_of(const LadderRun& run);

/// One line of names, then one for each row and compute capability.
std::string csv_of(const LadderRun& run);

}  // namespace warpwise::lab
