#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// Makes the stages of a pipeline's text. \param on_gpu  true if a GPU computes; a stage with a
/// rung (a kernel from a ladder of optimisation steps) needs one
/// \throws UsageError  read_stages() refuses the text, or the text names rungs without a GPU
/// \throws InvalidArgument  a stage refuses its options
std::vector<std::shared_ptr<live::Stage>> make_stages(std::string_view text, bool on_gpu);

}  // namespace warpwise::cli
