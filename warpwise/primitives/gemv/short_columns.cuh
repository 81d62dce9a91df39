#pragma once

#include "warpwise/primitives/gemv/result.cuh"

// The kernel of columns times x for short columns. Strands are those of order.hpp.
namespace warpwise::kernels::gemv {

/// Sums columns of at most 32 * 32 / width rows. A warp takes `width` columns. It has a thread for
/// each column of each strand (32 rows) and loads all rows of it at once. Shuffles pass x among the
/// threads of a strand and add the strands. In the smallest products, gemv_columns spent half of
/// its time, not counting an empty launch's, on instructions. This kernel has fewer.
///
/// Block: one warp. Grid: x over the columns.
template <class T, int width>
__global__ void __launch_bounds__(32) gemv_short_columns(GemvArguments a) {
  using Element = typename T::Element;
  constexpr int rows = order::strand_rows;
  constexpr int shares = rows / width;  // elements of a strand's x that a thread loads
  constexpr unsigned all = 0xffffffffU;
  const int at = static_cast<int>(threadIdx.x) % width;
  const int first_row = static_cast<int>(threadIdx.x) / width * rows;
  const int64_t column = int64_t{blockIdx.x} * width + at;
  const int rows_left = static_cast<int>(a.rows) - first_row;

  Element factor[shares]{};
  const auto* const x = reinterpret_cast<const Element*>(a.x) + first_row + at;
  wait_for_launch();
#pragma unroll
  for (int s = 0; s < shares; ++s) {
    gemv_load_if(at + s * width < rows_left, x + s * width, factor[s]);
  }
  Element element[rows]{};
  const int own_rows = column < a.columns ? rows_left : 0;
  // The rows' addresses are computed in several chains of additions. In a single chain, each
  // address would wait for the one before it.
  constexpr int chains = 4;
  const unsigned char* chain[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) {
    chain[c] = a.a + (first_row + c * (rows / chains)) * a.pitch +
               column * static_cast<int>(sizeof(Element));
    asm("" : "+l"(chain[c]));  // keeps a register for each chain
  }
#pragma unroll
  for (int i = 0; i < rows / chains; ++i) {
#pragma unroll
    for (int c = 0; c < chains; ++c) {
      const int row = c * (rows / chains) + i;
      gemv_load_if(row < own_rows, chain[c], element[row]);
      chain[c] += a.pitch;
    }
  }
  // Elements after the last row are 0, which does not change the sums.
  float share[shares];
#pragma unroll
  for (int s = 0; s < shares; ++s) share[s] = T::widen(factor[s]);
  float sum = 0;
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    const float of_row = __shfl_sync(all, share[row / width], row % width, width);
    sum = T::add_product(sum, T::widen(element[row]), of_row);
  }
  float total = sum;
#pragma unroll
  for (int s = 1; s < 32 / width; ++s) {
    total = __fadd_rn(total, __shfl_down_sync(all, sum, static_cast<unsigned>(s * width)));
  }
  if (first_row == 0 && column < a.columns) gemv_finish(a, column, total);
}

}  // namespace warpwise::kernels::gemv
