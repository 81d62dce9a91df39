#include "warpwise/algorithms/chain/chain.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/cpu/threads.hpp"
#include "warpwise/gpu/graph.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;
using test::Layout;
using test::OnDevice;

struct Type {
  ElementType type = ElementType::u8;
  int channels = 1;
};

constexpr ChainConvert opencv_grey_of(PixelFormat from) {
  return {from, PixelFormat::gray8, {.convention = Convention::opencv}};
}

/// Runs a step by the reference of its primitive.
void reference_step(const ChainStep& step, ConstHostView src, HostView dst) {
  if (const auto* convert_step = std::get_if<ChainConvert>(&step)) {
    reference::convert(ConstHostFrame(convert_step->from, src), HostFrame(convert_step->to, dst),
                       convert_step->options);
  } else if (const auto* sobel_options = std::get_if<SobelOptions>(&step)) {
    reference::sobel(src, dst, *sobel_options);
  } else {
    reference::threshold(src, dst, std::get<ThresholdOptions>(step));
  }
}

/// Colours that change little from pixel to pixel, with a few edges. The gradient's magnitude
/// takes many values, and saturates at only some pixels.
void fill_smooth(GuardedImage& image, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const HostView view = image.view();
  for (std::int64_t y = 0; y < view.height(); ++y) {
    for (std::int64_t i = 0; i < view.row_bytes(); ++i) {
      const std::int64_t level = 60 + (i / 97 + y / 11) % 3 * 50;
      store(view.row(y), i, static_cast<std::uint8_t>(level + static_cast<int>(random() % 9)));
    }
  }
}

class ChainTest : public test::BackendTest {
 protected:
  /// Runs the chain on an image, and compares its result with the result of the single steps.
  /// `between` lists the types of all results.
  void run_and_compare(const std::vector<ChainStep>& steps, GuardedImage& src,
                       const std::vector<Type>& between, Layout layout,
                       std::optional<bool> fused = {}) {
    const std::int64_t width = src.view().width();
    const std::int64_t height = src.view().height();
    std::vector<std::unique_ptr<GuardedImage>> results;
    ConstHostView from = src.view();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      results.push_back(
          std::make_unique<GuardedImage>(between[i].type, width, height, between[i].channels));
      reference_step(steps[i], from, results.back()->view());
      from = results.back()->view();
    }
    GuardedImage dst(between.back().type, width, height, between.back().channels, layout);
    if (GetParam() == Backend::cpu) {
      Chain(steps).run(src.view(), dst.view());
    } else {
      const gpu::Stream stream;                 // outlives the chain
      Chain chain(steps, ChainKernels::fused);  // takes the fused kernel even if it is slower
      OnDevice device_src(src, stream);
      OnDevice device_dst(dst, stream);
      if (fused) {
        EXPECT_EQ(chain.is_fused(device_src.view(), device_dst.view()), *fused);
      }
      chain.run(device_src.view(), device_dst.view(), stream);
      device_dst.download(stream);
    }
    test::expect_equal(from, dst.view());
    dst.expect_guards_intact();
  }

  void edges_and_compare(std::int64_t width, std::int64_t height, const SobelOptions& sobel_options,
                         const ThresholdOptions& threshold_options, Layout layout, bool converts,
                         std::optional<bool> fused = {}) {
    SCOPED_TRACE(testing::Message()
                 << width << "x" << height << " window " << threshold_options.window << " border "
                 << name_of(sobel_options.border) << " offset " << layout.offset_bytes
                 << " padding " << layout.padding_bytes << (converts ? " by way of gray8" : ""));
    GuardedImage src(ElementType::u8, width, height, 3, layout);
    fill_smooth(src, static_cast<std::uint64_t>(width * 31 + height));
    std::vector<ChainStep> steps = {sobel_options, threshold_options};
    std::vector<Type> results(2);
    if (converts) {
      const bool bgr = sobel_options.channels == ChannelOrder::bgr;
      steps.insert(steps.begin(), opencv_grey_of(bgr ? PixelFormat::bgr24 : PixelFormat::rgb24));
      results.emplace_back();
    }
    run_and_compare(steps, src, results, layout, fused);
  }
};

