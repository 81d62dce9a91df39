#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/emulator/runtime/call_site.hpp"

// What the environment asks to be told of a program's run, and how the run is told about: README.md
// beside this file lists the variables. None of them is set: nothing is kept and nothing said.
namespace warpwise::emulator::runtime {

/// What WARPWISE_EMULATED_CHECK asks for.
Checks checks_asked_for();

/// The orders that each launch runs in, and their seed, by WARPWISE_EMULATED_ORDERS and _SEED.
int orders_asked_for();
std::uint64_t order_seed_asked_for();

/// Whether a launch has to say what was not exact.
bool fidelity_is_reported();

/// Takes the faults that are suppressed out of a launch's result, and notes them.
/// \param kernel  its name in the PTX
void take_suppressed(const std::string& kernel, LaunchResult& result);
/// Whether it would take this one.
bool is_suppressed(const std::string& kernel, const Fault& fault);

/// A launch has ended. \param kernel  its name in the PTX
void note_launch(const std::string& kernel, double seconds, const LaunchResult& result);

/// The program itself did something wrong. The same fault of the same call is told once.
/// \param kernel  the readable name of the kernel whose launch is at fault
void note_host_fault(FaultKind kind, const CallSite& site, const std::string& message,
                     const std::string& kernel = {});

/// `last_look` is called at the program's end, before its reports are written, behind others that
/// were given before; it may note faults.
void at_end(void (*last_look)());

/// Whether anything is told of the run, so that it is worth while to know where things were done.
bool is_reported();

/// The emulator does not run a launch. \param why  one line
void note_refusal(const std::string& kernel, const std::string& why);

/// A function of the CUDA runtime that is not run was called for the first time.
void note_call_not_run(const std::string& function);

/// A launch that does not happen because an earlier kernel faulted.
void note_skipped(const std::string& kernel);

/// What `body` returns; an exception of it is a refusal to run the kernel, and goes on.
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
