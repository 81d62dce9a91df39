#include <bit>

#include "bench/gemv_cases.hpp"
#include "bench/growth.hpp"
#include "bench/growth_of.hpp"
#include "bench/image_cases.hpp"
#include "bench/npp.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::bench {
namespace {

// Returns an almost square size, at least 512 wide. Its width is a power of two, so that rows have
// no gaps between them.
Size size_of_elements(std::int64_t elements) {
  constexpr std::int64_t least_width = 512;
  const int bits = std::bit_width(static_cast<std::uint64_t>(elements));
  const std::int64_t width = std::max(least_width, std::int64_t{1} << (bits / 2));
  return {width, std::max<std::int64_t>(1, elements / width)};
}

Size size_of(const ImageCase& what, std::int64_t bytes) {
  return size_of_elements(bytes / what.bytes({1, 1}));
}

void add_copies(std::vector<Case>& cases, std::int64_t bytes) {
  const ImageCase what{"copy", "u8 image"};
  const Size size = size_of(what, bytes);
  cases.push_back(warpwise_case(
      what, size,
      [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) { copy(src, dst, stream); },
      [](ConstHostView src, HostView dst) { copy(src, dst); }));
  cases.push_back(peer_case(what, "cudaMemcpyAsync", size,
                            [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
                              gpu::copy_bytes(src.data(), dst.data(),
                                              src.row_bytes() * src.height(), stream);
                            }));
}

void add_conversions(std::vector<Case>& cases, std::int64_t bytes) {
  const ImageCase what{"convert", "rgb24 to ycrcb24", ElementType::u8, 3, ElementType::u8, 3};
  const Size size = size_of(what, bytes);
  cases.push_back(warpwise_case(
      what, size,
      [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        convert(ConstDeviceFrame(PixelFormat::rgb24, src), DeviceFrame(PixelFormat::ycrcb24, dst),
                {}, stream);
      },
      [](ConstHostView src, HostView dst) {
        convert(ConstHostFrame(PixelFormat::rgb24, src), HostFrame(PixelFormat::ycrcb24, dst));
      }));
  cases.push_back(peer_case(what, "NPP RGBToYCbCr C3R", size, npp::rgb_to_ycbcr_c3));
}

void add_gradients(std::vector<Case>& cases, std::int64_t bytes) {
  const ImageCase what{"sobel", "u8 magnitude l1"};
  const Size size = size_of(what, bytes);
  cases.push_back(warpwise_case(
      what, size,
      [](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        sobel(src, dst, {}, stream);
      },
      [](ConstHostView src, HostView dst) { sobel(src, dst, {}); }));
  // NPP computes only one of the two directions, which is less work than ours.
  cases.push_back(peer_case({"sobel", "u8 one direction"}, "NPP FilterSobelHorizBorder", size,
                            npp::sobel_horizontal));
}

// NPP has no case here: its time grows with the window's area and would be seconds.
void add_thresholds(std::vector<Case>& cases, std::int64_t bytes) {
  ThresholdOptions options;
  options.window = 31;
  options.offset = 7;
  const ImageCase what{"threshold", "u8 mean window 31"};
  cases.push_back(warpwise_case(
      what, size_of(what, bytes),
      [=](ConstDeviceView src, DeviceView dst, gpu::StreamHandle stream) {
        threshold(src, dst, options, stream);
      },
      [=](ConstHostView src, HostView dst) { threshold(src, dst, options); }));
}

void add_products(std::vector<Case>& cases, std::int64_t bytes) {
  for (Case& each :
       gemv_beside_cublas(size_of_elements(bytes / std::int64_t{sizeof(float)}), false)) {
    cases.push_back(std::move(each));
  }
}

void add_chains(std::vector<Case>& cases, std::int64_t bytes) {
  for (Case& each : chain_growth(size_of_elements(bytes / 4))) cases.push_back(std::move(each));
}

// match reads two bytes a pixel, one from each frame, and writes almost nothing.
void add_matches(std::vector<Case>& cases, std::int64_t bytes) {
  cases.push_back(match_growth(size_of_elements(bytes / 2)));
}

// disparity reads two bytes and writes a float a pixel.
void add_disparities(std::vector<Case>& cases, std::int64_t bytes) {
  cases.push_back(disparity_growth(size_of_elements(bytes / 6)));
}

void add_searches(std::vector<Case>& cases, std::int64_t bytes) {
  cases.push_back(find_growth(size_of_elements(bytes)));
}

}  // namespace

std::vector<Case> growth_cases() {
  std::vector<Case> cases;
  for (const auto add : {add_copies, add_conversions, add_gradients, add_thresholds, add_chains,
                         add_products, add_matches, add_disparities, add_searches}) {
    for (int bits = least_growth_bits; bits <= greatest_growth_bits; bits += 2) {
      add(cases, std::int64_t{1} << bits);
    }
  }
  return cases;
}

}  // namespace warpwise::bench
