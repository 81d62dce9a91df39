#pragma once

#include <fmt/format.h>

#include <string>

namespace warpwise::lab::report {

/// Fills in the {} of a text of Words.
template <class... Arguments>
std::string said(const char* format, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(format), arguments...);
}

}  // namespace warpwise::lab::report