ThresholdOptions cut_at(std::int64_t window, double offset = -2) {
  return {.window = window, .offset = offset};
}

TEST_P(ChainTest, AwkwardSizesAndLayouts) {
  for (const auto& size : test::awkward_sizes()) {
    for (const Layout& layout : test::awkward_layouts()) {
      edges_and_compare(size.width, size.height, {}, cut_at(5), layout, size.width % 2 == 0);
    }
  }
}

TEST_P(ChainTest, SizesOfOneKernel) {
  for (const Border border : all_borders) {
    for (const test::Size size :
         {test::Size{8, 1}, {8, 3}, {16, 2}, {24, 90}, {240, 9}, {248, 5}, {512, 30}}) {
      for (const std::int64_t window : {1, 3, 5, 15, 17, 31}) {
        edges_and_compare(size.width, size.height, {.border = border}, cut_at(window), {8, 8}, true,
                          true);
      }
    }
  }
}

TEST_P(ChainTest, WindowsToTheWidestOfOneKernelAndBeyond) {
  for (const std::int64_t window : {29, 31, 33, 65}) {
    edges_and_compare(328, 70, {}, cut_at(window), {}, false, window <= Chain::max_fused_window);
  }
}

TEST_P(ChainTest, Colours) {
  for (const ChannelOrder order : all_channel_orders) {
    for (const bool converts : {false, true}) {
      edges_and_compare(64, 20, {.channels = order}, cut_at(7), {}, converts, true);
    }
  }
}

TEST_P(ChainTest, RulesOfTheThreshold) {
  for (const ThresholdMethod method : all_threshold_methods) {
    for (const bool inverted : {false, true}) {
      for (const double offset : {-300.0, -3.5, 0.0, 2.25, 300.0}) {
        const ThresholdOptions options{
            .window = 9, .offset = offset, .method = method, .maximum = 200, .inverted = inverted};
        edges_and_compare(48, 24, {}, options, {}, false, method != ThresholdMethod::gaussian);
      }
    }
  }
}

TEST_P(ChainTest, StepsThatOneKernelDoesNotTake) {
  edges_and_compare(64, 9, {.norm = Norm::l2}, cut_at(3), {}, false, false);
  edges_and_compare(64, 9, {.kernel = SobelKernel::scharr}, cut_at(3), {}, true, false);
  edges_and_compare(68, 9, {}, cut_at(3), {}, false, false);
  edges_and_compare(64, 9, {}, cut_at(3), {0, 4}, false, false);
  for (const ChannelOrder order : all_channel_orders) {
    edges_and_compare(68, 9, {.channels = order}, cut_at(3), {}, true, false);
  }
}

TEST_P(ChainTest, OtherSequences) {
  GuardedImage colours(ElementType::u8, 37, 29, 3, {1, 2});
  fill_smooth(colours, 5);
  const ChainConvert luma{PixelFormat::rgb24, PixelFormat::gray8, {}};
  run_and_compare({luma}, colours, {{}}, {1, 0});
  run_and_compare({luma, cut_at(11)}, colours, {{}, {}}, {});
  run_and_compare({luma, SobelOptions{}, cut_at(3)}, colours, {{}, {}, {}}, {}, false);
  run_and_compare({luma, SobelOptions{}, SobelOptions{}, cut_at(3), SobelOptions{}}, colours,
                  {{}, {}, {}, {}, {}}, {3, 1}, false);
  run_and_compare({SobelOptions{.output = SobelOutput::dy}}, colours, {{ElementType::i16, 1}}, {});
  GuardedImage grey(ElementType::u8, 33, 18, 1, {2, 3});
  fill_smooth(grey, 7);
  run_and_compare({cut_at(5), SobelOptions{}, SobelOptions{}}, grey,
                  {{}, {}, {ElementType::u16, 1}}, {});
}

