#include <type_traits>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/start_with.hpp"
#include "warpwise/primitives/shared/batch_launch.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/sobel/batch.cuh"
#include "warpwise/primitives/sobel/kernel.cuh"
#include "warpwise/primitives/sobel/launch.hpp"

namespace warpwise::detail::sobel {
namespace {

using kernels::sobel::SobelResult;
using kernels::sobel::SobelSource;

/// Kernels for one image and for many. `few_rows` is null where the launch never chooses it.
struct Functions {
  void (*one)(kernels::sobel::SobelArguments);
  void (*few_rows)(kernels::sobel::SobelArguments);
  void (*batch)(kernels::sobel::SobelBatch);
};

template <SobelSource source, class Out, SobelResult result, class Number>
Functions functions() {
  using kernels::sobel::sobel_kernel;
  Functions all{sobel_kernel<source, Out, result, Number>, nullptr,
                kernels::sobel::sobel_batch_kernel<source, Out, result, Number>};
  if constexpr (source == SobelSource::u8 &&
                std::is_same_v<Number, kernels::sobel::SobelPair<2, 1>>) {
    all.few_rows = sobel_kernel<source, Out, result, Number, true>;
  }
  return all;
}

template <SobelSource source, class Out, class Number>
Functions magnitude(SobelResult result) {
  return result == SobelResult::l1 ? functions<source, Out, SobelResult::l1, Number>()
                                   : functions<source, Out, SobelResult::l2, Number>();
}

template <SobelSource source, class Out, class Number>
Functions any_result(SobelResult result) {
  return result == SobelResult::component ? functions<source, Out, SobelResult::component, Number>()
                                          : magnitude<source, Out, Number>(result);
}

template <SobelSource source>
Functions of_bytes(const SobelChoice& choice) {
  using Sobel = kernels::sobel::SobelPair<2, 1>;
  using Scharr = kernels::sobel::SobelPair<10, 3>;
  const bool to_bytes = choice.out == ElementType::u8;
  switch (choice.number) {
    case SobelNumber::scharr_pair: return magnitude<source, std::uint8_t, Scharr>(choice.result);
    case SobelNumber::sobel_pair:
      return to_bytes ? magnitude<source, std::uint8_t, Sobel>(choice.result)
                      : any_result<source, std::uint16_t, Sobel>(choice.result);
    case SobelNumber::integer: return any_result<source, std::uint16_t, int>(choice.result);
    case SobelNumber::real: break;
  }
  throw Error("sobel: pixels of bytes are computed in integers, never in floats");
}

Functions functions_of(const SobelChoice& choice) {
  switch (choice.source) {
    case SobelSource::f32: return any_result<SobelSource::f32, std::uint32_t, float>(choice.result);
    case SobelSource::u16:
      return choice.out == ElementType::u16
                 ? magnitude<SobelSource::u16, std::uint16_t, int>(choice.result)
                 : any_result<SobelSource::u16, std::uint32_t, int>(choice.result);
    case SobelSource::rgb: return of_bytes<SobelSource::rgb>(choice);
    case SobelSource::rgba: return of_bytes<SobelSource::rgba>(choice);
    case SobelSource::u8: return of_bytes<SobelSource::u8>(choice);
  }
  __builtin_unreachable();
}

bool is_for_hopper() {
  using Kernel = kernels::sobel::SobelPair<2, 1>;
  static gpu::HopperCode code;
  return code.is_for_hopper(
      kernels::sobel::sobel_kernel<SobelSource::u8, std::uint8_t, SobelResult::l1, Kernel>,
      "sobel_kernel");
}

SobelImages images_of(const ConstDeviceView& src, const DeviceView& dst) {
  return {.src = reinterpret_cast<const unsigned char*>(src.data()),
          .dst = reinterpret_cast<unsigned char*>(dst.data()),
          .src_pitch = src.pitch_bytes(),
          .dst_pitch = dst.pitch_bytes(),
          .width = src.width(),
          .height = src.height()};
}

}  // namespace

void sobel_cuda(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
                gpu::StreamHandle stream) {
  gpu::require_device();
  const SobelChoice choice = sobel_choice(src.type(), src.channels(), dst.type(), options);
  const auto launch = sobel_launch(images_of(src, dst), choice, options);
  const Functions kernels = functions_of(launch.kernel);
  gpu::start_early(is_for_hopper(), launch.kernel.few_rows ? kernels.few_rows : kernels.one, launch,
                   kernel_name(launch.kernel), stream);
}

void sobel_cuda(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
                const SobelOptions& options, gpu::StreamHandle stream) {
  gpu::require_device();
  if (src.empty()) return;
  const SobelChoice choice = sobel_choice(src[0].type(), src[0].channels(), dst[0].type(), options);
  using Image = BatchImage<kernels::sobel::SobelImage>;
  const auto describe = [&](std::size_t i) -> std::optional<Image> {
    const auto a = sobel_arguments(images_of(src[i], dst[i]), options);
    if (!fit_batch(a.src_pitch, a.dst_pitch, a.width, a.height)) return {};
    const auto [across, down] = sobel_blocks(a.width, a.height, choice);
    return Image{{a.src, a.dst, static_cast<int>(a.src_pitch), static_cast<int>(a.dst_pitch),
                  static_cast<int>(a.width), static_cast<int>(a.height),
                  static_cast<int>(a.row_above), static_cast<int>(a.row_below),
                  static_cast<int>(a.column_before), static_cast<int>(a.column_behind)},
                 across,
                 down};
  };
  start_batches(
      functions_of(choice).batch, sobel_arguments(images_of(src[0], dst[0]), options), src.size(),
      {kernels::sobel::sobel_block_width, kernels::sobel::sobel_block_height}, describe,
      [&](auto i) { sobel_cuda(src[i], dst[i], options, stream); }, "sobel_batch_kernel", stream);
}

}  // namespace warpwise::detail::sobel
