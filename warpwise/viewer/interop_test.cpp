// Tests frames that CUDA and OpenGL share: from OpenGL's frame buffer through a pixel buffer to
// CUDA, and from CUDA through a pixel buffer to a texture.

#include <GL/glcorearb.h>
#include <dlfcn.h>

#include <cstdio>

#include "warpwise/gpu/gl_buffer.hpp"
#include "warpwise/live/gl/context.hpp"
#include "warpwise/live/gl/memory.hpp"
#include "warpwise/live/run.hpp"
#include "warpwise/live/scene_testing.hpp"
#include "warpwise/live/stages/stages.hpp"
#include "warpwise/live/video_module.hpp"
#include "warpwise/viewer/computation.hpp"
#include "warpwise/viewer/painter.hpp"

namespace {
bool is_registering_broken = false;
bool was_registering_broken = false;
}  // namespace

// Replaces the runtime's function with one that fails on request. It has no effect on a runtime
// that is linked into libwarpwise itself.
extern "C" int cudaGraphicsGLRegisterBuffer(warpwise::gpu::GraphicsHandle* handle, unsigned buffer,
                                            unsigned flags) {
  if (is_registering_broken) {
    was_registering_broken = true;
    return 999;  // cudaErrorUnknown
  }
  static const auto runtime = reinterpret_cast<decltype(&cudaGraphicsGLRegisterBuffer)>(
      ::dlsym(RTLD_NEXT, "cudaGraphicsGLRegisterBuffer"));
  return runtime(handle, buffer, flags);
}

namespace warpwise::viewer {
namespace {

using live::test::Bytes;
using live::test::expect_same;
using live::test::next_frame;
using live::test::open_scene;
using live::test::random_bytes;

struct Size {
  std::int64_t width;
  std::int64_t height;
};
constexpr std::array sizes = {Size{1, 1}, Size{7, 5}, Size{641, 479}, Size{1280, 720}};

// Keeps the frames that are written.
class Kept final : public live::Sink {
 public:
  Kept() : Sink("kept") {}
  AcceptedFrames accepted_frames(const live::Stream& stream) const override {
    return {stream.format(), {}};
  }
  void begin(const live::Stream&) override {}
  void write(std::span<const std::byte> pixels) override {
    frames.emplace_back(pixels.begin(), pixels.end());
  }
  void finish() override {}

  std::vector<Bytes> frames;
};

// Counts the frames that are written, without reading them.
class Counted final : public live::Sink {
 public:
  Counted() : Sink("counted") {}
  AcceptedFrames accepted_frames(const live::Stream& stream) const override {
    return {stream.format(), {}};
  }
  void begin(const live::Stream&) override {}
  void write(std::span<const std::byte>) override {}
  void finish() override {}
};

class InteropTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
    try {
      context_.emplace();
    } catch (const IoError& error) {
      GTEST_SKIP() << error.what();
    }
    const std::string why_not = gpu::why_no_gl_sharing();
    if (!why_not.empty()) GTEST_SKIP() << live::gl::Context::renderer() << ": " << why_not;
    stream_.emplace();
  }

  Bytes texels(const Texture& texture) const {
    context_->make_current();
    const bool grey = texture.shape().channels == 1;
    Bytes bytes(static_cast<std::size_t>(texture.shape().bytes()));
    texture.bind(0, false);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTexImage(GL_TEXTURE_2D, 0, grey ? GL_RED : GL_RGB, GL_UNSIGNED_BYTE, bytes.data());
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    return bytes;
  }

  Bytes downloaded(const std::byte* device, std::int64_t count) const {
    Bytes bytes(static_cast<std::size_t>(count));
    gpu::download(device, bytes.data(), count, *stream_);
    stream_->synchronize();
    return bytes;
  }

  std::optional<live::gl::Context> context_;
  std::optional<gpu::Stream> stream_;
};

TEST_F(InteropTest, CudaGetsTheFramesThatTheHostGets) {
  for (const PixelFormat format :
       {PixelFormat::rgba32, PixelFormat::bgra32, PixelFormat::rgb24, PixelFormat::bgr24}) {
    for (const Size& size : sizes) {
      const live::SourceOptions options = {
          .format = format, .width = size.width, .height = size.height};
      SCOPED_TRACE(std::string(name_of(format)) + " " + std::to_string(size.width));
      const auto shared = open_scene(options);
      const auto by_host = open_scene(options);
      EXPECT_TRUE(shared->is_opengl());
      ASSERT_EQ(shared->why_not_on_gpu(), "");
      const gpu::Buffer frame(shared->stream().shape.bytes(), *stream_);
      for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(shared->next_on_gpu(frame.data(), *stream_));
        expect_same(next_frame(*by_host), downloaded(frame.data(), frame.bytes()));
      }
    }
  }
}

