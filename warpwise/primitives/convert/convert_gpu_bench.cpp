#include "bench/batch_cases.hpp"
#include "bench/image_cases.hpp"
#include "bench/npp.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise::bench {
namespace {

Case convert_case(const ImageCase& what, Size size, PixelFormat from, PixelFormat to) {
  return warpwise_case(
      what, size,
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        convert(ConstDeviceFrame(from, src), DeviceFrame(to, dst), {}, stream);
      },
      [=](ConstHostView src, HostView dst) {
        convert(ConstHostFrame(from, src), HostFrame(to, dst));
      });
}

template <class Frame, class View>
std::vector<Frame> as_format(PixelFormat format, const std::vector<View>& views) {
  std::vector<Frame> frames;
  for (const View& view : views) frames.emplace_back(format, view);
  return frames;
}

void add_batch(std::vector<Case>& cases, const ImageCase& what, PixelFormat from, PixelFormat to) {
  add_batch_cases(
      cases, what,
      [=](const auto& src, const auto& dst, gpu::StreamHandle stream) {
        convert(as_format<ConstDeviceFrame>(from, src), as_format<DeviceFrame>(to, dst), {},
                stream);
      },
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        convert(ConstDeviceFrame(from, src), DeviceFrame(to, dst), {}, stream);
      },
      [=](ConstHostView src, HostView dst) {
        convert(ConstHostFrame(from, src), HostFrame(to, dst));
      });
}

const Registration convert_registered{[] {
  std::vector<Case> cases;
  for (const Size size : sizes) {
    const ImageCase to_ycbcr32{"convert", "rgb24 to ycbcr32", ElementType::u8,
                               3,         ElementType::u8,    4};
    cases.push_back(convert_case(to_ycbcr32, size, PixelFormat::rgb24, PixelFormat::ycbcr32));
    const ImageCase to_ycrcb24{"convert", "rgb24 to ycrcb24", ElementType::u8,
                               3,         ElementType::u8,    3};
    cases.push_back(convert_case(to_ycrcb24, size, PixelFormat::rgb24, PixelFormat::ycrcb24));
    cases.push_back(peer_case(to_ycrcb24, "NPP RGBToYCbCr C3R", size, npp::rgb_to_ycbcr_c3));
    // NPP has no conversion from 3 bytes to 4. The conversion from 4 to 4 moves 8 bytes a pixel
    // instead of 7.
    cases.push_back(peer_case({"convert", "4 bytes to 4", ElementType::u8, 4, ElementType::u8, 4},
                              "NPP RGBToYCbCr AC4R", size, npp::rgb_to_ycbcr_ac4));
    cases.push_back(convert_case({"convert", "rgb24 to gray8", ElementType::u8, 3}, size,
                                 PixelFormat::rgb24, PixelFormat::gray8));
    cases.push_back(
        convert_case({"convert", "ycbcr32 to rgb24", ElementType::u8, 4, ElementType::u8, 3}, size,
                     PixelFormat::ycbcr32, PixelFormat::rgb24));
    // A view of two channels holds the yuyv frame, whose pixels have 2 bytes.
    cases.push_back(
        convert_case({"convert", "yuyv to rgba32", ElementType::u8, 2, ElementType::u8, 4}, size,
                     PixelFormat::yuyv, PixelFormat::rgba32));
  }
  add_batch(cases, {"convert", "rgb24 to ycbcr32", ElementType::u8, 3, ElementType::u8, 4},
            PixelFormat::rgb24, PixelFormat::ycbcr32);
  add_batch(cases, {"convert", "rgb24 to gray8", ElementType::u8, 3}, PixelFormat::rgb24,
            PixelFormat::gray8);
  return cases;
}};

}  // namespace
}  // namespace warpwise::bench
