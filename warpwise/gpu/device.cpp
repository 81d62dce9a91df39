#include "warpwise/gpu/device.hpp"

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/check.hpp"

namespace warpwise::gpu {
namespace {

struct Count {
  int devices = 0;
  cudaError_t error = cudaSuccess;
};

Count count_devices() noexcept {
  Count count;
  count.error = cudaGetDeviceCount(&count.devices);
  if (count.error != cudaSuccess) {
    cudaGetLastError();  // clears the error of a missing GPU, for later calls
    count.devices = 0;
  }
  return count;
}

std::string why_none(const Count& count) {
  if (count.devices > 0) return {};
  switch (count.error) {
    case cudaErrorInsufficientDriver: {
      int driver = 0;
      cudaDriverGetVersion(&driver);
      return driver == 0 ? "no CUDA device: no NVIDIA driver is installed"
                         : "no CUDA device: the NVIDIA driver is older than this build's CUDA";
    }
    case cudaSuccess:
    case cudaErrorNoDevice: return "no CUDA device: the driver sees no GPU";
    default: return std::string("no CUDA device: ") + cudaGetErrorString(count.error);
  }
}

void require_index(int device) {
  require_device();
  const int count = device_count();
  if (device < 0 || device >= count) {
    throw InvalidArgument("there is no CUDA device " + std::to_string(device) +
                          ": this machine has devices 0 to " + std::to_string(count - 1));
  }
}

}  // namespace

int device_count() noexcept { return count_devices().devices; }

std::string why_no_device() { return why_none(count_devices()); }

void require_device() {
  const Count count = count_devices();
  if (count.devices == 0) throw NoCudaDevice(why_none(count));
}

DeviceInfo device_info(int device) {
  require_index(device);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.name = properties.name;
  info.compute_capability_major = properties.major;
  info.compute_capability_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  info.max_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  check(cudaDriverGetVersion(&info.driver_version), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&info.runtime_version), "cudaRuntimeGetVersion");
  return info;
}

void set_device(int device) {
  require_index(device);
  check(cudaSetDevice(device), "cudaSetDevice");
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

std::int64_t free_memory_bytes() {
  require_device();
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

void synchronize_device() { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

}  // namespace warpwise::gpu
