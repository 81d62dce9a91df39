#pragma once

#include <array>

#include "warpwise/base/enum_names.hpp"

namespace warpwise::emulator {

/// Kinds of errors in a kernel or in the program, and the limits that end a launch.
enum class FaultKind {
  out_of_bounds,
  misaligned,
  deadlock,
  budget,
  trap,
  assertion,
  race,
  use_after_free,
  livelock,
  barrier,           ///< some threads never arrive, or arrive at another place or out of turn
  member_mask,       ///< the mask does not fit the lanes that execute the instruction together
  uninitialised,     ///< use of a value that was never written
  invalid_free,      ///< a free of an address that was never allocated, or is freed already
  leak,              ///< memory that was never freed
  copy,              ///< a copy whose size or direction does not fit the memory
  unchecked_launch,  ///< the program never reads a launch's error, or never waits for the launch
  unsynchronised,    ///< the host accesses memory that the device may still write
  bad_call,          ///< a call through a pointer that points to no function of the called type
  stack_overflow,
  narrow_scope,     ///< atomic accesses by two thread blocks, one with block scope only
  equal_writes,     ///< a race whose write stores the value that memory already holds
  order_dependent,  ///< a result that depends on the order of blocks and warps
  interrupted,      ///< the launch was ended by LaunchOptions::interrupted
  lockstep,         ///< volatile accesses of a warp's lanes, right only if they run in lockstep
};
/// Returns the names for name_of() and value_named(): "out_of_bounds", …
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>({{FaultKind::out_of_bounds, "out_of_bounds"},
                                             {FaultKind::misaligned, "misaligned"},
                                             {FaultKind::deadlock, "deadlock"},
                                             {FaultKind::budget, "budget"},
                                             {FaultKind::trap, "trap"},
                                             {FaultKind::assertion, "assertion"},
                                             {FaultKind::race, "race"},
                                             {FaultKind::use_after_free, "use_after_free"},
                                             {FaultKind::livelock, "livelock"},
                                             {FaultKind::barrier, "barrier"},
                                             {FaultKind::member_mask, "member_mask"},
                                             {FaultKind::uninitialised, "uninitialised"},
                                             {FaultKind::invalid_free, "invalid_free"},
                                             {FaultKind::leak, "leak"},
                                             {FaultKind::copy, "copy"},
                                             {FaultKind::unchecked_launch, "unchecked_launch"},
                                             {FaultKind::unsynchronised, "unsynchronised"},
                                             {FaultKind::bad_call, "bad_call"},
                                             {FaultKind::stack_overflow, "stack_overflow"},
                                             {FaultKind::narrow_scope, "narrow_scope"},
                                             {FaultKind::equal_writes, "equal_writes"},
                                             {FaultKind::order_dependent, "order_dependent"},
                                             {FaultKind::interrupted, "interrupted"},
                                             {FaultKind::lockstep, "lockstep"}});
}

}  // namespace warpwise::emulator
