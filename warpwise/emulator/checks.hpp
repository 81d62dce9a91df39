#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/export.hpp"

namespace warpwise::emulator {

/// Optional checks. Accesses outside every buffer, misaligned accesses, asserts, deadlocks and the
/// instruction budget are always checked. docs/emulator.md says what each check finds, and how
/// reliable it is.
enum class Check : std::uint8_t {
  memory,        ///< calls of the CUDA runtime: memory freed twice or never, invalid pointers
  races,         ///< unordered accesses of threads, launches or copies
  init,          ///< unwritten values that affect control flow or results
  sync,          ///< barriers that some threads do not reach, and wrong member masks
  runtime,       ///< calls of the CUDA runtime: wrong copies, unchecked launches, missing waits
  equal_writes,  ///< races in which both writes store the same value; harmless on a GPU
  /// Races by CUDA's memory model alone. Volatile accesses count as ordinary ones. An atomic access
  /// orders earlier accesses only by a release or a fence.
  strict,
};
/// Returns the names for name_of() and value_named(): "memory", …
constexpr auto enum_names(Check) {
  return std::to_array<EnumName<Check>>({{Check::memory, "memory"},
                                         {Check::races, "races"},
                                         {Check::init, "init"},
                                         {Check::sync, "sync"},
                                         {Check::runtime, "runtime"},
                                         {Check::equal_writes, "equal_writes"},
                                         {Check::strict, "strict"}});
}

/// A set of checks; empty by default.
class Checks {
 public:
  constexpr Checks() = default;
  /// Makes a set of the given checks.
  constexpr Checks(std::initializer_list<Check> each) {
    for (const Check check : each) add(check);
  }
  /// Returns all checks except equal_writes and strict, which report code that usually works.
  static constexpr Checks all() {
    Checks result;
    for (const Check check : all_values<Check>()) {
      if (check != Check::equal_writes && check != Check::strict) result.add(check);
    }
    return result;
  }
  /// Adds a check.
  constexpr void add(Check check) { bits_ |= bit(check); }
  /// Adds the checks of another set.
  constexpr void add(Checks others) { bits_ |= others.bits_; }
  /// Returns true if the check is in the set.
  constexpr bool has(Check check) const { return (bits_ & bit(check)) != 0; }
  /// Returns true if the set is empty.
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Checks, Checks) = default;

 private:
  static constexpr std::uint32_t bit(Check check) { return 1U << static_cast<unsigned>(check); }
  std::uint32_t bits_ = 0;
};

/// Parses a list of checks: "memory,races", "all,equal_writes". "none" must stand alone.
/// \throws InvalidArgument  for an unknown word; names it and the valid words
WARPWISE_EXPORT Checks parse_checks(std::string_view list);
/// Returns the list that parse_checks() reads.
WARPWISE_EXPORT std::string to_string(Checks checks);

}  // namespace warpwise::emulator
