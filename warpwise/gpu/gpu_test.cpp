#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <latch>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/sharing.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/gpu/texture.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::gpu {
namespace {

TEST(WithoutGpu, EveryCallSaysSo) {
  if (device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_NE(why_no_device().find("no CUDA device"), std::string::npos) << why_no_device();
  EXPECT_THROW(require_device(), NoCudaDevice);
  EXPECT_THROW(device_info(0), NoCudaDevice);
  EXPECT_THROW(set_device(0), NoCudaDevice);
  EXPECT_THROW(Stream(), NoCudaDevice);
  EXPECT_THROW(Event(), NoCudaDevice);
  EXPECT_THROW(Buffer(16, nullptr), NoCudaDevice);
  EXPECT_THROW(DeviceImage(ElementType::u8, 4, 4, 1, nullptr), NoCudaDevice);
  EXPECT_THROW(Graph([](StreamHandle) {}), NoCudaDevice);
  EXPECT_THROW(current_device(), NoCudaDevice);
  EXPECT_THROW(free_memory_bytes(), NoCudaDevice);
  EXPECT_THROW(HostBuffer(16), NoCudaDevice);
  EXPECT_THROW(order(nullptr, nullptr), NoCudaDevice);
  EXPECT_THROW(device_of(nullptr), NoCudaDevice);
  EXPECT_THROW(current_context(), NoCudaDevice);
  EXPECT_THROW(Module(".version 7.8"), NoCudaDevice);
  EXPECT_THROW(Texture(TextureDescription{}), NoCudaDevice);
}

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

TEST_F(GpuTest, DeviceDescribesItself) {
  const DeviceInfo info = device_info(0);
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.compute_capability_major, 7);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_GE(info.max_shared_bytes, 48 * 1024);
  EXPECT_EQ(current_device(), 0);
  EXPECT_GT(free_memory_bytes(), 0);
  EXPECT_LE(free_memory_bytes(), info.memory_bytes);
  EXPECT_TRUE(why_no_device().empty());
  EXPECT_THROW(device_info(-1), InvalidArgument);
  EXPECT_THROW(set_device(device_count()), InvalidArgument);
}

TEST_F(GpuTest, BytesComeBack) {
  const Stream stream;
  std::vector<std::uint8_t> sent(10001);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i * 7);
  std::vector<std::uint8_t> received(sent.size());
  Buffer buffer(static_cast<std::int64_t>(sent.size()), stream);
  upload(sent.data(), buffer.data(), buffer.bytes(), stream);
  const Buffer moved = std::move(buffer);
  download(moved.data(), received.data(), moved.bytes(), stream);
  stream.synchronize();
  EXPECT_EQ(sent, received);
  EXPECT_THROW(Buffer(-1, stream), InvalidArgument);
  EXPECT_NO_THROW(Buffer(0, stream));
}

TEST_F(GpuTest, BytesAreSetAndCopiedOnTheDevice) {
  const Stream stream;
  const Buffer from(1000, stream);
  const Buffer to(1000, stream);
  const HostBuffer received(1000);
  fill_bytes(from.data(), 7, 1000, stream);
  fill_bytes(from.data() + 10, 9, 1, stream);
  copy_bytes(from.data(), to.data(), 1000, stream);
  download(to.data(), received.data(), 1000, stream);
  stream.synchronize();
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(received.data()[i], i == 10 ? std::byte{9} : std::byte{7}) << i;
  }
}

TEST_F(GpuTest, TransfersCheckShapes) {
  const Stream stream;
  DeviceImage image(ElementType::u16, 33, 7, 2, stream);
  EXPECT_EQ(image.view().pitch_bytes() % 256, 0);
  std::vector<std::uint16_t> pixels(33 * 7 * 2);
  EXPECT_THROW(upload(ConstHostView(pixels.data(), 32, 7, 2), image.view(), stream),
               InvalidArgument);
  EXPECT_THROW(upload(ConstHostView(pixels.data(), 66, 7), image.view(), stream), InvalidArgument);
}

