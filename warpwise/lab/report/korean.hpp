#pragma once

#include <span>
#include <string_view>

#include "warpwise/lab/report/words.hpp"

// What words() and told() give of a page in Korean.
namespace warpwise::lab::report {

extern const Words korean;

struct Translation {
  std::string_view english;
  std::string_view korean;
};
/// What korean_of() knows, by where the texts come from.
std::span<const Translation> korean_texts_of_ladders();
std::span<const Translation> korean_texts_of_studies();
std::span<const Translation> korean_texts_of_records();

/// A text of a record or of a table; itself where it is not known.
std::string_view korean_of(std::string_view text);

}  // namespace warpwise::lab::report
