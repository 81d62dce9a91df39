#pragma once

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Owns a CUDA stream on the device that was current at construction. Move-only. It converts to the
/// handle that primitives take.
class WARPWISE_EXPORT Stream {
 public:
  /// Makes a stream that does not wait for the legacy default stream.
  /// \throws NoCudaDevice, CudaError
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Stream& operator=(Stream&& other) noexcept;

  /// Waits until all work on the stream is done. \throws CudaError  some of it failed.
  void synchronize() const;

  operator StreamHandle() const { return handle_; }  // NOLINT: implicit on purpose

 private:
  friend class Part;
  friend class Partition;
  explicit Stream(StreamHandle owned) : handle_(owned) {}

  StreamHandle handle_ = nullptr;
};

/// Owns a CUDA event that records time. Move-only.
class WARPWISE_EXPORT Event {
 public:
  /// \throws NoCudaDevice, CudaError
  Event();
  ~Event();
  Event(Event&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Event& operator=(Event&& other) noexcept;

  /// Marks this point of the stream. \throws CudaError
  void record(StreamHandle stream);
  /// Waits until the marked point is reached. \throws CudaError
  void synchronize() const;
  /// Returns the microseconds from `start` to this event, both reached. \throws CudaError
  double microseconds_since(const Event& start) const;

 private:
  EventHandle handle_ = nullptr;
};

}  // namespace warpwise::gpu
