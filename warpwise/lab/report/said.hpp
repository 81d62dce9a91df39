#pragma once

#include <fmt/format.h>

#include <string>

namespace warpwise::lab::report {

/// A text of Words with its {} filled.
template <class... Arguments>
std::string said(const char* format, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(format), arguments...);
}

}  // namespace warpwise::lab::report
