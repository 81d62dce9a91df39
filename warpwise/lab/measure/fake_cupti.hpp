#pragma once

// What a test tells the library of fake_cupti.cpp, and learns of it.
extern "C" {
/// Forgets the log. \param failure  "enable", "patching" or "stop" is what fails from now on
void fake_begin(const char* failure);
/// The profiler's calls since then: "enable start stop decode disable ".
const char* fake_log();
/// Host objects that were made and not ended.
int fake_hosts();
/// A kernel runs: it is counted between start and stop.
void fake_kernel();
}
