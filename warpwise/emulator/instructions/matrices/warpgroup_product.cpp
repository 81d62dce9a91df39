#include "warpwise/emulator/instructions/matrices/warpgroup_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/execute/access.hpp"
#include "warpwise/emulator/execute/faults.hpp"
#include "warpwise/emulator/instructions/lanes/narrow_floats.hpp"
#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/matrices/fragments.hpp"
#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"
#include "warpwise/emulator/observe/sets.hpp"
#include "warpwise/emulator/tensor_map.hpp"

namespace warpwise::emulator {
namespace {

constexpr int rows_of_warp = 16;
constexpr int most_columns = 256;
constexpr int most_depth = 32;
constexpr int matrix_piece_bytes = 16;

int bytes_of(Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16: return 2;
    case Element::tf32: return 4;
    default: return 1;
  }
}

/// A decoded matrix descriptor, in bytes.
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

  /// Returns the address of the piece with elements of one row of A (or column of B): the
  /// `group`-th piece along the depth.
  std::uint64_t along_depth(int row, int group) const {
    const auto r = static_cast<std::uint64_t>(row);
    const auto g = static_cast<std::uint64_t>(group);
    const std::uint64_t pitch = swizzled_bytes == 0 ? matrix_piece_bytes : swizzled_bytes;
    const std::uint64_t step = swizzled_bytes == 0 ? leading : matrix_piece_bytes;
    return swizzled(start + r % 8 * pitch + r / 8 * stride + g * step, swizzled_bytes);
  }

  /// Returns the address of the piece with eight neighbouring rows of A (or columns of B), the
  /// `group`-th eight, at depth k.
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

float value_of(std::uint32_t bits, Element element) {
  switch (element) {
    case Element::f16: return to_float(Float16{static_cast<std::uint16_t>(bits)});
    case Element::bf16: return std::bit_cast<float>(bits << 16);
    case Element::tf32: return std::bit_cast<float>(bits & 0xffffe000U);
    case Element::e4m3: return static_cast<float>(narrow_value(bits, e4m3_format));
    case Element::e5m2: return static_cast<float>(narrow_value(bits, e5m2_format));
    case Element::s8: return static_cast<float>(static_cast<std::int8_t>(bits));
    default: return static_cast<float>(bits);  // u8
  }
}

/// Returns the exponent of the smallest normal number.
int smallest_exponent(Element element) {
  switch (element) {
    case Element::f16:
    case Element::e5m2: return -14;
    case Element::e4m3: return -6;
    default: return -126;
  }
}

/// Rows of A, or columns of B: their values, exponents and special rows.
struct Side {
  std::array<std::array<float, most_depth>, most_columns> values;
  std::array<std::array<std::int32_t, most_depth>, most_columns> exponents;
  std::array<bool, most_columns> is_special;

  // Stands for the exponent of zero. A sum with any exponent is below every product's exponent.
  static constexpr std::int32_t no_exponent = -100000;

  void describe(int rows, int depth, int smallest) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      is_special[r] = false;
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
        const float value = values[r][k];
        const auto biased = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 0xff);
        is_special[r] = is_special[r] || biased == 0xff;
        exponents[r][k] = value == 0 ? no_exponent : std::max(biased - 127, smallest);
      }
    }
  }
};

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// Number of bits that a sum of 8-bit floats keeps, below the leading bit of its largest term and in
// its result. It matches the unit of CC 9.0 bit for bit.
constexpr int small_fraction_bits = 13;

/// Returns the number of bits that a sum keeps below its largest term's leading bit: as for mma,
/// see matrix_sum.hpp, or fewer.
int sum_fraction_bits(Element element) {
  return element == Element::e4m3 || element == Element::e5m2 ? small_fraction_bits : 25;
}

/// Truncates a sum to a float of the unit's precision.
float result_of(double sum, int fraction_bits) {
  const float result = tensor::toward_zero(sum);
  if (fraction_bits != small_fraction_bits || !std::isfinite(result)) return result;
  constexpr std::uint32_t lost =
      (1U << (std::numeric_limits<float>::digits - 1 - small_fraction_bits)) - 1;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) & ~lost);
}

