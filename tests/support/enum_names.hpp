#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "warpwise/base/enum_names.hpp"

namespace warpwise::test {

/// Returns true if an enum has an enumerator of this value. C++ cannot tell, but in a function's
/// name g++ and clang write such a value as "Norm::l1", and any other value as "(Norm)7".
template <auto value>
constexpr bool is_enumerator() {
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  const char first = function[function.find_last_of(":)") + 1];
  return first < '0' || first > '9';
}

/// Returns for each value from 0 to 63 whether it is an enumerator.
template <class Enum>
constexpr auto enumerators() {
  return []<std::size_t... value>(std::index_sequence<value...>) {
    return std::array{is_enumerator<static_cast<Enum>(value)>()...};
  }(std::make_index_sequence<64>());
}

/// Returns true if an enum's table of names has each enumerator once, and no name twice. Values
/// must be from 0 to 63.
template <NamedEnum Enum>
constexpr bool names_each_enumerator() {
  constexpr auto is_value = enumerators<Enum>();
  constexpr auto named = all_values<Enum>();
  for (std::size_t i = 0; i < is_value.size(); ++i) {
    const auto rows = std::count(named.begin(), named.end(), static_cast<Enum>(i));
    if (rows != (is_value[i] ? 1 : 0)) return false;
  }
  for (const Enum value : named) {
    if (static_cast<std::size_t>(value) >= is_value.size()) return false;
    if (value_named<Enum>(name_of(value)) != value) return false;
  }
  return true;
}

}  // namespace warpwise::test
