#pragma once

#include <string>

namespace warpwise::emulator::runtime {

/// Returns cudaErrorNotSupported for a function of the CUDA runtime that is not run here. Names the
/// function once on standard error. It returns an int because the runtime's header declares the
/// same functions with parameters: files without it include this.
int not_run(const char* function);

/// The same for a function of the driver; returns CUDA_ERROR_NOT_SUPPORTED.
int driver_not_run(const char* function);

/// Says on standard error, once for each function or library, that it is not run and with which
/// consequence. Keeps this for the reports.
void say_not_run(const std::string& name, const std::string& consequence);

}  // namespace warpwise::emulator::runtime
