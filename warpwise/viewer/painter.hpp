#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "warpwise/gpu/gl_buffer.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/viewer/viewer.hpp"

namespace warpwise::viewer {

/// Pixels of the window's framebuffer, from its top-left corner.
struct Rectangle {
  float left;
  float top;
  float width;
  float height;
};

/// A picture on the GPU that shows it. Needs the window's OpenGL context, as all here does.
class Texture {
 public:
  Texture();
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  /// `pixels` are gray8 or rgb24 without gaps. They go through a pixel buffer, so that they may be
  /// changed at once while the driver still copies. \throws InvalidArgument  require_size()
  /// \throws IoError  OpenGL has no memory for them
  void set(const io::PictureShape& shape, std::span<const std::byte> pixels);

  /// The same of pixels in the memory of CUDA's current device, which shares the buffer with
  /// OpenGL: see gpu::why_no_gl_sharing(). What `stream` gets then may change them. \throws
  /// CudaError, and as above
  void set(const io::PictureShape& shape, const std::byte* on_gpu, gpu::StreamHandle stream);

  /// \throws InvalidArgument  the driver has no textures of that size
  static void require_size(const io::PictureShape& shape);

  /// Binds it to that unit: smooth where it is drawn smaller than it is, else pixel by pixel.
  void bind(unsigned unit, bool smooth) const;

  const io::PictureShape& shape() const { return shape_; }

 private:
  void share_buffer(std::int64_t bytes);
  void take_buffer(const io::PictureShape& shape);
  void reserve(const io::PictureShape& shape);

  unsigned texture_ = 0;
  unsigned buffer_ = 0;
  std::optional<gpu::GlBuffer> shared_;  // of that buffer
  std::int64_t shared_bytes_ = 0;
  io::PictureShape shape_;
};

/// Draws an original and a result into rectangles of the window.
class Painter {
 public:
  /// \throws IoError  the driver does not compile the shaders; its words.
  Painter();
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  enum class Content { original = 0, result = 1, wipe = 2, difference = 3 };
  /// What is drawn of both; `line` is where the wipe's line stands, 0 left to 1 right.
  void draw(const Texture& original, const Texture& result, Content content, float line,
            const Rectangle& where, float window_width, float window_height) const;

 private:
  void set(const char* uniform, int value) const;

  unsigned program_ = 0;
  unsigned vertices_ = 0;
};

}  // namespace warpwise::viewer