/// yuyv and uyvy: views of 2 channels, only of even width.
TEST_P(ChainTest, TwoPixelsThatShareChroma) {
  for (const PixelFormat from : {PixelFormat::yuyv, PixelFormat::uyvy}) {
    for (const std::int64_t width : {2, 38, 64}) {
      GuardedImage frame(ElementType::u8, width, 7, 2, {1, 2});
      fill_smooth(frame, 8);
      run_and_compare({ChainConvert{from, PixelFormat::rgb24}}, frame, {{ElementType::u8, 3}}, {});
      run_and_compare({ChainConvert{from, PixelFormat::rgb24}, SobelOptions{}, cut_at(3)}, frame,
                      {{ElementType::u8, 3}, {}, {}}, {3, 1}, false);
    }
    Chain chain({ChainConvert{from, PixelFormat::gray8}, SobelOptions{}});
    GuardedImage even(ElementType::u8, 4, 7, 2), even_dst(ElementType::u8, 4, 7);
    GuardedImage odd(ElementType::u8, 5, 7, 2), dst(ElementType::u8, 5, 7);
    chain.run(even.view(), even_dst.view());
    const std::vector<std::byte> untouched = dst.memory();
    EXPECT_THROW(chain.run(odd.view(), dst.view()), InvalidArgument);
    EXPECT_EQ(dst.memory(), untouched);
  }
}

/// Compares a chain with single calls of its steps, because the references would take long.
void expect_as_single_calls(const std::vector<ChainStep>& steps, GuardedImage& src,
                            const std::vector<Type>& results) {
  const std::int64_t width = src.view().width(), height = src.view().height();
  std::vector<std::unique_ptr<GuardedImage>> images;
  ConstHostView from = src.view();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    images.push_back(
        std::make_unique<GuardedImage>(results[i].type, width, height, results[i].channels));
    Chain(std::vector{steps[i]}).run(from, images.back()->view());
    from = images.back()->view();
  }
  GuardedImage dst(results.back().type, width, height, results.back().channels, {3, 1});
  Chain chain(steps);
  for (int run = 0; run < 2; ++run) {
    chain.run(src.view(), dst.view());
    test::expect_equal(from, dst.view());
    dst.expect_guards_intact();
  }
}

