#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"

// Options of a program's run from environment variables, and the collection of its reports.
// README.md in this folder lists the variables. If none asks for
// reports, only faults of kernels and refused kernels are printed.
namespace warpwise::emulator::runtime {

/// Returns the checks in WARPWISE_EMULATED_CHECK.
Checks checks_asked_for();

/// Return the number of orders of each launch, and their seed, from WARPWISE_EMULATED_ORDERS and
/// _SEED.
int orders_asked_for();
std::uint64_t order_seed_asked_for();

/// Returns the number of multiprocessors in WARPWISE_EMULATED_SMS.
int multiprocessors_asked_for(int otherwise);

/// Returns true if the program is to know nothing of its kernels' faults.
bool keeps_going();

/// Returns true if launches must report inexact behaviour.
bool fidelity_is_reported();

/// Removes suppressed faults from a launch's result, and records them.
/// \param kernel  its name in the PTX
void take_suppressed(const std::string& kernel, LaunchResult& result);
/// Returns true if take_suppressed() would remove this fault.
bool is_suppressed(const std::string& kernel, const Fault& fault);

/// Records a finished launch. \param kernel  its name in the PTX
void note_launch(const std::string& kernel, double seconds, const LaunchResult& result);

/// Records an error of the program itself. The same fault of the same call is recorded once.
/// \param kernel  the readable name, if a kernel's launch is at fault
void note_host_fault(FaultKind kind, const CallSite& site, const std::string& message,
                     const std::string& kernel = {});

/// Registers a function to call at the program's end, before reports are written. Functions run in
/// the order of registration and may record faults.
void at_end(void (*last_look)());

/// Returns true if the run is reported, so that recording places is worth its time.
bool is_reported();

/// Records that the emulator does not run a launch. \param why  one line
void note_refusal(const std::string& kernel, const std::string& why);

/// Returns true if any kernel was refused. Later faults may only follow from its missing results.
bool any_kernel_was_refused();

/// Explains an error that a call returns. Each text is told once. \param name cudaErrorInvalidValue
void note_error(const std::string& name, const std::string& text);

/// Calls a function with each such error's name and reason, until it is removed by the same key.
void add_error_listener(const void* key, std::function<void(const std::string&)> listener);
void remove_error_listener(const void* key);

/// Records the first call of a CUDA runtime function that is not run.
void note_call_not_run(const std::string& function);

/// Records a launch that was skipped because an earlier kernel had a fault.
void note_skipped(const std::string& kernel);

/// Returns the result of `body`. An exception is recorded as a refusal of the kernel and rethrown.
template <class Body>
decltype(auto) noting_refusal(const std::string& kernel, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    note_refusal(kernel, error.what());
    throw;
  }
}

}  // namespace warpwise::emulator::runtime
