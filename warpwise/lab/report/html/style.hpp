#pragma once

#include <string>

namespace warpwise::lab::report {

/// Returns the style sheet for light and dark colours, narrow and wide screens, and paper.
std::string style_sheet();

}  // namespace warpwise::lab::report
