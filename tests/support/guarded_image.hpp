#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "warpwise/base/view.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"

// Images for tests, in memory layouts that are awkward but valid.
namespace warpwise::test {

/// The position of a GuardedImage's pixels in its memory.
struct Layout {
  std::int64_t offset_bytes = 0;   ///< distance of the first pixel from a 64-byte boundary
  std::int64_t padding_bytes = 0;  ///< bytes between rows
};

/// The layouts with which primitives are tested: aligned, padded, with odd addresses or pitches.
inline const std::vector<Layout>& awkward_layouts() {
  static const std::vector<Layout> layouts = {{0, 0}, {0, 64}, {1, 0}, {3, 7}, {16, 5}, {5, 16}};
  return layouts;
}

struct Size {
  std::int64_t width;
  std::int64_t height;
};

/// Sizes at which kernels could err: single pixels, rows and columns, and sizes of vectors and
/// tiles, with one less and one more.
inline const std::vector<Size>& awkward_sizes() {
  static const std::vector<Size> sizes = {
      {1, 1},   {2, 1},    {1, 2},   {2, 2},   {3, 3},    {1, 37},   {37, 1},
      {5, 4},   {7, 9},    {15, 3},  {16, 2},  {17, 17},  {31, 33},  {32, 32},
      {33, 31}, {63, 5},   {64, 64}, {65, 66}, {127, 8},  {128, 3},  {129, 130},
      {255, 2}, {257, 19}, {640, 3}, {1, 700}, {1023, 5}, {1300, 41}};
  return sizes;
}

/// An image inside a larger allocation, whose other bytes are guards with known values.
class GuardedImage {
 public:
  GuardedImage(ElementType type, std::int64_t width, std::int64_t height, int channels = 1,
               Layout layout = {})
      : width_(width), height_(height),
        pitch_(width * channels * size_of(type) + layout.padding_bytes), channels_(channels),
        type_(type),
        memory_(static_cast<std::size_t>(2 * margin + 64 + layout.offset_bytes + pitch_ * height),
                sentinel) {
    const auto base = reinterpret_cast<std::uintptr_t>(memory_.data()) + margin;
    start_ = static_cast<std::int64_t>((base + 63) / 64 * 64 - base) + margin + layout.offset_bytes;
  }

  HostView view() { return {memory_.data() + start_, type_, width_, height_, channels_, pitch_}; }
  ConstHostView view() const {
    return {memory_.data() + start_, type_, width_, height_, channels_, pitch_};
  }

  /// Fills the pixels with random bits or, for f32, with uniform numbers in [-1000, 1000).
  void fill_random(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> real(-1000.0F, 1000.0F);
    for (std::int64_t y = 0; y < height_; ++y) {
      std::byte* row = view().row(y);
      if (type_ == ElementType::f32) {
        for (std::int64_t i = 0; i < width_ * channels_; ++i) store(row, i, real(random));
      } else {
        for (std::int64_t i = 0; i < view().row_bytes(); ++i) {
          row[i] = static_cast<std::byte>(random());
        }
      }
    }
  }

  /// Fails the test if a byte outside of the pixels has changed.
  void expect_guards_intact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) - start_;
      const bool pixel = at >= 0 && at < pitch_ * height_ && at % pitch_ < view().row_bytes();
      if (!pixel && memory_[i] != sentinel) {
        ADD_FAILURE() << "a write outside the image, " << at << " bytes from its first pixel ("
                      << width_ << "x" << height_ << ", pitch " << pitch_ << ")";
        return;
      }
    }
  }

  std::vector<std::byte>& memory() { return memory_; }
  std::int64_t start() const { return start_; }

 private:
  static constexpr std::int64_t margin = 128;
  static constexpr std::byte sentinel{0xA5};

  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_;
  int channels_;
  ElementType type_;
  std::vector<std::byte> memory_;
  std::int64_t start_ = 0;
};

/// A copy of a GuardedImage in device memory, with its guards and its misalignment.
class OnDevice {
 public:
  OnDevice(GuardedImage& host, gpu::StreamHandle stream)
      : host_(host), device_(static_cast<std::int64_t>(host.memory().size()) + alignment, stream) {
    // A buffer begins at a multiple of 256 bytes. Its content is shifted, so that the first pixel
    // is as far from a 64-byte boundary as on the host.
    const auto pixel = reinterpret_cast<std::uintptr_t>(host_.memory().data() + host_.start());
    lead_ = (static_cast<std::int64_t>(pixel % alignment) + alignment - host_.start() % alignment) %
            alignment;
    gpu::upload(host_.memory().data(), device_.data() + lead_,
                static_cast<std::int64_t>(host_.memory().size()), stream);
  }

  DeviceView view() {
    const HostView host = host_.view();
    return {device_.data() + lead_ + host_.start(),
            host.type(),
            host.width(),
            host.height(),
            host.channels(),
            host.pitch_bytes()};
  }

  /// Copies the device's bytes, with the guards, back into the GuardedImage.
  void download(const gpu::Stream& stream) {
    gpu::download(device_.data() + lead_, host_.memory().data(),
                  static_cast<std::int64_t>(host_.memory().size()), stream);
    stream.synchronize();
  }

 private:
  static constexpr std::int64_t alignment = 64;

  GuardedImage& host_;
  std::int64_t lead_ = 0;
  gpu::Buffer device_;
};

/// Calls `call` with views of the inputs and of the output in device memory, and with a stream.
/// Then copies the output back.
template <class Call>
void run_on_device(std::vector<GuardedImage>& inputs, GuardedImage& output, const Call& call) {
  const gpu::Stream stream;
  std::vector<OnDevice> on_device;
  std::vector<ConstDeviceView> views;
  for (GuardedImage& image : inputs) on_device.emplace_back(image, stream);
  for (OnDevice& image : on_device) views.push_back(image.view());
  OnDevice result(output, stream);
  call(views, result.view(), gpu::StreamHandle(stream));
  result.download(stream);
}

/// Fails the test at the first pixel that differs, and reports its place and both values.
template <class T>
void expect_equal(ConstHostView expected, ConstHostView actual) {
  ASSERT_EQ(expected.row_bytes(), actual.row_bytes());
  for (std::int64_t y = 0; y < expected.height(); ++y) {
    if (std::memcmp(expected.row(y), actual.row(y),
                    static_cast<std::size_t>(expected.row_bytes())) == 0)
      continue;
    for (std::int64_t i = 0; i < expected.width() * expected.channels(); ++i) {
      const T want = load<T>(expected.row(y), i);
      const T got = load<T>(actual.row(y), i);
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits: -0 is not 0, NaN is NaN
      if (std::memcmp(&want, &got, sizeof(T)) != 0) {
        ADD_FAILURE() << "pixel (" << i / expected.channels() << ", " << y << ") channel "
                      << i % expected.channels() << " of " << expected.width() << "x"
                      << expected.height() << ": expected " << +want << ", got " << +got;
        return;
      }
    }
  }
}

/// Calls the template above for the element type of the views.
inline void expect_equal(ConstHostView expected, ConstHostView actual) {
  switch (expected.type()) {
    case ElementType::u8: return expect_equal<std::uint8_t>(expected, actual);
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return expect_equal<std::uint16_t>(expected, actual);
    case ElementType::i16: return expect_equal<std::int16_t>(expected, actual);
    case ElementType::u32: return expect_equal<std::uint32_t>(expected, actual);
    case ElementType::i32: return expect_equal<std::int32_t>(expected, actual);
    case ElementType::f32: return expect_equal<float>(expected, actual);
  }
}

}  // namespace warpwise::test
