#include "warpwise/gpu/buffer.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::gpu {
namespace {

// Rows that start at a multiple of this need no partial transaction on any GPU.
constexpr std::int64_t row_alignment = 256;

// Each device has one pool, made at first use. The device's default pool belongs to the
// application; its release threshold is not ours to change.
cudaMemPool_t pool_of_current_device() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  const auto found = pools.find(device);
  if (found != pools.end()) return found->second;

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  std::uint64_t keep_everything = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_everything),
        "cudaMemPoolSetAttribute");
  pools.emplace(device, pool);
  return pool;
}

std::int64_t padded_pitch(ElementType type, std::int64_t width, std::int64_t height, int channels) {
  static constexpr std::byte anywhere{};
  const std::int64_t row =
      warpwise::detail::validate_view(&anywhere, type, width, height, channels, 0);
  return checked_add(row, row_alignment - 1) / row_alignment * row_alignment;
}

void require_same_shape(ConstHostView host, ConstDeviceView device) {
  if (host.type() != device.type() || host.channels() != device.channels() ||
      host.width() != device.width() || host.height() != device.height()) {
    throw InvalidArgument("a transfer between host and device needs two views of one shape");
  }
}

}  // namespace

Buffer::Buffer(std::int64_t bytes, StreamHandle stream) : bytes_(bytes), stream_(stream) {
  if (bytes < 0) throw InvalidArgument("a buffer of " + std::to_string(bytes) + " bytes");
  require_device();
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, static_cast<std::size_t>(bytes > 0 ? bytes : 1),
                                pool_of_current_device(), stream),
        "cudaMallocFromPoolAsync");
  data_ = static_cast<std::byte*>(data);
}

Buffer::~Buffer() {
  if (data_ != nullptr) cudaFreeAsync(data_, stream_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
      stream_(other.stream_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(stream_, other.stream_);
  return *this;
}

HostBuffer::HostBuffer(std::int64_t bytes) : bytes_(bytes) {
  if (bytes < 0) throw InvalidArgument("a buffer of " + std::to_string(bytes) + " bytes");
  require_device();
  void* data = nullptr;
  check(cudaMallocHost(&data, static_cast<std::size_t>(bytes > 0 ? bytes : 1)), "cudaMallocHost");
  data_ = static_cast<std::byte*>(data);
}

HostBuffer::~HostBuffer() {
  if (data_ != nullptr) cudaFreeHost(data_);
}

HostBuffer::HostBuffer(HostBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceImage::DeviceImage(ElementType type, std::int64_t width, std::int64_t height, int channels,
                         StreamHandle stream)
    : width_(width), height_(height), pitch_bytes_(padded_pitch(type, width, height, channels)),
      channels_(channels), type_(type), buffer_(checked_mul(pitch_bytes_, height), stream) {}

void upload(const void* host, std::byte* device, std::int64_t bytes, StreamHandle stream) {
  check(cudaMemcpyAsync(device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        stream),
        "cudaMemcpyAsync to the device");
}

void download(const std::byte* device, void* host, std::int64_t bytes, StreamHandle stream) {
  check(cudaMemcpyAsync(host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                        stream),
        "cudaMemcpyAsync from the device");
}

void copy_bytes(const std::byte* from, std::byte* to, std::int64_t bytes, StreamHandle stream) {
  check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream),
      "cudaMemcpyAsync on the device");
}

void fill_bytes(std::byte* device, std::uint8_t value, std::int64_t bytes, StreamHandle stream) {
  check(cudaMemsetAsync(device, value, static_cast<std::size_t>(bytes), stream), "cudaMemsetAsync");
}

void upload(ConstHostView host, DeviceView device, StreamHandle stream) {
  require_same_shape(host, device);
  check(cudaMemcpy2DAsync(device.data(), static_cast<std::size_t>(device.pitch_bytes()),
                          host.data(), static_cast<std::size_t>(host.pitch_bytes()),
                          static_cast<std::size_t>(host.row_bytes()),
                          static_cast<std::size_t>(host.height()), cudaMemcpyHostToDevice, stream),
        "cudaMemcpy2DAsync to the device");
}

void download(ConstDeviceView device, HostView host, StreamHandle stream) {
  require_same_shape(host, device);
  check(cudaMemcpy2DAsync(host.data(), static_cast<std::size_t>(host.pitch_bytes()), device.data(),
                          static_cast<std::size_t>(device.pitch_bytes()),
                          static_cast<std::size_t>(host.row_bytes()),
                          static_cast<std::size_t>(host.height()), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpy2DAsync from the device");
}

}  // namespace warpwise::gpu