/// Runs with the given number of threads, on any machine.
class Threads {
 public:
  explicit Threads(int count) : arena_(count) { cpu::limit_threads(count); }
  ~Threads() { cpu::limit_threads(0); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  template <class Work>
  void run(const Work& work) {
    arena_.execute(work);
  }

 private:
  tbb::task_arena arena_;
};

/// Images that two threads divide into strips of several bands each. On machines with many cores,
/// more threads would make strips too low for bands.
TEST(Chain, ManyBands) {
  const ChainConvert to_grey = opencv_grey_of(PixelFormat::rgb24);
  for (const auto& [width, height, window] :
       {std::tuple(30001, 260, 3), std::tuple(1000, 9001, 31), std::tuple(40000, 131, 1)}) {
    GuardedImage colours(ElementType::u8, width, height, 3, {1, 2});
    fill_smooth(colours, 6);
    const std::vector<ChainStep> steps{to_grey, SobelOptions{}, cut_at(window)};
    Threads(2).run([&] { expect_as_single_calls(steps, colours, {{}, {}, {}}); });
  }
}

TEST(Chain, ManyBandsOfOtherSteps) {
  GuardedImage colours(ElementType::u8, 2003, 2400, 3, {1, 2});
  fill_smooth(colours, 7);
  ThresholdOptions gaussian = cut_at(15);
  gaussian.method = ThresholdMethod::gaussian;
  const SobelOptions constant{.border = Border::constant};
  Threads(2).run([&] {
    expect_as_single_calls({opencv_grey_of(PixelFormat::rgb24), gaussian, constant, cut_at(5),
                            SobelOptions{.output = SobelOutput::dy}},
                           colours, {{}, {}, {}, {}, {ElementType::i16, 1}});
    expect_as_single_calls({ChainConvert{PixelFormat::rgb24, PixelFormat::ycbcr32},
                            ChainConvert{PixelFormat::ycbcr32, PixelFormat::gray8}},
                           colours, {{ElementType::u8, 4}, {}});
    expect_as_single_calls({SobelOptions{}, gaussian}, colours, {{}, {}});
  });
}

/// With 700 rows each thread has a strip; 200 rows are too few for three and for seven threads.
TEST(Chain, AnyNumberOfThreads) {
  for (const std::int64_t height : {700, 200, 3}) {
    GuardedImage colours(ElementType::u8, 3001, height, 3);
    fill_smooth(colours, 8);
    for (const int count : {1, 2, 3, 7}) {
      Threads(count).run([&] {
        expect_as_single_calls({opencv_grey_of(PixelFormat::rgb24), SobelOptions{}, cut_at(9)},
                               colours, {{}, {}, {}});
      });
    }
  }
}

TEST(Chain, ImagesOfMixedSizesOnTheCpu) {
  Chain chain({SobelOptions{}});
  GuardedImage a(ElementType::u8, 40, 9), b(ElementType::u8, 7, 5), c(ElementType::u8, 40, 9);
  GuardedImage of_a(ElementType::u8, 40, 9), of_b(ElementType::u8, 7, 5);
  fill_smooth(a, 1);
  fill_smooth(b, 2);
  const std::array<ConstHostView, 2> from{a.view(), b.view()};
  chain.run(from, std::array{of_a.view(), of_b.view()});
  for (const auto& [src, dst] : {std::pair(&a, &of_a), {&b, &of_b}}) {
    GuardedImage expected(ElementType::u8, dst->view().width(), dst->view().height());
    reference::sobel(src->view(), expected.view(), {});
    test::expect_equal(expected.view(), dst->view());
    dst->expect_guards_intact();
  }
  // Refused: a result that is another image's source, one result for two images, too few results.
  const std::array<ConstHostView, 2> both{a.view(), c.view()};
  EXPECT_THROW(chain.run(both, std::array{c.view(), of_a.view()}), InvalidArgument);
  EXPECT_THROW(chain.run(both, std::array{of_a.view(), of_a.view()}), InvalidArgument);
  EXPECT_THROW(chain.run(from, std::array{of_a.view()}), InvalidArgument);
}

/// Images of several sizes, and their results on a GPU. The fused kernel can process some of them.
TEST(ChainOnGpu, ImagesOfMixedSizes) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  Chain chain({SobelOptions{}, cut_at(7)}, ChainKernels::fused);
  std::vector<std::unique_ptr<GuardedImage>> src, dst;
  std::vector<std::unique_ptr<OnDevice>> device_src, device_dst;
  std::vector<ConstDeviceView> from;
  std::vector<DeviceView> to;
  for (int i = 0; i < 150; ++i) {  // more images than two launches hold
    const std::int64_t width = i % 40 == 3 ? 37 : 8 * (i % 5 + 1);
    const std::int64_t height = i % 7 + 1;
    src.push_back(std::make_unique<GuardedImage>(ElementType::u8, width, height, 3));
    dst.push_back(std::make_unique<GuardedImage>(ElementType::u8, width, height));
    fill_smooth(*src.back(), static_cast<std::uint64_t>(i));
    device_src.push_back(std::make_unique<OnDevice>(*src.back(), stream));
    device_dst.push_back(std::make_unique<OnDevice>(*dst.back(), stream));
    from.emplace_back(device_src.back()->view());
    to.push_back(device_dst.back()->view());
  }
  chain.run(from, to, stream);
  for (std::size_t i = 0; i < src.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "image " << i);
    device_dst[i]->download(stream);
    GuardedImage expected(ElementType::u8, dst[i]->view().width(), dst[i]->view().height());
    chain.run(src[i]->view(), expected.view());
    test::expect_equal(expected.view(), dst[i]->view());
    dst[i]->expect_guards_intact();
  }
  chain.run({}, {}, stream);
  EXPECT_THROW(chain.run(from, std::span(to).first(3), stream), InvalidArgument);
  const std::array twice{to[0], to[0]};
  EXPECT_THROW(chain.run(std::array{from[0], from[0]}, twice, stream), InvalidArgument);
}

/// A graph can be recorded if a run allocates nothing, or if the chain has kept the memory.
TEST(ChainOnGpu, RunsInAGraph) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  for (const std::int64_t width : {64, 61}) {
    GuardedImage src(ElementType::u8, width, 40, 3);
    GuardedImage dst(ElementType::u8, width, 40);
    GuardedImage expected(ElementType::u8, width, 40);
    fill_smooth(src, 3);
    OnDevice device_src(src, stream);
    OnDevice device_dst(dst, stream);
    Chain chain({opencv_grey_of(PixelFormat::rgb24), SobelOptions{}, cut_at(5)},
                ChainKernels::fused);
    chain.run(src.view(), expected.view());
    const auto run = [&](gpu::StreamHandle s) {
      chain.run(device_src.view(), device_dst.view(), s);
    };
    run(stream);
    const gpu::Graph graph(run);
    gpu::fill_bytes(device_dst.view().data(), 7, device_dst.view().row_bytes(), stream);
    graph.launch(stream);
    device_dst.download(stream);
    test::expect_equal(expected.view(), dst.view());
  }
}

