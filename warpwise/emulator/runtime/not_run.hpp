#pragma once

namespace warpwise::emulator::runtime {

/// What a function of the CUDA runtime returns that is not run here, cudaErrorNotSupported; says
/// its name on standard error, once. (An int, so that who includes this need not know the
/// runtime's header, which declares the same functions with their parameters.)
int not_run(const char* function);

}  // namespace warpwise::emulator::runtime
