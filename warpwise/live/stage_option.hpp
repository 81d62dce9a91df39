#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwise::live {

/// What an option of a stage takes, for those who read it and those who show it. In a pipeline's
/// text it is NAME=VALUE, of a flag NAME alone.
struct StageOption {
  enum class Kind : std::uint8_t { integer, number, choice, text, flag };

  std::string name = {};       ///< "window"
  std::string help = {};       ///< what it is for
  Kind kind = Kind::text;      ///< of its values
  std::string form = {};       ///< what stands for a value in texts: "N", "A:B"
  std::string otherwise = {};  ///< without it: a value, or in words what follows; may be empty

  // Of integers and numbers: what a slider spans. More may be taken.
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  std::int64_t step = 1;  ///< from `least` on; 2 where only odd ones are taken

  std::vector<std::string> choices = {};
};

}  // namespace warpwise::live
