// Reads of values that were never written.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases.hpp"

namespace faults {
namespace {

using Content = Ints::Content;

__global__ void branch_on(const int* from, int* to) {
  if (from[threadIdx.x] > 3) atomicAdd(to, 1);
}

__global__ void add(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }

__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void follow(const int* indices, const int* from, int* to) {
  to[threadIdx.x] = from[indices[threadIdx.x] & 31];
}

__global__ void count(int* counters) { atomicAdd(counters + (threadIdx.x & 3), 1); }

__global__ void write_half(int* to) {
  if (threadIdx.x < 16) to[threadIdx.x] = threadIdx.x;
}

__global__ void write_all(int* to) { to[threadIdx.x] = threadIdx.x; }

struct Padded {
  char tag;
  int value;
};

__global__ void copy_padded(const Padded* from, Padded* to) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void length(const float4* points, float* to) {
  const float4 p = points[threadIdx.x];  // no thread has written p.w
  to[threadIdx.x] = p.x * p.x + p.y * p.y + p.z * p.z;
}

__global__ void length_of_four(const float4* points, float* to) {
  const float4 p = points[threadIdx.x];
  to[threadIdx.x] = p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
}

__global__ void in_shared(int* to, int written) {
  __shared__ int values[64];
  if (threadIdx.x < written) values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = values[63 - threadIdx.x] * 3;
}

extern __shared__ int dynamic[];

__global__ void in_dynamic_shared(int* to, int written) {
  if (threadIdx.x < written) dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (dynamic[63 - threadIdx.x] > 5) to[threadIdx.x] = 1;
}

__global__ void in_local(int* to, int written, int step) {
  int values[32];
  for (int i = 0; i < written; ++i) values[i * step & 31] = i;
  to[threadIdx.x] = values[threadIdx.x & 31] + 1;
}

// Uses inline PTX, because a compiler folds undefined values of C++, but not unwritten registers.
__global__ void in_register(int* to, int given) {
  int value;
  asm volatile(
      "{ .reg .u32 own; .reg .pred some;\n"
      "  setp.ne.u32 some, %1, 0;\n"
      "  @some mov.u32 own, 5;\n"
      "  add.u32 %0, own, 1; }\n"
      : "=r"(value)
      : "r"(given));
  to[threadIdx.x] = value;
}

__global__ void in_heap(int* to, int written) {
  int* const own = static_cast<int*>(malloc(32 * sizeof(int)));
  if (own == nullptr) return;
  for (int i = 0; i < written; ++i) own[i] = i;
  to[threadIdx.x] = own[31] + 1;
  free(own);
}

// Lanes beyond the end read unwritten values, but do not use them.
__global__ void sum_of_some(const int* from, int count, int* to) {
  int value = from[threadIdx.x];
  value = threadIdx.x < count ? value : 0;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0U, value, step);
  if (threadIdx.x == 0) *to = value;
}

__global__ void sum_of_all(const int* from, int* to) {
  int value = from[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0U, value, step);
  if (threadIdx.x == 0) *to = value;
}

__global__ void count_in_shared(int* to, int zeroes) {
  __shared__ int counters[4];
  if (threadIdx.x < zeroes) counters[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(counters + (threadIdx.x & 3), 1);
  __syncthreads();
  if (threadIdx.x < 4) to[threadIdx.x] = counters[threadIdx.x];
}

__global__ void print(const int* from, int*) { std::printf("%d\n", from[threadIdx.x]); }

__global__ void fetch(cudaTextureObject_t texture, int* to) {
  to[threadIdx.x] = tex2D<int>(texture, threadIdx.x, 1) + 1;
}

__global__ void add_rows(const char* from, std::size_t pitch, int* to) {
  to[threadIdx.x] = *reinterpret_cast<const int*>(from + threadIdx.x * pitch) + 1;
}

template <class Kernel>
void from_memory(Kernel kernel, Content content) {
  const Ints from(32, content);
  const Ints to(32);
  kernel<<<1, 32>>>(from, to);
  finish();
}

void written_by(void (*writer)(int*)) {
  const Ints from(32, Content::anything);
  const Ints to(32);
  writer<<<1, 32>>>(from);
  add<<<1, 32>>>(from, to);
  finish();
}

void uploaded(std::size_t bytes) {
  static const int values[32] = {};
  const Ints from(32, Content::anything);
  const Ints to(32);
  check(cudaMemcpy(from, values, bytes, cudaMemcpyHostToDevice));
  add<<<1, 32>>>(from, to);
  finish();
}

template <class Kernel>
void with_count(Kernel kernel, int threads, int count) {
  const Ints to(64);
  kernel<<<1, threads, 256>>>(to, count);
  finish();
}

void local_case(int written) {
  const Ints to(32);
  in_local<<<1, 32>>>(to, written, 1);
  finish();
}

template <class Kernel>
void points(Kernel kernel) {
  const Buffer<float4> from(32, Buffer<float4>::Content::anything);
  const Buffer<float> to(32);
  check(cudaMemset2D(from, 16, 0, 12, 32));
  kernel<<<1, 32>>>(from, to);
  finish();
}

// A fill node of a graph writes three words of every four.
void rows_of_graph(int column) {
  const Ints from(128, Content::anything);
  const Ints to(32);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaMemsetParams fill{};
  fill.dst = static_cast<int*>(from);
  fill.pitch = 16;
  fill.elementSize = 4;
  fill.width = 3;
  fill.height = 32;
  check(cudaGraphCreate(&graph, 0));
  check(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, nullptr));
  add_rows<<<1, 32>>>(reinterpret_cast<const char*>(static_cast<int*>(from) + column), 16, to);
  finish();
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

void second_hand(void (*kernel)(const int*, int*)) {
  const Ints from(32, Content::anything);
  const Ints between(32);
  const Ints to(32);
  copy<<<1, 32>>>(from, between);
  kernel<<<1, 32>>>(between, to);
  finish();
}

void copied_out(void (*writer)(int*)) {
  int values[32];
  const Ints from(32, Content::anything);
  if (writer != nullptr) writer<<<1, 32>>>(from);
  finish();
  check(cudaMemcpy(values, from, sizeof(values), cudaMemcpyDeviceToHost));
}

void device_copy(std::size_t bytes) {
  const Ints from(32, Content::anything);
  const Ints between(32);
  const Ints to(32);
  check(cudaMemset(from, 0, bytes));
  check(cudaMemcpy(between, from, 32 * sizeof(int), cudaMemcpyDeviceToDevice));
  add<<<1, 32>>>(between, to);
  finish();
}

void pooled(std::size_t bytes) {
  int* from = nullptr;
  const Ints to(32);
  check(cudaMallocAsync(&from, 32 * sizeof(int), nullptr));
  check(cudaMemsetAsync(from, 0, bytes, nullptr));
  add<<<1, 32>>>(from, to);
  check(cudaFreeAsync(from, nullptr));
  finish();
}

void pitched(std::size_t rows) {
  cudaPitchedPtr from{};
  const Ints to(32);
  check(cudaMalloc3D(&from, cudaExtent{4, 8, 4}));
  check(cudaMemset3D(from, 0, cudaExtent{4, rows, 4}));
  add_rows<<<1, 32>>>(static_cast<char*>(from.ptr), from.pitch, to);
  finish();
  check(cudaFree(from.ptr));
}

void array(std::size_t rows) {
  static const int texels[32 * 2] = {};
  const Ints to(32);
  cudaArray_t texture = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  check(cudaMallocArray(&texture, &format, 32, 2));
  check(cudaMemcpy2DToArray(texture, 0, 0, texels, 128, 128, rows, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = texture;
  cudaTextureDesc description{};
  cudaTextureObject_t object = 0;
  check(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  fetch<<<1, 32>>>(object, to);
  finish();
  check(cudaDestroyTextureObject(object));
  check(cudaFreeArray(texture));
}

}  // namespace

std::vector<Case> init_cases() {
  return {
      {"unwritten_branch", "uninitialised", [] { from_memory(branch_on, Content::anything); }},
      {"written_branch", sound, [] { from_memory(branch_on, Content::zeros); }},
      {"unwritten_sum", "uninitialised", [] { from_memory(add, Content::anything); }},
      {"written_sum", sound, [] { from_memory(add, Content::zeros); }},
      {"unwritten_half", "uninitialised", [] { written_by(write_half); }},
      {"written_by_kernel", sound, [] { written_by(write_all); }},
      {"unwritten_end_of_upload", "uninitialised", [] { uploaded(31 * sizeof(int)); }},
      {"written_by_upload", sound, [] { uploaded(32 * sizeof(int)); }},
      {"unwritten_index", "uninitialised",
       [] {
         const Ints indices(32, Content::anything);
         const Ints from(32);
         const Ints to(32);
         follow<<<1, 32>>>(indices, from, to);
         finish();
       }},
      {"written_index", sound,
       [] {
         const Ints indices(32);
         const Ints from(32);
         const Ints to(32);
         follow<<<1, 32>>>(indices, from, to);
         finish();
       }},
      {"unwritten_counters", "uninitialised",
       [] {
         const Ints counters(4, Content::anything);
         count<<<1, 32>>>(counters);
         finish();
       }},
      {"written_counters", sound,
       [] {
         const Ints counters(4);
         count<<<1, 32>>>(counters);
         finish();
       }},
      {"unwritten_after_free", "uninitialised",
       [] {
         {
           const Ints before(32);
         }
         from_memory(add, Content::anything);
       }},
      {"unwritten_second_hand", "uninitialised", [] { second_hand(add); }},
      {"unwritten_copied_twice", sound, [] { second_hand(copy); }},
      {"unwritten_padding_copied", sound,
       [] {
         const Buffer<Padded> from(32, Buffer<Padded>::Content::anything);
         const Buffer<Padded> to(32);
         check(cudaMemset2D(from, sizeof(Padded), 0, 1, 32));
         check(cudaMemset2D(reinterpret_cast<char*>(static_cast<Padded*>(from)) + 4, sizeof(Padded),
                            0, 4, 32));
         copy_padded<<<1, 32>>>(from, to);
         finish();
       }},
      {"unwritten_fourth_of_vector", "uninitialised", [] { points(length_of_four); }},
      {"unwritten_fourth_unused", sound, [] { points(length); }},
      {"unwritten_between_rows_of_graph", "uninitialised", [] { rows_of_graph(3); }},
      {"unwritten_rows_of_graph_filled", sound, [] { rows_of_graph(2); }},
      {"unwritten_lanes_summed", "uninitialised",
       [] { from_memory(sum_of_all, Content::anything); }},
      {"unwritten_lanes_left_out", sound,
       [] {
         const Ints from(32, Content::anything);
         const Ints to(32);
         check(cudaMemset(from, 0, 20 * sizeof(int)));
         sum_of_some<<<1, 32>>>(from, 20, to);
         finish();
       }},
      {"unwritten_shared", "uninitialised", [] { with_count(in_shared, 64, 0); }},
      {"unwritten_shared_half", "uninitialised", [] { with_count(in_shared, 64, 32); }},
      {"written_shared", sound, [] { with_count(in_shared, 64, 64); }},
      {"unwritten_dynamic_shared", "uninitialised", [] { with_count(in_dynamic_shared, 64, 63); }},
      {"written_dynamic_shared", sound, [] { with_count(in_dynamic_shared, 64, 64); }},
      {"unwritten_local", "uninitialised", [] { local_case(31); }},
      {"written_local", sound, [] { local_case(32); }},
      {"unwritten_register", "uninitialised", [] { with_count(in_register, 32, 0); }},
      {"written_register", sound, [] { with_count(in_register, 32, 1); }},
      {"unwritten_heap", "uninitialised", [] { with_count(in_heap, 1, 31); }},
      {"written_heap", sound, [] { with_count(in_heap, 1, 32); }},
      {"unwritten_copied_out", "uninitialised", [] { copied_out(nullptr); }},
      {"unwritten_half_copied_out", sound, [] { copied_out(write_half); }},
      {"written_copied_out", sound, [] { copied_out(write_all); }},
      {"unwritten_device_copy", "uninitialised", [] { device_copy(64); }},
      {"written_device_copy", sound, [] { device_copy(128); }},
      {"unwritten_pool", "uninitialised", [] { pooled(124); }},
      {"written_pool", sound, [] { pooled(128); }},
      {"unwritten_pitched", "uninitialised", [] { pitched(7); }},
      {"written_pitched", sound, [] { pitched(8); }},
      {"unwritten_array", "uninitialised", [] { array(1); }},
      {"written_array", sound, [] { array(2); }},
      {"unwritten_printed", "uninitialised", [] { from_memory(print, Content::anything); }},
      {"written_printed", sound, [] { from_memory(print, Content::zeros); }},
      {"unwritten_shared_counters", "uninitialised", [] { with_count(count_in_shared, 32, 3); }},
      {"written_shared_counters", sound, [] { with_count(count_in_shared, 32, 4); }},
  };
}

}  // namespace faults
