#pragma once

// Internal to the emulator: the possible sets of observers of a launch. The scheduler and the
// handlers that access memory are compiled once for each set.

#include <type_traits>

#include "warpwise/emulator/observe/counts.hpp"
#include "warpwise/emulator/observe/init.hpp"
#include "warpwise/emulator/observe/pace.hpp"
#include "warpwise/emulator/observe/races.hpp"

namespace warpwise::emulator {

/// Observers of a launch. `checks` makes only the checks that the launch requests.
enum class ObserverSet { none, counts, checks, counts_and_checks, counts_and_pace };

inline bool checks_races(Checks checks) {
  return checks.has(Check::races) || checks.has(Check::equal_writes) || checks.has(Check::strict);
}

/// Returns true if a launch needs the observers that check.
inline bool checks_accesses(Checks checks) {
  return checks_races(checks) || checks.has(Check::init);
}

inline ObserverSet observer_set(const LaunchOptions& options) {
  if (options.pace) return ObserverSet::counts_and_pace;
  if (checks_accesses(options.checks))
    return options.count ? ObserverSet::counts_and_checks : ObserverSet::checks;
  return options.count ? ObserverSet::counts : ObserverSet::none;
}

/// Returns the result of visit(std::type_identity<Observers<...>>) for a set.
template <class Visit>
auto with_observers(ObserverSet set, const Visit& visit) {
  switch (set) {
    case ObserverSet::counts: return visit(std::type_identity<Observers<Counts>>());
    case ObserverSet::checks: return visit(std::type_identity<Observers<Races, Init>>());
    case ObserverSet::counts_and_checks:
      return visit(std::type_identity<Observers<Counts, Races, Init>>());
    case ObserverSet::counts_and_pace: return visit(std::type_identity<Observers<Counts, Pace>>());
    case ObserverSet::none: break;
  }
  return visit(std::type_identity<Observers<>>());
}

}  // namespace warpwise::emulator
