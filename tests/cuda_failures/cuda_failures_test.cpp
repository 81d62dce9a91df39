// Makes each call of the CUDA runtime fail once in turn. The library must then throw a CudaError,
// release all that it has allocated, and work afterwards. Calls that release something never fail.
//
// libwarpwise calls each function in gpu/runtime_calls.txt by its name with the prefix __wrap_.
// This program defines the same names, which take precedence over the library's.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "support/guarded_image.hpp"
#include "warpwise/warpwise.hpp"

namespace {

struct RuntimeCall {
  const char* name;
  void* real;
};

constexpr int out_of_memory = 2;  // cudaErrorMemoryAllocation

long long calls = 0;                    // number of calls so far that could fail
long long failing = 0;                  // number of the call that has to fail; 0: none
bool is_pending = false;                // true: the next cudaGetLastError returns the failure
std::map<std::string, long long> held;  // number of unreleased objects, by the call that made them

bool begins_with(const char* name, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts) {
    if (std::string_view(name).starts_with(start)) return true;
  }
  return false;
}

bool contains(const char* name, std::string_view part) {
  return std::string_view(name).find(part) != std::string_view::npos;
}

bool may_fail(const char* name) {
  return !begins_with(name, {"__", "cudaFree", "cudaGetLastError", "cudaGetErrorName",
                             "cudaGetErrorString", "cudaGraphicsUn"}) &&
         !contains(name, "Destroy");
}

void count_objects(const char* name) {
  constexpr std::pair<std::string_view, std::string_view> pairs[] = {
      {"cudaMallocFromPoolAsync", "cudaFreeAsync"},
      {"cudaMallocHost", "cudaFreeHost"},
      {"cudaStreamCreateWithFlags", "cudaStreamDestroy"},
      {"cudaEventCreate", "cudaEventDestroy"},
      {"cudaGraphInstantiate", "cudaGraphExecDestroy"},
      {"cudaStreamEndCapture", "cudaGraphDestroy"},
      {"cudaCreateTextureObject", "cudaDestroyTextureObject"}};
  for (const auto& [make, release] : pairs) {
    if (begins_with(name, {make})) ++held[std::string(make)];
    if (begins_with(name, {release})) --held[std::string(make)];
  }
}

}  // namespace

// Returns the address of the runtime's function, or null if the call has to fail. A failed launch
// is also reported by the next cudaGetLastError.
extern "C" __attribute__((used)) void* choose_call(RuntimeCall* call) {
  if (call->real == nullptr) {
    call->real = ::dlsym(RTLD_NEXT, (std::string("__wrap_") + call->name).c_str());
  }
  if (std::string_view(call->name) == "cudaGetLastError" && is_pending) {
    is_pending = false;
    return nullptr;
  }
  if (may_fail(call->name) && ++calls == failing) {
    is_pending = begins_with(call->name, {"cudaLaunch"});
    return nullptr;
  }
  count_objects(call->name);
  return call->real;
}

// Saves the arguments of a call, which are in registers, while choose_call decides.
asm(R"(
.text
enter_call:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $8, %rsp
  mov %r11, %rdi
  call choose_call
  add $8, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  test %rax, %rax
  je 1f
  jmp *%rax
1:
  mov $2, %eax
  ret
)");

