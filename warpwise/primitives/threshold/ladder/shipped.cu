// The kernels that threshold() launches for bytes whose sums fit 32 bits, themselves.
#include "warpwise/primitives/threshold/kernel.cuh"

namespace warpwise::kernels {

template __global__ void threshold_segments<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_scan_segments<unsigned>(ColumnArguments);
template __global__ void threshold_columns<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_rows<unsigned char, unsigned>(RowArguments);

}  // namespace warpwise::kernels
