// Makes the same call from eight threads at once, on shared inputs. Each thread must get the result
// that a single thread gets afterwards. With ThreadSanitizer (preset tsan), no data race may occur
// between calls or inside one.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <barrier>
#include <limits>
#include <thread>
#include <vector>

#include "support/backend.hpp"
#include "support/guarded_image.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

using test::Backend;
using test::GuardedImage;

constexpr int thread_count = 8;
constexpr int calls_each = 3;

class ThreadsTest : public test::BackendTest {
 protected:
  /// Adds an input of random pixels.
  void input(ElementType type, std::int64_t width, std::int64_t height, int channels = 1) {
    inputs_.emplace_back(type, width, height, channels, test::Layout{1, 3});
    inputs_.back().fill_random(inputs_.size());
  }

  /// Runs `call` with views of the inputs, a view of an output like `output`, and on CUDA a stream.
  template <class Call>
  void expect_equal_results(const GuardedImage& output, const Call& call) {
    std::vector<GuardedImage> outputs(thread_count, output);
    std::barrier start(thread_count);
    std::vector<std::thread> threads;
    for (GuardedImage& own : outputs) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int i = 0; i < calls_each; ++i) run(own, call);
      });
    }
    for (std::thread& thread : threads) thread.join();
    // Computed last, so that the threads above make the first calls of the process.
    GuardedImage expected = output;
    run(expected, call);
    for (const GuardedImage& actual : outputs) {
      test::expect_equal(expected.view(), actual.view());
      actual.expect_guards_intact();
    }
  }

 private:
  template <class Call>
  void run(GuardedImage& output, const Call& call) {
    if (GetParam() == Backend::cpu) {
      std::vector<ConstHostView> views;
      for (const GuardedImage& image : inputs_) views.push_back(image.view());
      call(views, output.view());
      return;
    }
    test::run_on_device(inputs_, output, call);
  }

  std::vector<GuardedImage> inputs_;
};

// Images are large enough for several tasks in a call, unless the call takes too long.
constexpr std::int64_t width = 1237;
constexpr std::int64_t height = 351;

TEST_P(ThreadsTest, Copy) {
  input(ElementType::u16, width, height);
  expect_equal_results(
      GuardedImage(ElementType::u16, width, height),
      [](const auto& in, auto out, auto... stream) { copy(in[0], out, stream...); });
}

TEST_P(ThreadsTest, Convert) {
  input(ElementType::u8, width, height, 3);
  for (const Convention convention : all_conventions) {
    const ConvertOptions options{.convention = convention};
    expect_equal_results(GuardedImage(ElementType::u8, width, height, 4), [&](const auto& in,
                                                                              auto out,
                                                                              auto... stream) {
      using From = std::conditional_t<sizeof...(stream) == 0, ConstHostFrame, ConstDeviceFrame>;
      using To = std::conditional_t<sizeof...(stream) == 0, HostFrame, DeviceFrame>;
      convert(From(PixelFormat::rgb24, in[0]), To(PixelFormat::ycbcr32, out), options, stream...);
    });
  }
}

TEST_P(ThreadsTest, Sobel) {
  input(ElementType::u8, width, height, 3);
  for (const Norm norm : all_norms) {
    const SobelOptions options{.norm = norm};
    expect_equal_results(
        GuardedImage(ElementType::u8, width, height),
        [&](const auto& in, auto out, auto... stream) { sobel(in[0], out, options, stream...); });
  }
}

TEST_P(ThreadsTest, Threshold) {
  input(ElementType::u8, width, height);
  for (const ThresholdMethod method : all_threshold_methods) {
    const ThresholdOptions options{.window = 15, .offset = 2.5, .method = method};
    expect_equal_results(GuardedImage(ElementType::u8, width, height),
                         [&](const auto& in, auto out, auto... stream) {
                           threshold(in[0], out, options, {}, stream...);
                         });
  }
}

TEST_P(ThreadsTest, Match) {
  input(ElementType::u8, 320, 160);
  input(ElementType::u8, 320, 160);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    MatchOptions options;
    options.search_x = options.search_y = {-4, 3};
    options.measure = measure;
    const MatchGrid grid = match_grid(320, 160, options);
    expect_equal_results(GuardedImage(ElementType::i16, grid.columns, grid.rows, 2),
                         [&](const auto& in, auto out, auto... stream) {
                           match(in[0], in[1], out, options, {}, stream...);
                         });
  }
}

