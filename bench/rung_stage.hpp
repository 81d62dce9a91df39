#pragma once

#include <memory>
#include <string>

#include "warpwise/live/stage.hpp"

namespace warpwise::bench {

/// Returns a stage that converts rgb24 to ycbcr32 by a rung of convert's ladder, at the first block
/// shape of its table. It gives the same bytes as live::convert_stage() with full range and BT.601.
/// Runs on a GPU only. The kernel is compiled when the first frame arrives.
/// \throws InvalidArgument  the ladder has no such rung
std::unique_ptr<live::Stage> rung_stage(const std::string& rung);

}  // namespace warpwise::bench
