#include <cuda_runtime_api.h>

#include "bench/image_cases.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::bench {
namespace {

// The roof of every bench: what the driver's own copy engine or kernel reaches on 1 GiB.
constexpr Size roof_size{32768, 16384};

void copy_by_driver(ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
  if (cudaMemcpy2DAsync(dst.data(), static_cast<std::size_t>(dst.pitch_bytes()), src.data(),
                        static_cast<std::size_t>(src.pitch_bytes()),
                        static_cast<std::size_t>(src.row_bytes()),
                        static_cast<std::size_t>(src.height()), cudaMemcpyDeviceToDevice,
                        stream) != cudaSuccess) {
    throw CudaError("cudaMemcpy2DAsync failed");
  }
}

const ImageCase u8_image{"copy", "u8 image"};

Case roof() {
  const ImageCase what{"roof", "1 GiB read and written"};
  return peer_case(what, "cudaMemcpy2DAsync", roof_size, copy_by_driver);
}

const Registration registered{[] {
  std::vector<Case> cases{roof()};
  for (const Size size : {sizes[0], sizes[1], sizes[2], roof_size}) {
    cases.push_back(warpwise_case(
        u8_image, size,
        [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) { copy(src, dst, stream); },
        [](ConstHostView src, HostView dst) { copy(src, dst); }));
    cases.push_back(peer_case(u8_image, "cudaMemcpy2DAsync", size, copy_by_driver));
  }
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