double sum_of(const Side& a, std::size_t row, const Side& b, std::size_t column, int depth,
              double c, int fraction_bits) {
  const auto& x = a.values[row];
  const auto& y = b.values[column];
  const auto n = static_cast<std::size_t>(depth);
  std::int32_t largest = c == 0 ? Side::no_exponent : std::max(std::ilogb(c), -126);
  for (std::size_t k = 0; k < n; ++k)
    largest = std::max(largest, a.exponents[row][k] + b.exponents[column][k]);
  if (largest <= Side::no_exponent / 2 || a.is_special[row] || b.is_special[column] ||
      !std::isfinite(c)) {
    double sum = c;  // all terms are zero, or some are not finite
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * y[k];
    return sum;
  }
  const double scale = power_of_two(fraction_bits - largest);
  auto sum = static_cast<std::int64_t>(c * scale);
  for (std::size_t k = 0; k < n; ++k)
    sum += static_cast<std::int32_t>(static_cast<double>(x[k]) * y[k] * scale);
  return static_cast<double>(sum) * power_of_two(largest - fraction_bits);
}

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
    // Buffers of the CPU thread: several workers compute at once.
    static thread_local Side a;
    static thread_local Side b;
    flags_.a_in_registers != 0 ? read_registers(a) : read_a(a);
    read_matrix(b, descriptor_at(of_b_[0]), 0, columns_, flags_.b, flags_.b_transposed != 0,
                flags_.b_negated != 0);
    const bool adds = (predicate(warp_, of_b_[1]) & warp_.active) != 0;
    if (flags_.a == Element::s8 || flags_.a == Element::u8) return multiply_integers(a, b, adds);
    a.describe(rows_of_warp, depth_, smallest_exponent(flags_.a));
    b.describe(columns_, depth_, smallest_exponent(flags_.b));
    multiply_floats(a, b, adds);
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

  void read_a(Side& a) {
    const int first = static_cast<int>(warp_.index % 4) * rows_of_warp;
    read_matrix(a, descriptor_at(of_a_[0]), first, rows_of_warp, flags_.a, flags_.a_transposed != 0,
                flags_.a_negated != 0);
  }

  void read_registers(Side& a) {
    const tensor::Registers registers{warp_, of_a_};
    const int packed = 4 / bytes_of(flags_.a);
    const int bits = 32 / packed;
    for (int lane = 0; lane < warp_lanes; ++lane) {
      for (int reg = 0; reg < 4; ++reg) {
        const std::uint32_t word = registers.word(reg, lane);
        for (int e = 0; e < packed; ++e) {
          const tensor::Place p = tensor::place_in_a(lane, reg, e, packed);
          set(a, p.row, p.column, bits == 32 ? word : word >> (bits * e) & ((1U << bits) - 1),
              flags_.a, flags_.a_negated != 0);
        }
      }
    }
  }

  static void set(Side& side, int row, int k, std::uint32_t bits, Element element, bool negated) {
    const float value = value_of(bits, element);
    side.values[static_cast<std::size_t>(row)][static_cast<std::size_t>(k)] =
        negated ? -value : value;
  }

  /// Reads rows of A, or columns of B, from shared memory: 32 pieces at a time, as if each belonged
  /// to a lane.
  void read_matrix(Side& side, const Descriptor& from, int first, int count, Element element,
                   bool transposed, bool negated) {
    const int in_piece = matrix_piece_bytes / bytes_of(element);
    // Pieces: two along the depth for each row; or, transposed, the whole depth for eight rows.
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
      // No site: the matrix unit's reads are no requests of the load and store unit.
      serve<Observers>(warp_, op_, -1, request, [&](const Resolved& place) {
        for (int i = 0; i < now; ++i) {
          std::array<std::byte, matrix_piece_bytes> piece{};
          if ((place.valid >> i & 1) != 0)
            std::memcpy(piece.data(), place.base + place.at[i], matrix_piece_bytes);
          const int row = (done + i) / groups;
          const int group = (done + i) % groups;
          for (int e = 0; e < in_piece; ++e) {
            std::uint32_t bits = 0;
            const auto bytes = static_cast<std::size_t>(bytes_of(element));
            std::memcpy(&bits, piece.data() + static_cast<std::size_t>(e) * bytes, bytes);
            transposed ? set(side, 8 * row + e, group, bits, element, negated)
                       : set(side, row, in_piece * group + e, bits, element, negated);
          }
        }
      });
    }
  }

  /// Calls body(row of the warp, column, lane, i) for the i-th element of each active lane.
  template <class Body>
  void for_each_result(const Body& body) const {
    for (Mask left = warp_.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      for (int i = 0; i < columns_ / 2; ++i) {
        const tensor::Place p = tensor::place_in_c(lane, i & 3);
        const int column = p.column + 8 * (i >> 2);
        body(static_cast<std::size_t>(p.row), static_cast<std::size_t>(column), lane, i);
      }
    }
  }

  void multiply_floats(const Side& a, const Side& b, bool adds) {
    const std::int32_t* list = list_of(warp_, op_);
    const int kept = sum_fraction_bits(flags_.a);
    for_each_result([&](std::size_t row, std::size_t column, int lane, int i) {
      if (flags_.half_result == 0) {
        float& d = destination<float>(warp_, list[i])[lane];
        d = result_of(sum_of(a, row, b, column, depth_, adds ? d : 0.0, kept), kept);
        return;
      }
      std::uint32_t& word = destination<std::uint32_t>(warp_, list[i >> 1])[lane];
      const int shift = 16 * (i & 1);
      const double c = adds ? decode(static_cast<std::uint16_t>(word >> shift), half_format) : 0.0;
      const std::uint32_t half = encode(sum_of(a, row, b, column, depth_, c, kept), half_format);
      word = (word & ~(0xffffU << shift)) | half << shift;
    });
  }

  void multiply_integers(const Side& a, const Side& b, bool adds) {
    const std::int32_t* list = list_of(warp_, op_);
    for_each_result([&](std::size_t row, std::size_t column, int lane, int i) {
      std::int32_t& d = destination<std::int32_t>(warp_, list[i])[lane];
      std::int64_t sum = adds ? d : 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth_); ++k)
        sum += static_cast<std::int32_t>(a.values[row][k] * b.values[column][k]);
      if (flags_.saturate != 0) {
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
      }
      d = static_cast<std::int32_t>(sum);
    });
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
