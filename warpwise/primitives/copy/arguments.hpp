#pragma once

// What the copy kernel takes. For g++, nvcc and NVRTC: no includes.
namespace warpwise::kernels::copy {

struct CopyArguments {
  const unsigned char* src;
  unsigned char* dst;
  long long src_pitch;
  long long dst_pitch;
  long long row_bytes;
  long long rows;
};

inline constexpr int copy_most_block_threads = 512;
// Four 16-byte loads in flight hide the latency of device memory; more cost registers for nothing.
inline constexpr int copy_vectors_per_thread = 4;
inline constexpr int copy_thread_bytes = copy_vectors_per_thread * 16;

}  // namespace warpwise::kernels::copy
