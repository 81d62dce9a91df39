#pragma once

#include <string>
#include <string_view>

namespace warpwise::lab {

/// What is known of a figure besides its name.
struct FigureKind {
  std::string_view name;
  std::string_view title;
  bool higher_is_better = false;
  bool is_share = false;  ///< shown in per cent
};

/// One that nothing is known of has no title.
FigureKind kind_of(std::string_view name);

/// "warp_instructions" in words.
std::string words_of(std::string name);

}  // namespace warpwise::lab