TEST_F(InteropTest, ATextureHasWhatCudaWrote) {
  context_->make_current();
  Texture texture;
  std::uint64_t seed = 0;
  for (const PixelFormat format : {PixelFormat::gray8, PixelFormat::rgb24}) {
    for (const Size& size : sizes) {
      const auto shape = io::PictureShape::of(format, size.width, size.height);
      const gpu::Buffer pixels(shape.bytes(), *stream_);
      for (int i = 0; i < 2; ++i) {
        const Bytes wanted = random_bytes(shape.bytes(), ++seed);
        gpu::upload(wanted.data(), pixels.data(), shape.bytes(), *stream_);
        texture.set(shape, pixels.data(), *stream_);
        expect_same(wanted, texels(texture));
        const Bytes from_host = random_bytes(shape.bytes(), ++seed);
        texture.set(shape, from_host);
        expect_same(from_host, texels(texture));
      }
    }
  }
}

TEST_F(InteropTest, ABufferThatIsTooSmallIsRefused) {
  context_->make_current();
  unsigned name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, name);
  glBufferData(GL_PIXEL_PACK_BUFFER, 100, nullptr, GL_DYNAMIC_COPY);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  {
    gpu::GlBuffer shared(name);
    const gpu::Buffer bytes(200, *stream_);
    EXPECT_THROW(shared.read(bytes.data(), 101, *stream_), InvalidArgument);
    EXPECT_THROW(shared.write(bytes.data(), -1, *stream_), InvalidArgument);
    shared.read(bytes.data(), 100, *stream_);
    stream_->synchronize();
  }
  glDeleteBuffers(1, &name);
}

TEST_F(InteropTest, FramesThatCannotBeSharedGoByTheHost) {
  const live::SourceOptions options = {.width = 64, .height = 48};
  const auto source = open_scene(options);
  is_registering_broken = true;
  const std::string why_not = source->why_not_on_gpu();
  is_registering_broken = false;
  if (!was_registering_broken) GTEST_SKIP() << "the CUDA runtime is linked into libwarpwise";
  EXPECT_NE(why_not.find("cudaGraphicsGLRegisterBuffer"), std::string::npos) << why_not;
  const gpu::Buffer frame(source->stream().shape.bytes(), *stream_);
  EXPECT_THROW(source->next_on_gpu(frame.data(), *stream_), Error);
  expect_same(next_frame(*open_scene(options)), next_frame(*source));
}

TEST_F(InteropTest, ATextureThatIsTooLargeIsRefused) {
  context_->make_current();
  int most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  Texture texture;
  const auto set = [&](std::int64_t width, std::int64_t height) {
    const auto shape = io::PictureShape::of(PixelFormat::gray8, width, height);
    const Bytes pixels = random_bytes(shape.bytes(), 1);
    texture.set(shape, pixels);
    expect_same(pixels, texels(texture));
  };
  set(most, 1);
  EXPECT_THROW(set(most + 1, 1), InvalidArgument);
  EXPECT_THROW(set(1, most + 1), InvalidArgument);
  set(1, most);
}

TEST_F(InteropTest, MemoryThatOpenGlHasNotIsAnError) {
  context_->make_current();
  const auto take = [](GLsizeiptr bytes) {
    live::gl::allocate_checked(
        "buffer", [=] { glBufferData(GL_PIXEL_PACK_BUFFER, bytes, nullptr, GL_DYNAMIC_COPY); });
  };
  unsigned name = 0;
  glGenBuffers(1, &name);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, name);
  EXPECT_THROW(take(GLsizeiptr{1} << 60), IoError);
  EXPECT_NO_THROW(take(100));
  glDeleteBuffers(1, &name);
}

// OpenGL draws a frame, CUDA computes its edges, and a texture gets them. The host copies nothing.
TEST_F(InteropTest, EdgesOfTheSceneAreThoseOfTheCpu) {
  for (const Size& size : sizes) {
    const live::SourceOptions options = {.width = size.width, .height = size.height};
    const auto on_gpu = open_scene(options);
    const auto on_cpu = open_scene(options);
    const live::Pipeline pipeline({live::sobel_stage("sobel")}, on_gpu->stream(), Counted());
    const auto gpu_lane = live::gpu_lanes(pipeline, 1, {.source = true, .result = true});
    const auto cpu_lane = live::cpu_lanes(pipeline, 1, 1);
    context_->make_current();
    Texture texture;
    for (int i = 0; i < 3; ++i) {
      live::Lane& lane = *gpu_lane.front();
      EXPECT_TRUE(lane.source().empty());
      ASSERT_TRUE(lane.read(*on_gpu));
      lane.compute();
      ASSERT_NE(lane.result_on_gpu(), nullptr);
      context_->make_current();
      texture.set(pipeline.result().shape, lane.result_on_gpu(), *stream_);
      ASSERT_TRUE(cpu_lane.front()->read(*on_cpu));
      cpu_lane.front()->compute();
      const std::span<const std::byte> wanted = cpu_lane.front()->result();
      expect_same({wanted.begin(), wanted.end()}, texels(texture));
      const std::span<const std::byte> fetched = lane.result();
      expect_same({wanted.begin(), wanted.end()}, {fetched.begin(), fetched.end()});
    }
    context_->make_current();
  }
}

