#include <cuda_runtime_api.h>

#include "bench/batch_cases.hpp"
#include "bench/image_cases.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::bench {
namespace {

// Size of a copy that moves 1 GiB, reads and writes together. The rate of a cudaMemcpyAsync that
// moves 1 GiB is the roof: most benchmarks' rates are given as shares of it.
constexpr Size roof_size{32768, 16384};

// The rows of the measured sizes have no gaps, so one long copy is enough.
void copy_by_driver(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  if (src.pitch_bytes() != src.row_bytes() || dst.pitch_bytes() != dst.row_bytes()) {
    throw Error("rows with gaps");
  }
  if (cudaMemcpyAsync(dst.data(), src.data(),
                      static_cast<std::size_t>(src.row_bytes() * src.height()),
                      cudaMemcpyDeviceToDevice, stream) != cudaSuccess) {
    throw CudaError("cudaMemcpyAsync failed");
  }
}

const ImageCase u8_image{"copy", "u8 image"};

const Registration copy_registered{[] {
  std::vector<Case> cases;
  for (const Size size : {sizes[0], sizes[1], sizes[2], roof_size}) {
    cases.push_back(warpwise_case(
        u8_image, size,
        [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
          copy(src, dst, stream);
        },
        [](ConstHostView src, HostView dst) { copy(src, dst); }));
    cases.push_back(peer_case(u8_image, "cudaMemcpyAsync", size, copy_by_driver));
  }
  add_batch_cases(
      cases, u8_image,
      [](const auto& src, const auto& dst, gpu::StreamHandle stream) { copy(src, dst, stream); },
      [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) { copy(src, dst, stream); },
      [](ConstHostView src, HostView dst) { copy(src, dst); });
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
