// Calls of NVIDIA's image library for the GPU benches; built where NPP is installed:
//   g++ -O2 -shared -fPIC -I$CUDA/include npp_peer.cpp -o libnpp_peer.so
//       -L$CUDA/lib64 -lnppicc -lnppif -lnppc -lcudart
#include "npp_calls.h"

#include <cuda_runtime_api.h>
#include <nppi.h>

namespace {

NppStreamContext context_of(void* stream) {
  NppStreamContext context{};
  int device = 0;
  cudaGetDevice(&device);
  const auto attribute = [device](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, device);
    return value;
  };
  context.hStream = static_cast<cudaStream_t>(stream);
  context.nCudaDeviceId = device;
  context.nMultiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  context.nMaxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  context.nMaxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
  context.nSharedMemPerBlock = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  context.nCudaDevAttrComputeCapabilityMajor = attribute(cudaDevAttrComputeCapabilityMajor);
  context.nCudaDevAttrComputeCapabilityMinor = attribute(cudaDevAttrComputeCapabilityMinor);
  context.nStreamFlags = cudaStreamNonBlocking;
  return context;
}

const Npp8u* source(NppPeerImage image) { return static_cast<const Npp8u*>(image.data); }
Npp8u* target(NppPeerImage image) { return static_cast<Npp8u*>(image.data); }

}  // namespace

int npp_peer_rgb_to_ycbcr_c3(NppPeerImage src, NppPeerImage dst, int width, int height,
                             void* stream) {
  return nppiRGBToYCbCr_8u_C3R_Ctx(source(src), src.pitch_bytes, target(dst), dst.pitch_bytes,
                                   {width, height}, context_of(stream));
}

int npp_peer_rgb_to_ycbcr_ac4(NppPeerImage src, NppPeerImage dst, int width, int height,
                              void* stream) {
  return nppiRGBToYCbCr_8u_AC4R_Ctx(source(src), src.pitch_bytes, target(dst), dst.pitch_bytes,
                                    {width, height}, context_of(stream));
}

int npp_peer_sobel_horizontal(NppPeerImage src, NppPeerImage dst, int width, int height,
                              void* stream) {
  return nppiFilterSobelHorizBorder_8u_C1R_Ctx(
      source(src), src.pitch_bytes, {width, height}, {0, 0}, target(dst), dst.pitch_bytes,
      {width, height}, NPP_BORDER_REPLICATE, context_of(stream));
}

int npp_peer_threshold_adaptive_box(NppPeerImage src, NppPeerImage dst, int width, int height,
                                    int window, float delta, void* stream) {
  return nppiFilterThresholdAdaptiveBoxBorder_8u_C1R_Ctx(
      source(src), src.pitch_bytes, {width, height}, {0, 0}, target(dst), dst.pitch_bytes,
      {width, height}, {window, window}, delta, 255, 0, NPP_BORDER_REPLICATE, context_of(stream));
}
