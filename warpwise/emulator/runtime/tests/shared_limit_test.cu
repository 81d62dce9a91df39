// Tests limits of a block's shared memory, through the runtime and the driver. The program also
// runs on a GPU, because it expects nothing that is special to the emulator.

#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <limits>

namespace {

constexpr int usual = 48 * 1024;  // limit of a block that requests no more
constexpr int own = 1024;         // the static part of the kernels below
constexpr int given = usual - own;

extern __shared__ volatile char dynamic[];

__global__ void touches_both_ends(unsigned bytes) {
  __shared__ volatile char fixed[own];
  fixed[own - 1] = 1;
  if (bytes > 0) dynamic[bytes - 1] = fixed[own - 1];
}

__global__ void asks_for_more(unsigned bytes) {
  __shared__ volatile char fixed[own];
  fixed[own - 1] = 1;
  if (bytes > 0) dynamic[bytes - 1] = fixed[own - 1];
}

// The same kernel as PTX, which the driver compiles.
constexpr const char* ptx = R"(.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 1 .b8 dynamic[];
.visible .entry touches_one_end() {
  .shared .align 1 .b8 fixed[1024];
  .reg .b32 %one;
  mov.u32 %one, 1;
  st.volatile.shared.u8 [fixed + 1023], %one;
  ret;
}
)";

template <class Kernel>
cudaError_t launch(Kernel kernel, std::size_t bytes) {
  kernel<<<1, 32, bytes>>>(static_cast<unsigned>(bytes));
  const cudaError_t error = cudaGetLastError();
  return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

int most() {
  int bytes = 0;
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  return bytes;
}

TEST(SharedLimit, OfALaunchThatAsksForNothing) {
  EXPECT_EQ(launch(touches_both_ends, 0), cudaSuccess);
  EXPECT_EQ(launch(touches_both_ends, given), cudaSuccess);
  EXPECT_EQ(launch(touches_both_ends, given + 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch(touches_both_ends, usual), cudaErrorInvalidValue);
  EXPECT_EQ(launch(touches_both_ends, std::numeric_limits<std::size_t>::max()),
            cudaErrorInvalidValue);
  EXPECT_EQ(launch(touches_both_ends, given), cudaSuccess) << "a refusal harms no later launch";
}

TEST(SharedLimit, OfAKernelThatAsksForMore) {
  ASSERT_GT(most(), usual);
  constexpr cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  for (const int wrong : {-1, most() - own + 1, most()}) {
    EXPECT_EQ(cudaFuncSetAttribute(asks_for_more, limit, wrong), cudaErrorInvalidValue) << wrong;
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  }
  EXPECT_EQ(launch(asks_for_more, given + 1), cudaErrorInvalidValue) << "a refused wish is none";
  for (const int bytes : {usual, most() - own}) {
    ASSERT_EQ(cudaFuncSetAttribute(asks_for_more, limit, bytes), cudaSuccess);
    cudaFuncAttributes attributes{};
    ASSERT_EQ(cudaFuncGetAttributes(&attributes, asks_for_more), cudaSuccess);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, bytes);
    EXPECT_EQ(launch(asks_for_more, static_cast<std::size_t>(bytes)), cudaSuccess);
    EXPECT_EQ(launch(asks_for_more, static_cast<std::size_t>(bytes) + 1), cudaErrorInvalidValue);
  }
}

template <class Function>
Function of_driver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status);
  return reinterpret_cast<Function>(found);
}

TEST(SharedLimit, OfTheDriver) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);  // creates the context
  const auto load = of_driver<PFN_cuModuleLoadDataEx_v2010>("cuModuleLoadDataEx");
  const auto unload = of_driver<PFN_cuModuleUnload_v2000>("cuModuleUnload");
  const auto find = of_driver<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction");
  const auto set = of_driver<PFN_cuFuncSetAttribute_v9000>("cuFuncSetAttribute");
  const auto start = of_driver<PFN_cuLaunchKernel_v4000>("cuLaunchKernel");
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(load(&module, ptx, 0, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(find(&function, module, "touches_one_end"), CUDA_SUCCESS);
  const auto run = [&](int bytes) {
    return start(function, 1, 1, 1, 32, 1, 1, static_cast<unsigned>(bytes), nullptr, nullptr,
                 nullptr);
  };
  EXPECT_EQ(run(given), CUDA_SUCCESS);
  EXPECT_EQ(run(given + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(run(usual), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(run(-1), CUDA_ERROR_INVALID_VALUE) << "4 GiB";
  constexpr CUfunction_attribute limit = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(set(function, limit, most() - own + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(function, limit, most() - own), CUDA_SUCCESS);
  EXPECT_EQ(run(most() - own), CUDA_SUCCESS);
  EXPECT_EQ(run(most() - own + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(unload(module), CUDA_SUCCESS);
}

}  // namespace
