// The module libwarpwise_scene.so: frames that OpenGL draws.

#include <GL/glcorearb.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/gl_buffer.hpp"
#include "warpwise/live/gl/context.hpp"
#include "warpwise/live/gl/memory.hpp"
#include "warpwise/live/gl/scene.hpp"
#include "warpwise/live/scene_module.hpp"

namespace warpwise::live::gl {
namespace {

constexpr double seconds_of_turn = 8;

// Returns OpenGL's name for a format's order of bytes.
GLenum order_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgb24: return GL_RGB;
    case PixelFormat::bgr24: return GL_BGR;
    case PixelFormat::rgba32: return GL_RGBA;
    case PixelFormat::bgra32: return GL_BGRA;
    default:
      throw InvalidArgument("scene: gives rgba32, bgra32, rgb24 or bgr24, not " +
                            std::string(name_of(format)) +
                            "; a stage of the pipeline can convert them");
  }
}

// A buffer into which glReadPixels() writes, and whose memory CUDA can read.
class PixelBuffer {
 public:
  explicit PixelBuffer(std::int64_t bytes) : PixelBuffer() {
    bind();
    allocate_checked("buffer of " + std::to_string(bytes) + " bytes",
                     [=] { glBufferData(GL_PIXEL_PACK_BUFFER, bytes, nullptr, GL_DYNAMIC_COPY); });
    unbind();
    shared_.emplace(name_);
  }
  ~PixelBuffer() {
    shared_.reset();
    glDeleteBuffers(1, &name_);
  }
  PixelBuffer(const PixelBuffer&) = delete;
  PixelBuffer& operator=(const PixelBuffer&) = delete;

  void bind() const { glBindBuffer(GL_PIXEL_PACK_BUFFER, name_); }
  static void unbind() { glBindBuffer(GL_PIXEL_PACK_BUFFER, 0); }
  gpu::GlBuffer& shared() { return *shared_; }

 private:
  // Makes the buffer. The other constructor calls this one, so that the destructor deletes the
  // buffer if the other constructor throws.
  PixelBuffer() { glGenBuffers(1, &name_); }

  unsigned name_ = 0;
  std::optional<gpu::GlBuffer> shared_;
};

class SceneSource final : public Source {
 public:
  SceneSource(std::unique_ptr<Context> context, const Stream& stream)
      : Source("scene: (" + Context::renderer() + ")", stream), context_(std::move(context)),
        scene_(stream.shape.width, stream.shape.height), order_(order_of(stream.format())) {
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    Context::release();
  }
  // If another thread still holds the context, OpenGL frees the objects together with the context.
  ~SceneSource() override {
    try {
      context_->make_current();
    } catch (const IoError&) {
      Context::release();
    }
  }
  SceneSource(const SceneSource&) = delete;
  SceneSource& operator=(const SceneSource&) = delete;

  bool is_opengl() const override { return true; }

  // Shares the buffer with CUDA on the first call, because frames for the host do not need it.
  std::string why_not_on_gpu() override {
    if (!why_not_on_gpu_) {
      context_->make_current();
      why_not_on_gpu_ = share_buffer();
      Context::release();
    }
    return *why_not_on_gpu_;
  }

  bool next(std::span<std::byte> pixels) override {
    draw_next();
    read_pixels(pixels.data());
    Context::require_alive();
    return true;
  }

  bool next_on_gpu(std::byte* pixels, gpu::StreamHandle stream) override {
    if (const std::string why_not = why_not_on_gpu(); !why_not.empty()) throw Error(why_not);
    draw_next();
    buffer_->bind();
    read_pixels(nullptr);
    PixelBuffer::unbind();
    buffer_->shared().read(pixels, this->stream().shape.bytes(), stream);
    Context::require_alive();
    return true;
  }

 private:
  // Creates the buffer shared with CUDA. Returns the reason of a failure; empty on success.
  std::string share_buffer() {
    std::string why_not = gpu::why_no_gl_sharing();
    try {
      if (why_not.empty()) buffer_.emplace(stream().shape.bytes());
    } catch (const Error& error) {
      why_not = error.what();
    }
    return why_not;
  }

  // Rotates the ring by the frame's time, so that its speed does not depend on the rate.
  void draw_next() {
    context_->make_current();
    const double turns =
        static_cast<double>(next_++) / stream().rate.per_second() / seconds_of_turn;
    scene_.draw(2 * std::numbers::pi * (turns - std::floor(turns)));
  }

  // Reads the pixels into memory at `to`. If a pixel buffer is bound, `to` is an offset in it.
  void read_pixels(void* to) const {
    const io::PictureShape& shape = stream().shape;
    glReadPixels(0, 0, static_cast<GLsizei>(shape.width), static_cast<GLsizei>(shape.height),
                 order_, GL_UNSIGNED_BYTE, to);
  }

  std::unique_ptr<Context> context_;
  Scene scene_;
  std::optional<PixelBuffer> buffer_;
  GLenum order_;
  std::optional<std::string> why_not_on_gpu_;  // set on the first call
  std::int64_t next_ = 0;
};

std::unique_ptr<Source> open_scene(const SourceOptions& options) {
  const Stream stream =
      stream_of(options.format.value_or(PixelFormat::rgba32), options.width.value_or(1280),
                options.height.value_or(720), options.rate.value_or(Rate{30, 1}), options.colours);
  order_of(stream.format());  // throws for a wrong format before a driver is searched
  return std::make_unique<SceneSource>(std::make_unique<Context>(), stream);
}

}  // namespace
}  // namespace warpwise::live::gl

extern "C" __attribute__((visibility("default"))) warpwise::live::Source* warpwise_scene_module_1(
    const warpwise::live::SourceOptions& options) {
  return warpwise::live::gl::open_scene(options).release();
}
