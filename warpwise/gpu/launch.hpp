#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/error.hpp"

// Grid arithmetic for launches, within the limits that all GPUs since CC 3.0 share.
namespace warpwise::gpu {

/// Blocks of `per_block` items that cover `items`.
constexpr std::int64_t blocks_for(std::int64_t items, std::int64_t per_block) {
  return (items + per_block - 1) / per_block;
}

/// A grid's x dimension. \throws InvalidArgument  beyond the 2^31 - 1 that a GPU takes.
inline unsigned grid_x(std::int64_t blocks) {
  if (blocks > 0x7fffffff) {
    throw InvalidArgument("an image row that needs " + std::to_string(blocks) +
                          " blocks is wider than a GPU grid");
  }
  return static_cast<unsigned>(blocks);
}

/// A grid's y (or z) dimension, capped at 65535: the kernel strides by gridDim.y over the rest.
constexpr unsigned grid_y(std::int64_t blocks) {
  return static_cast<unsigned>(std::min<std::int64_t>(blocks, 65535));
}

}  // namespace warpwise::gpu
