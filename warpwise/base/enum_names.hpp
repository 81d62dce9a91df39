#pragma once

#include "warpwise/base/standard.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

// Names of the values of enums, for messages, options and files. A table stands beside each enum:
//
//     constexpr auto enum_names(Norm) {
//       return std::to_array<EnumName<Norm>>({{Norm::l1, "l1"}, {Norm::l2, "l2"}});
//     }
//
// The functions below look names and values up in the table. names_each_enumerator<Norm>() of
// tests/support/enum_names.hpp tells a test whether the table is complete.
namespace warpwise {

/// One value of an enum, and its name.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

/// An enum that has a table of names.
template <class Enum>
concept NamedEnum = requires { enum_names(Enum{}); };

/// Returns "l1" for Norm::l1. Returns "?" for a value without a name, such as one cast from a
/// number out of range.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& each : enum_names(value)) {
    if (each.value == value) return each.name;
  }
  return "?";
}

/// Returns Norm::l1 for "l1": `value_named<Norm>("l1")`; nothing if no value has that name.
template <NamedEnum Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
  for (const auto& each : enum_names(Enum{})) {
    if (each.name == name) return each.value;
  }
  return std::nullopt;
}

/// Returns all values that have a name, in the table's order.
template <NamedEnum Enum>
constexpr auto all_values() {
  constexpr auto names = enum_names(Enum{});
  std::array<Enum, names.size()> values{};
  for (std::size_t i = 0; i < names.size(); ++i) values[i] = names[i].value;
  return values;
}

}  // namespace warpwise