/// Memory between steps belongs to one stream, which may be destroyed after a run on another one.
TEST(ChainOnGpu, RunsOnOneStreamAfterAnother) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream of_images;
  std::optional<Chain> chain(std::in_place, std::vector<ChainStep>{SobelOptions{}, cut_at(5)},
                             ChainKernels::separate);
  GuardedImage src(ElementType::u8, 61, 40, 3);
  GuardedImage dst(ElementType::u8, 61, 40);
  GuardedImage expected(ElementType::u8, 61, 40);
  fill_smooth(src, 3);
  chain->run(src.view(), expected.view());
  OnDevice device_src(src, of_images);
  OnDevice device_dst(dst, of_images);
  std::optional<gpu::Stream> last;
  for (int i = 0; i < 3; ++i) {
    gpu::fill_bytes(device_dst.view().data(), 7, device_dst.view().row_bytes(), of_images);
    of_images.synchronize();
    gpu::Stream next;
    chain->run(device_src.view(), device_dst.view(), next);
    last = std::move(next);  // destroys the last stream
    device_dst.download(*last);
    test::expect_equal(expected.view(), dst.view());
  }
  chain.reset();
}

/// A run that allocates memory cannot be recorded: the graph would never free it.
TEST(ChainOnGpu, RecordsNoRunThatTakesMemory) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  Chain chain({SobelOptions{}, cut_at(5)}, ChainKernels::separate);
  GuardedImage src(ElementType::u8, 61, 40, 3);
  GuardedImage dst(ElementType::u8, 61, 40);
  OnDevice device_src(src, stream);
  OnDevice device_dst(dst, stream);
  const auto record = [&] {
    const gpu::Graph graph(
        [&](gpu::StreamHandle s) { chain.run(device_src.view(), device_dst.view(), s); });
  };
  EXPECT_THROW(record(), InvalidArgument);
  chain.run(device_src.view(), device_dst.view(), stream);
  EXPECT_NO_THROW(record());
  stream.synchronize();
}

