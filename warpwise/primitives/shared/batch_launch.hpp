#pragma once

// Internal to Warpwise's CUDA sources: this header needs the CUDA toolkit.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "warpwise/gpu/allow_shared.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/handles.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/shared/batch.cuh"

namespace warpwise::detail {

/// An image of a batch, and its numbers of blocks in x and y.
template <class Image>
struct BatchImage {
  Image image;
  std::int64_t across;
  std::int64_t down;
};

/// Returns true if pitches and sizes fit the 32-bit numbers of a batch.
template <class... Numbers>
bool fit_batch(Numbers... numbers) {
  return ((numbers <= std::numeric_limits<int>::max()) && ...);
}

/// Launches all images, up to Batch::most in each launch. Allocates nothing.
///
/// \param describe  describe(i): returns image i as std::optional<BatchImage<Image>>, or nullopt
///                  if one of its numbers does not fit 32 bits
/// \param alone     alone(i): launches image i by itself, if it or its blocks do not fit 32 bits
template <class Rule, class Image, class Describe, class Alone>
void start_batches(void (*kernel)(kernels::Batch<Rule, Image>), const Rule& rule, std::size_t count,
                   gpu::Shape block, const Describe& describe, const Alone& alone, const char* name,
                   gpu::StreamHandle stream, std::size_t shared_bytes = 0) {
  using Batch = kernels::Batch<Rule, Image>;
  static_assert(sizeof(Batch) <= 4096);
  constexpr std::int64_t most_blocks = std::numeric_limits<int>::max();
  constexpr std::int64_t most_down = 65535;  // largest y of a grid
  gpu::allow_shared(reinterpret_cast<const void*>(kernel), shared_bytes, name);
  Batch batch{};
  batch.rule = rule;
  std::int64_t blocks = 0, across = 0, down = 0;
  const auto start = [&] {
    if (batch.images == 0) return;
    const dim3 grid = batch.alike ? dim3(static_cast<unsigned>(across), static_cast<unsigned>(down),
                                         static_cast<unsigned>(batch.images))
                                  : dim3(static_cast<unsigned>(blocks));
    kernel<<<grid, dim3(block.x, block.y), shared_bytes, stream>>>(batch);
    gpu::check_launch(name);
    batch.images = 0;
    blocks = 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<BatchImage<Image>> next = describe(i);
    if (!next || next->across > most_blocks / next->down) {
      alone(i);
      continue;
    }
    const std::int64_t own = next->across * next->down;
    if (batch.images == Batch::most || blocks > most_blocks - own) start();
    if (batch.images == 0) {
      across = next->across;
      down = next->down;
      batch.alike = down <= most_down;
    }
    batch.alike = batch.alike && next->across == across && next->down == down;
    batch.first_block[batch.images] = static_cast<int>(blocks);
    batch.blocks_across[batch.images] = static_cast<int>(next->across);
    batch.image[batch.images++] = next->image;
    blocks += own;
  }
  start();
}

}  // namespace warpwise::detail
