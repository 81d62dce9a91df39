#pragma once

// Functions with which a test controls the library of fake_cupti.cpp and reads its log.
extern "C" {
/// Clears the log. \param failure  step that fails: "enable", "patching" or "stop"; "" for none
void fake_begin(const char* failure);
/// Returns the profiler's calls since fake_begin(): "enable start stop decode disable ".
const char* fake_log();
/// Returns the number of host objects that were initialised and not deinitialised.
int fake_hosts();
/// Simulates a kernel, which is counted between start and stop.
void fake_kernel();
}
