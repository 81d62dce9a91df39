#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// A pipeline's text as the panel changes it.
namespace warpwise::viewer {

/// The words of each stage: {{"sobel", "border=replicate"}, {"rgb24"}}.
std::vector<std::vector<std::string>> words_of(std::string_view pipeline);

/// What stands behind "NAME=" in a stage's words; empty without it.
std::string option_of(const std::vector<std::string>& words, std::string_view name);

/// Whether a stage's words have the flag NAME.
bool has_flag(const std::vector<std::string>& words, std::string_view name);

/// The text with these options of the stage `index`, "border=replicate invert", in the place of
/// those of the same names; an option without its value, "rung=", is taken out, and so is a flag.
std::string with_options(std::string_view pipeline, std::size_t index, std::string_view options);

}  // namespace warpwise::viewer