TEST_P(ThreadsTest, Disparity) {
  input(ElementType::u8, 160, 90);
  input(ElementType::u8, 160, 90);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    const DisparityOptions options{.max_disparity = 16, .measure = measure, .subpixel = true};
    expect_equal_results(GuardedImage(ElementType::f32, 160, 90),
                         [&](const auto& in, auto out, auto... stream) {
                           disparity(in[0], in[1], out, options, stream...);
                         });
  }
}

// Kernels for large blocks need more shared memory than kernels for small ones. A call must not
// reduce the limit that another thread's kernel needs.
TEST_P(ThreadsTest, DisparitiesOfDifferentBlocks) {
  input(ElementType::u8, 160, 120);
  input(ElementType::u8, 160, 120);
  expect_equal_results(
      GuardedImage(ElementType::f32, 160, 120), [&](const auto& in, auto out, auto... stream) {
        for (const int block : {101, 5})
          disparity(in[0], in[1], out, {.block = block, .max_disparity = 4, .subpixel = true},
                    stream...);
      });
}

TEST_P(ThreadsTest, Find) {
  input(ElementType::u8, 16, 12);
  input(ElementType::u8, 160, 90);
  for (const Measure measure : {Measure::ssd, Measure::zncc}) {
    expect_equal_results(GuardedImage(ElementType::u8, sizeof(Finding), 1),
                         [&](const auto& in, auto out, auto... stream) {
                           if constexpr (sizeof...(stream) == 0) {
                             store(out.row(0), 0, find(in[0], in[1], measure));
                           } else {
                             find(in[0], in[1], out, measure, stream...);
                           }
                         });
  }
}

TEST_P(ThreadsTest, Track) {
  input(ElementType::u8, 160, 90);
  input(ElementType::u8, 160, 90);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    TrackOptions options;
    options.measure = measure;
    options.update_template = true;
    const Box box{50, 30, 24, 16};
    expect_equal_results(GuardedImage(ElementType::u8, sizeof(Box), 1),
                         [&](const auto& in, auto out, auto... stream) {
                           if constexpr (sizeof...(stream) == 0) {
                             Tracker tracker(in[0], box, options);
                             tracker.next(in[1]);
                             store(out.row(0), 0, tracker.next(in[0]).box);
                           } else {
                             DeviceTracker tracker(in[0], box, options, stream...);
                             tracker.next(in[1]);
                             const Box found = tracker.next(in[0]).box;
                             gpu::upload(ConstHostView(&found, ElementType::u8, sizeof(Box), 1),
                                         out, stream...);
                             gpu::Event read;  // the upload reads `found`
                             read.record(stream...);
                             read.synchronize();
                           }
                         });
  }
}

TEST_P(ThreadsTest, Gemv) {
  input(ElementType::f32, 1000, 700);
  input(ElementType::f32, 1000, 1);
  input(ElementType::f32, 700, 1);
  for (const bool transpose : {false, true}) {
    const GemvOptions options{.transpose = transpose};
    expect_equal_results(GuardedImage(ElementType::f32, transpose ? 1000 : 700, 1),
                         [&](const auto& in, auto out, auto... stream) {
                           gemv(in[0], in[transpose ? 2 : 1], out, options, stream...);
                         });
  }
}

TEST(LimitThreads, HoldsForAllCalls) {
  const auto allowed = [] {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  };
  const std::size_t all = allowed();
  cpu::limit_threads(1);
  EXPECT_EQ(allowed(), 1U);
  cpu::limit_threads(2);  // also raises the limit
  EXPECT_EQ(allowed(), 2U);
  cpu::limit_threads(0);
  EXPECT_EQ(allowed(), all);
  EXPECT_THROW(cpu::limit_threads(-1), InvalidArgument);
}

TEST(LimitThreads, ALargeNumberTakesNoMemory) {
  cpu::limit_threads(std::numeric_limits<int>::max());
  Image src(ElementType::u8, 1000, 1000), dst(ElementType::u8, 1000, 1000);
  std::fill_n(src.view().data(), src.view().row_bytes() * 1000, std::byte{1});
  EXPECT_NO_THROW(sobel(src.view(), dst.view()));
  cpu::limit_threads(0);
}

INSTANTIATE_TEST_SUITE_P(, ThreadsTest, test::both_backends(), testing::PrintToStringParamName());

}  // namespace
}  // namespace warpwise
