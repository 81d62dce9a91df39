#pragma once

// Arguments of the copy kernels. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::copy {

struct CopyArguments {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  long long row_bytes;
  long long rows;
};

inline constexpr int copy_vector_bytes = 16;
inline constexpr int copy_most_block_threads = 1024;  // for copy_row_kernel and copy_rows_kernel
inline constexpr int copy_unit_threads = 256;         // for copy_kernel and copy_batch_kernel
// Units of 16 bytes that a thread of copy_batch_kernel copies. It copies several, because each
// thread block first has to look up its image.
inline constexpr int copy_batch_units = 4;

}  // namespace warpwise::kernels::copy
