// The kernel that convert() itself launches from RGB24 to 32-bit YCbCr.
#include "warpwise/primitives/convert/kernel.cuh"

namespace warpwise::kernels::convert {

template __global__ void
convert_kernel<ConvertSource::packed3, ConvertDestination::packed4, ConvertArithmetic::one_level>(
    const __grid_constant__ ConvertArguments);

}  // namespace warpwise::kernels::convert
