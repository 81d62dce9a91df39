// Tests kernels that launch kernels (dynamic parallelism) on the emulated runtime.

#include <gtest/gtest.h>

#include <vector>

namespace {

constexpr int most = 64;

/// Marks of the kernels, in the order in which they ran.
struct Log {
  int count;
  int marks[most];
  int errors;
};

__device__ void add(Log* log, int mark) { log->marks[atomicAdd(&log->count, 1)] = mark; }

__global__ void mark(Log* log, int value) { add(log, value); }

__global__ void mark_and_launch(Log* log, int value) {
  add(log, value);
  mark<<<1, 1>>>(log, value + 1);
}

__global__ void launch_all_kinds(Log* log) {
  mark<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 90);
  mark_and_launch<<<1, 1>>>(log, 10);
  mark<<<1, 1>>>(log, 20);
  mark<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 30);
  add(log, 1);
}

__global__ void launch_in_a_tail(Log* log, int left) {
  add(log, left);
  if (left > 0) launch_in_a_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(log, left - 1);
}

__global__ void launch_deeper(Log* log, int depth) {
  log->count = depth;
  launch_deeper<<<1, 1>>>(log, depth + 1);
  if (cudaGetLastError() != cudaSuccess) ++log->errors;
}

__global__ void add_one(int* values, unsigned char step, long long offset) {
  values[offset + blockIdx.x * blockDim.x + threadIdx.x] += step;
}

// Thread 0 of each block launches add_one, which has seven bytes of padding before `offset`.
__global__ void spread(int* values, int each) {
  if (threadIdx.x == 0) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add_one<<<dim3(2), dim3(each / 2), 0, stream>>>(values, 3, 1LL * blockIdx.x * each);
    cudaStreamDestroy(stream);
  }
}

__global__ void copy_between(int* values, int* copy, int count) {
  cudaMemsetAsync(values, 0, count * sizeof(int), nullptr);
  add_one<<<1, count>>>(values, 5, 0);
  cudaMemcpyAsync(copy, values, count * sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
  add_one<<<1, count>>>(values, 1, 0);
}

__global__ void fill_taken(int** taken, int count) {
  if (cudaMalloc(taken, count * sizeof(int)) != cudaSuccess) return;
  cudaMemsetAsync(*taken, 0, count * sizeof(int), nullptr);
  add_one<<<1, count>>>(*taken, 7, 0);
}
__global__ void sum_and_free(int** taken, int count, int* sum) {
  for (int i = 0; i < count; ++i) *sum += (*taken)[i];
  cudaFree(*taken);
}

// Stores the errors that calls return, and the last error after each call.
__global__ void make_errors(int* errors) {
  void* taken = nullptr;
  errors[0] = cudaMalloc(&taken, size_t{1} << 40);
  errors[1] = cudaPeekAtLastError();
  errors[2] = cudaGetLastError();
  errors[3] = cudaFree(errors);
  errors[4] = cudaGetLastError();
  errors[5] = cudaGetLastError();
}

__global__ void write_past(int* values) { values[1] = 1; }
__global__ void launch_a_fault(Log* log, int* values) {
  write_past<<<1, 1>>>(values);
  mark<<<1, 1>>>(log, 1);
}

class Dynamic : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMallocManaged(&log_, sizeof(Log)), cudaSuccess); }
  void TearDown() override { cudaFree(log_); }
  std::vector<int> marks() const { return {log_->marks, log_->marks + log_->count}; }
  Log* log_ = nullptr;
};

TEST_F(Dynamic, KernelsRunWithTheirOwnBeforeTheNextAndTailsAtTheEnd) {
  launch_all_kinds<<<1, 1>>>(log_);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(marks(), (std::vector<int>{1, 10, 11, 20, 30, 90}));
}

TEST_F(Dynamic, TailsDoNotNest) {
  launch_in_a_tail<<<1, 1>>>(log_, 40);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(log_->count, 41);
  EXPECT_EQ(log_->marks[40], 0);
}

TEST_F(Dynamic, NoDeeperThanOnAGpu) {
  launch_deeper<<<1, 1>>>(log_, 0);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(log_->count, 24);
  EXPECT_EQ(log_->errors, 1);
}

TEST_F(Dynamic, ParametersAndShapesArrive) {
  constexpr int blocks = 40;
  constexpr int each = 64;
  int* values = nullptr;
  ASSERT_EQ(cudaMallocManaged(&values, blocks * each * sizeof(int)), cudaSuccess);
  spread<<<blocks, 32>>>(values, each);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < blocks * each; ++i) ASSERT_EQ(values[i], 3) << i;
  cudaFree(values);
}

TEST_F(Dynamic, CopiesAndFillsKeepTheirPlaceAmongLaunches) {
  constexpr int count = 100;
  int* values = nullptr;
  ASSERT_EQ(cudaMallocManaged(&values, 2 * count * sizeof(int)), cudaSuccess);
  for (int i = 0; i < 2 * count; ++i) values[i] = -1;
  copy_between<<<1, 1>>>(values, values + count, count);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(values[i], 6) << i;
    ASSERT_EQ(values[count + i], 5) << i;
  }
  cudaFree(values);
}

TEST_F(Dynamic, MemoryThatAKernelTakes) {
  int** taken = nullptr;
  ASSERT_EQ(cudaMallocManaged(&taken, sizeof(int*)), cudaSuccess);
  fill_taken<<<1, 1>>>(taken, 50);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaFree(*taken), cudaErrorInvalidValue) << "only kernels free it";
  sum_and_free<<<1, 1>>>(taken, 50, &log_->count);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(log_->count, 350);
  cudaFree(taken);
}

TEST_F(Dynamic, ErrorsOfCallsAreKept) {
  int* errors = nullptr;
  ASSERT_EQ(cudaMallocManaged(&errors, 6 * sizeof(int)), cudaSuccess);
  make_errors<<<1, 1>>>(errors);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(std::vector<int>(errors, errors + 6),
            (std::vector<int>{cudaErrorMemoryAllocation, cudaErrorMemoryAllocation,
                              cudaErrorMemoryAllocation, cudaErrorInvalidValue,
                              cudaErrorInvalidValue, cudaSuccess}));
  cudaFree(errors);
}

// This test is the last one, because a fault ends the process's use of the GPU.
TEST_F(Dynamic, XAFaultIsTheLaunchedKernels) {
  int* values = nullptr;
  ASSERT_EQ(cudaMalloc(&values, sizeof(int)), cudaSuccess);
  testing::internal::CaptureStderr();
  launch_a_fault<<<1, 1>>>(log_, values);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  const std::string told = testing::internal::GetCapturedStderr();
  for (const char* const words : {"out_of_bounds in kernel ", "write_past"})
    EXPECT_NE(told.find(words), std::string::npos) << told;
  EXPECT_EQ(log_->count, 0) << "what was launched behind it does not run";
}

}  // namespace
