#include "bench/npp.hpp"

#include <cuda_runtime_api.h>

#include "bench/toolkit_library.hpp"

namespace warpwise::bench::npp {
namespace {

// NPP's types and functions are declared here, after its manual, because few toolkits install its
// headers.
struct Extent {
  int width;
  int height;
};
struct Point {
  int x;
  int y;
};
struct Context {  // NppStreamContext
  cudaStream_t stream;
  int device;
  int multiprocessors;
  int threads_per_multiprocessor;
  int threads_per_block;
  std::size_t shared_bytes_per_block;
  int compute_capability_major;
  int compute_capability_minor;
  unsigned int stream_flags;
  int reserved;
};
constexpr int replicate = 2;  // NPP_BORDER_REPLICATE

using Convert = int(const void*, int, void*, int, Extent, Context);
using Filter = int(const void*, int, Extent, Point, void*, int, Extent, int, Context);
using AdaptiveBox = int(const void*, int, Extent, Point, void*, int, Extent, Extent, float,
                        unsigned char, unsigned char, int, Context);

Context context_of(gpu::StreamHandle stream) {
  int device = 0;
  cudaGetDevice(&device);
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, device);
    return value;
  };
  return {.stream = stream,
          .device = device,
          .multiprocessors = attribute(cudaDevAttrMultiProcessorCount),
          .threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
          .threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock),
          .shared_bytes_per_block =
              static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock)),
          .compute_capability_major = attribute(cudaDevAttrComputeCapabilityMajor),
          .compute_capability_minor = attribute(cudaDevAttrComputeCapabilityMinor),
          .stream_flags = cudaStreamNonBlocking,
          .reserved = 0};
}

const ToolkitLibrary& conversions() {
  static const ToolkitLibrary library("NPP", {"libnppicc.so.13", "libnppicc.so.12"});
  return library;
}

const ToolkitLibrary& filters() {
  static const ToolkitLibrary library("NPP", {"libnppif.so.13", "libnppif.so.12"});
  return library;
}

template <class View>
Extent extent_of(const View& view) {
  return {static_cast<int>(view.width()), static_cast<int>(view.height())};
}

template <class View>
int step_of(const View& view) {
  return static_cast<int>(view.pitch_bytes());
}

void convert(const char* name, ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  conversions().check(
      conversions().function<Convert>(name)(src.data(), step_of(src), dst.data(), step_of(dst),
                                            extent_of(src), context_of(stream)),
      name);
}

}  // namespace

void rgb_to_ycbcr_c3(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  convert("nppiRGBToYCbCr_8u_C3R_Ctx", src, dst, stream);
}

void rgb_to_ycbcr_ac4(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  convert("nppiRGBToYCbCr_8u_AC4R_Ctx", src, dst, stream);
}

void sobel_horizontal(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  constexpr auto name = "nppiFilterSobelHorizBorder_8u_C1R_Ctx";
  filters().check(
      filters().function<Filter>(name)(src.data(), step_of(src), extent_of(src), {0, 0}, dst.data(),
                                       step_of(dst), extent_of(src), replicate, context_of(stream)),
      name);
}

void threshold_adaptive_box(ConstDeviceView src, DeviceView dst, int window, float delta,
                            gpu::StreamHandle stream) {
  constexpr auto name = "nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx";
  filters().check(filters().function<AdaptiveBox>(name)(src.data(), step_of(src), extent_of(src),
                                                        {0, 0}, dst.data(), step_of(dst),
                                                        extent_of(src), {window, window}, delta,
                                                        255, 0, replicate, context_of(stream)),
                  name);
}

}  // namespace warpwise::bench::npp
