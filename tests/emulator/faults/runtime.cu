// Faults of programs between their kernels: wrong calls, and calls that were left out.

#include <cstring>
#include <thread>

#include "cases.hpp"

namespace faults {
namespace {

__global__ void fill(int* to) { to[threadIdx.x] = threadIdx.x; }

__device__ int variable[32];

__global__ void fill_variable() { variable[threadIdx.x] = threadIdx.x; }

int host_values[4096];

void upload(std::size_t bytes, cudaMemcpyKind kind) {
  const Ints to(32);
  check(cudaMemcpy(to, host_values, bytes, kind));
}

void download(std::size_t bytes, cudaMemcpyKind kind) {
  const Ints from(32);
  check(cudaMemcpy(host_values, from, bytes, kind));
}

void launch_of(int threads, bool asks) {
  const Ints to(1024);
  fill<<<1, threads>>>(to);
  if (asks) check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

struct Pinned {
  int* values = nullptr;
  explicit Pinned(bool managed) {
    check(managed ? cudaMallocManaged(&values, 4096) : cudaMallocHost(&values, 4096));
    std::memset(values, 0, 4096);
  }
};

void to_array(std::size_t rows) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  check(cudaMallocArray(&array, &format, 16, 16));
  check(cudaMemcpy2DToArray(array, 0, 0, host_values, 64, 64, rows, cudaMemcpyHostToDevice));
  check(cudaFreeArray(array));
}

void box(std::size_t slices) {
  const Ints to(64);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host_values, 16, 16, 4);
  copy.dstPtr = make_cudaPitchedPtr(to, 16, 16, 4);
  copy.extent = make_cudaExtent(16, 4, slices);
  copy.kind = cudaMemcpyHostToDevice;
  check(cudaMemcpy3D(&copy));
}

void device_copy(const int* from) {
  const Ints to(32);
  check(cudaMemcpy(to, from, 128, cudaMemcpyDeviceToDevice));
}

volatile int sink;

void host_reads(bool managed, bool waits) {
  const Pinned memory(managed);
  const Ints from(32);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  if (managed) {
    fill<<<1, 32, 0, stream>>>(memory.values);
    check(cudaGetLastError());
  } else {
    check(cudaMemcpyAsync(memory.values, from, 128, cudaMemcpyDeviceToHost, stream));
  }
  if (waits) check(cudaStreamSynchronize(stream));
  sink = memory.values[3];
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
  check(managed ? cudaFree(memory.values) : cudaFreeHost(memory.values));
}

// The graph ends with a free. The host must still wait for the kernel that writes `memory`.
void graph_that_frees(bool waits) {
  const Pinned memory(true);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  int* own = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  check(cudaMallocAsync(&own, 128, stream));
  fill<<<1, 32, 0, stream>>>(own);
  fill<<<1, 32, 0, stream>>>(memory.values);
  check(cudaFreeAsync(own, stream));
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, stream));
  if (waits) check(cudaStreamSynchronize(stream));
  sink = memory.values[3];
  check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFree(memory.values));
}

}  // namespace

