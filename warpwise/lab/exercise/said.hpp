#pragma once

#include <fmt/format.h>

#include <string>

#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab {

/// Formats a text in the language that report::speak() has set. The Korean texts are in
/// warpwise/exercises/ko.json, with the same placeholders for values.
template <class... Values>
std::string said(const char* english, const Values&... values) {
  return fmt::format(fmt::runtime(report::told(english)), values...);
}

}  // namespace warpwise::lab