TEST_F(GpuTest, AViewOfOneRowMayHaveAnyPitch) {
  const Stream stream;
  DeviceImage image(ElementType::u8, 100, 1, 1, stream);
  std::array<std::uint8_t, 100> sent{}, received{};
  sent.back() = 7;
  upload(ConstHostView(sent.data(), 100, 1, 1, 10), image.view(), stream);
  download(image.view(), HostView(received.data(), 100, 1, 1, 10), stream);
  stream.synchronize();
  EXPECT_EQ(sent, received);
}

TEST_F(GpuTest, EventsMeasureTime) {
  const Stream stream;
  Event start;
  Event stop;
  start.record(stream);
  const Buffer buffer(1 << 20, stream);
  std::vector<std::uint8_t> pixels(1 << 20);
  upload(pixels.data(), buffer.data(), buffer.bytes(), stream);
  stop.record(stream);
  stop.synchronize();
  EXPECT_GT(stop.microseconds_since(start), 0.0);
}

TEST_F(GpuTest, OneStreamWaitsForAnother) {
  const Stream first;
  const Stream second;
  constexpr std::int64_t bytes = 64 << 20;
  const Buffer from(bytes, first);
  const Buffer to(bytes, first);
  HostBuffer back(bytes);
  first.synchronize();
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 5; ++i) copy_bytes(to.data(), from.data(), bytes, first);  // takes a while
    fill_bytes(to.data(), static_cast<std::uint8_t>(round), bytes, first);
    order(first, second);
    download(to.data(), back.data(), bytes, second);
    second.synchronize();
    // Without order(), the download would read the first byte long before the copies end.
    ASSERT_EQ(back.data()[0], static_cast<std::byte>(round));
    ASSERT_EQ(back.data()[bytes - 1], static_cast<std::byte>(round));
  }
}

TEST_F(GpuTest, PointersSayWhereTheyAre) {
  const Buffer buffer(16, nullptr);
  EXPECT_EQ(device_of(buffer.data()), current_device());
  const int on_the_host = 0;
  EXPECT_THROW(device_of(&on_the_host), InvalidArgument);
}

TEST_F(GpuTest, AThreadGetsTheContextOfTheOthers) {
  const ContextHandle context = current_context();
  EXPECT_NE(context, nullptr);
  EXPECT_EQ(std::async(std::launch::async, current_context).get(), context);
}

TEST_F(GpuTest, GraphRunsRecordedWorkAgain) {
  const Stream stream;
  DeviceImage src(ElementType::u8, 100, 50, 1, stream);
  DeviceImage dst(ElementType::u8, 100, 50, 1, stream);
  stream.synchronize();
  const Graph graph([&](StreamHandle recorder) { copy(src.view(), dst.view(), recorder); });
  for (std::uint8_t value = 1; value < 4; ++value) {
    const std::vector<std::uint8_t> sent(100 * 50, value);
    std::vector<std::uint8_t> received(100 * 50);
    upload(ConstHostView(sent.data(), 100, 50), src.view(), stream);
    graph.launch(stream);
    download(dst.view(), HostView(received.data(), 100, 50), stream);
    stream.synchronize();
    EXPECT_EQ(sent, received);
  }
}

TEST_F(GpuTest, GraphRecordsScratchMemory) {
  const Stream stream;
  DeviceImage src(ElementType::u8, 100, 50, 1, stream);
  DeviceImage dst(ElementType::u8, 100, 50, 1, stream);
  stream.synchronize();
  const Graph graph([&](StreamHandle recorder) {
    DeviceImage scratch(ElementType::u8, 100, 50, 1, recorder);
    copy(src.view(), scratch.view(), recorder);
    copy(scratch.view(), dst.view(), recorder);
  });
  const std::vector<std::uint8_t> sent(100 * 50, 77);
  std::vector<std::uint8_t> received(100 * 50);
  upload(ConstHostView(sent.data(), 100, 50), src.view(), stream);
  graph.launch(stream);
  download(dst.view(), HostView(received.data(), 100, 50), stream);
  stream.synchronize();
  EXPECT_EQ(sent, received);
}

