// The kernels that find() itself launches for sad or zncc.
#include "warpwise/primitives/find/differences.cuh"
#include "warpwise/primitives/find/products.cuh"
#include "warpwise/primitives/find/windows.cuh"

#if MEASURE != 0
namespace warpwise::kernels::find {

template __global__ void windows_kernel<true, unsigned>(FindArguments);
template __global__ void products_kernel<static_cast<Measure>(MEASURE), false, products_groups>(
    FindArguments);
template __global__ void products_kernel<static_cast<Measure>(MEASURE), false, products_few_groups>(
    FindArguments);

}  // namespace warpwise::kernels::find
#endif
