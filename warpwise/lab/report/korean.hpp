#pragma once

#include <string_view>

#include "warpwise/lab/report/words.hpp"

// What words() and told() give of a page in Korean.
namespace warpwise::lab::report {

extern const Words korean;

/// A text of a record or of a table; itself where it is not known.
std::string_view korean_of(std::string_view text);

}  // namespace warpwise::lab::report
