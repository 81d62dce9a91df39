#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/reports/call_site.hpp"

// Reads a run's options from environment variables, and collects its reports. README.md in the
// folder above lists the variables. Without a requested report, faults of kernels are printed, and
// so are the names of kernels and functions that are not run.
namespace warpwise::emulator::runtime {

/// Returns the checks in WARPWISE_EMULATED_CHECK.
Checks checks_asked_for();

/// Return how often each launch runs (WARPWISE_EMULATED_ORDERS), and a seed
/// (WARPWISE_EMULATED_SEED). Each run takes blocks, warps and lanes in another order. The seed
/// determines the order from the third run on.
int orders_asked_for();
std::uint64_t order_seed_asked_for();

/// Returns how kernels are executed, from WARPWISE_EMULATED_ENGINE.
Engine engine_asked_for();

/// Returns WARPWISE_EMULATED_SMS, the number of multiprocessors; `otherwise` if it is not set.
int multiprocessors_asked_for(int otherwise);

/// Returns true if kernels' faults are hidden from the program.
bool keeps_going();

/// Returns true if launches have to report inexact behaviour.
bool fidelity_is_reported();

/// Moves suppressed faults from a launch's result to the records.
/// \param kernel  its name in the PTX
void take_suppressed(const std::string& kernel, LaunchResult& result);
/// Returns true if take_suppressed() would remove this fault.
bool is_suppressed(const std::string& kernel, const Fault& fault);

/// Records a finished launch. \param kernel  its name in the PTX
void note_launch(const std::string& kernel, double seconds, const LaunchResult& result);

/// Records an error of the program itself, once for each fault and call.
/// \param kernel  the readable name, for a kernel's launch
void note_host_fault(FaultKind kind, const CallSite& site, const std::string& message,
                     const std::string& kernel = {});

/// Registers a function to call at the program's end, before reports are written. Functions run in
/// the order of registration and may record faults.
void at_end(void (*last_look)());

/// Returns true if a report is requested. Recording places takes time, and only reports need them.
bool is_reported();

/// Records that the emulator does not run a launch. \param why  one line
void note_refusal(const std::string& kernel, const std::string& why);

/// Returns true if any kernel was refused. Later faults may then follow from the missing results of
/// that kernel.
bool any_kernel_was_refused();

/// Tells listeners about a call's error. Prints each text once if messages are `all`.
/// \param name  the error's name, such as "cudaErrorInvalidValue"
void note_error(const std::string& name, const std::string& text);

/// Calls `listener` with the name and text of each note_error(), until the same key is removed.
void add_error_listener(const void* key, std::function<void(const std::string&)> listener);
void remove_error_listener(const void* key);

/// Records a CUDA function or library that is not run. Called once for each.
void note_call_not_run(const std::string& function);

/// Records a launch that was skipped after an earlier kernel's fault.
void note_skipped(const std::string& kernel);

/// Returns the result of `body`. Records an exception as a refusal of the kernel and rethrows it.
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
