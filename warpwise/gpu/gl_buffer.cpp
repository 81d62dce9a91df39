#include "warpwise/gpu/gl_buffer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"

// Declares functions of cuda_gl_interop.h, which cannot be included without OpenGL's headers.
extern "C" {
cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned capacity, int list);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned flags);
}

namespace warpwise::gpu {
namespace {

constexpr int all_devices = 1;  // cudaGLDeviceListAll

// Maps an OpenGL buffer into CUDA during its lifetime.
class Mapping {
 public:
  Mapping(cudaGraphicsResource_t resource, std::int64_t wanted, StreamHandle stream)
      : resource_(resource), stream_(stream) {
    check(cudaGraphicsMapResources(1, &resource_, stream_), "cudaGraphicsMapResources");
    void* data = nullptr;
    std::size_t bytes = 0;
    const cudaError_t error = cudaGraphicsResourceGetMappedPointer(&data, &bytes, resource_);
    data_ = static_cast<std::byte*>(data);
    if (error == cudaSuccess && wanted >= 0 && static_cast<std::size_t>(wanted) <= bytes) return;
    cudaGraphicsUnmapResources(1, &resource_, stream_);
    check(error, "cudaGraphicsResourceGetMappedPointer");
    throw InvalidArgument("an OpenGL buffer of " + std::to_string(bytes) + " bytes cannot hold " +
                          std::to_string(wanted));
  }
  ~Mapping() { cudaGraphicsUnmapResources(1, &resource_, stream_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return data_; }

 private:
  cudaGraphicsResource_t resource_;
  StreamHandle stream_;
  std::byte* data_ = nullptr;
};

}  // namespace

std::string why_no_gl_sharing() {
  if (device_count() == 0) return why_no_device();
  std::array<int, 64> devices{};
  unsigned count = 0;
  const cudaError_t error =
      cudaGLGetDevices(&count, devices.data(), static_cast<unsigned>(devices.size()), all_devices);
  if (error != cudaSuccess) {
    cudaGetLastError();  // clears the error, so that no later call reports it
    return std::string("OpenGL does not draw on a CUDA GPU (") + cudaGetErrorName(error) + ")";
  }
  const std::span used = std::span(devices).first(std::min<std::size_t>(count, devices.size()));
  if (std::find(used.begin(), used.end(), current_device()) != used.end()) return {};
  return "OpenGL draws on another GPU than CUDA computes on";
}

GlBuffer::GlBuffer(unsigned name) {
  require_device();
  check(cudaGraphicsGLRegisterBuffer(&handle_, name, cudaGraphicsRegisterFlagsNone),
        "cudaGraphicsGLRegisterBuffer");
}

GlBuffer::~GlBuffer() {
  if (handle_ != nullptr) cudaGraphicsUnregisterResource(handle_);
}

void GlBuffer::read(std::byte* to, std::int64_t bytes, StreamHandle stream) {
  const Mapping mapping(handle_, bytes, stream);
  copy_bytes(mapping.data(), to, bytes, stream);
}

void GlBuffer::write(const std::byte* from, std::int64_t bytes, StreamHandle stream) {
  const Mapping mapping(handle_, bytes, stream);
  copy_bytes(from, mapping.data(), bytes, stream);
}

}  // namespace warpwise::gpu
