#pragma once

/// Marks a function for both the host compiler and CUDA compilers (nvcc, NVRTC).
#ifdef __CUDACC__
#define WARPWISE_HOST_DEVICE __host__ __device__
#else
#define WARPWISE_HOST_DEVICE
#endif
