#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "warpwise/gpu/gl_buffer.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

/// A rectangle of the window's framebuffer, in pixels from its top-left corner.
struct Rectangle {
  float left;
  float top;
  float width;
  float height;
};

/// A picture on the GPU that draws the window. All member functions need the window's OpenGL
/// context.
class Texture {
 public:
  Texture();
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  /// Copies `pixels`, which are gray8 or rgb24 without gaps. The caller may change them at once,
  /// because they pass through a pixel buffer. \throws InvalidArgument  in the cases of
  /// require_size()
  /// \throws IoError  OpenGL has no memory for them
  void set(const io::PictureShape& shape, std::span<const std::byte> pixels);

  /// Copies pixels from the memory of CUDA's current device, which shares the buffer with OpenGL:
  /// see gpu::why_no_gl_sharing(). Work enqueued on `stream` afterwards may change them.
  /// \throws CudaError, and the exceptions of the other set()
  void set(const io::PictureShape& shape, const std::byte* on_gpu, gpu::StreamHandle stream);

  /// \throws InvalidArgument  the driver has no textures of that size
  static void require_size(const io::PictureShape& shape);

  /// Binds the texture to a unit. If `smooth`, a reduced picture is interpolated; an enlarged one
  /// always repeats pixels.
  void bind(unsigned unit, bool smooth) const;

  const io::PictureShape& shape() const { return shape_; }

 private:
  void share_buffer(std::int64_t bytes);
  void take_buffer(const io::PictureShape& shape);
  void reserve(const io::PictureShape& shape);

  unsigned texture_ = 0;
  unsigned buffer_ = 0;
  std::optional<gpu::GlBuffer> shared_;  // the pixel buffer, shared with CUDA
  std::int64_t shared_bytes_ = 0;
  io::PictureShape shape_;
};

/// Draws an original and a result into rectangles of the window.
class Painter {
 public:
  /// \throws IoError  the driver does not compile the shaders, with its message.
  Painter();
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  enum class Content { original = 0, result = 1, wipe = 2, difference = 3 };
  /// Draws one or both pictures, as `content` says. A wipe shows the original left of a line and
  /// the result right of it; `line` is the line's position, from 0 (left) to 1 (right).
  void draw(const Texture& original, const Texture& result, Content content, float line,
            const Rectangle& where, float window_width, float window_height) const;

 private:
  void set(const char* uniform, int value) const;

  unsigned program_ = 0;
  unsigned vertices_ = 0;
};

}  // namespace warpwise::viewer
