#pragma once

#include <span>
#include <string_view>

#include "warpwise/lab/report/words/words.hpp"

// Texts of words() and told() for a page in Korean.
namespace warpwise::lab::report {

extern const Words korean;

struct Translation {
  std::string_view english;
  std::string_view korean;
};
/// Texts of records, and the words of plots.
std::span<const Translation> korean_texts_of_records();

/// Translates a text of a record, or of an installed table by the file ko.json beside the table.
/// Returns an unknown text as it is.
/// \throws InvalidArgument  a ko.json is no object of texts
/// \throws IoError  as source_root()
std::string_view korean_of(std::string_view text);

}  // namespace warpwise::lab::report
