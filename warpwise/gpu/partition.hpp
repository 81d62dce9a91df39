#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/gpu/stream.hpp"

struct CUgreenCtx_st;

namespace warpwise::gpu {

using GreenContextHandle = CUgreenCtx_st*;  ///< CUgreenCtx

/// A stream whose kernels run only on some of the multiprocessors. Owns the stream and the green
/// context of these multiprocessors. Move-only.
class WARPWISE_EXPORT Part {
 public:
  ~Part();
  Part(Part&& other) noexcept;
  Part& operator=(Part&& other) noexcept;

  const Stream& stream() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }

 private:
  friend class Partition;
  Part(GreenContextHandle context, Stream stream, int multiprocessors);

  GreenContextHandle context_ = nullptr;
  Stream stream_;
  int multiprocessors_ = 0;
};

/// Divides the multiprocessors of the current device into two disjoint parts, with the driver's
/// green contexts. Work on one part does not disturb the other, except through L2 and memory. Both
/// parts share the device's memory and loaded code.
///
/// A Graph that is launched on a part's stream does not run on that part. It runs on the
/// multiprocessors of the stream that recorded it.
class WARPWISE_EXPORT Partition {
 public:
  /// \param multiprocessors  number for the first part; the GPU rounds up to a number that it can
  ///                         set apart. The second part gets the rest.
  /// \throws NoCudaDevice, CudaError
  /// \throws InvalidArgument  fewer than 1, or so many that none would be left
  /// \throws Unsupported      the driver or this build's toolkit is older than CUDA 12.5, or the
  ///                          GPU cannot be divided
  explicit Partition(int multiprocessors);

  const Part& first() const { return first_; }
  const Part& rest() const { return rest_; }

 private:
  struct Made;
  explicit Partition(Made made);
  static Made make(int multiprocessors);

  Part first_;
  Part rest_;
};

}  // namespace warpwise::gpu
