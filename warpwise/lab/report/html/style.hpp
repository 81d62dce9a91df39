#pragma once

#include <string>

namespace warpwise::lab::report {

/// Returns the style sheet for light and dark, narrow and wide pages, and for paper.
std::string style_sheet();

}  // namespace warpwise::lab::report
