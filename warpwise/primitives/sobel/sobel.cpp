#include "warpwise/primitives/sobel/sobel.hpp"

#include <algorithm>
#include <string>

#include "warpwise/primitives/shared/batch.hpp"
#include "warpwise/primitives/shared/validate.hpp"
#include "warpwise/primitives/sobel/backends.hpp"

namespace warpwise {
namespace {

void validate_types(ElementType src, int src_channels, ElementType dst, int dst_channels,
                    SobelOutput output) {
  const std::span<const ElementType> types = sobel_dst_types(src, output);
  const bool colour = src == ElementType::u8 && (src_channels == 3 || src_channels == 4);
  if (types.empty() || (src_channels != 1 && !colour)) {
    throw InvalidArgument("sobel: src has pixels of " + detail::type_text(src, src_channels) +
                          ", it needs 1 x u8, 3 x u8, 4 x u8, 1 x u16 or 1 x f32");
  }
  if (dst_channels == 1 && std::ranges::find(types, dst) != types.end()) return;
  std::string valid;
  for (const ElementType type : types) {
    valid += (valid.empty() ? "" : " or ") + detail::type_text(type, 1);
  }
  throw InvalidArgument("sobel: dst has pixels of " + detail::type_text(dst, dst_channels) + ", " +
                        std::string(name_of(output)) + " of " +
                        detail::type_text(src, src_channels) + " needs " + valid);
}

void validate_options(const SobelOptions& options) {
  detail::require_enumerator("sobel", "output", options.output, all_sobel_outputs);
  detail::require_enumerator("sobel", "norm", options.norm, all_norms);
  detail::require_enumerator("sobel", "kernel", options.kernel, all_sobel_kernels);
  detail::require_enumerator("sobel", "border", options.border, all_borders);
  detail::require_enumerator("sobel", "channel order", options.channels, all_channel_orders);
}

template <class Source, class Destination>
void validate(const Source& src, const Destination& dst, const SobelOptions& options) {
  validate_options(options);
  detail::require_same_size("sobel", src, dst);
  validate_types(src.type(), src.channels(), dst.type(), dst.channels(), options.output);
  detail::require_disjoint("sobel", src, dst);
}

void require_order(ChannelOrder order, ChannelOrder first) {
  if (order == first) return;
  throw InvalidArgument("src has colours in the order " + std::string(name_of(order)) +
                        ", that of image 0 in the order " + std::string(name_of(first)) +
                        "; all images of a call must have one channel order");
}

/// Checks a batch. Returns the options with the order of its channels.
template <class Source, class Destination>
SobelOptions validate(std::span<const Source> src, std::span<const Destination> dst,
                      const SobelOptions& options) {
  SobelOptions said = options;
  if (!src.empty()) said = detail::sobel::options_for(src[0], options);
  detail::validate_batch("sobel", src, dst, [&](const Source& from, const Destination& to) {
    validate(from, to, options);
    detail::require_type_of_first("src", from, src[0]);
    detail::require_type_of_first("dst", to, dst[0]);
    if (from.channels() > 1)
      require_order(detail::sobel::options_for(from, options).channels, said.channels);
  });
  return said;
}

}  // namespace

void sobel(ConstHostView src, HostView dst, const SobelOptions& options) {
  validate(src, dst, options);
  detail::sobel::sobel_cpu(src, dst, detail::sobel::options_for(src, options));
}

void sobel(ConstDeviceView src, DeviceView dst, const SobelOptions& options,
           gpu::StreamHandle stream) {
  validate(src, dst, options);
  detail::sobel::sobel_cuda(src, dst, detail::sobel::options_for(src, options), stream);
}

void sobel(std::span<const ConstHostView> src, std::span<const HostView> dst,
           const SobelOptions& options) {
  const SobelOptions said = validate(src, dst, options);
  detail::for_each_image(src, [&](auto i) { detail::sobel::sobel_cpu(src[i], dst[i], said); });
}

void sobel(std::span<const ConstDeviceView> src, std::span<const DeviceView> dst,
           const SobelOptions& options, gpu::StreamHandle stream) {
  const SobelOptions said = validate(src, dst, options);
  detail::sobel::sobel_cuda(src, dst, said, stream);
}

std::span<const ElementType> sobel_dst_types(ElementType src, SobelOutput output) {
  using enum ElementType;
  static constexpr std::array magnitude_of_u8 = {u8, u16};
  static constexpr std::array i16_only = {i16};
  static constexpr std::array magnitude_of_u16 = {u32, u16};
  static constexpr std::array i32_only = {i32};
  static constexpr std::array f32_only = {f32};
  const bool magnitude = output == SobelOutput::magnitude;
  switch (src) {
    case u8:
      if (magnitude) return magnitude_of_u8;
      return i16_only;
    case u16:
      if (magnitude) return magnitude_of_u16;
      return i32_only;
    case f32: return f32_only;
    case i16:
    case u32:
    case i32:
    case ElementType::f16:
    case ElementType::bf16: return {};
  }
  __builtin_unreachable();
}

}  // namespace warpwise