// The first scratch memory of a process makes a memory pool, here while a graph is recorded.
TEST_F(GpuTest, TheFirstScratchMemoryMayBeRecorded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts a new process
  const auto records = [] {
    constexpr std::int64_t bytes = 1000;
    const HostBuffer host(bytes);
    const Graph graph([&](StreamHandle recorder) {
      const Buffer scratch(bytes, recorder);
      fill_bytes(scratch.data(), 3, bytes, recorder);
      download(scratch.data(), host.data(), bytes, recorder);
    });
    const Stream stream;
    graph.launch(stream);
    stream.synchronize();
    return std::all_of(host.data(), host.data() + bytes,
                       [](std::byte each) { return each == std::byte{3}; });
  };
  EXPECT_EXIT(std::exit(records() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST_F(GpuTest, ABufferOfADefaultStreamIsFreedOnItsDevice) {
  if (device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  constexpr std::int64_t bytes = 256 << 20;
  set_device(0);
  std::optional<Buffer> first(std::in_place, bytes, nullptr);
  const std::byte* const place = first->data();
  for (int i = 0; i < 200; ++i) fill_bytes(first->data(), 7, bytes, nullptr);  // some 10 ms
  set_device(1);
  first.reset();
  EXPECT_EQ(current_device(), 1);
  set_device(0);
  const Stream stream;
  const Buffer second(bytes, stream);
  fill_bytes(second.data(), 1, bytes, stream);
  stream.synchronize();
  synchronize_device();
  std::vector<std::uint8_t> received(bytes);
  download(second.data(), received.data(), bytes, stream);
  stream.synchronize();
  EXPECT_EQ(std::ranges::count(received, 1), bytes)
      << (second.data() == place ? "the same memory" : "other memory");
}

TEST_F(GpuTest, GraphPassesOnWhatItsWorkThrows) {
  EXPECT_THROW(Graph([](StreamHandle) { throw InvalidArgument("stop"); }), InvalidArgument);
  EXPECT_NO_THROW(Stream().synchronize());
}

// add: every thread adds `value` to its word of `data`, through its word of dynamic shared memory.
// fetch: every thread of a block reads the texel at its own x and y (passed as floats) and writes
// it to its word of `data`.
const std::string kernels_ptx = R"(
.version 7.0
.target sm_75
.address_size 64

.extern .shared .align 4 .b8 tile[];

.visible .entry add(.param .u64 data, .param .u32 value) {
  .reg .u64 %address, %offset;
  .reg .u32 %thread, %block, %threads, %index, %bytes, %place, %base, %value, %word;
  ld.param.u64 %address, [data];
  ld.param.u32 %value, [value];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mad.lo.u32 %index, %block, %threads, %thread;
  mul.wide.u32 %offset, %index, 4;
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  shl.b32 %bytes, %thread, 2;
  mov.u32 %base, tile;
  add.u32 %place, %base, %bytes;
  ld.global.u32 %word, [%address];
  st.shared.u32 [%place], %word;
  ld.shared.u32 %word, [%place];
  add.u32 %word, %word, %value;
  st.global.u32 [%address], %word;
  ret;
}

.visible .entry fetch(.param .u64 data, .param .u64 texture) {
  .reg .u64 %address, %offset, %texture;
  .reg .u32 %x, %y, %width, %index, %texel, %g, %b, %a;
  .reg .f32 %fx, %fy;
  ld.param.u64 %address, [data];
  ld.param.u64 %texture, [texture];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %width, %ntid.x;
  mad.lo.u32 %index, %y, %width, %x;
  mul.wide.u32 %offset, %index, 4;
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  cvt.rn.f32.u32 %fx, %x;
  cvt.rn.f32.u32 %fy, %y;
  tex.2d.v4.u32.f32 {%texel, %g, %b, %a}, [%texture, {%fx, %fy}];
  st.global.u32 [%address], %texel;
  ret;
}
)";

struct AddArguments {
  std::uint64_t data;
  std::uint32_t value;
};

template <class T>
std::span<const std::byte> block_of(const T& arguments, std::size_t bytes = sizeof(T)) {
  return std::as_bytes(std::span(&arguments, 1)).first(bytes);
}

constexpr std::size_t add_argument_bytes = 12;

class ModuleTest : public GpuTest {
 protected:
  static constexpr std::array<std::uint32_t, 3> grid{4, 1, 1};
  static constexpr std::array<std::uint32_t, 3> block{64, 1, 1};
  static constexpr std::int64_t bytes = 4 * 4 * 64;

  std::vector<std::uint32_t> words(const Buffer& buffer, const Stream& stream) {
    std::vector<std::uint32_t> result(static_cast<std::size_t>(buffer.bytes() / 4));
    download(buffer.data(), result.data(), buffer.bytes(), stream);
    stream.synchronize();
    return result;
  }
};

TEST_F(ModuleTest, RunsAKernelOfPtx) {
  const Stream stream;
  Module loaded(kernels_ptx);
  const Module module = std::move(loaded);
  const Kernel add = module.kernel("add");
  EXPECT_EQ(add.name(), "add");
  EXPECT_GT(add.attributes().registers, 0);
  EXPECT_LT(add.attributes().registers, 64);
  EXPECT_EQ(add.attributes().max_threads, 1024);
  EXPECT_EQ(add.attributes().static_shared_bytes, 0);

  const Buffer data(bytes, stream);
  fill_bytes(data.data(), 0, bytes, stream);
  const AddArguments arguments{reinterpret_cast<std::uint64_t>(data.data()), 5};
  add.launch(grid, block, 256, block_of(arguments, add_argument_bytes), stream);
  add.launch(grid, block, 256, block_of(arguments, add_argument_bytes), stream);
  EXPECT_EQ(words(data, stream), std::vector<std::uint32_t>(256, 10));
}

TEST_F(ModuleTest, KernelsAreRecordedInGraphs) {
  const Stream stream;
  const Module module(kernels_ptx);
  const Kernel add = module.kernel("add");
  const Buffer data(bytes, stream);
  fill_bytes(data.data(), 0, bytes, stream);
  stream.synchronize();
  AddArguments arguments{reinterpret_cast<std::uint64_t>(data.data()), 1};
  const Graph graph([&](StreamHandle recorder) {
    for (arguments.value = 1; arguments.value <= 3; ++arguments.value) {
      add.launch(grid, block, 256, block_of(arguments, add_argument_bytes), recorder);
    }
  });
  graph.launch(stream);
  graph.launch(stream);
  EXPECT_EQ(words(data, stream), std::vector<std::uint32_t>(256, 12));
}

// Another thread's launch with less shared memory must not lower the limit before a launch with
// more.
TEST_F(ModuleTest, ThreadsRequestDifferentSharedMemory) {
  const auto most = static_cast<std::uint64_t>(device_info(current_device()).max_shared_bytes);
  constexpr int threads = 8, modules = 100;
  for (int i = 0; i < modules; ++i) {
    const Module module(kernels_ptx);
    const Kernel add = module.kernel("add");
    std::vector<std::future<void>> launches;
    std::latch start(threads);
    for (int t = 0; t < threads; ++t) {
      launches.push_back(std::async(
          std::launch::async,
          [&, shared = t == 0 ? most : most - 8 * static_cast<unsigned>(threads - t)] {
            const Stream stream;
            const Buffer data(bytes, stream);
            fill_bytes(data.data(), 0, bytes, stream);
            const AddArguments arguments{reinterpret_cast<std::uint64_t>(data.data()), 5};
            start.arrive_and_wait();
            add.launch(grid, block, shared, block_of(arguments, add_argument_bytes), stream);
            stream.synchronize();
          }));
    }
    for (std::future<void>& each : launches) ASSERT_NO_THROW(each.get());
  }
}

TEST_F(ModuleTest, SharedMemoryBeyondTheUsualLimit) {
  const Stream stream;
  const Module module(kernels_ptx);
  const Kernel add = module.kernel("add");
  const auto most = static_cast<std::uint64_t>(device_info(current_device()).max_shared_bytes);
  EXPECT_GE(add.blocks_per_sm(1024, 0), 1);
  EXPECT_GT(add.blocks_per_sm(64, 1024), add.blocks_per_sm(64, most));
  EXPECT_EQ(add.blocks_per_sm(64, most), 1);
  EXPECT_EQ(add.blocks_per_sm(64, most + 1), 0);

  const Buffer data(bytes, stream);
  fill_bytes(data.data(), 0, bytes, stream);
  const AddArguments arguments{reinterpret_cast<std::uint64_t>(data.data()), 3};
  add.launch(grid, block, most, block_of(arguments, add_argument_bytes), stream);
  EXPECT_EQ(words(data, stream), std::vector<std::uint32_t>(256, 3));
}

TEST_F(ModuleTest, RefusalsSayWhy) {
  const Stream stream;
  EXPECT_THROW(Module(""), InvalidArgument);
  const std::string wrong = warpwise::test::message_of<CudaError>(
      [] { Module(".version 7.0\n.target sm_75\n.address_size 64\n.entry f( { ret; }\n"); });
  EXPECT_NE(wrong.find("CUDA_ERROR_INVALID_PTX"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("line 4"), std::string::npos) << wrong;

  const Module module(kernels_ptx);
  EXPECT_THROW(module.kernel("subtract"), InvalidArgument);
  const Kernel add = module.kernel("add");
  const AddArguments arguments{0, 0};
  constexpr std::array<std::uint32_t, 3> large{2048, 1, 1};
  const std::string refused = warpwise::test::message_of<CudaError>(
      [&] { add.launch(grid, large, 0, block_of(arguments, add_argument_bytes), stream); });
  EXPECT_NE(refused.find("'add'"), std::string::npos) << refused;
  EXPECT_NE(refused.find("2048 x 1 x 1 threads"), std::string::npos) << refused;
  EXPECT_NE(refused.find("CUDA_ERROR_INVALID_VALUE"), std::string::npos) << refused;
  EXPECT_THROW(add.launch(grid, block, 1 << 20, block_of(arguments, add_argument_bytes), stream),
               CudaError);
  EXPECT_NO_THROW(stream.synchronize());  // none of these harms later work
}

TEST_F(ModuleTest, TexturesAreRead) {
  const Stream stream;
  const Module module(kernels_ptx);
  const Kernel fetch = module.kernel("fetch");
  constexpr std::int64_t width = 5;
  constexpr std::int64_t height = 3;
  constexpr std::int64_t pitch = 32;
  std::vector<std::uint8_t> pixels(pitch * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 3 + 1);
  const Buffer source(pitch * height + 512, stream);
  // A buffer starts at a multiple of 256 bytes; a texture needs a multiple of 512.
  std::byte* start = source.data() + reinterpret_cast<std::uint64_t>(source.data()) % 512;
  upload(pixels.data(), start, pitch * height, stream);
  stream.synchronize();
  const Texture texture({.data = start, .width = width, .height = height, .pitch_bytes = pitch});

  // The block is two texels wider and higher than the texture: reads outside are clamped.
  constexpr std::array<std::uint32_t, 3> one{1, 1, 1};
  constexpr std::array<std::uint32_t, 3> threads{width + 2, height + 2, 1};
  const Buffer texels(4 * (width + 2) * (height + 2), stream);
  const std::array<std::uint64_t, 2> arguments{reinterpret_cast<std::uint64_t>(texels.data()),
                                               texture.handle()};
  fetch.launch(one, threads, 0, block_of(arguments), stream);
  const std::vector<std::uint32_t> received = words(texels, stream);
  for (std::int64_t y = 0; y < height + 2; ++y) {
    for (std::int64_t x = 0; x < width + 2; ++x) {
      const std::int64_t at = std::min(y, height - 1) * pitch + std::min(x, width - 1);
      EXPECT_EQ(received[static_cast<std::size_t>(y * (width + 2) + x)],
                pixels[static_cast<std::size_t>(at)])
          << x << ", " << y;
    }
  }
}

TEST_F(GpuTest, TexturesThatCannotBe) {
  const Stream stream;
  const Buffer data(1024, stream);
  stream.synchronize();
  EXPECT_THROW(Texture({.data = data.data(), .width = 4, .channels = 3}), InvalidArgument);
  EXPECT_THROW(Texture({.data = data.data(), .width = 4, .channel_bytes = 8}), InvalidArgument);
  EXPECT_THROW(Texture({.data = data.data(), .width = 4, .kind = TexelKind::floating}),
               InvalidArgument);
  EXPECT_THROW(Texture({.data = data.data(), .width = -4}), InvalidArgument);
  EXPECT_THROW(Texture({.data = data.data() + 1, .width = 4, .height = 4, .pitch_bytes = 32}),
               CudaError);
}

}  // namespace
}  // namespace warpwise::gpu
