#include <algorithm>

#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/match/backends.hpp"
#include "warpwise/primitives/match/kernel.cuh"

namespace warpwise::detail {
namespace {

using gpu::blocks_for;

static_assert(kernels::match_none == no_match);

// What every GPU gives a thread block without being asked, less what the kernel declares itself.
constexpr std::int64_t shared_bytes = 48 * 1024 - 256;
// Wider tiles than this gain nothing and leave no room for the block.
constexpr std::int64_t max_tile_groups_x = 64;
// Parts of a block: narrower and lower ones load the area around them too often.
constexpr std::int64_t part_widths[] = {256, 128, 64};
constexpr std::int64_t good_part_height = 32;

/// `total` in equal pieces of at most `most`.
std::int64_t piece_of(std::int64_t total, std::int64_t most) {
  return blocks_for(total, blocks_for(total, most));
}

void choose_tile(kernels::MatchArguments& a) {
  const std::int64_t groups_x = blocks_for(a.last_x - a.first_x + 1, kernels::match_group);
  const std::int64_t groups_y = blocks_for(a.last_y - a.first_y + 1, kernels::match_group);
  const std::int64_t tile_x = piece_of(groups_x, max_tile_groups_x);
  a.tile_groups_x = static_cast<int>(tile_x);
  a.tile_groups_y = static_cast<int>(piece_of(groups_y, kernels::match_max_threads / tile_x));
}

/// Words from a row of the area to the next: the rows of neighbouring groups, four rows apart, fall
/// side by side into the 32 banks.
std::int64_t area_pitch(const kernels::MatchArguments& a, std::int64_t block_words) {
  std::int64_t pitch = block_words + a.tile_groups_x;
  while (pitch % 8 != blocks_for(a.tile_groups_x, 4) % 8) ++pitch;
  return pitch;
}

/// How many rows of a part of the block fit shared memory with the area around them.
std::int64_t rows_that_fit(const kernels::MatchArguments& a, std::int64_t block_words) {
  const std::int64_t pitch = area_pitch(a, block_words);
  const std::int64_t words =
      shared_bytes / 4 - pitch * (kernels::match_group * a.tile_groups_y - 1);
  return std::max<std::int64_t>(words / (pitch + block_words), 0);
}

/// Returns the bytes of shared memory.
std::int64_t choose_part(kernels::MatchArguments& a) {
  const std::int64_t height = a.block_height;
  std::int64_t width = a.block_width;
  for (const std::int64_t narrower : part_widths) {
    if (rows_that_fit(a, blocks_for(width, 4)) >= std::min(height, good_part_height)) break;
    width = std::min(width, narrower);
  }
  const std::int64_t words = blocks_for(width, 4);
  a.part_width = static_cast<int>(width);
  a.part_height = static_cast<int>(piece_of(height, std::min(height, rows_that_fit(a, words))));
  a.area_pitch = static_cast<int>(area_pitch(a, words));
  return 4 *
         (words * a.part_height + std::int64_t{a.area_pitch} *
                                      (a.part_height + kernels::match_group * a.tile_groups_y - 1));
}

template <Measure measure>
void launch(dim3 grid, unsigned threads, std::int64_t shared, gpu::StreamHandle stream,
            const kernels::MatchArguments& arguments) {
  kernels::match_kernel<measure>
      <<<grid, threads, static_cast<std::size_t>(shared), stream>>>(arguments);
  gpu::check_launch("match_kernel");
}

}  // namespace

void match_cuda(ConstDeviceView reference, ConstDeviceView target, DeviceView displacement,
                const MatchOptions& options, std::optional<DeviceView> score,
                gpu::StreamHandle stream) {
  gpu::require_device();
  kernels::MatchArguments arguments{};
  arguments.reference = reinterpret_cast<const unsigned char*>(reference.data());
  arguments.target = reinterpret_cast<const unsigned char*>(target.data());
  arguments.displacement = reinterpret_cast<unsigned char*>(displacement.data());
  arguments.score = score ? reinterpret_cast<unsigned char*>(score->data()) : nullptr;
  arguments.reference_pitch = reference.pitch_bytes();
  arguments.target_pitch = target.pitch_bytes();
  arguments.displacement_pitch = displacement.pitch_bytes();
  arguments.score_pitch = score ? score->pitch_bytes() : 0;
  arguments.width = reference.width();
  arguments.height = reference.height();
  arguments.rows = displacement.height();
  arguments.stride_x = options.stride_x;
  arguments.stride_y = options.stride_y;
  arguments.block_width = static_cast<int>(options.block_width);
  arguments.block_height = static_cast<int>(options.block_height);
  arguments.first_x = options.search_x.first;
  arguments.last_x = options.search_x.last;
  arguments.first_y = options.search_y.first;
  arguments.last_y = options.search_y.last;
  arguments.skip_outside = options.border == MatchBorder::skip;
  choose_tile(arguments);
  const std::int64_t shared = choose_part(arguments);
  const auto threads = static_cast<unsigned>(
      blocks_for(std::int64_t{arguments.tile_groups_x} * arguments.tile_groups_y, 32) * 32);
  const dim3 grid(gpu::grid_x(displacement.width()), gpu::grid_y(displacement.height()));
  switch (options.measure) {
    case Measure::sad: return launch<Measure::sad>(grid, threads, shared, stream, arguments);
    case Measure::ssd: return launch<Measure::ssd>(grid, threads, shared, stream, arguments);
    case Measure::ncc: return launch<Measure::ncc>(grid, threads, shared, stream, arguments);
    case Measure::zncc: return launch<Measure::zncc>(grid, threads, shared, stream, arguments);
  }
}

}  // namespace warpwise::detail
