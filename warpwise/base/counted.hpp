#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpwise {

/// Returns a number with its noun: "1 launch", or "3 launches" with the ending "es".
inline std::string counted(std::uint64_t count, std::string_view noun,
                           std::string_view ending = "s") {
  std::string text = std::to_string(count).append(1, ' ').append(noun);
  return count == 1 ? text : text.append(ending);
}

}  // namespace warpwise
