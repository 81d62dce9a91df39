#pragma once

#include <cstddef>
#include <cstdint>

#include "warpwise/base/export.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Owns device memory from Warpwise's stream-ordered pool of the current device. Work on `stream`
/// may use the memory from construction on. The destructor returns the memory to the pool in stream
/// order, whichever device is current then. Neither constructor nor destructor synchronises. The
/// pool keeps returned memory, so that a later Buffer of the same size needs no driver allocation.
/// The content is uninitialised, and data() is a multiple of 256 bytes. Move-only.
class WARPWISE_EXPORT Buffer {
 public:
  /// \throws NoCudaDevice, CudaError (out of memory)  \throws InvalidArgument  negative size
  Buffer(std::int64_t bytes, StreamHandle stream);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  StreamHandle stream_ = nullptr;
  int device_ = 0;
};

/// Owns page-locked host memory. Transfers from and to it are asynchronous and run at the full
/// speed of the link, and kernels reach it at the same address. Allocating and freeing it may wait
/// for the device. Content is uninitialised. Move-only.
class WARPWISE_EXPORT HostBuffer {
 public:
  /// \throws NoCudaDevice, CudaError (out of memory)  \throws InvalidArgument  negative size
  explicit HostBuffer(std::int64_t bytes);
  ~HostBuffer();
  HostBuffer(HostBuffer&& other) noexcept;
  HostBuffer& operator=(HostBuffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// A device image that owns its pixels: a Buffer whose rows start at multiples of 256 bytes.
class WARPWISE_EXPORT DeviceImage {
 public:
  /// \throws the exceptions of Buffer and BasicView
  DeviceImage(ElementType type, std::int64_t width, std::int64_t height, int channels,
              StreamHandle stream);

  DeviceView view() { return {buffer_.data(), type_, width_, height_, channels_, pitch_bytes_}; }
  ConstDeviceView view() const {
    return {buffer_.data(), type_, width_, height_, channels_, pitch_bytes_};
  }

 private:
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_bytes_;
  int channels_;
  ElementType type_;
  Buffer buffer_;
};

/// Copy bytes between host and device in stream order. With pageable host memory the call may
/// return late (the runtime stages the bytes); with pinned memory it returns at once.
/// \throws CudaError
WARPWISE_EXPORT void upload(const void* host, std::byte* device, std::int64_t bytes,
                            StreamHandle stream);
WARPWISE_EXPORT void download(const std::byte* device, void* host, std::int64_t bytes,
                              StreamHandle stream);

/// copy_bytes copies between ranges of device memory that do not overlap, with the driver's own
/// copy. fill_bytes sets each byte to `value`. Both run in stream order. \throws CudaError
WARPWISE_EXPORT void copy_bytes(const std::byte* from, std::byte* to, std::int64_t bytes,
                                StreamHandle stream);
WARPWISE_EXPORT void fill_bytes(std::byte* device, std::uint8_t value, std::int64_t bytes,
                                StreamHandle stream);

/// Copy images of one shape between host and device in stream order. \throws CudaError
/// \throws InvalidArgument  sizes, types or channels differ
WARPWISE_EXPORT void upload(ConstHostView host, DeviceView device, StreamHandle stream);
WARPWISE_EXPORT void download(ConstDeviceView device, HostView host, StreamHandle stream);

}  // namespace warpwise::gpu
