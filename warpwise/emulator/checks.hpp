#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// What can be looked for beside what always is: accesses outside of any buffer, misaligned ones,
/// asserts, deadlocks and the budget. docs/emulator.md says what each finds, and how far to trust
/// it.
enum class Check : std::uint8_t {
  memory,        ///< by the CUDA runtime: memory freed twice or never, and pointers that are none
  races,         ///< accesses of two threads that nothing orders
  init,          ///< values that nobody has written deciding what a kernel does or gives
  sync,          ///< barriers and member masks that not all threads keep to
  runtime,       ///< by the CUDA runtime: copies, launches and waits that a program gets wrong
  equal_writes,  ///< as races, but of two writes of one value, which do no harm on a GPU
};
/// For name_of() and value_named(): "memory", …
constexpr auto enum_names(Check) {
  return std::to_array<EnumName<Check>>({{Check::memory, "memory"},
                                         {Check::races, "races"},
                                         {Check::init, "init"},
                                         {Check::sync, "sync"},
                                         {Check::runtime, "runtime"},
                                         {Check::equal_writes, "equal_writes"}});
}

/// A set of checks, none at first.
class Checks {
 public:
  constexpr Checks() = default;
  /// Those that are listed.
  constexpr Checks(std::initializer_list<Check> each) {
    for (const Check check : each) add(check);
  }
  /// Every check but equal_writes, which finds what is right as a rule.
  static constexpr Checks all() {
    Checks result;
    for (const Check check : all_values<Check>()) {
      if (check != Check::equal_writes) result.add(check);
    }
    return result;
  }
  /// Puts a check into the set.
  constexpr void add(Check check) { bits_ |= bit(check); }
  /// Puts the checks of another set into the set.
  constexpr void add(Checks others) { bits_ |= others.bits_; }
  /// Whether a check is in the set.
  constexpr bool has(Check check) const { return (bits_ & bit(check)) != 0; }
  /// Whether no check is in the set.
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Checks, Checks) = default;

 private:
  static constexpr std::uint32_t bit(Check check) { return 1U << static_cast<unsigned>(check); }
  std::uint32_t bits_ = 0;
};

/// The checks that a list names: "memory,races", "all,equal_writes"; "none" stands alone.
/// \throws InvalidArgument  with the word that is none of these, and the words there are
WARPWISE_EXPORT Checks parse_checks(std::string_view list);
/// The list that parse_checks() reads.
WARPWISE_EXPORT std::string to_string(Checks checks);

}  // namespace warpwise::emulator
