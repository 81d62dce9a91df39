#include <cmath>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/algorithms/chain/launch.hpp"
#include "warpwise/primitives/sobel/backends.hpp"
#include "warpwise/primitives/threshold/backends.hpp"

// The single steps of a chain, and the conditions under which the fused kernel replaces them.
namespace warpwise::detail::chain {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

/// Throws if the format's order of colours differs from the view's order.
void require_order(PixelFormat from, std::optional<ChannelOrder> order) {
  const std::optional<ChannelOrder> wanted = colour_order(from);
  if (!wanted || !order || wanted == order) return;
  throw InvalidArgument("chain: convert() is told to read " + std::string(name_of(from)) +
                        ", but the colours of its image are in the order " +
                        std::string(name_of(*order)));
}

template <class View, class... Stream>
void call(const ChainStep& step, const auto& src, const View& dst, Stream... stream) {
  using Source = std::remove_cvref_t<decltype(src)>;
  constexpr Memory memory = std::is_same_v<Source, ConstHostView> ? Memory::host : Memory::device;
  std::visit(
      Overloaded{
          [&](const ChainConvert& convert_step) {
            require_order(convert_step.from, src.order());
            warpwise::convert(BasicFrame<memory, Access::read>(convert_step.from, src),
                              BasicFrame<memory, Access::read_write>(convert_step.to, dst),
                              convert_step.options, stream...);
          },
          [&](const SobelOptions& options) { warpwise::sobel(src, dst, options, stream...); },
          [&](const ThresholdOptions& options) {
            warpwise::threshold(src, dst, options, stream...);
          }},
      step);
}

bool is_colour(PixelFormat format) {
  return format == PixelFormat::rgb24 || format == PixelFormat::bgr24;
}

/// Returns true if convert() gives the grey that sobel() itself computes from colours.
bool gives_sobels_grey(const ChainConvert& step) {
  return is_colour(step.from) && step.to == PixelFormat::gray8 &&
         step.options.convention == Convention::opencv && !step.options.gray_is_luma;
}

}  // namespace

Pixels result_of(const ChainStep& step, Pixels from) {
  if (const auto* convert_step = std::get_if<ChainConvert>(&step)) {
    return {ElementType::u8, static_cast<int>(plane_row_bytes(convert_step->to, 0, 2) / 2),
            colour_order(convert_step->to)};
  }
  if (const auto* options = std::get_if<SobelOptions>(&step)) {
    const auto types = sobel_dst_types(from.type, options->output);
    return {types.empty() ? from.type : types.front(), 1};
  }
  return from;
}

std::int64_t halo_of(const ChainStep& step) {
  return std::visit(Overloaded{[](const ChainConvert&) { return std::int64_t{0}; },
                               [](const SobelOptions&) { return std::int64_t{1}; },
                               [](const ThresholdOptions& options) { return options.window / 2; }},
                    step);
}

void run_step(const ChainStep& step, ConstHostView src, HostView dst) { call(step, src, dst); }

void run_step(const ChainStep& step, ConstDeviceView src, DeviceView dst,
              gpu::StreamHandle stream) {
  call(step, src, dst, stream);
}

void run_rows(const ChainStep& step, ConstHostView src, HostView dst, std::int64_t first) {
  std::visit(Overloaded{[&](const ChainConvert&) {
                          run_step(step, src.sub_view(0, first, src.width(), dst.height()), dst);
                        },
                        [&](const SobelOptions& options) {
                          sobel::sobel_cpu(src, dst, sobel::options_for(src, options), first);
                        },
                        [&](const ThresholdOptions& options) {
                          if (options.method == ThresholdMethod::gaussian) {
                            threshold::threshold_cpu(
                                src, dst, threshold::gaussian_rule(options, src.type()), {}, first);
                          } else {
                            threshold::threshold_cpu(
                                src, dst, threshold::window_rule(options, src.type()), {}, first);
                          }
                        }},
             step);
}

std::vector<ChainStep> without_grey(std::span<const ChainStep> steps) {
  if (steps.size() > 1) {
    const auto* grey = std::get_if<ChainConvert>(&steps[0]);
    const auto* gradient = std::get_if<SobelOptions>(&steps[1]);
    if (grey != nullptr && gradient != nullptr && gives_sobels_grey(*grey)) {
      std::vector<ChainStep> others(steps.begin() + 1, steps.end());
      std::get<SobelOptions>(others[0]).channels = *colour_order(grey->from);
      return others;
    }
  }
  return {steps.begin(), steps.end()};
}

std::optional<kernels::chain::ChainRule> fused_rule(std::span<const ChainStep> steps,
                                                    std::optional<ChannelOrder> order) {
  const bool converts = steps.size() == 3;
  if (converts) {
    const auto* grey = std::get_if<ChainConvert>(&steps[0]);
    if (grey == nullptr || !gives_sobels_grey(*grey)) return {};
    order = colour_order(grey->from);
    steps = steps.subspan(1);
  }
  if (steps.size() != 2) return {};
  const auto* gradient = std::get_if<SobelOptions>(&steps[0]);
  const auto* cut = std::get_if<ThresholdOptions>(&steps[1]);
  if (gradient == nullptr || cut == nullptr) return {};
  if (gradient->output != SobelOutput::magnitude || gradient->norm != Norm::l1 ||
      gradient->kernel != SobelKernel::sobel) {
    return {};
  }
  if (cut->method == ThresholdMethod::gaussian || cut->window < 1 ||
      cut->window > Chain::max_fused_window || !std::isfinite(cut->offset)) {
    return {};
  }

  const threshold::WindowRule rule = threshold::window_rule(*cut, ElementType::u8);
  constexpr unsigned red = 2 * 9798, green = 2 * 19235, blue = 2 * 3735;
  const bool red_first = order.value_or(gradient->channels) == ChannelOrder::rgb;
  return kernels::chain::ChainRule{.grey_first = (red_first ? red : blue) | green << 16,
                                   .grey_third = red_first ? blue : red,
                                   .mirrored = gradient->border == Border::reflect101,
                                   .zero = gradient->border == Border::constant,
                                   .half = static_cast<int>(rule.half),
                                   .area = static_cast<int>(rule.area),
                                   .bias = static_cast<int>(rule.bias),
                                   .above = rule.values.above * 0x01010101,
                                   .below = rule.values.below * 0x01010101};
}

bool takes_views(ConstDeviceView src, DeviceView dst) {
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  constexpr std::int64_t pixels = kernels::chain::chain_pixels;
  const auto at_multiples_of_8 = [](const auto& view) {
    return reinterpret_cast<std::uintptr_t>(view.data()) % 8 == 0 && view.pitch_bytes() % 8 == 0 &&
           view.pitch_bytes() <= longest;
  };
  return src.type() == ElementType::u8 && src.channels() == 3 && at_multiples_of_8(src) &&
         at_multiples_of_8(dst) && src.width() % pixels == 0 && src.width() <= longest &&
         src.height() <= longest;
}

bool is_faster(const kernels::chain::ChainRule& rule, std::span<const DeviceView> dst) {
  // Measured on an H200: the fused kernel is faster if a warp's segment is at least two windows
  // high, with five warps for each scheduler.
  constexpr std::int64_t warps_at_once = 5 * schedulers, always_faster = 3;
  const std::int64_t window = 2 * rule.half + 1;
  return window <= always_faster || rows_of_strips(dst, rule.half) >= 2 * window * warps_at_once;
}

}  // namespace warpwise::detail::chain