// Frames of a video that the GPU decodes stay on the GPU until the window's pictures are made.
// gpu_decoding_test makes the video, in the folder that WARPWISE_TEST_VIDEOS names.
class DecodedVideo : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::getenv("WARPWISE_TEST_VIDEOS") == nullptr)
      GTEST_SKIP() << "WARPWISE_TEST_VIDEOS names no folder";
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
    try {
      live::video_module();
    } catch (const IoError& error) {
      GTEST_SKIP() << error.what();  // the machine may have no libraries of FFmpeg
    }
  }
};

TEST_P(DecodedVideo, HasTheWindowsPicturesOfTheCpu) {
  const std::string file = std::getenv("WARPWISE_TEST_VIDEOS") + ("/" + std::string(GetParam()));
  const auto on_gpu = live::video_module().open_file(file, {.decode = live::Decode::gpu});
  const auto on_cpu = live::video_module().open_file(file, {});
  ASSERT_EQ(on_gpu->why_not_on_gpu(), "");
  Computation shown({live::sobel_stage("sobel")}, on_gpu->stream());
  Computation expected({live::sobel_stage("sobel")}, on_cpu->stream());
  ViewOptions options;
  expected.reserve(options, {});
  options.on_gpu = true;
  shown.reserve(options, {.source = true});
  for (int i = 0; i < 12; ++i) {
    Frame& frame = shown.other_than(nullptr, nullptr);
    Frame& wanted = expected.other_than(nullptr, nullptr);
    ASSERT_TRUE(frame.read(*on_gpu) && wanted.read(*on_cpu));
    frame.compute();
    wanted.compute();
    const auto bytes = [](const live::Lane& lane) {
      return Bytes(lane.result().begin(), lane.result().end());
    };
    expect_same(bytes(wanted.original()), bytes(frame.original()));
    expect_same(bytes(wanted.result()), bytes(frame.result()));
  }
}

INSTANTIATE_TEST_SUITE_P(Videos, DecodedVideo, ::testing::Values("hd.mp4", "hdr10.mp4", "444.mp4"));

live::Summary run_scene(const live::SourceOptions& options, live::OnGpu on_gpu, std::int64_t frames,
                        std::size_t workers, std::shared_ptr<live::Sink> sink) {
  const std::shared_ptr<live::Source> source = open_scene(options);
  const live::Pipeline pipeline({live::sobel_stage("sobel")}, source->stream(), *sink);
  live::Summary summary = live::run(
      source, live::gpu_lanes(pipeline, live::lane_count_for(workers), on_gpu), sink,
      {.frames = frames, .workers = workers}, {[] { return false; }, [](const live::Progress&) {}});
  if (summary.failure) std::rethrow_exception(summary.failure);
  EXPECT_EQ(summary.written, frames);
  return summary;
}

TEST_F(InteropTest, AStreamKeepsItsFramesInTheirOrder) {
  const live::SourceOptions options = {.width = 160, .height = 120};
  const auto by_host = std::make_shared<Kept>();
  run_scene(options, {}, 40, 1, by_host);
  for (const std::size_t workers : {1, 3}) {
    const auto shared = std::make_shared<Kept>();
    run_scene(options, {.source = true}, 40, workers, shared);
    ASSERT_EQ(shared->frames.size(), by_host->frames.size());
    for (std::size_t i = 0; i < 40; ++i) expect_same(by_host->frames[i], shared->frames[i]);
  }
  EXPECT_NE(by_host->frames[0], by_host->frames[1]);
}

// Measures the gain of sharing on a GPU, for scene -> sobel -> a result on the device.
TEST_F(InteropTest, RatesWithAndWithout) {
  constexpr std::int64_t frames = 3000;
  for (const PixelFormat format : {PixelFormat::rgba32, PixelFormat::rgb24}) {
    const live::SourceOptions options = {.format = format, .width = 1280, .height = 720};
    const auto rate = [&](live::OnGpu on_gpu) {
      run_scene(options, on_gpu, 100, 3, std::make_shared<Counted>());
      const auto took = run_scene(options, on_gpu, frames, 3, std::make_shared<Counted>());
      return static_cast<double>(frames) / took.seconds;
    };
    const double shared = rate({.source = true, .result = true});
    const double down = rate({.source = true});
    const double up = rate({.result = true});
    const double by_host = rate({});
    std::printf(
        "%s: 1280x720 %s -> sobel: %.0f frames a second with both ends shared, %.0f with the "
        "result downloaded, %.0f with the frame uploaded, %.0f with both by the host\n",
        live::gl::Context::renderer().c_str(), std::string(name_of(format)).c_str(), shared, down,
        up, by_host);
  }
}

}  // namespace
}  // namespace warpwise::viewer
