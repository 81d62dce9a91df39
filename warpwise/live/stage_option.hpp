#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwise::live {

/// Describes an option of a stage, for parsing and for display. A pipeline's text has NAME=VALUE,
/// or NAME for a flag.
struct StageOption {
  enum class Kind : std::uint8_t { integer, number, choice, text, flag };

  std::string name = {};          ///< "window"
  std::string help = {};          ///< its purpose
  Kind kind = Kind::text;         ///< kind of the option's values
  std::string form = {};          ///< name of a value in help texts: "N", "A:B"
  std::string default_text = {};  ///< default: a value, or words for it; may be empty

  // Range of a slider for integers and numbers. Values outside this range may be valid too.
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  std::int64_t step = 1;  ///< step from `least`; 2 if only odd values are valid

  std::vector<std::string> choices = {};

  std::string former = {};  ///< former name, which is still read; may be empty
};

}  // namespace warpwise::live
