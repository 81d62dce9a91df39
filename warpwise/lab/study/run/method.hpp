#pragma once

#include "warpwise/lab/study/run/study_run.hpp"

namespace warpwise::lab {

/// Describes in sentences how the rows of a run are measured. The sentences depend on `on_gpu`,
/// `varies_gpu_share` and `varies_transfer` of the run.
std::string method_of(const StudyTable& table, const StudyRun& run);

}  // namespace warpwise::lab
