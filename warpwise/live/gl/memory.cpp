#include "warpwise/live/gl/memory.hpp"

#include <GL/glcorearb.h>

#include "warpwise/base/error.hpp"

namespace warpwise::live::gl {

void allocate_checked(const std::string& what, const std::function<void()>& allocate) {
  glGetError();  // clears errors of earlier calls
  allocate();
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  throw IoError("OpenGL has no " + what + " (" +
                (error == GL_OUT_OF_MEMORY ? "out of memory" : "error " + std::to_string(error)) +
                ")");
}

}  // namespace warpwise::live::gl
