#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/gpu/graph.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

// Compares the calls for many images with single calls, which have their own tests.
namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;
using test::Size;

using HostViews = std::span<const HostView>;
using ConstHostViews = std::span<const ConstHostView>;
using DeviceViews = std::span<const DeviceView>;
using ConstDeviceViews = std::span<const ConstDeviceView>;

struct Pixels {
  ElementType type = ElementType::u8;
  int channels = 1;
};

/// Calls of a primitive with certain options, for one image and for many.
struct Call {
  Pixels src;
  Pixels dst;
  std::function<void(ConstHostView, HostView)> one;
  std::function<void(ConstHostViews, HostViews)> many;
  std::function<void(ConstDeviceViews, DeviceViews, gpu::StreamHandle)> many_on_gpu;
};

Call copy_call(int channels = 1) {
  const Pixels pixels{ElementType::u8, channels};
  return {pixels, pixels, [](auto src, auto dst) { copy(src, dst); },
          [](auto src, auto dst) { copy(src, dst); },
          [](auto src, auto dst, auto stream) { copy(src, dst, stream); }};
}

Call sobel_call(Pixels src, Pixels dst, SobelOptions options = {}) {
  return {src, dst, [=](auto from, auto to) { sobel(from, to, options); },
          [=](auto from, auto to) { sobel(from, to, options); },
          [=](auto from, auto to, auto stream) { sobel(from, to, options, stream); }};
}

Call threshold_call(ElementType type, ThresholdOptions options) {
  const Pixels pixels{type, 1};
  return {pixels, pixels, [=](auto from, auto to) { threshold(from, to, options); },
          [=](auto from, auto to) { threshold(from, to, options); },
          [=](auto from, auto to, auto stream) { threshold(from, to, options, stream); }};
}

template <class Frame, class Views>
std::vector<Frame> frames_of(PixelFormat format, const Views& views) {
  std::vector<Frame> frames;
  for (const auto& view : views) frames.emplace_back(format, view);
  return frames;
}

Call convert_call(PixelFormat from, int src_channels, PixelFormat to, int dst_channels,
                  ConvertOptions options = {}) {
  return {
      {ElementType::u8, src_channels},
      {ElementType::u8, dst_channels},
      [=](auto src, auto dst) { convert(ConstHostFrame(from, src), HostFrame(to, dst), options); },
      [=](auto src, auto dst) {
        convert(frames_of<ConstHostFrame>(from, src), frames_of<HostFrame>(to, dst), options);
      },
      [=](auto src, auto dst, auto stream) {
        convert(frames_of<ConstDeviceFrame>(from, src), frames_of<DeviceFrame>(to, dst), options,
                stream);
      }};
}

/// Random images of some sizes, and memory for their results.
class Images {
 public:
  Images(const Call& call, std::span<const Size> sizes, std::span<const Layout> layouts) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto [width, height] = sizes[i];
      const Layout from = layouts[i % layouts.size()];
      const Layout to = layouts[i / layouts.size() % layouts.size()];
      src.push_back(
          std::make_unique<GuardedImage>(call.src.type, width, height, call.src.channels, from));
      dst.push_back(
          std::make_unique<GuardedImage>(call.dst.type, width, height, call.dst.channels, to));
      src.back()->fill_random(i);
    }
  }

  void run(const Call& call, Backend backend) {
    if (backend == Backend::cpu) {
      std::vector<ConstHostView> from;
      std::vector<HostView> to;
      for (std::size_t i = 0; i < src.size(); ++i) {
        from.emplace_back(src[i]->view());
        to.push_back(dst[i]->view());
      }
      call.many(from, to);
      return;
    }
    upload();
    call.many_on_gpu(device_src, device_dst, *stream);
    download();
  }

  void upload() {
    stream.emplace();
    for (std::size_t i = 0; i < src.size(); ++i) {
      on_device_.push_back(std::make_unique<OnDevice>(*src[i], *stream));
      device_src.emplace_back(on_device_.back()->view());
      results_.push_back(std::make_unique<OnDevice>(*dst[i], *stream));
      device_dst.push_back(results_.back()->view());
    }
  }
  void download() {
    for (const auto& result : results_) result->download(*stream);
  }

  void expect_as_one_by_one(const Call& call) {
    for (std::size_t i = 0; i < src.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "image " << i);
      const HostView got = dst[i]->view();
      GuardedImage expected(got.type(), got.width(), got.height(), got.channels());
      call.one(src[i]->view(), expected.view());
      test::expect_equal(expected.view(), got);
      dst[i]->expect_guards_intact();
      if (testing::Test::HasFailure()) return;
    }
  }

  std::optional<gpu::Stream> stream;  // destroyed after all images on the device
  std::vector<std::unique_ptr<GuardedImage>> src, dst;
  std::vector<ConstDeviceView> device_src;
  std::vector<DeviceView> device_dst;

 private:
  std::vector<std::unique_ptr<OnDevice>> on_device_, results_;
};

