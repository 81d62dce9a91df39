#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// The stages of "ycbcr32 | sobel | threshold window=31 invert": each a name and its options, which
/// are those of the subcommand of that name without their dashes; of a format's name those of
/// convert; and rung=NAME, a rung of the primitive's ladder in the place of the library's kernel.
/// An empty text has none. \param on_gpu  whether a GPU computes: else rungs are refused
/// \throws UsageError  an unknown stage, and what Stage's options refuse; the message names the
/// stage.
std::vector<std::shared_ptr<live::Stage>> parse_stages(std::string_view text, bool on_gpu);

/// What --help and messages say of the stages that there are.
std::string list_of_stages();

}  // namespace warpwise::cli
