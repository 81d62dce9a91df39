#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/gpu/stream.hpp"
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

TEST_F(GpuTest, TransfersCheckShapes) {
  const Stream stream;
  DeviceImage image(ElementType::u16, 33, 7, 2, stream);
  EXPECT_EQ(image.view().pitch_bytes() % 256, 0);
  std::vector<std::uint16_t> pixels(33 * 7 * 2);
  EXPECT_THROW(upload(ConstHostView(pixels.data(), 32, 7, 2), image.view(), stream),
               InvalidArgument);
  EXPECT_THROW(upload(ConstHostView(pixels.data(), 66, 7), image.view(), stream), InvalidArgument);
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

TEST_F(GpuTest, GraphPassesOnWhatItsWorkThrows) {
  EXPECT_THROW(Graph([](StreamHandle) { throw InvalidArgument("stop"); }), InvalidArgument);
  EXPECT_NO_THROW(Stream().synchronize());
}

}  // namespace
}  // namespace warpwise::gpu
