#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"

namespace warpwise::bench {

/// Returns a stage that converts rgb24 to ycbcr32 by one rung (optimisation step) of convert's
/// ladder, with the first block shape of the rung's table. It gives the same bytes as
/// live::convert_stage() with full range and BT.601. The stage runs on a GPU only, and compiles its
/// kernel when the first frame arrives. \throws InvalidArgument  the ladder has no such rung
std::unique_ptr<live::Stage> rung_stage(const std::string& rung);

}  // namespace warpwise::bench
