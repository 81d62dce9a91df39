#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/error.hpp"

// Describes launches as data, and computes grids within the limits of all GPUs since CC 3.0.
namespace warpwise::gpu {

/// Returns the number of blocks of `per_block` items that cover `items`.
constexpr std::int64_t blocks_for(std::int64_t items, std::int64_t per_block) {
  return (items + per_block - 1) / per_block;
}

/// Returns a grid's x dimension. \throws InvalidArgument  more blocks than a GPU's 2^31 - 1.
inline unsigned grid_x(std::int64_t blocks) {
  if (blocks > 0x7fffffff) {
    throw InvalidArgument("an image row that needs " + std::to_string(blocks) +
                          " blocks is wider than a GPU grid");
  }
  return static_cast<unsigned>(blocks);
}

/// Returns a grid's y (or z) dimension, capped at 65535: the kernel strides by gridDim.y over the
/// rest.
constexpr unsigned grid_y(std::int64_t blocks) {
  return static_cast<unsigned>(std::min<std::int64_t>(blocks, 65535));
}

/// The blocks of a grid, or the threads of a block.
struct Shape {
  unsigned x = 1;
  unsigned y = 1;
};

/// Offsets of a kernel's parameters in its parameter block. Each parameter follows the one before,
/// at a multiple of its own alignment.
template <class... Values>
struct ParameterLayout {
  struct Places {
    std::array<std::size_t, sizeof...(Values)> offset{};
    std::size_t bytes = 0;
  };
  static constexpr Places places = [] {
    Places made;
    std::size_t i = 0;
    const auto place = [&](std::size_t size, std::size_t alignment) {
      made.offset[i] = (made.bytes + alignment - 1) / alignment * alignment;
      made.bytes = made.offset[i++] + size;
    };
    // NOLINTNEXTLINE(bugprone-sizeof-expression): a parameter may be a pointer
    (place(sizeof(Values), alignof(Values)), ...);
    return made;
  }();
};

/// The values of a kernel's parameters as bytes, without heap memory.
class Parameters {
 public:
  static constexpr std::size_t most_bytes = 256;

  Parameters() {}  // NOLINT: bytes without a parameter are never read

  /// Packs values in the order and of the types of the kernel's parameters.
  template <class... Values>
  static Parameters of(Values... values) {
    constexpr auto places = ParameterLayout<Values...>::places;
    static_assert(places.bytes <= most_bytes);
    static_assert((std::is_trivially_copyable_v<Values> && ...));
    Parameters made;
    made.size_ = places.bytes;
    std::memset(made.bytes_, 0, made.size_);
    std::size_t i = 0;
    (made.put(places.offset[i++], values), ...);
    return made;
  }

  std::span<const std::byte> bytes() const { return {bytes_, size_}; }

 private:
  template <class Value>
  void put(std::size_t at, Value& value) {
#if __has_builtin(__builtin_clear_padding)
    // Clears padding, so that equal parameters are equal bytes.
    if constexpr (std::is_class_v<Value>) __builtin_clear_padding(&value);
#endif
    // NOLINTNEXTLINE(bugprone-sizeof-expression): likewise
    std::memcpy(bytes_ + at, &value, sizeof(Value));
  }

  alignas(16) std::byte bytes_[most_bytes];
  std::size_t size_ = 0;
};

/// One launch of one kernel. `Kernel` is an enum or a structure that identifies a kernel and its
/// template arguments. The library maps it to a function, and the laboratory to a kernel's name.
template <class Kernel>
struct Launch {
  Kernel kernel;
  Shape grid;
  Shape block;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory
  Parameters parameters;
};

/// Launches that run one after the other, without heap memory.
template <class Kernel, std::size_t most>
class Launches {
 public:
  void add(const Launch<Kernel>& launch) {
    if (count_ == most) throw Error("more launches than " + std::to_string(most));
    launches_[count_++] = launch;
  }
  const Launch<Kernel>* begin() const { return launches_.data(); }
  const Launch<Kernel>* end() const { return launches_.data() + count_; }

 private:
  std::array<Launch<Kernel>, most> launches_;
  std::size_t count_ = 0;
};

}  // namespace warpwise::gpu
