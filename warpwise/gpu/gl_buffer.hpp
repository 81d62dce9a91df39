#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Why the current device cannot share memory with the OpenGL context that is current on the
/// calling thread, in words; empty where it can: both are of one GPU.
WARPWISE_EXPORT std::string why_no_gl_sharing();

/// A buffer object of OpenGL, a pixel buffer for example, as memory of the current device. Every
/// call, the destructor's too, needs the buffer's OpenGL context on the calling thread. The buffer
/// stays its owner's, who neither deletes it nor gives it other storage while this is there.
class WARPWISE_EXPORT GlBuffer {
 public:
  /// \param name  of glGenBuffers(), with storage
  /// \throws NoCudaDevice, CudaError  such as where why_no_gl_sharing() says something
  explicit GlBuffer(unsigned name);
  ~GlBuffer();
  GlBuffer(const GlBuffer&) = delete;
  GlBuffer& operator=(const GlBuffer&) = delete;

  /// Copies the buffer's first bytes to other memory of the device, or from there, in the order of
  /// `stream`: after what OpenGL was told before the call, and before what it is told then.
  /// Returns at once. \throws CudaError  \throws InvalidArgument  the buffer has fewer bytes
  void read(std::byte* to, std::int64_t bytes, StreamHandle stream);
  void write(const std::byte* from, std::int64_t bytes, StreamHandle stream);

 private:
  GraphicsHandle handle_ = nullptr;
};

}  // namespace warpwise::gpu
