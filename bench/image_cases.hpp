#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "bench/gpu_harness.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"

namespace warpwise::bench {

/// A random source image and a destination on the device.
class ImagePair {
 public:
  ImagePair(ElementType src_type, int src_channels, ElementType dst_type, int dst_channels,
            Size size, const gpu::Stream& stream)
      : host_src_(src_type, size.width, size.height, src_channels),
        src_(src_type, size.width, size.height, src_channels, stream),
        dst_(dst_type, size.width, size.height, dst_channels, stream) {
    const std::vector<std::uint8_t> bytes = random_bytes(host_src_.view().row_bytes() + 4096);
    for (std::int64_t y = 0; y < size.height; ++y) {
      // Each row begins at another offset of the random bytes.
      std::memcpy(host_src_.view().row(y), bytes.data() + (y * 37) % 4096,
                  static_cast<std::size_t>(host_src_.view().row_bytes()));
    }
    gpu::upload(host_src_.view(), src_.view(), stream);
    stream.synchronize();
  }

  ConstHostView host_src() const { return host_src_.view(); }
  ConstDeviceView src() const { return src_.view(); }
  DeviceView dst() { return dst_.view(); }

  /// Returns true if the destination has the result of `expected`, a call of the CPU path. The
  /// first call computes that result, and later calls reuse it.
  template <class Expected>
  bool matches(const Expected& expected, const gpu::Stream& stream) {
    const DeviceView result = dst();
    if (!want_) {
      want_.emplace(result.type(), result.width(), result.height(), result.channels());
      expected(host_src(), want_->view());
    }
    Image got(result.type(), result.width(), result.height(), result.channels());
    gpu::download(result, got.view(), stream);
    stream.synchronize();
    for (std::int64_t y = 0; y < result.height(); ++y) {
      if (std::memcmp(want_->view().row(y), got.view().row(y),
                      static_cast<std::size_t>(result.row_bytes())) != 0)
        return false;
    }
    return true;
  }

 private:
  Image host_src_;
  gpu::DeviceImage src_;
  gpu::DeviceImage dst_;
  std::optional<Image> want_;  // set by the first matches()
};

/// Computation of a case and its operands.
struct ImageCase {
  std::string primitive;
  std::string variant;
  ElementType src_type = ElementType::u8;
  int src_channels = 1;
  ElementType dst_type = ElementType::u8;
  int dst_channels = 1;

  std::int64_t bytes(Size size) const {
    return size.width * size.height *
           (size_of(src_type) * src_channels + size_of(dst_type) * dst_channels);
  }
};

/// Returns the case of one of our primitives: `device(src, dst, stream)` is timed once its result
/// equals that of `host(src, dst)`.
template <class Device, class Host>
Case warpwise_case(const ImageCase& what, Size size, Device device, Host host) {
  Case result{what.primitive, what.variant,     "warpwise", size.width,
              size.height,    what.bytes(size), {}};
  result.prepare = [=](const gpu::Stream& stream) {
    auto pair = std::make_shared<ImagePair>(what.src_type, what.src_channels, what.dst_type,
                                            what.dst_channels, size, stream);
    return Prepared{[=](gpu::StreamHandle s) { device(pair->src(), pair->dst(), s); },
                    [=, &stream] { return pair->matches(host, stream); }};
  };
  return result;
}

/// Returns the case of a peer. Its result is not compared, because the peer rounds in its own way.
template <class Device>
Case peer_case(const ImageCase& what, const std::string& implementation, Size size, Device device) {
  Case result{
      what.primitive, what.variant, implementation, size.width, size.height, what.bytes(size), {}};
  result.prepare = [=](const gpu::Stream& stream) {
    auto pair = std::make_shared<ImagePair>(what.src_type, what.src_channels, what.dst_type,
                                            what.dst_channels, size, stream);
    return Prepared{[=](gpu::StreamHandle s) { device(pair->src(), pair->dst(), s); }, {}};
  };
  return result;
}

}  // namespace warpwise::bench
