#pragma once

/// Marks a function that both the host compiler and CUDA compilers (nvcc, NVRTC) translate.
#ifdef __CUDACC__
#define WARPWISE_HOST_DEVICE __host__ __device__
#else
#define WARPWISE_HOST_DEVICE
#endif
