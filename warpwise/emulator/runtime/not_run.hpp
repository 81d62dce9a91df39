#pragma once

#include <string>

namespace warpwise::emulator::runtime {

/// What a function of the CUDA runtime returns that is not run here, cudaErrorNotSupported; says
/// its name on standard error, once. (An int, so that who includes this need not know the
/// runtime's header, which declares the same functions with their parameters.)
int not_run(const char* function);

/// The same of a function of the driver, and CUDA_ERROR_NOT_SUPPORTED.
int driver_not_run(const char* function);

/// Says on standard error, once for each name of a function or a library, that it is not run and
/// what comes of it, and keeps that for the reports.
void say_not_run(const std::string& name, const std::string& consequence);

}  // namespace warpwise::emulator::runtime
