#include <libyuv.h>
#include <opencv2/imgproc.hpp>

#include <array>
#include <vector>

#include "bench/cpu_harness.hpp"
#include "bench/host_images.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::shared_ptr<Bytes> frame_memory(PixelFormat format, std::int64_t width, std::int64_t height) {
  auto bytes =
      std::make_shared<Bytes>(static_cast<std::size_t>(frame_bytes(format, width, height)));
  for (std::size_t i = 0; i < bytes->size(); ++i)
    (*bytes)[i] = static_cast<std::uint8_t>(i * 131 >> 3);
  return bytes;
}

/// A peer's conversion, between the same two frames as ours.
using Peer = std::function<void(const HostFrame& src, const HostFrame& dst)>;

std::uint8_t* at(const HostFrame& frame, int plane) {
  return reinterpret_cast<std::uint8_t*>(frame.plane(plane).data);
}
int pitch(const HostFrame& frame, int plane) {
  return static_cast<int>(frame.plane(plane).pitch_bytes);
}
int width_of(const HostFrame& frame) { return static_cast<int>(frame.width()); }
int height_of(const HostFrame& frame) { return static_cast<int>(frame.height()); }

void add_pair(const std::string& name, const std::string& peer_name, PixelFormat from,
              PixelFormat to, const ConvertOptions& options, const Peer& peer) {
  add({"convert/" + name, peer_name,
       [=](std::int64_t width, std::int64_t height) {
         return frame_bytes(from, width, height) + frame_bytes(to, width, height);
       },
       [=](std::int64_t width, std::int64_t height) -> Pair {
         const auto src = frame_memory(from, width, height);
         const auto dst = frame_memory(to, width, height);
         const HostFrame in(src->data(), from, width, height);
         const HostFrame out(dst->data(), to, width, height);
         // The lambdas keep the memory that the frames point into.
         return {[=, keep = std::pair(src, dst)] { convert(in, out, options); },
                 [=, keep = std::pair(src, dst)] { peer(in, out); }};
       }});
}

/// Adds cases with gaps between rows. Rows begin 16 bytes past a 64-byte boundary, as in memory
/// from malloc and NumPy.
void add_pitched(std::int64_t width) {
  const auto peer = [](const HostFrame& src, const HostFrame& dst) {
    libyuv::YUY2ToARGB(at(src, 0), pitch(src, 0), at(dst, 0), pitch(dst, 0), width_of(src),
                       height_of(src));
  };
  const auto frame = [](Bytes& bytes, PixelFormat format, std::int64_t w, std::int64_t h) {
    const std::int64_t row = plane_row_bytes(format, 0, w) / 64 * 64 + 128;
    bytes.assign(static_cast<std::size_t>(row * h + 64), 77);
    const auto misses = -reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
    std::array<HostFrame::Plane, 3> planes{};
    planes[0] = {reinterpret_cast<std::byte*>(bytes.data() + (misses + 16) % 64), row};
    return HostFrame(format, w, h, planes);
  };
  ConvertOptions options;
  options.convention = Convention::libyuv;
  add_at({"convert/yuyv to bgra32 libyuv, pitched rows", "libyuv YUY2ToARGB",
          [](auto w, auto h) { return 6 * w * h; },
          [=](std::int64_t w, std::int64_t h) -> Pair {
            const auto src = std::make_shared<Bytes>(), dst = std::make_shared<Bytes>();
            const HostFrame in = frame(*src, PixelFormat::yuyv, w, h);
            const HostFrame out = frame(*dst, PixelFormat::bgra32, w, h);
            return {[=, keep = std::pair(src, dst)] { convert(in, out, options); },
                    [=, keep = std::pair(src, dst)] { peer(in, out); }};
          }},
         width, 64);
}

ConvertOptions libyuv_options() {
  ConvertOptions options;
  options.convention = Convention::libyuv;
  return options;
}

const bool registered = [] {
  const auto opencv_ycrcb = [](const HostFrame& src, const HostFrame& dst) {
    const cv::Mat in(height_of(src), width_of(src), CV_8UC3, at(src, 0));
    // OpenCV writes three bytes a pixel; ours writes four if the name says ycbcr32.
    static thread_local cv::Mat out;
    if (dst.format() == PixelFormat::ycrcb24) {
      out = cv::Mat(height_of(dst), width_of(dst), CV_8UC3, at(dst, 0));
    } else {
      out.create(height_of(dst), width_of(dst), CV_8UC3);
    }
    cv::cvtColor(in, out, cv::COLOR_RGB2YCrCb);
  };
  add_pair("rgb24 to ycbcr32 exact", "OpenCV RGB2YCrCb", PixelFormat::rgb24, PixelFormat::ycbcr32,
           {}, opencv_ycrcb);
  add_pair("rgb24 to ycrcb24 exact", "OpenCV RGB2YCrCb", PixelFormat::rgb24, PixelFormat::ycrcb24,
           {}, opencv_ycrcb);
  // libyuv's ARGB is B G R A in memory.
  add_pair("bgra32 to i444 libyuv", "libyuv ARGBToI444", PixelFormat::bgra32, PixelFormat::i444,
           libyuv_options(), [](const HostFrame& src, const HostFrame& dst) {
             libyuv::ARGBToI444(at(src, 0), pitch(src, 0), at(dst, 0), pitch(dst, 0), at(dst, 1),
                                pitch(dst, 1), at(dst, 2), pitch(dst, 2), width_of(src),
                                height_of(src));
           });
  add_pair("bgra32 to gray8 libyuv", "libyuv ARGBToI400", PixelFormat::bgra32, PixelFormat::gray8,
           libyuv_options(), [](const HostFrame& src, const HostFrame& dst) {
             libyuv::ARGBToI400(at(src, 0), pitch(src, 0), at(dst, 0), pitch(dst, 0), width_of(src),
                                height_of(src));
           });
  add_pair("yuyv to bgra32 libyuv", "libyuv YUY2ToARGB", PixelFormat::yuyv, PixelFormat::bgra32,
           libyuv_options(), [](const HostFrame& src, const HostFrame& dst) {
             libyuv::YUY2ToARGB(at(src, 0), pitch(src, 0), at(dst, 0), pitch(dst, 0), width_of(src),
                                height_of(src));
           });
  add_pair("nv12 to bgra32 libyuv", "libyuv NV12ToARGB", PixelFormat::nv12, PixelFormat::bgra32,
           libyuv_options(), [](const HostFrame& src, const HostFrame& dst) {
             libyuv::NV12ToARGB(at(src, 0), pitch(src, 0), at(src, 1), pitch(src, 1), at(dst, 0),
                                pitch(dst, 0), width_of(src), height_of(src));
           });
  add_pair("nv12 to rgb24 exact", "libyuv NV12ToRAW", PixelFormat::nv12, PixelFormat::rgb24, {},
           [](const HostFrame& src, const HostFrame& dst) {
             libyuv::NV12ToRAW(at(src, 0), pitch(src, 0), at(src, 1), pitch(src, 1), at(dst, 0),
                               pitch(dst, 0), width_of(src), height_of(src));
           });
  for (const std::int64_t width : {64, 128, 320}) add_pitched(width);
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
