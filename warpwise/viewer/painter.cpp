#include "warpwise/viewer/painter.hpp"

#include <GL/glcorearb.h>

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/live/gl/memory.hpp"
#include "warpwise/live/gl/program.hpp"

namespace warpwise::viewer {
namespace {

// The index of a vertex selects a corner of the rectangle: bit 0 means right, bit 1 bottom.
constexpr const char* vertex_shader = R"(#version 330 core
uniform vec4 rectangle;  // left, top, right, bottom, in OpenGL's coordinates from -1 to 1
out vec2 place;
void main() {
  place = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(mix(rectangle.xy, rectangle.zw, place), 0.0, 1.0);
}
)";

constexpr const char* fragment_shader = R"(#version 330 core
uniform sampler2D original;
uniform sampler2D result;
uniform int content;  // Painter::Content
uniform float line;
in vec2 place;
out vec4 colour;
void main() {
  vec3 before = texture(original, place).rgb;
  vec3 after = texture(result, place).rgb;
  vec3 shown = content == 0 ? before : after;
  if (content == 2 && place.x < line) shown = before;
  if (content == 2 && abs(place.x - line) < fwidth(place.x)) shown = vec3(1.0);
  if (content == 3) shown = abs(before - after);
  colour = vec4(shown, 1.0);
}
)";

bool is_grey(const io::PictureShape& shape) { return shape.channels == 1; }

std::string size_text(const io::PictureShape& shape) {
  return std::to_string(shape.width) + "x" + std::to_string(shape.height);
}

// Allocates memory for the bound buffer.
void take_buffer_memory(std::size_t bytes, const std::byte* data, GLenum usage) {
  live::gl::allocate_checked("buffer of " + std::to_string(bytes) + " bytes", [=] {
    glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(bytes), data, usage);
  });
}

}  // namespace

Texture::Texture() {
  glGenTextures(1, &texture_);
  glGenBuffers(1, &buffer_);
}

Texture::~Texture() {
  shared_.reset();
  glDeleteTextures(1, &texture_);
  glDeleteBuffers(1, &buffer_);
}

void Texture::require_size(const io::PictureShape& shape) {
  int most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (std::max(shape.width, shape.height) <= most) return;
  throw InvalidArgument("a window shows pictures of at most " + std::to_string(most) + "x" +
                        std::to_string(most) + " here, not " + size_text(shape));
}

// Allocates the texture. The shader gets grey in all three channels. No buffer may be bound,
// because the texture would be filled from the buffer.
void Texture::reserve(const io::PictureShape& shape) {
  glBindTexture(GL_TEXTURE_2D, texture_);
  const bool is_there = shape.width == shape_.width && shape.height == shape_.height &&
                        shape.channels == shape_.channels;
  if (is_there) return;
  require_size(shape);
  const bool grey = is_grey(shape);
  live::gl::allocate_checked("texture of " + size_text(shape), [&] {
    glTexImage2D(GL_TEXTURE_2D, 0, grey ? GL_R8 : GL_RGB8, static_cast<GLsizei>(shape.width),
                 static_cast<GLsizei>(shape.height), 0, grey ? GL_RED : GL_RGB, GL_UNSIGNED_BYTE,
                 nullptr);
  });
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_G, grey ? GL_RED : GL_GREEN);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_B, grey ? GL_RED : GL_BLUE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  shape_ = shape;
}

void Texture::set(const io::PictureShape& shape, std::span<const std::byte> pixels) {
  shared_.reset();
  reserve(shape);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
  take_buffer_memory(pixels.size(), pixels.data(), GL_STREAM_DRAW);
  take_buffer(shape);
}

void Texture::set(const io::PictureShape& shape, const std::byte* on_gpu,
                  gpu::StreamHandle stream) {
  reserve(shape);
  if (!shared_ || shared_bytes_ != shape.bytes()) share_buffer(shape.bytes());
  shared_->write(on_gpu, shape.bytes(), stream);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
  take_buffer(shape);
}

void Texture::share_buffer(std::int64_t bytes) {
  shared_.reset();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
  take_buffer_memory(static_cast<std::size_t>(bytes), nullptr, GL_DYNAMIC_COPY);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  shared_.emplace(buffer_);
  shared_bytes_ = bytes;
}

// Fills the texture from the bound buffer.
void Texture::take_buffer(const io::PictureShape& shape) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, static_cast<GLsizei>(shape.width),
                  static_cast<GLsizei>(shape.height), is_grey(shape) ? GL_RED : GL_RGB,
                  GL_UNSIGNED_BYTE, nullptr);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void Texture::bind(unsigned unit, bool smooth) const {
  glActiveTexture(GL_TEXTURE0 + unit);
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  glActiveTexture(GL_TEXTURE0);
}

Painter::Painter() : program_(live::gl::link_program(vertex_shader, fragment_shader)) {
  glGenVertexArrays(1, &vertices_);
}

Painter::~Painter() {
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void Painter::set(const char* uniform, int value) const {
  glUniform1i(glGetUniformLocation(program_, uniform), value);
}

void Painter::draw(const Texture& original, const Texture& result, Content content, float line,
                   const Rectangle& where, float window_width, float window_height) const {
  const auto is_smaller = [&](const Texture& texture) {
    return where.width < static_cast<float>(texture.shape().width);
  };
  original.bind(0, is_smaller(original));
  result.bind(1, is_smaller(result));
  glUseProgram(program_);
  set("original", 0);
  set("result", 1);
  set("content", static_cast<int>(content));
  glUniform1f(glGetUniformLocation(program_, "line"), line);
  const auto across = [&](float x) { return x / window_width * 2 - 1; };
  const auto down = [&](float y) { return 1 - y / window_height * 2; };
  glUniform4f(glGetUniformLocation(program_, "rectangle"), across(where.left), down(where.top),
              across(where.left + where.width), down(where.top + where.height));
  glBindVertexArray(vertices_);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace warpwise::viewer
