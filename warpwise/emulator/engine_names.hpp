#pragma once

#include "warpwise/base/enum_names.hpp"
#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator {

/// Names of the engines, for options and environment variables.
constexpr auto enum_names(Engine) {
  return std::to_array<EnumName<Engine>>({{Engine::automatic, "automatic"},
                                          {Engine::interpreter, "interpreter"},
                                          {Engine::machine_code, "machine-code"}});
}
inline constexpr auto all_engines = all_values<Engine>();

}  // namespace warpwise::emulator
