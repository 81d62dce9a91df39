#pragma once

// Internal to the emulator: the sets of observers that launches can have. Each is a compiled copy
// of the scheduler and of the handlers that access memory.

#include <type_traits>

#include "warpwise/emulator/observe/counts.hpp"
#include "warpwise/emulator/observe/pace.hpp"
#include "warpwise/emulator/observe/races.hpp"

namespace warpwise::emulator {

enum class ObserverSet { none, counts, races, counts_and_races, counts_and_pace };

inline bool checks_races(Checks checks) {
  return checks.has(Check::races) || checks.has(Check::equal_writes);
}

inline ObserverSet observer_set(const LaunchOptions& options) {
  if (options.pace) return ObserverSet::counts_and_pace;
  if (checks_races(options.checks))
    return options.count ? ObserverSet::counts_and_races : ObserverSet::races;
  return options.count ? ObserverSet::counts : ObserverSet::none;
}

/// What visit(std::type_identity<Observers<...>>) returns for a set.
template <class Visit>
auto with_observers(ObserverSet set, const Visit& visit) {
  switch (set) {
    case ObserverSet::counts: return visit(std::type_identity<Observers<Counts>>());
    case ObserverSet::races: return visit(std::type_identity<Observers<Races>>());
    case ObserverSet::counts_and_races:
      return visit(std::type_identity<Observers<Counts, Races>>());
    case ObserverSet::counts_and_pace: return visit(std::type_identity<Observers<Counts, Pace>>());
    case ObserverSet::none: break;
  }
  return visit(std::type_identity<Observers<>>());
}

}  // namespace warpwise::emulator
