#pragma once

#include <cuda_runtime_api.h>

#include "warpwise/emulator/emulator.hpp"

/// Defines the runtime's opaque type: rows of texels in the emulated GPU's memory. Programs never
/// see the addresses.
struct cudaArray {
  warpwise::emulator::Address data = 0;
  bool is_freed = false;
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< size in texels; 0 for an unused dimension
  unsigned flags = 0;
  std::size_t texel_bytes = 0;
  std::size_t row_bytes = 0;
  std::size_t rows = 0;    ///< rows of a slice
  std::size_t slices = 0;  ///< number of planes, layers or faces
};

namespace warpwise::emulator::runtime {

/// Returns true if textures and arrays can have this format: 1, 2 or 4 channels of the same size.
/// Integers have 8, 16 or 32 bits, and floating-point numbers 16 or 32.
bool is_texel(const cudaChannelFormatDesc& format);

/// Returns true for memory that the device cannot access, and for null; see api_memory.cpp.
bool is_memory_of_host(const void* pointer);

/// Copies rows between host, device and arrays; see api_memory.cpp.
/// \param kind  direction that the call states, for Check::runtime only
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind);

}  // namespace warpwise::emulator::runtime
