#include "warpwise/emulator/instructions/matrices/warpgroup_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/observe/sets.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {
namespace {

constexpr int rows_of_warp = 16;
constexpr int most_columns = 256;
using tensor::most_depth;
constexpr int matrix_piece_bytes = 16;

int bytes_of(Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16: return 2;
    case Element::tf32: return 4;
    default: return 1;
  }
}

/// A decoded matrix descriptor. The first three members are in bytes.
struct Descriptor {
  std::uint64_t start = 0;
  std::uint64_t leading = 0;
  std::uint64_t stride = 0;
  std::uint64_t base_offset = 0;
  std::uint32_t swizzled_bytes = 0;

  explicit Descriptor(std::uint64_t bits) {
    const auto field = [&](int at) { return (bits >> at & 0x3fff) * matrix_piece_bytes; };
    start = field(0);
    leading = field(16);
    stride = field(32);
    base_offset = bits >> 49 & 7;
    constexpr std::array<std::uint32_t, 4> widths = {0, 128, 64, 32};
    swizzled_bytes = widths[bits >> 62];
  }

  /// Returns the address of a 16-byte piece of one row of A (or one column of B). `group` is the
  /// number of the piece along the depth.
  std::uint64_t along_depth(int row, int group) const {
    const auto r = static_cast<std::uint64_t>(row);
    const auto g = static_cast<std::uint64_t>(group);
    const std::uint64_t pitch = swizzled_bytes == 0 ? matrix_piece_bytes : swizzled_bytes;
    const std::uint64_t step = swizzled_bytes == 0 ? leading : matrix_piece_bytes;
    return swizzled(start + r % 8 * pitch + r / 8 * stride + g * step, swizzled_bytes);
  }

  /// Returns the address of a 16-byte piece across the depth: the elements at depth k of the rows
  /// 8 * group to 8 * group + 7 of A (or of those columns of B).
  std::uint64_t across_depth(int group, int k) const {
    const auto g = static_cast<std::uint64_t>(group);
    const auto at = static_cast<std::uint64_t>(k);
    if (swizzled_bytes == 0)
      return start + g * stride + at % 8 * matrix_piece_bytes + at / 8 * leading;
    const std::uint64_t in_row = swizzled_bytes / matrix_piece_bytes;
    return swizzled(start + g % in_row * matrix_piece_bytes + g / in_row * leading +
                        at % 8 * swizzled_bytes + at / 8 * stride,
                    swizzled_bytes);
  }
};

/// Returns the exponent of the smallest normal number.
int smallest_exponent(Element element) {
  switch (element) {
    case Element::f16:
    case Element::e5m2: return -14;
    case Element::e4m3: return -6;
    default: return -126;
  }
}

/// The matrices of a product.
struct Matrices {
  alignas(64) std::array<float, rows_of_warp * most_depth> a;
  alignas(64) std::array<float, most_columns * most_depth> b;
  alignas(64) std::array<float, rows_of_warp * most_columns> sums;
  alignas(64) std::array<std::int32_t, rows_of_warp * most_columns> integers;
};

/// Computes one warp's part of a product.
template <class Observers>
class Product {
 public:
  Product(Warp& warp, const Operation& op)
      : warp_(warp), op_(op), flags_(flags_of<WarpgroupProductFlags>(op)),
        columns_(8 * static_cast<int>(flags_.eight_columns)),
        registers_(flags_.half_result != 0 ? columns_ / 4 : columns_ / 2),
        of_a_(list_of(warp, op) + registers_), of_b_(of_a_ + (flags_.a_in_registers != 0 ? 4 : 1)),
        depth_(2 * matrix_piece_bytes / bytes_of(flags_.a)) {}

  void run() {
    // Each CPU thread has its own buffers, because several workers compute at once.
    static thread_local Matrices m;
    flags_.a_in_registers != 0 ? read_registers(m.a.data()) : read_a(m.a.data());
    read_matrix(m.b.data(), descriptor_at(of_b_[0]), 0, columns_, flags_.b,
                flags_.b_transposed != 0);
    negate(flags_.b_negated != 0, m.b.data(), columns_);
    const bool adds = (predicate(warp_, of_b_[1]) & warp_.active) != 0;
    const tensor::ProductSize size{rows_of_warp, columns_, depth_};
    const int blocks = columns_ / 4;
    const std::int32_t* d = list_of(warp_, op_);
    if (flags_.a == Element::s8 || flags_.a == Element::u8) {
      adds ? tensor::read_sums(warp_, d, blocks, m.integers.data()) : m.integers.fill(0);
      tensor::matrix_loops().add_integers(size, m.a.data(), m.b.data(), m.integers.data(),
                                          flags_.saturate != 0);
      return tensor::write_sums(warp_, d, blocks, m.integers.data());
    }
    const bool halves = flags_.half_result != 0;
    if (!adds)
      m.sums.fill(0);
    else
      halves ? tensor::read_halves(warp_, d, blocks, m.sums.data())
             : tensor::read_sums(warp_, d, blocks, m.sums.data());
    const bool is_narrow = flags_.a == Element::e4m3 || flags_.a == Element::e5m2;
    tensor::matrix_loops().add_floats({.size = size,
                                       .a = m.a.data(),
                                       .b = m.b.data(),
                                       .sums = m.sums.data(),
                                       .smallest_of_a = smallest_exponent(flags_.a),
                                       .smallest_of_b = smallest_exponent(flags_.b),
                                       .fraction_bits = is_narrow ? 13 : 25,
                                       .finish = halves      ? tensor::Finish::to_odd
                                                 : is_narrow ? tensor::Finish::truncate_more
                                                             : tensor::Finish::truncate});
    halves ? tensor::write_halves(warp_, d, blocks, m.sums.data())
           : tensor::write_sums(warp_, d, blocks, m.sums.data());
  }

