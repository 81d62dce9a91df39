// The kernels that threshold() launches for bytes, themselves: the first where the window fits it,
// the others where their sums fit 32 bits.
#include "warpwise/primitives/threshold/tiles.cuh"

namespace warpwise::kernels::threshold {

template __global__ void threshold_tiles<unsigned char, false>(TileArguments);
template __global__ void threshold_segments<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_scan_segments<unsigned>(ColumnArguments);
template __global__ void threshold_columns<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_rows<unsigned char, unsigned>(RowArguments);

}  // namespace warpwise::kernels::threshold
