// The kernels that threshold() launches for bytes: threshold_bands or threshold_tiles;
// or threshold_row_sums and threshold_wide_bands; or, if these cannot take the window,
// the kernels from threshold_segments on.
#include "warpwise/primitives/threshold/bands.cuh"
#include "warpwise/primitives/threshold/tiles.cuh"
#include "warpwise/primitives/threshold/wide_bands.cuh"

namespace warpwise::kernels::threshold {

template __global__ void threshold_bands<unsigned char, 3, BandSums::pairs, 128>(BandArguments);
template __global__ void threshold_bands<unsigned char, 5, BandSums::pairs, 128>(BandArguments);
template __global__ void threshold_bands<unsigned char, 3, BandSums::pairs, 160>(BandArguments);
template __global__ void threshold_bands<unsigned char, 5, BandSums::pairs, 160>(BandArguments);
template __global__ void threshold_wide_bands<unsigned char, BandSums::words, 256>(
    WideBandArguments);
template __global__ void threshold_wide_bands<unsigned char, BandSums::words, 512>(
    WideBandArguments);
template __global__ void threshold_wide_bands<unsigned char, BandSums::large, 256>(
    WideBandArguments);
template __global__ void threshold_wide_bands<unsigned char, BandSums::large, 512>(
    WideBandArguments);
template __global__ void threshold_row_sums<unsigned char>(WideBandArguments);
template __global__ void threshold_tiles<unsigned char, false>(TileArguments);
template __global__ void threshold_segments<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_scan_segments<unsigned>(ColumnArguments);
template __global__ void threshold_columns<unsigned char, unsigned>(ColumnArguments);
template __global__ void threshold_rows<unsigned char, unsigned>(RowArguments);

}  // namespace warpwise::kernels::threshold
