#pragma once

#include <string>

namespace warpwise::lab::report {

/// The page's style sheet: light and dark, narrow and wide, and on paper.
std::string style_sheet();

}  // namespace warpwise::lab::report