/// Memory between steps belongs to one GPU. The default streams of two GPUs have the same handle.
TEST(ChainOnGpu, RunsOnOneGpuAfterAnother) {
  if (gpu::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  Chain chain({SobelOptions{}, cut_at(5)}, ChainKernels::separate);
  GuardedImage src(ElementType::u8, 61, 40, 3);
  GuardedImage expected(ElementType::u8, 61, 40);
  fill_smooth(src, 3);
  chain.run(src.view(), expected.view());
  for (const int device : {0, 1, 0}) {
    gpu::set_device(device);
    const gpu::Stream stream;
    GuardedImage dst(ElementType::u8, 61, 40);
    OnDevice device_src(src, stream);
    OnDevice device_dst(dst, stream);
    stream.synchronize();
    const auto run = [&](gpu::StreamHandle s) {
      chain.run(device_src.view(), device_dst.view(), s);
    };
    EXPECT_THROW(gpu::Graph{run}, InvalidArgument);
    run(nullptr);
    gpu::synchronize_device();
    device_dst.download(stream);
    test::expect_equal(expected.view(), dst.view());
  }
  gpu::set_device(0);
}

/// sobel() computes the grey itself, so that nothing lies between the two steps.
TEST(ChainOnGpu, LeavesOutAGreyThatSobelComputes) {
  if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  const gpu::Stream stream;
  GuardedImage src(ElementType::u8, 61, 40, 3);
  GuardedImage dst(ElementType::u8, 61, 40);
  OnDevice device_src(src, stream);
  OnDevice device_dst(dst, stream);
  const std::vector<ChainStep> steps{opencv_grey_of(PixelFormat::rgb24), SobelOptions{}};
  const auto record = [&](ChainKernels kernels) {
    Chain chain(steps, kernels);
    const gpu::Graph graph(
        [&](gpu::StreamHandle s) { chain.run(device_src.view(), device_dst.view(), s); });
  };
  EXPECT_THROW(record(ChainKernels::separate), InvalidArgument);
  EXPECT_NO_THROW(record(ChainKernels::fastest));
}

TEST(Chain, TakesTheFusedKernelWhereItIsFaster) {
  std::byte memory{};
  auto* const aligned = &memory - reinterpret_cast<std::uintptr_t>(&memory) % 8;  // is never read
  const auto is_fused = [&](std::int64_t width, std::int64_t height, std::int64_t window,
                            ChainKernels kernels = ChainKernels::fastest) {
    return Chain({SobelOptions{}, cut_at(window)}, kernels)
        .is_fused(ConstDeviceView(aligned, ElementType::u8, width, height, 3),
                  DeviceView(aligned, ElementType::u8, width, height));
  };
  EXPECT_TRUE(is_fused(640, 480, 3));
  EXPECT_FALSE(is_fused(640, 480, 7));
  EXPECT_TRUE(is_fused(640, 480, 7, ChainKernels::fused));
  EXPECT_TRUE(is_fused(4096, 3072, 7));
  EXPECT_FALSE(is_fused(4096, 3072, 31));
  EXPECT_TRUE(is_fused(16384, 12288, 31));
  EXPECT_FALSE(is_fused(16384, 12288, 31, ChainKernels::separate));
  EXPECT_FALSE(is_fused(16384, 12288, 33, ChainKernels::fused));
  EXPECT_FALSE(is_fused(16380, 12288, 31, ChainKernels::fused));
}

TEST(Chain, RefusesWhatItsStepsDoNotTake) {
  EXPECT_THROW(Chain({}), InvalidArgument);
  GuardedImage colours(ElementType::u8, 16, 4, 3);
  GuardedImage grey(ElementType::u8, 16, 4);
  GuardedImage narrower(ElementType::u8, 15, 4);
  GuardedImage wide(ElementType::u16, 16, 4);
  Chain edges({SobelOptions{}, cut_at(3)});
  EXPECT_THROW(edges.run(colours.view(), narrower.view()), InvalidArgument);
  EXPECT_THROW(edges.run(colours.view(), wide.view()), InvalidArgument);
  EXPECT_THROW(edges.run(grey.view(), grey.view()), InvalidArgument);
  Chain even({SobelOptions{}, cut_at(4)});
  EXPECT_THROW(even.run(colours.view(), grey.view()), InvalidArgument);
  Chain components({SobelOptions{.output = SobelOutput::dx}, cut_at(3)});
  EXPECT_THROW(components.run(colours.view(), grey.view()), InvalidArgument);
  Chain planes({ChainConvert{PixelFormat::rgb24, PixelFormat::i444}, SobelOptions{}});
  EXPECT_THROW(planes.run(colours.view(), grey.view()), InvalidArgument);
  Chain other({ChainConvert{PixelFormat::rgba32, PixelFormat::gray8}, SobelOptions{}});
  EXPECT_THROW(other.run(colours.view(), grey.view()), InvalidArgument);
}

TEST(Chain, MovedFromItIsRefusedUntilOneIsAssigned) {
  GuardedImage src(ElementType::u8, 16, 4), dst(ElementType::u8, 16, 4);
  Chain edges({SobelOptions{}});
  Chain other = std::move(edges);
  other.run(src.view(), dst.view());
  const auto refusal = [](auto call) { return test::message_of<InvalidArgument>(call); };
  const std::string message = "chain: there is no step; the chain was moved from";
  EXPECT_EQ(refusal([&] { edges.run(src.view(), dst.view()); }), message);
  const std::vector<ConstHostView> from = {src.view()};
  const std::vector<HostView> to = {dst.view()};
  EXPECT_EQ(refusal([&] { edges.run(from, to); }), message);
  edges = std::move(other);
  edges.run(src.view(), dst.view());
  EXPECT_EQ(refusal([&] { other.run(src.view(), dst.view()); }), message);
}

INSTANTIATE_TEST_SUITE_P(, ChainTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