std::vector<Case> runtime_cases() {
  return {
      {"upload_past_end", "copy", [] { upload(132, cudaMemcpyHostToDevice); }},
      {"upload_to_the_end", sound, [] { upload(128, cudaMemcpyHostToDevice); }},
      {"download_past_end", "copy", [] { download(132, cudaMemcpyDeviceToHost); }},
      {"download_to_the_end", sound, [] { download(128, cudaMemcpyDeviceToHost); }},
      {"upload_as_download", "copy", [] { upload(128, cudaMemcpyDeviceToHost); }},
      {"upload_as_default", sound, [] { upload(128, cudaMemcpyDefault); }},
      {"download_as_upload", "copy", [] { download(128, cudaMemcpyHostToDevice); }},
      {"download_as_default", sound, [] { download(128, cudaMemcpyDefault); }},
      {"upload_as_device_copy", "copy", [] { upload(128, cudaMemcpyDeviceToDevice); }},
      {"copy_of_freed", "copy",
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaFree(memory));
         check(cudaMemcpy(host_values, memory, 128, cudaMemcpyDeviceToHost));
       }},
      {"copy_then_free", sound,
       [] {
         int* memory = nullptr;
         check(cudaMalloc(&memory, 128));
         check(cudaMemset(memory, 0, 128));
         check(cudaMemcpy(host_values, memory, 128, cudaMemcpyDeviceToHost));
         check(cudaFree(memory));
       }},
      {"fill_past_end", "copy",
       [] {
         const Ints to(32);
         check(cudaMemset(to, 0, 132));
       }},
      {"fill_to_the_end", sound,
       [] {
         const Ints to(32);
         check(cudaMemset(to, 0, 128));
       }},
      {"rows_past_end", "copy",
       [] {
         const Ints to(32);
         check(cudaMemcpy2D(to, 16, host_values, 16, 16, 9, cudaMemcpyHostToDevice));
       }},
      {"rows_to_the_end", sound,
       [] {
         const Ints to(32);
         check(cudaMemcpy2D(to, 16, host_values, 16, 16, 8, cudaMemcpyHostToDevice));
       }},
      {"rows_wider_than_pitch", "copy",
       [] {
         const Ints to(64);
         check(cudaMemcpy2D(to, 16, host_values, 64, 20, 4, cudaMemcpyHostToDevice));
       }},
      {"rows_as_wide_as_pitch", sound,
       [] {
         const Ints to(64);
         check(cudaMemcpy2D(to, 20, host_values, 64, 20, 4, cudaMemcpyHostToDevice));
       }},
      {"symbol_past_end", "copy",
       [] { check(cudaMemcpyToSymbol(variable, host_values, 128, 64)); }},
      {"symbol_to_the_end", sound,
       [] { check(cudaMemcpyToSymbol(variable, host_values, 64, 64)); }},
      {"array_past_end", "copy", [] { to_array(17); }},
      {"array_to_the_end", sound, [] { to_array(16); }},
      {"box_past_end", "copy", [] { box(5); }},
      {"box_to_the_end", sound, [] { box(4); }},
      {"device_copy_of_host", "copy", [] { device_copy(host_values); }},
      {"device_copy_of_device", sound,
       [] {
         const Ints from(32);
         device_copy(from);
       }},
      {"fill_of_host", "copy", [] { check(cudaMemset(host_values, 0, 128)); }},
      {"fill_of_pinned", sound,
       [] {
         const Pinned memory(false);
         check(cudaMemset(memory.values, 0, 4096));
         check(cudaFreeHost(memory.values));
       }},
      {"copy_of_null", "copy",
       [] {
         const Ints to(32);
         check(cudaMemcpy(to, nullptr, 128, cudaMemcpyHostToDevice));
       }},
      {"copy_of_nothing", sound,
       [] {
         const Ints to(32);
         check(cudaMemcpy(to, nullptr, 0, cudaMemcpyHostToDevice));
       }},
      {"launch_failed_unasked", "unchecked_launch", [] { launch_of(2048, false); }},
      {"launch_failed_asked", sound, [] { launch_of(2048, true); }},
      {"launch_well_asked", sound, [] { launch_of(32, true); }},
      {"launch_failed_in_ended_thread", "unchecked_launch",
       [] {
         std::thread([] { launch_of(2048, false); }).join();
         std::thread([] { check(cudaGetLastError()); }).join();
       }},
      {"graph_that_frees_read_too_early", "unsynchronised", [] { graph_that_frees(false); }},
      {"graph_that_frees_read_in_time", sound, [] { graph_that_frees(true); }},
      {"launch_last_of_all", "unchecked_launch", [] { fill_variable<<<1, 32>>>(); }},
      {"pinned_read_too_early", "unsynchronised", [] { host_reads(false, false); }},
      {"pinned_read_in_time", sound, [] { host_reads(false, true); }},
      {"managed_read_too_early", "unsynchronised", [] { host_reads(true, false); }},
      {"managed_read_in_time", sound, [] { host_reads(true, true); }},
  };
}

}  // namespace faults