#define RUNTIME_CALL(function)                                                                \
  extern "C" {                                                                                \
  __attribute__((used)) RuntimeCall call_of_##function{#function, nullptr};                   \
  }                                                                                           \
  asm(".globl __wrap_" #function "\n.type __wrap_" #function ", @function\n__wrap_" #function \
      ":\n  lea call_of_" #function "(%rip), %r11\n  jmp enter_call\n");
#include "runtime_calls.inc"

namespace warpwise {
namespace {

using test::GuardedImage;

class CudaFailuresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (gpu::device_count() == 0) GTEST_SKIP() << gpu::why_no_device();
  }
  void TearDown() override { failing = 0; }

  void input(ElementType type, std::int64_t width, std::int64_t height, int channels = 1) {
    inputs_.emplace_back(type, width, height, channels);
    inputs_.back().fill_random(inputs_.size());
  }

  template <class Call>
  void expect_survival(const GuardedImage& output, const Call& call) {
    GuardedImage expected = output;
    test::run_on_device(inputs_, expected, call);  // loads the kernels and makes the pool
    const auto before = held;
    calls = 0;
    test::run_on_device(inputs_, expected, call);
    const long long count = calls;
    ASSERT_GT(count, 5);
    EXPECT_EQ(held, before);
    int thrown = 0;
    for (long long i = 1; i <= count; ++i) {
      SCOPED_TRACE("call " + std::to_string(i) + " of " + std::to_string(count));
      GuardedImage actual = output;
      calls = 0;
      failing = i;
      try {
        test::run_on_device(inputs_, actual, call);
        test::expect_equal(expected.view(), actual.view());  // right without the call
      } catch (const CudaError& error) {
        ++thrown;
        EXPECT_NE(std::strlen(error.what()), 0U);
      } catch (const NoCudaDevice& error) {
        ++thrown;
        EXPECT_NE(std::strlen(error.what()), 0U);
      } catch (const OutOfMemory&) {
        ++thrown;
      }
      failing = 0;
      is_pending = false;
      EXPECT_EQ(held, before);
      GuardedImage again = output;
      test::run_on_device(inputs_, again, call);
      test::expect_equal(expected.view(), again.view());
      EXPECT_EQ(held, before);
      if (HasFailure()) return;
    }
    EXPECT_GT(thrown, 0);
    RecordProperty("failures", thrown);
  }

 private:
  std::vector<GuardedImage> inputs_;
};

using Inputs = std::vector<ConstDeviceView>;

TEST_F(CudaFailuresTest, Copy) {
  input(ElementType::u16, 97, 31);
  expect_survival(GuardedImage(ElementType::u16, 97, 31),
                  [](const Inputs& in, DeviceView out, auto stream) { copy(in[0], out, stream); });
}

TEST_F(CudaFailuresTest, Convert) {
  input(ElementType::u8, 97, 31, 3);
  expect_survival(GuardedImage(ElementType::u8, 97, 31, 4),
                  [](const Inputs& in, DeviceView out, auto stream) {
                    convert(ConstDeviceFrame(PixelFormat::rgb24, in[0]),
                            DeviceFrame(PixelFormat::ycbcr32, out), {}, stream);
                  });
}

TEST_F(CudaFailuresTest, Sobel) {
  input(ElementType::u8, 97, 31, 3);
  expect_survival(
      GuardedImage(ElementType::u8, 97, 31),
      [](const Inputs& in, DeviceView out, auto stream) { sobel(in[0], out, {}, stream); });
}

TEST_F(CudaFailuresTest, Threshold) {
  input(ElementType::u8, 97, 31);
  for (const ThresholdMethod method : all_threshold_methods) {
    const ThresholdOptions options{.window = 15, .method = method};
    expect_survival(GuardedImage(ElementType::u8, 97, 31),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      threshold(in[0], out, options, {}, stream);
                    });
  }
}

TEST_F(CudaFailuresTest, Match) {
  input(ElementType::u8, 96, 64);
  input(ElementType::u8, 96, 64);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    MatchOptions options;
    options.search_x = options.search_y = {-2, 1};
    options.measure = measure;
    const MatchGrid grid = match_grid(96, 64, options);
    expect_survival(GuardedImage(ElementType::i16, grid.columns, grid.rows, 2),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      match(in[0], in[1], out, options, {}, stream);
                    });
  }
}

TEST_F(CudaFailuresTest, Disparity) {
  input(ElementType::u8, 64, 20);
  input(ElementType::u8, 64, 20);
  for (const Measure measure : {Measure::sad, Measure::zncc}) {
    const DisparityOptions options{.max_disparity = 8, .measure = measure};
    expect_survival(GuardedImage(ElementType::f32, 64, 20),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      disparity(in[0], in[1], out, options, stream);
                    });
  }
}

TEST_F(CudaFailuresTest, Find) {
  input(ElementType::u8, 8, 6);
  input(ElementType::u8, 60, 40);
  for (const Measure measure : {Measure::ssd, Measure::zncc}) {
    expect_survival(GuardedImage(ElementType::u8, sizeof(Finding), 1),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      find(in[0], in[1], out, measure, stream);
                    });
  }
}

TEST_F(CudaFailuresTest, Chain) {
  input(ElementType::u8, 97, 31, 3);
  for (const ChainKernels kernels : {ChainKernels::fused, ChainKernels::separate}) {
    expect_survival(GuardedImage(ElementType::u8, 97, 31),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      Chain chain({SobelOptions{}, ThresholdOptions{.window = 5}}, kernels);
                      chain.run(in[0], out, stream);
                    });
  }
}

TEST_F(CudaFailuresTest, Graph) {
  input(ElementType::u8, 97, 31);
  expect_survival(
      GuardedImage(ElementType::u8, 97, 31), [&](const Inputs& in, DeviceView out, auto stream) {
        const gpu::Graph graph([&](gpu::StreamHandle own) { sobel(in[0], out, {}, own); });
        graph.launch(stream);
      });
}

TEST_F(CudaFailuresTest, Gemv) {
  input(ElementType::f32, 100, 70);
  input(ElementType::f32, 100, 1);
  input(ElementType::f32, 70, 1);
  for (const bool transpose : {false, true}) {
    const GemvOptions options{.transpose = transpose};
    expect_survival(GuardedImage(ElementType::f32, transpose ? 100 : 70, 1),
                    [&](const Inputs& in, DeviceView out, auto stream) {
                      gemv(in[0], in[transpose ? 2 : 1], out, options, stream);
                    });
  }
}

}  // namespace
}  // namespace warpwise
