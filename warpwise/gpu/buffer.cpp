#include "warpwise/gpu/buffer.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::gpu {
namespace {

// Rows that start at a multiple of this many bytes need no partial transaction on any GPU.
constexpr std::int64_t row_alignment = 256;

// Lets the calling thread make a pool while it, or another thread, records a graph. During a
// recording, CUDA by default refuses calls that cannot be recorded.
class AllowedWhileRecording {
 public:
  AllowedWhileRecording() { exchange(); }
  ~AllowedWhileRecording() { exchange(); }
  AllowedWhileRecording(const AllowedWhileRecording&) = delete;
  AllowedWhileRecording& operator=(const AllowedWhileRecording&) = delete;

 private:
  void exchange() { cudaThreadExchangeStreamCaptureMode(&mode_); }

  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

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
  const AllowedWhileRecording allowed;
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
    throw InvalidArgument(
        "a transfer between host and device needs views of the same size, element type and "
        "channels");
  }
}

// Copies an image's rows. cudaMemcpy2DAsync refuses pitches from 2^31 bytes on. It also refuses
// pitches below a row, which views of one row may have. Rows are then copied one by one.
void copy_rows(std::byte* to, std::int64_t to_pitch, const std::byte* from, std::int64_t from_pitch,
               std::int64_t row_bytes, std::int64_t rows, cudaMemcpyKind kind, const char* what,
               StreamHandle stream) {
  constexpr std::int64_t most_pitch = 0x7fffffff;
  const auto bytes = static_cast<std::size_t>(row_bytes);
  if (rows > 1 && std::max(to_pitch, from_pitch) <= most_pitch) {
    check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch), from,
                            static_cast<std::size_t>(from_pitch), bytes,
                            static_cast<std::size_t>(rows), kind, stream),
          what);
    return;
  }
  for (std::int64_t y = 0; y < rows; ++y)
    check(cudaMemcpyAsync(to + y * to_pitch, from + y * from_pitch, bytes, kind, stream), what);
}

}  // namespace

Buffer::Buffer(std::int64_t bytes, StreamHandle stream) : bytes_(bytes), stream_(stream) {
  if (bytes < 0) throw InvalidArgument("a buffer of " + std::to_string(bytes) + " bytes");
  require_device();
  device_ = current_device();
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, static_cast<std::size_t>(bytes > 0 ? bytes : 1),
                                pool_of_current_device(), stream),
        "cudaMallocFromPoolAsync");
  data_ = static_cast<std::byte*>(data);
}

// Frees the memory with the buffer's device as the current one, because the handle of a default
// stream means the stream of the current device.
Buffer::~Buffer() {
  if (data_ == nullptr) return;
  int current = device_;
  cudaGetDevice(&current);
  if (current != device_) cudaSetDevice(device_);
  cudaFreeAsync(data_, stream_);
  if (current != device_) cudaSetDevice(current);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
      stream_(other.stream_), device_(other.device_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(stream_, other.stream_);
  std::swap(device_, other.device_);
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
  copy_rows(device.data(), device.pitch_bytes(), host.data(), host.pitch_bytes(), host.row_bytes(),
            host.height(), cudaMemcpyHostToDevice, "a copy of rows to the device", stream);
}

void download(ConstDeviceView device, HostView host, StreamHandle stream) {
  require_same_shape(host, device);
  copy_rows(host.data(), host.pitch_bytes(), device.data(), device.pitch_bytes(), host.row_bytes(),
            host.height(), cudaMemcpyDeviceToHost, "a copy of rows from the device", stream);
}

}  // namespace warpwise::gpu
