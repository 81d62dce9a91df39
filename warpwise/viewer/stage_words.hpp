#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Functions that change a pipeline's text for the panel.
namespace warpwise::viewer {

/// Returns the words of each stage: {{"sobel", "border=replicate"}, {"rgb24"}}.
std::vector<std::vector<std::string>> words_of(std::string_view pipeline);

/// Returns the value after "NAME=" in a stage's words; empty without that option.
std::string option_value(const std::vector<std::string>& words, std::string_view name);

/// Returns true if a stage's words have the flag NAME.
bool has_flag(const std::vector<std::string>& words, std::string_view name);

/// Returns the text with new options for stage `index`: "border=replicate invert". New options
/// replace those of the same names. An empty option, "rung=", removes an option or a flag.
std::string with_options(std::string_view pipeline, std::size_t index, std::string_view options);

/// Returns options for with_options() that make a change, such as "block-size=5", and remove the
/// option under its former name: "block= block-size=5". `former` is empty if there is none.
std::string with_former_removed(std::string_view former, std::string_view change);

}  // namespace warpwise::viewer
