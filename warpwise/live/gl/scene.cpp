#include "warpwise/live/gl/scene.hpp"

#include <GL/glcorearb.h>

#include <algorithm>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/live/gl/memory.hpp"
#include "warpwise/live/gl/program.hpp"

namespace warpwise::live::gl {
namespace {

constexpr int segments = 192;  // segments along the ring, as in the shader
constexpr int sides = 64;      // sides around the ring's tube

// Each instance is a triangle strip between two circles of the tube. No vertices are stored.
constexpr const char* vertex_shader = R"(#version 330 core
const float tau = 6.28318530718;
const ivec2 facets = ivec2(192, 64);  // segments along the ring, sides around its tube
const float tube = 0.42;              // radius of the tube; the ring's radius is 1
const float distance = 4.2;
const float nearest = 1.0, farthest = 10.0;
uniform float turn;
uniform vec2 zoom;
out vec2 around;  // angles along the ring and around the tube, 0 to 1
out vec3 place;   // position relative to the eye: y is up
out vec3 normal;

mat3 about_x(float a) { return mat3(1, 0, 0, 0, cos(a), sin(a), 0, -sin(a), cos(a)); }
mat3 about_y(float a) { return mat3(cos(a), 0, -sin(a), 0, 1, 0, sin(a), 0, cos(a)); }

void main() {
  ivec2 corner = ivec2(gl_InstanceID + (gl_VertexID & 1), gl_VertexID >> 1);
  around = vec2(corner) / vec2(facets);
  vec2 angle = tau * vec2(corner % facets) / vec2(facets);
  vec3 along = vec3(cos(angle.x), sin(angle.x), 0);
  vec3 outwards = along * cos(angle.y) + vec3(0, 0, sin(angle.y));
  mat3 turned = about_x(0.5) * about_y(turn) * about_x(0.5);
  normal = turned * outwards;
  place = turned * (along + tube * outwards) - vec3(0, 0, distance);
  // OpenGL's first row is the bottom one; a picture's first row is the top one.
  float depth = (-(farthest + nearest) * place.z - 2.0 * farthest * nearest) / (farthest - nearest);
  gl_Position = vec4(zoom * vec2(place.x, -place.y), depth, -place.z);
}
)";

constexpr const char* fragment_shader = R"(#version 330 core
const vec3 light = vec3(0.46, 0.68, 0.57);  // unit vector towards the light
const vec2 tiles = vec2(24, 8);
in vec2 around;
in vec3 place;
in vec3 normal;
out vec4 colour;
void main() {
  vec2 tile = floor(around * tiles);
  vec3 paint = mod(tile.x + tile.y, 2.0) < 0.5 ? vec3(0.91, 0.45, 0.16) : vec3(0.93, 0.89, 0.80);
  vec3 up = normalize(normal);
  float lit = 0.18 + 0.82 * max(dot(up, light), 0.0);
  float shine = 0.4 * pow(max(dot(up, normalize(light - normalize(place))), 0.0), 48.0);
  colour = vec4(min(paint * lit + shine, 1.0), 1.0);
}
)";

void require_size(std::int64_t width, std::int64_t height) {
  int most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (std::max(width, height) <= most) return;
  throw InvalidArgument("scene: draws frames of at most " + std::to_string(most) + "x" +
                        std::to_string(most) + " here, not " + std::to_string(width) + "x" +
                        std::to_string(height));
}

}  // namespace

Scene::Scene(std::int64_t width, std::int64_t height)
    : width_(static_cast<int>(width)), height_(static_cast<int>(height)) {
  require_size(width, height);
  program_ = link_program(vertex_shader, fragment_shader);
  glGenVertexArrays(1, &vertices_);
  glGenFramebuffers(1, &frame_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  add_storage(GL_COLOR_ATTACHMENT0, GL_RGBA8, colour_);
  add_storage(GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24, depth_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw IoError("OpenGL draws no frames of " + std::to_string(width_) + "x" +
                  std::to_string(height_) + " here: its frame buffer of that size is incomplete");
  }
}

void Scene::add_storage(unsigned place, unsigned format, unsigned& buffer) const {
  glGenRenderbuffers(1, &buffer);
  glBindRenderbuffer(GL_RENDERBUFFER, buffer);
  allocate_checked("frame buffer of " + std::to_string(width_) + "x" + std::to_string(height_),
                   [&] { glRenderbufferStorage(GL_RENDERBUFFER, format, width_, height_); });
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, buffer);
}

Scene::~Scene() {
  glDeleteRenderbuffers(1, &depth_);
  glDeleteRenderbuffers(1, &colour_);
  glDeleteFramebuffers(1, &frame_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void Scene::draw(double turn) {
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glViewport(0, 0, width_, height_);
  glClearColor(0.08F, 0.10F, 0.14F, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  glUseProgram(program_);
  glUniform1f(glGetUniformLocation(program_, "turn"), static_cast<float>(turn));
  // Scales the ring to the shorter side.
  const float shorter = 2.4F * static_cast<float>(std::min(width_, height_));
  glUniform2f(glGetUniformLocation(program_, "zoom"), shorter / static_cast<float>(width_),
              shorter / static_cast<float>(height_));
  glBindVertexArray(vertices_);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 2 * (sides + 1), segments);
}

}  // namespace warpwise::live::gl
