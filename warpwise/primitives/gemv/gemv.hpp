#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Factors and transposition of gemv(), as in BLAS.
struct GemvOptions {
  float alpha = 1;         ///< 0: neither A nor x is read
  float beta = 0;          ///< 0: y is not read, only written
  bool transpose = false;  ///< op(A) = Aᵀ instead of A
};

/// Matrix times vector: y = α · op(A) · x + β · y, op(A) = A or Aᵀ.
///
/// `a` is the matrix, one row of the view for one row of A: height() rows, width() columns. It may
/// have any pitch (the leading dimension in bytes) and any alignment, and may be a sub-view. A
/// column-major matrix is the transpose of the row-major view of the same memory: view its columns
/// as rows and flip `transpose`.
///
/// `x` and `y` are vectors: views of one row (elements side by side) or of one column (elements
/// pitch_bytes() apart: BLAS's increment times the element's size). x has an element for each
/// column of op(A), y has one for each row. `a` and `x` are both f32, f16 or bf16; `y` is f32; one
/// channel each. y must not overlap A or x.
///
/// Each product and each sum is rounded once to f32, in an order that depends only on the sizes
/// (README.md beside this file states it). Every run, any number of threads, the CPU and CUDA give
/// the same bits, except for the bits of a NaN. Error against the exact value, per element:
///
///     |error| <= 80 · 2^-24 · (|α| Σ|a||x| + |β y|)
///
/// The bound requires that neither overflow nor underflow happens. With its constant 80 it holds
/// for sums of up to 2^20 elements (2^18 transposed). Each further factor of 1024 adds 36 to the
/// constant.
///
/// Runs on the CPU, in parallel on the calling thread's oneTBB arena; returns when done. Scratch
/// memory of more than a few kilobytes is allocated. It holds a copy of x, unless x is contiguous
/// f32, and partial sums: one float for each 1024 elements of A, or for each 256 elements if
/// transposed.
/// Source: document A of docs/sources.md, row A10.
///
/// \throws InvalidArgument  an element type or a number of channels is not allowed, x or y is not a
///                          vector of op(A)'s size, or y overlaps A or x.
WARPWISE_EXPORT void gemv(ConstHostView a, ConstHostView x, HostView y,
                          const GemvOptions& options = {});

/// Runs gemv() on a GPU, asynchronously on `stream`, without synchronisation. Partial sums, and a
/// copy of x if it has gaps or too little alignment, take memory of the stream-ordered pool
/// (gpu::Buffer).
///
/// \throws InvalidArgument  for the same arguments as gemv() on the CPU.  \throws NoCudaDevice
/// \throws CudaError  a failed launch, or too little memory.
WARPWISE_EXPORT void gemv(ConstDeviceView a, ConstDeviceView x, DeviceView y,
                          const GemvOptions& options, gpu::StreamHandle stream);

namespace reference {
/// Computes gemv() in double by plain loops and rounds each element to f32 at the end. Tests
/// require the fast paths to stay within gemv()'s error bound of this result.
/// Arguments are not checked: those that gemv() refuses are undefined behaviour here.
WARPWISE_EXPORT void gemv(ConstHostView a, ConstHostView x, HostView y,
                          const GemvOptions& options = {});
}  // namespace reference

}  // namespace warpwise