std::vector<Call> all_calls() {
  using enum ElementType;
  return {copy_call(),
          copy_call(3),
          sobel_call({u8, 1}, {u8, 1}),
          sobel_call({u8, 3}, {u8, 1}, {.border = Border::replicate}),
          sobel_call({u16, 1}, {i32, 1}, {.output = SobelOutput::dy, .border = Border::constant}),
          sobel_call({f32, 1}, {f32, 1}, {.norm = Norm::l2, .kernel = SobelKernel::scharr}),
          convert_call(PixelFormat::rgb24, 3, PixelFormat::ycbcr32, 4),
          convert_call(PixelFormat::gray8, 1, PixelFormat::rgb24, 3),
          convert_call(PixelFormat::rgba32, 4, PixelFormat::bgra32, 4),
          threshold_call(u8, {.window = 31, .offset = 3.5}),
          threshold_call(u8, {.window = 255, .method = ThresholdMethod::exact_mean}),
          threshold_call(u8, {.window = 11, .method = ThresholdMethod::gaussian}),
          threshold_call(u16, {.window = 9, .offset = -2, .maximum = 1000, .inverted = true})};
}

constexpr std::array packed = {Layout{0, 0}};

class BatchTest : public test::BackendTest {
 protected:
  void run_and_compare(const Call& call, std::span<const Size> sizes,
                       std::span<const Layout> layouts) {
    Images images(call, sizes, layouts);
    images.run(call, GetParam());
    images.expect_as_one_by_one(call);
  }
};

TEST_P(BatchTest, AwkwardSizesAndLayouts) {
  for (const Call& call : all_calls()) {
    run_and_compare(call, test::awkward_sizes(), test::awkward_layouts());
  }
}

TEST_P(BatchTest, EqualSizes) {
  for (const Call& call : all_calls()) {
    for (const Size size : {Size{64, 40}, Size{261, 9}}) {
      const std::vector<Size> sizes(5, size);
      run_and_compare(call, sizes, packed);
      run_and_compare(call, sizes, std::array{Layout{0, 64}});
      run_and_compare(call, sizes, std::array{Layout{3, 5}, Layout{0, 0}});
    }
  }
}

/// Runs 0 to 130 images, where one launch takes 64; with equal and with mixed sizes.
TEST_P(BatchTest, AnyNumberOfImages) {
  const std::vector<Call> calls = {copy_call(),
                                   sobel_call({ElementType::u8, 1}, {ElementType::u8, 1}),
                                   convert_call(PixelFormat::rgb24, 3, PixelFormat::gray8, 1),
                                   threshold_call(ElementType::u8, {.window = 5})};
  for (const Call& call : calls) {
    for (const std::size_t count : {0, 1, 2, 63, 64, 65, 130}) {
      SCOPED_TRACE(testing::Message() << count << " images");
      std::vector<Size> sizes(count, {33, 3});
      run_and_compare(call, sizes, packed);
      for (std::size_t i = 0; i < count; ++i) {
        sizes[i].width += static_cast<std::int64_t>(i % 7 * 40);
        sizes[i].height += static_cast<std::int64_t>(i % 5 * 8);
      }
      run_and_compare(call, sizes, packed);
    }
  }
}

TEST_P(BatchTest, MoreRowsThanAGridHas) {
  run_and_compare(copy_call(), std::array{Size{3, 65537}, Size{3, 2}}, std::array{Layout{0, 1}});
}

/// Frames of several planes, and more of them than one launch takes.
TEST_P(BatchTest, FramesOfPlanes) {
  for (const auto& [from, to] : {std::pair(PixelFormat::nv12, PixelFormat::rgb24),
                                 std::pair(PixelFormat::i420, PixelFormat::i444)}) {
    std::vector<GuardedImage> src, dst, expected;
    std::vector<Size> sizes;
    for (int i = 0; i < 70; ++i) {
      const Size size{16 + i % 3 * 7, 4 + i % 2};
      sizes.push_back(size);
      src.emplace_back(ElementType::u8, frame_bytes(from, size.width, size.height), 1);
      src.back().fill_random(static_cast<std::uint64_t>(i));
      dst.emplace_back(ElementType::u8, frame_bytes(to, size.width, size.height), 1);
      expected.emplace_back(ElementType::u8, frame_bytes(to, size.width, size.height), 1);
    }
    std::vector<ConstHostFrame> host_src;
    std::vector<HostFrame> host_dst;
    for (std::size_t i = 0; i < src.size(); ++i) {
      const auto [width, height] = sizes[i];
      host_src.emplace_back(src[i].view().data(), from, width, height);
      host_dst.emplace_back(dst[i].view().data(), to, width, height);
      convert(host_src[i], HostFrame(expected[i].view().data(), to, width, height));
    }
    if (GetParam() == Backend::cpu) {
      convert(host_src, host_dst);
    } else {
      const gpu::Stream stream;
      std::vector<std::unique_ptr<OnDevice>> on_device, results;
      std::vector<ConstDeviceFrame> device_src;
      std::vector<DeviceFrame> device_dst;
      for (std::size_t i = 0; i < src.size(); ++i) {
        const auto [width, height] = sizes[i];
        on_device.push_back(std::make_unique<OnDevice>(src[i], stream));
        results.push_back(std::make_unique<OnDevice>(dst[i], stream));
        device_src.emplace_back(on_device[i]->view().data(), from, width, height);
        device_dst.emplace_back(results[i]->view().data(), to, width, height);
      }
      convert(device_src, device_dst, {}, stream);
      for (const auto& result : results) result->download(stream);
    }
    for (std::size_t i = 0; i < src.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "frame " << i);
      test::expect_equal(expected[i].view(), dst[i].view());
      dst[i].expect_guards_intact();
    }
  }
}

