#pragma once

#include <string>
#include <string_view>

namespace warpwise::lab {

struct FigureKind {
  std::string_view name;
  std::string_view title;
  bool higher_is_better = false;
  bool is_share = false;  ///< shown in per cent
};

/// Returns the properties of a figure. An unknown figure has no title.
FigureKind kind_of(std::string_view name);

/// Returns a figure's name in words: "warp instructions" for "warp_instructions".
std::string words_of(std::string name);

}  // namespace warpwise::lab
