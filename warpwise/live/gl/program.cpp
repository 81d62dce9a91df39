#include "warpwise/live/gl/program.hpp"

#include <GL/glcorearb.h>

#include <array>
#include <string>

#include "warpwise/base/error.hpp"

namespace warpwise::live::gl {
namespace {

unsigned compile(GLenum kind, const char* source) {
  const unsigned shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  return shader;
}

void require_linked(unsigned program) {
  int is_linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
  if (is_linked != 0) return;
  std::array<char, 1024> log{};
  glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), nullptr, log.data());
  glDeleteProgram(program);
  throw IoError("this OpenGL driver refuses our shaders: " + std::string(log.data()));
}

}  // namespace

unsigned link_program(const char* vertex_shader, const char* fragment_shader) {
  const unsigned program = glCreateProgram();
  for (const unsigned shader :
       {compile(GL_VERTEX_SHADER, vertex_shader), compile(GL_FRAGMENT_SHADER, fragment_shader)}) {
    glAttachShader(program, shader);
    glDeleteShader(shader);
  }
  glLinkProgram(program);
  require_linked(program);
  return program;
}

}  // namespace warpwise::live::gl
