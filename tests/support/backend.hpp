#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "warpwise/gpu/device.hpp"

namespace warpwise::test {

/// The implementations of a primitive that tests compare with its reference.
enum class Backend { cpu, cuda };

inline std::ostream& operator<<(std::ostream& out, Backend backend) {
  return out << (backend == Backend::cpu ? "cpu" : "cuda");
}

/// Base of a primitive's tests. They run on each backend; without a GPU, CUDA is skipped with the
/// reason.
class BackendTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::cuda && gpu::device_count() == 0)
      GTEST_SKIP() << gpu::why_no_device();
  }
};

/// INSTANTIATE_TEST_SUITE_P(, MyTest, both_backends(), PrintToStringParamName());
inline auto both_backends() { return ::testing::Values(Backend::cpu, Backend::cuda); }

}  // namespace warpwise::test
