#pragma once

#include <functional>

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// A recorded sequence of stream work. To launch it as one unit takes a fraction of the time that
/// its launches take one by one. Owns the executable graph. Move-only.
class WARPWISE_EXPORT Graph {
 public:
  /// Calls `work(stream)` once, with a stream that records instead of running. Every Warpwise call
  /// on device views may be recorded, even if it allocates scratch memory.
  /// \throws NoCudaDevice, CudaError  if `work` cannot be recorded. Its exceptions pass through.
  explicit Graph(const std::function<void(StreamHandle)>& work);
  ~Graph();
  Graph(Graph&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Graph& operator=(Graph&& other) noexcept;

  /// Runs the recorded work on `stream`, asynchronously. \throws CudaError
  void launch(StreamHandle stream) const;

 private:
  GraphExecHandle handle_ = nullptr;
};

}  // namespace warpwise::gpu
