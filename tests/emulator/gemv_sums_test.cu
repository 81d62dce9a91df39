// Launches gemv_sum, which adds partial sums, directly: gemv() needs it only for few shapes.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "warpwise/primitives/gemv/sums.cuh"

namespace warpwise::kernels::gemv {
namespace {

constexpr float untouched = -1;

/// Floats on the device and on the host, followed by one float that must not change.
class Floats {
 public:
  Floats(std::size_t count, float value) : count_(count) {
    if (cudaMallocManaged(&data_, (count + 1) * sizeof(float)) != cudaSuccess)
      throw std::bad_alloc();
    for (std::size_t i = 0; i < count; ++i) data_[i] = value;
    data_[count] = untouched;
  }
  ~Floats() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() const { return data_; }
  std::vector<float> all() const { return {data_, data_ + count_ + 1}; }

 private:
  std::size_t count_;
  float* data_ = nullptr;
};

std::vector<float> with_end(std::vector<float> values) {
  values.push_back(untouched);
  return values;
}

// There is one output more than a block sums at once, and one term more than a group has.
constexpr int outputs = 33;
constexpr int terms = order::group + 1;

TEST(GemvSum, WritesEachOutputOfEachGroupAndNothingElse) {
  const Floats sums(std::size_t{terms} * outputs, 1);
  const Floats to(2 * outputs, untouched);
  gemv_sum<<<dim3(1, 2), gemv_block_threads>>>(GemvArguments{}, sums.data(), terms, outputs,
                                               to.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<float> expected(2 * outputs, 1);
  for (int i = 0; i < outputs; ++i) expected[i] = order::group;
  EXPECT_EQ(to.all(), with_end(expected));
}

TEST(GemvSum, WritesTheResultAndNothingElse) {
  const Floats sums(std::size_t{order::group} * outputs, 1);
  const Floats y(outputs, 3);
  GemvArguments a{};
  a.y = reinterpret_cast<unsigned char*>(y.data());
  a.y_stride = sizeof(float);
  a.alpha = 2;
  a.beta = 5;
  a.y_by_float = true;
  gemv_sum<<<1, gemv_block_threads>>>(a, sums.data(), order::group, outputs, nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(y.all(), with_end(std::vector<float>(outputs, 2 * order::group + 15)));
}

}  // namespace
}  // namespace warpwise::kernels::gemv
