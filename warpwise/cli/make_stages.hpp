#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// The stages of a pipeline's text. \param on_gpu  whether a GPU computes: else rungs are refused
/// \throws UsageError  what read_stages() refuses, and rungs without a GPU
/// \throws InvalidArgument  what a stage refuses of its options
std::vector<std::shared_ptr<live::Stage>> make_stages(std::string_view text, bool on_gpu);

}  // namespace warpwise::cli
