#pragma once

#include <span>
#include <string_view>

#include "warpwise/lab/report/words/words.hpp"

// Korean texts for words() and told().
namespace warpwise::lab::report {

extern const Words korean;

struct Translation {
  std::string_view english;
  std::string_view korean;
};
/// Texts of records, and the words of plots.
std::span<const Translation> korean_texts_of_records();

/// Translates a text of a record, or of an installed table. The file ko.json beside a table has the
/// translations of the table's texts. Returns an unknown text unchanged.
/// \throws InvalidArgument  a ko.json is no object of texts
/// \throws IoError  as source_root()
std::string_view korean_of(std::string_view text);

}  // namespace warpwise::lab::report