/// A captured call allocates and copies nothing, and the graph's launch does not read the spans.
TEST(BatchOnGpu, RunsInAGraph) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  for (const Call& call : all_calls()) {
    Images images(call, test::awkward_sizes(), test::awkward_layouts());
    images.upload();
    const gpu::Graph graph([&](gpu::StreamHandle s) {
      call.many_on_gpu(std::vector(images.device_src), std::vector(images.device_dst), s);
    });
    graph.launch(*images.stream);
    images.download();
    images.expect_as_one_by_one(call);
  }
}

TEST(Batch, NamesTheImageThatItRefuses) {
  for (const Call& call : all_calls()) {
    const std::vector<Size> sizes(4, {8, 5});
    Images images(call, sizes, packed);
    std::vector<ConstHostView> src;
    std::vector<HostView> dst;
    for (std::size_t i = 0; i < 4; ++i) {
      src.emplace_back(images.src[i]->view());
      dst.push_back(images.dst[i]->view());
    }
    dst[2] = dst[2].sub_view(0, 0, 7, 5);
    EXPECT_NE(test::message_of<InvalidArgument>([&] {
                call.many(src, dst);
              }).find("image 2 (the first is 0): "),
              std::string::npos);
    for (const auto& image : images.dst) {
      EXPECT_EQ(*image->view().row(0), std::byte{0xA5});
    }
  }
}

TEST(Batch, RefusesAResultInAnotherImage) {
  GuardedImage image(ElementType::u8, 64, 8);
  const auto part = [&](std::int64_t x) { return image.view().sub_view(x, 0, 8, 8); };
  const auto run = [&](std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    std::vector<ConstHostView> src;
    std::vector<HostView> dst;
    for (const std::int64_t x : from) src.emplace_back(part(x));
    for (const std::int64_t x : to) dst.push_back(part(x));
    copy(src, dst);
  };
  EXPECT_NO_THROW(run({0, 0, 1, 8}, {16, 24, 32, 40}));  // sources may overlap
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { run({0, 8}, {16, 23}); }),
            "copy: dst[0] and dst[1] overlap in memory");
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { run({0, 16}, {16, 24}); }).substr(0, 6),
            "copy: ");
  EXPECT_EQ(test::message_of<InvalidArgument>([&] { run({0, 8}, {16}); }),
            "copy: there are 2 images and 1 results");
}

TEST(Batch, RefusesMixedTypes) {
  GuardedImage bytes(ElementType::u8, 4, 4), words(ElementType::u16, 4, 4);
  GuardedImage first(ElementType::u8, 4, 4), second(ElementType::u32, 4, 4);
  EXPECT_NE(test::message_of<InvalidArgument>([&] {
              sobel(std::vector<ConstHostView>{bytes.view(), words.view()},
                    std::vector<HostView>{first.view(), second.view()});
            }).find("image 1 (the first is 0): src has pixels of 1 x u16, that of image 0 has "),
            std::string::npos);
}

TEST(Batch, SaysThatThereIsNoGpu) {
  if (gpu::device_count() != 0) GTEST_SKIP() << "this machine has a GPU";
  std::uint8_t pixel = 0, other = 0;  // never read
  const std::vector<ConstDeviceView> src{ConstDeviceView(&pixel, 1, 1)};
  const std::vector<DeviceView> dst{DeviceView(&other, 1, 1)};
  EXPECT_THROW(copy(src, dst, nullptr), NoCudaDevice);
  EXPECT_THROW(sobel(src, dst, {}, nullptr), NoCudaDevice);
  EXPECT_THROW(threshold(src, dst, {}, nullptr), NoCudaDevice);
  EXPECT_THROW(convert(frames_of<ConstDeviceFrame>(PixelFormat::gray8, src),
                       frames_of<DeviceFrame>(PixelFormat::gray8, dst), {}, nullptr),
               NoCudaDevice);
}

INSTANTIATE_TEST_SUITE_P(, BatchTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
