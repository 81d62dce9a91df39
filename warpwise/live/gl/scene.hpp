#pragma once

#include <cstdint>

namespace warpwise::live::gl {

/// Draws a rotating, lit, chequered ring into its own frame buffer. All calls need the same OpenGL
/// context.
class Scene {
 public:
  /// \throws InvalidArgument  the driver has no frame buffers of that size.
  /// \throws IoError  there is no memory for the buffer, or the driver refuses the shaders.
  Scene(std::int64_t width, std::int64_t height);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// Draws the ring, rotated by an angle in radians, to the buffer that glReadPixels() reads. The
  /// buffer's first row is the picture's top row.
  void draw(double turn);

 private:
  void add_storage(unsigned place, unsigned format, unsigned& buffer) const;

  int width_;
  int height_;
  unsigned program_ = 0;
  unsigned vertices_ = 0;
  unsigned frame_ = 0;
  unsigned colour_ = 0;
  unsigned depth_ = 0;
};

}  // namespace warpwise::live::gl