 private:
  Descriptor descriptor_at(std::int32_t operand) {
    const auto* bits = source<std::uint64_t>(warp_, operand);
    const int lane = std::countr_zero(warp_.active);
    const Descriptor descriptor(bits[lane]);
    if (descriptor.base_offset != 0) {
      record_fault(warp_, op_, FaultKind::misaligned, lane,
                   "a matrix descriptor with a base offset, which the emulator does not support");
    }
    return descriptor;
  }

  void read_a(float* a) {
    const int first = static_cast<int>(warp_.index % 4) * rows_of_warp;
    read_matrix(a, descriptor_at(of_a_[0]), first, rows_of_warp, flags_.a,
                flags_.a_transposed != 0);
    negate(flags_.a_negated != 0, a, rows_of_warp);
  }

  void read_registers(float* a) const {
    tensor::unpack_registers(warp_, of_a_, flags_.a, rows_of_warp, depth_, 4, true, a);
    negate(flags_.a_negated != 0, a, rows_of_warp);
  }

  void negate(bool negated, float* values, int lines) const {
    if (!negated) return;
    for (int i = 0; i < lines * depth_; ++i) values[i] = -values[i];
  }

  /// Reads rows of A, or columns of B, from shared memory. Each request reads 32 pieces of 16
  /// bytes, as if each piece belonged to a lane.
  void read_matrix(float* to, const Descriptor& from, int first, int count, Element element,
                   bool transposed) {
    using Piece = std::array<std::uint32_t, matrix_piece_bytes / sizeof(std::uint32_t)>;
    alignas(64) static thread_local std::array<Piece, 2 * most_columns> memory;
    // A row consists of two pieces, one behind the other along the depth. If the matrix is
    // transposed, each piece holds one element of eight rows, all at the same depth.
    const int pieces = transposed ? count / 8 * depth_ : count * 2;
    const int groups = transposed ? depth_ : 2;
    alignas(64) std::uint64_t addresses[warp_lanes];
    for (int done = 0; done < pieces; done += warp_lanes) {
      const int now = std::min(warp_lanes, pieces - done);
      for (int i = 0; i < warp_lanes; ++i) {
        const int p = done + std::min(i, now - 1);
        addresses[i] = transposed ? from.across_depth(first / 8 + p / groups, p % groups)
                                  : from.along_depth(first + p / groups, p % groups);
      }
      const Mask lanes = now == warp_lanes ? all_lanes : (Mask{1} << now) - 1;
      const Request request{
          Space::shared, AccessKind::load,     matrix_piece_bytes, addresses, lanes,
          false,         Asynchronous::product};
      // The site is -1 because the matrix unit's reads are no requests of the load and store unit.
      serve<Observers>(warp_, op_, -1, request, [&](const Resolved& place) {
        for (int i = 0; i < now; ++i) {
          Piece& piece = memory[static_cast<std::size_t>(done + i)];
          piece = {};
          if ((place.valid >> i & 1) != 0)
            std::memcpy(piece.data(), place.base + place.at[i], matrix_piece_bytes);
        }
      });
    }
    if (!transposed) {
      for (int line = 0; line < count; line += tensor::group_lines) {
        for (const int half : {0, 1})
          tensor::matrix_loops().unpack(
              element, memory[static_cast<std::size_t>(2 * line + half)].data(), 8,
              to + tensor::place_in_groups(line, half * depth_ / 2, depth_));
      }
      return;
    }
    // Each piece holds the elements of eight lines at one depth. The order of the pieces is that of
    // matrix_sum.hpp: by groups of eight lines, and within a group by depth.
    for (int i = 0; i < pieces; ++i) {
      const auto* small =
          reinterpret_cast<const std::uint16_t*>(memory[static_cast<std::size_t>(i)].data());
      float* const line = to + i * tensor::group_lines;
      if (element == Element::f16) {
        tensor::matrix_loops().from_halves(small, tensor::group_lines, line);
      } else {
        for (int e = 0; e < tensor::group_lines; ++e)
          line[e] = std::bit_cast<float>(std::uint32_t{small[e]} << 16);
      }
    }
  }

  Warp& warp_;
  const Operation& op_;
  WarpgroupProductFlags flags_;
  int columns_;
  int registers_;
  const std::int32_t* of_a_;
  const std::int32_t* of_b_;
  int depth_;
};

template <class Observers>
void warpgroup_product(Warp& warp, const Operation& op) {
  Product<Observers>(warp, op).run();
}

}  // namespace

Handler warpgroup_product_handler(ObserverSet observers) {
  return with_observers(observers, [](auto set) -> Handler {
    return warpgroup_product<typename decltype(set)::type>;
  });
}

}  // namespace warpwise::emulator
