#include "warpwise/primitives/match/match.hpp"

#include <array>

#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

constexpr std::int64_t max_stride = std::int64_t{1} << 31;

MatchOptions with_strides(MatchOptions options) {
  if (options.stride_x == 0) options.stride_x = options.block_width;
  if (options.stride_y == 0) options.stride_y = options.block_height;
  return options;
}

void validate_search_range(const char* axis, SearchRange range) {
  if (range.first > range.last || range.first < -max_match_displacement ||
      range.last > max_match_displacement) {
    throw InvalidArgument("match: the search range along " + std::string(axis) + " is " +
                          std::to_string(range.first) + " to " + std::to_string(range.last) +
                          "; it must ascend within -" + std::to_string(max_match_displacement) +
                          " to " + std::to_string(max_match_displacement));
  }
}

void validate_options(const MatchOptions& options) {
  const std::int64_t width = options.block_width;
  const std::int64_t height = options.block_height;
  if (width < 1 || height < 1 || width > max_match_block_pixels ||
      height > max_match_block_pixels || width * height > max_match_block_pixels) {
    throw InvalidArgument("match: a block of " + detail::size_text(width, height) +
                          " pixels; it must have 1 to " + std::to_string(max_match_block_pixels));
  }
  if (options.stride_x < 0 || options.stride_y < 0 || options.stride_x > max_stride ||
      options.stride_y > max_stride) {
    throw InvalidArgument("match: strides of " + std::to_string(options.stride_x) + " and " +
                          std::to_string(options.stride_y) +
                          "; each must be 0 (the block's size) to 2^31");
  }
  validate_search_range("x", options.search_x);
  validate_search_range("y", options.search_y);
  detail::require_enumerator("match", "measure", options.measure,
                             std::array{Measure::sad, Measure::ssd, Measure::ncc, Measure::zncc});
  detail::require_enumerator("match", "border", options.border,
                             std::array{MatchBorder::skip, MatchBorder::replicate});
}

template <class Output>
void validate_output(const char* which, const Output& output, MatchGrid grid, ElementType type,
                     int channels) {
  detail::require_type("match", which, output, type, channels);
  if (output.width() != grid.columns || output.height() != grid.rows) {
    throw InvalidArgument("match: " + std::string(which) + " is " +
                          detail::size_text(output.width(), output.height()) +
                          ", the grid of blocks is " + detail::size_text(grid.columns, grid.rows));
  }
}

/// Returns the options with their strides resolved.
template <class Input, class Output>
MatchOptions validate(const Input& reference, const Input& target, const Output& displacement,
                      const MatchOptions& options, const std::optional<Output>& score) {
  detail::require_type("match", "reference", reference, ElementType::u8, 1);
  detail::require_type("match", "target", target, ElementType::u8, 1);
  if (reference.width() != target.width() || reference.height() != target.height()) {
    throw InvalidArgument("match: reference is " +
                          detail::size_text(reference.width(), reference.height()) +
                          ", target is " + detail::size_text(target.width(), target.height()) +
                          "; they must be of one size");
  }
  const MatchGrid grid = match_grid(reference.width(), reference.height(), options);
  validate_output("displacement", displacement, grid, ElementType::i16, 2);
  detail::require_disjoint("match", reference, displacement);
  detail::require_disjoint("match", target, displacement);
  if (score) {
    validate_output("score", *score, grid, match_score_type(options.measure), 1);
    detail::require_disjoint("match", reference, *score);
    detail::require_disjoint("match", target, *score);
    detail::require_disjoint("match", displacement, *score);
  }
  return with_strides(options);
}

}  // namespace

MatchGrid match_grid(std::int64_t width, std::int64_t height, const MatchOptions& options) {
  validate_options(options);
  if (width < options.block_width || height < options.block_height) {
    throw InvalidArgument("match: an image of " + detail::size_text(width, height) +
                          " is smaller than one block of " +
                          detail::size_text(options.block_width, options.block_height));
  }
  const MatchOptions resolved = with_strides(options);
  return {(width - resolved.block_width) / resolved.stride_x + 1,
          (height - resolved.block_height) / resolved.stride_y + 1};
}

void match(ConstHostView reference, ConstHostView target, HostView displacement,
           const MatchOptions& options, std::optional<HostView> score) {
  const MatchOptions resolved = validate(reference, target, displacement, options, score);
  detail::match::match_cpu(reference, target, displacement, resolved, score);
}

void match(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
           const MatchOptions& options, std::optional<DeviceView> score, gpu::StreamHandle stream) {
  const MatchOptions resolved = validate(reference, target, displacement, options, score);
  detail::match::match_cuda(reference, target, displacement, resolved, score, stream);
}

void match(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
           const MatchOptions& options, gpu::StreamHandle stream) {
  match(reference, target, displacement, options, std::nullopt, stream);
}

}  // namespace warpwise
