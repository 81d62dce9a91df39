#pragma once

#include <cstddef>
#include <cstdint>

#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise::gpu {

/// Owns device memory from Warpwise's stream-ordered pool of the current device: it may be used by
/// work on `stream` from construction on, and goes back to the pool, in stream order, when
/// destroyed. Neither synchronises; the pool keeps its memory, so that taking a size again costs no
/// driver allocation. Content is uninitialised, data() a multiple of 256 bytes. Move-only.
class Buffer {
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
};

/// A device image that owns its pixels: a Buffer whose rows start at multiples of 256 bytes.
class DeviceImage {
 public:
  /// \throws as Buffer and BasicView
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

/// Copies bytes between host and device in stream order. From and to pageable host memory the call
/// may return late (the runtime stages the bytes), from and to pinned memory it returns at once.
/// \throws CudaError
void upload(const void* host, std::byte* device, std::int64_t bytes, StreamHandle stream);
void download(const std::byte* device, void* host, std::int64_t bytes, StreamHandle stream);

/// The same for images. \throws InvalidArgument  when sizes, types or channels differ.
void upload(ConstHostView host, DeviceView device, StreamHandle stream);
void download(ConstDeviceView device, HostView host, StreamHandle stream);

}  // namespace warpwise::gpu
