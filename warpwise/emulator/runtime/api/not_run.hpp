#pragma once

#include <string>

namespace warpwise::emulator::runtime {

/// Returns cudaErrorNotSupported for a function of the CUDA runtime that is not run here, and names
/// it once on standard error. The result is an int, because this header cannot include the
/// runtime's: the generated callers define the runtime's functions without their parameters.
int not_run(const char* function);

/// Returns CUDA_ERROR_NOT_SUPPORTED for a function of the driver that is not run here, and names it
/// once on standard error.
int driver_not_run(const char* function);

/// Reports on standard error, once for each function or library, that it is not run, with the
/// consequence. Keeps the message for the reports.
void say_not_run(const std::string& name, const std::string& consequence);

}  // namespace warpwise::emulator::runtime
