#pragma once

#include <span>
#include <string_view>

#include "warpwise/lab/report/words.hpp"

// Texts of words() and told() for a page in Korean.
namespace warpwise::lab::report {

extern const Words korean;

struct Translation {
  std::string_view english;
  std::string_view korean;
};
/// Texts that korean_of() knows, by their origin.
std::span<const Translation> korean_texts_of_ladders();
std::span<const Translation> korean_texts_of_studies();
std::span<const Translation> korean_texts_of_records();

/// Translates a text of a record or of a table. Returns an unknown text as it is.
std::string_view korean_of(std::string_view text);

}  // namespace warpwise::lab::report
