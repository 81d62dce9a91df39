#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/base/export.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Returns, in words, why the current device cannot share memory with the calling thread's OpenGL
/// context. Returns an empty text if it can, which means that CUDA and OpenGL use one GPU.
WARPWISE_EXPORT std::string why_no_gl_sharing();

/// An OpenGL buffer object, such as a pixel buffer, as memory of the current device. Every call,
/// also the destructor's, needs the buffer's OpenGL context on the calling thread. The caller keeps
/// the buffer, and neither deletes it nor gives it other storage while this object exists.
class WARPWISE_EXPORT GlBuffer {
 public:
  /// \param name  name from glGenBuffers(), with storage
  /// \throws NoCudaDevice, CudaError  for example if why_no_gl_sharing() gives a reason
  explicit GlBuffer(unsigned name);
  ~GlBuffer();
  GlBuffer(const GlBuffer&) = delete;
  GlBuffer& operator=(const GlBuffer&) = delete;

  /// Copy between the buffer's first bytes and other device memory, in the order of `stream`.
  /// OpenGL commands issued before the call run before the copy, and later commands run after it.
  /// Returns at once.
  /// \throws CudaError
  /// \throws InvalidArgument  the buffer has fewer bytes
  void read(std::byte* to, std::int64_t bytes, StreamHandle stream);
  void write(const std::byte* from, std::int64_t bytes, StreamHandle stream);

 private:
  GraphicsHandle handle_ = nullptr;
};

}  // namespace warpwise::gpu
