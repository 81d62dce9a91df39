#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "support/guarded_image.hpp"
#include "warpwise/base/frame.hpp"

// Frames for tests, whose planes are guarded images.
namespace warpwise::test {

/// A frame whose planes are GuardedImages.
class GuardedFrame {
 public:
  GuardedFrame(PixelFormat format, Size size, Layout layout = {}) : format_(format), size_(size) {
    for (int p = 0; p < plane_count(format); ++p) {
      planes_.emplace_back(ElementType::u8, plane_row_bytes(format, p, size.width),
                           plane_rows(format, p, size.height), 1, layout);
      // Each plane gets another offset, because planes of one frame may differ in alignment.
      layout.offset_bytes += 3;
    }
  }

  /// Returns a frame in which every row of every plane begins at a multiple of 16 bytes.
  static GuardedFrame aligned(PixelFormat format, Size size) {
    GuardedFrame frame(format, size);
    frame.planes_.clear();
    for (int p = 0; p < plane_count(format); ++p) {
      const std::int64_t row_bytes = plane_row_bytes(format, p, size.width);
      frame.planes_.emplace_back(ElementType::u8, row_bytes, plane_rows(format, p, size.height), 1,
                                 Layout{0, (16 - row_bytes % 16) % 16});
    }
    return frame;
  }

  HostFrame view() {
    std::array<HostFrame::Plane, 3> planes;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      planes[p] = {planes_[p].view().data(), planes_[p].view().pitch_bytes()};
    }
    return {format_, size_.width, size_.height, planes};
  }

  void fill_random(std::uint64_t seed) {
    for (GuardedImage& plane : planes_) plane.fill_random(seed++);
  }

  /// Fills the frame: value(plane, x in bytes, y) returns each byte.
  template <class Value>
  void fill(const Value& value) {
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      const HostView plane = planes_[p].view();
      for (std::int64_t y = 0; y < plane.height(); ++y) {
        for (std::int64_t x = 0; x < plane.width(); ++x) {
          plane.row(y)[x] = static_cast<std::byte>(value(p, x, y));
        }
      }
    }
  }

  std::vector<GuardedImage>& planes() { return planes_; }

  void expect_equal(GuardedFrame& actual) {
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      SCOPED_TRACE(testing::Message() << "plane " << p);
      test::expect_equal(planes_[p].view(), actual.planes_[p].view());
      actual.planes_[p].expect_guards_intact();
    }
  }

 private:
  std::vector<GuardedImage> planes_;
  PixelFormat format_;
  Size size_;
};

/// A copy of a GuardedFrame in device memory.
class FrameOnDevice {
 public:
  FrameOnDevice(GuardedFrame& host, gpu::StreamHandle stream) : host_(host.view()) {
    for (GuardedImage& plane : host.planes()) planes_.emplace_back(plane, stream);
  }
  DeviceFrame view() {
    std::array<DeviceFrame::Plane, 3> planes;
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      planes[p] = {planes_[p].view().data(), planes_[p].view().pitch_bytes()};
    }
    return {host_.format(), host_.width(), host_.height(), planes};
  }
  void download(const gpu::Stream& stream) {
    for (OnDevice& plane : planes_) plane.download(stream);
  }

 private:
  HostFrame host_;
  std::vector<OnDevice> planes_;
};

}  // namespace warpwise::test
