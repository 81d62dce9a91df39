#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/gpu/stream.hpp"

struct CUgreenCtx_st;

namespace warpwise::gpu {

using GreenContextHandle = CUgreenCtx_st*;  ///< CUgreenCtx

/// A stream whose kernels run on some of the multiprocessors alone. It owns both. Move-only.
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

/// The multiprocessors of the current device in two parts that share none, by the driver's green
/// contexts: what runs on one part leaves the other alone, but for L2 and memory. Memory and loaded
/// code are those of the device, for both parts.
///
/// A Graph that is launched on a part's stream runs where its recorder's stream would: not here.
class WARPWISE_EXPORT Partition {
 public:
  /// \param multiprocessors  of the first part: as many, or the next number up that the GPU can
  ///        set apart; the second part has the rest
  /// \throws NoCudaDevice, CudaError
  /// \throws InvalidArgument  fewer than 1, or so many that none would be left
  /// \throws Unsupported      the driver is older than CUDA 12.5, or this build's toolkit; the GPU
  ///                          cannot be parted so
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
