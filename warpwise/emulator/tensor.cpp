// Products of small matrices by a warp, and the moves of matrices between its registers and memory.
//
// The parts of a matrix that each lane holds ("fragments") are those that the PTX ISA documents for
// mma, ldmatrix and stmatrix. Those of wmma it leaves open; here they are the ones of mma, put side
// by side.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "warpwise/emulator/access.hpp"
#include "warpwise/emulator/numbers.hpp"

namespace warpwise::emulator {
namespace {

constexpr int most_rows = 16;
constexpr int most_depth = 32;

template <class T>
using Left = std::array<std::array<T, most_depth>, most_rows>;  // rows of A
template <class T>
using Right = std::array<std::array<T, most_depth>, most_rows>;  // columns of B
template <class T>
using Sum = std::array<std::array<T, most_rows>, most_rows>;  // rows of C and D

struct Place {
  int row = 0;
  int column = 0;
};

// A lane's elements of A, B and C: lane / 4 chooses a row (a column of B), lane % 4 a group of
// neighbours, a register beyond the first goes 8 rows down or to the next group of columns.
// `packed` elements share a register.

Place place_in_a(int lane, int reg, int element, int packed) {
  return {lane / 4 + 8 * (reg & 1), lane % 4 * packed + element + 4 * packed * (reg >> 1)};
}

Place place_in_b(int lane, int reg, int element, int packed) {
  return {lane % 4 * packed + element + 4 * packed * reg, lane / 4};
}

/// Element i of a lane's four (two of 8 rows) of a sum of 8 columns.
Place place_in_c(int lane, int i) { return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)}; }

// ---- arithmetic

/// A number as a significand and an exponent: magnitude = significand * 2^exponent, significand
/// < 4.
struct Term {
  double value = 0;
  int exponent = 0;
};

/// The exponent that hardware gives an operand: a subnormal has the smallest one.
int exponent_of(double value, int smallest) {
  return value == 0 ? smallest : std::max(std::ilogb(value), smallest);
}

// Fraction bits below the largest term's leading one that a sum keeps.
constexpr int sum_fraction_bits = 25;

/// Sum of a[i] * b[i] and c in the matrix unit's fixed point: each term is cut off below 2^-25 of
/// the largest exponent, the sum is exact and cut off to the accumulator. NVIDIA documents neither;
/// it is what an H200 gives for random matrices of mixed exponents, and other generations keep
/// fewer bits.
double accumulate(const float* a, const float* b, int depth, double c, int smallest) {
  constexpr int smallest_float = -126;
  std::array<Term, most_depth + 1> terms;
  double special = 0;  // finite, unless some term is not
  bool is_special = false;
  int largest = std::numeric_limits<int>::min();
  const auto add = [&](std::size_t i, double value, int exponent) {
    terms[i] = {value, exponent};
    if (!std::isfinite(value)) {
      special += value;
      is_special = true;
    } else if (value != 0) {
      largest = std::max(largest, exponent);
    }
  };
  for (int i = 0; i < depth; ++i) {
    const double x = a[i];
    const double y = b[i];
    const bool finite = std::isfinite(x) && std::isfinite(y);
    add(static_cast<std::size_t>(i), x * y,
        finite ? exponent_of(x, smallest) + exponent_of(y, smallest) : 0);
  }
  add(static_cast<std::size_t>(depth), c, std::isfinite(c) ? exponent_of(c, smallest_float) : 0);
  if (is_special) return special;
  if (largest == std::numeric_limits<int>::min()) {
    // Only zeros: negative if all are.
    double sum = c;
    for (int i = 0; i < depth; ++i) sum += terms[static_cast<std::size_t>(i)].value;
    return sum;
  }
  std::int64_t sum = 0;
  for (int i = 0; i <= depth; ++i) {
    const double units =
        std::ldexp(terms[static_cast<std::size_t>(i)].value, sum_fraction_bits - largest);
    sum += static_cast<std::int64_t>(units);
  }
  return std::ldexp(static_cast<double>(sum), largest - sum_fraction_bits);
}

/// The float nearest to x that is not beyond it.
float toward_zero(double x) {
  const auto nearest = static_cast<float>(x);
  if (x != x) return std::bit_cast<float>(0x7fffffffU);
  if (std::fabs(static_cast<double>(nearest)) <= std::fabs(x)) return nearest;
  return std::nextafter(nearest, 0.0f);
}

std::uint16_t half_bits(double x) { return encode(x, half_format); }

std::int32_t saturated(std::int64_t sum, bool saturates) {
  if (saturates) {
    sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max());
  }
  return static_cast<std::int32_t>(sum);
}

// ---- mma

// Operation::variant of a product.
constexpr std::uint32_t depth_mask = 63;
constexpr std::uint32_t sixteen_rows = 64;
constexpr std::uint32_t a_is_signed = 128;
constexpr std::uint32_t b_is_signed = 256;
constexpr std::uint32_t saturates = 512;
constexpr std::uint32_t bfloats = 1024;
constexpr std::uint32_t half_result = 2048;
constexpr std::uint32_t half_addend = 4096;

struct Registers {
  const Warp& warp;
  const std::int32_t* list;
  std::uint32_t word(int reg, int lane) const {
    return source<std::uint32_t>(warp, list[reg])[lane];
  }
};

void write_registers(Warp& warp, const std::int32_t* list, int count,
                     const std::array<std::array<std::uint32_t, warp_lanes>, 8>& words) {
  for (int r = 0; r < count; ++r) {
    auto* to = destination<std::uint32_t>(warp, list[r]);
    for (Mask left = warp.active; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      to[i] = words[static_cast<std::size_t>(r)][i];
    }
  }
}

float small_float(std::uint32_t word, int element, std::uint32_t variant) {
  const auto bits = static_cast<std::uint16_t>(word >> (16 * element));
  return static_cast<float>(decode(bits, (variant & bfloats) != 0 ? bfloat_format : half_format));
}

int small_integer(std::uint32_t word, int element, bool is_signed) {
  const auto bits = static_cast<std::uint8_t>(word >> (8 * element));
  return is_signed ? static_cast<std::int8_t>(bits) : bits;
}

/// A and B of a product of depth `depth`, from a_registers and b_registers of `packed` elements
/// each.
template <class T, class Read>
void gather(const Registers& from, int a_registers, int b_registers, int packed, Left<T>& a,
            Right<T>& b, const Read& read) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int e = 0; e < packed; ++e) {
      for (int r = 0; r < a_registers; ++r) {
        const Place p = place_in_a(lane, r, e, packed);
        a[static_cast<std::size_t>(p.row)][static_cast<std::size_t>(p.column)] =
            read(from.word(r, lane), e, true);
      }
      for (int r = 0; r < b_registers; ++r) {
        const Place p = place_in_b(lane, r, e, packed);
        b[static_cast<std::size_t>(p.column)][static_cast<std::size_t>(p.row)] =
            read(from.word(a_registers + r, lane), e, false);
      }
    }
  }
}

/// Element i of a lane's part of a sum that begins at `list`: of floats, or of halves two in a
/// register.
double read_sum(const Registers& from, int i, int lane, bool halves) {
  const std::uint32_t word = from.word(halves ? i >> 1 : i, lane);
  return halves ? decode(static_cast<std::uint16_t>(word >> (16 * (i & 1))), half_format)
                : static_cast<double>(std::bit_cast<float>(word));
}

using Words = std::array<std::array<std::uint32_t, warp_lanes>, 8>;

void write_sum(Words& words, int i, int lane, double sum, bool halves) {
  const auto at = static_cast<std::size_t>(lane);
  if (halves) {
    words[static_cast<std::size_t>(i >> 1)][at] |= static_cast<std::uint32_t>(half_bits(sum))
                                                   << (16 * (i & 1));
  } else {
    words[static_cast<std::size_t>(i)][at] = std::bit_cast<std::uint32_t>(toward_zero(sum));
  }
}

/// D = A B + C of 16 rows and 8 columns, of halves or bfloats. Operands: D, A, B, C.
void multiply_floats(Warp& warp, const Operation& op) {
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  const std::uint32_t v = op.variant;
  const int depth = static_cast<int>(v & depth_mask);
  const int results = (v & half_result) != 0 ? 2 : 4;
  const int a_registers = depth / 4;
  const int b_registers = depth / 8;
  Left<float> a;
  Right<float> b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 2, a, b,
         [&](std::uint32_t word, int e, bool) { return small_float(word, e, v); });
  const Registers c{warp, list + results + a_registers + b_registers};
  const int smallest = (v & bfloats) != 0 ? -126 : -14;
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const Place p = place_in_c(lane, i);
      const double sum = accumulate(a[static_cast<std::size_t>(p.row)].data(),
                                    b[static_cast<std::size_t>(p.column)].data(), depth,
                                    read_sum(c, i, lane, (v & half_addend) != 0), smallest);
      write_sum(words, i, lane, sum, (v & half_result) != 0);
    }
  }
  write_registers(warp, list, results, words);
}

/// The same of bytes, with 8 or 16 rows.
void multiply_integers(Warp& warp, const Operation& op) {
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  const std::uint32_t v = op.variant;
  const int depth = static_cast<int>(v & depth_mask);
  const int tall = (v & sixteen_rows) != 0 ? 2 : 1;
  const int results = 2 * tall;
  const int b_registers = depth / 16;
  const int a_registers = b_registers * tall;
  Left<int> a;
  Right<int> b;
  gather(Registers{warp, list + results}, a_registers, b_registers, 4, a, b,
         [&](std::uint32_t word, int e, bool of_a) {
           return small_integer(word, e, (v & (of_a ? a_is_signed : b_is_signed)) != 0);
         });
  const Registers c{warp, list + results + a_registers + b_registers};
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < results; ++i) {
      const Place p = place_in_c(lane, i);
      const auto& row = a[static_cast<std::size_t>(p.row)];
      const auto& column = b[static_cast<std::size_t>(p.column)];
      std::int64_t sum = static_cast<std::int32_t>(c.word(i, lane));
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) sum += row[k] * column[k];
      words[static_cast<std::size_t>(i)][static_cast<std::size_t>(lane)] =
          static_cast<std::uint32_t>(saturated(sum, (v & saturates) != 0));
    }
  }
  write_registers(warp, list, results, words);
}

// ---- ldmatrix, stmatrix

// Operation::variant: the number of 8 x 8 matrices, and whether they are transposed.
constexpr std::uint32_t matrices_mask = 7;
constexpr std::uint32_t transposed = 8;

/// Calls body(matrix, row, resolved place of its 16 bytes) for the rows that the first 8, 16 or 32
/// lanes point at. A request of those lanes takes the passes of as many loads of 16 bytes.
template <class Body>
void for_each_row(Warp& warp, const Operation& op, AccessKind kind, const Body& body) {
  const auto rows = static_cast<int>(op.variant & matrices_mask) * 8;
  const Mask pointing = (rows == warp_lanes ? all_lanes : (Mask{1} << rows) - 1) & warp.active;
  if (pointing == 0) return;
  alignas(64) std::uint64_t addresses[warp_lanes];
  load_addresses(warp, op, addresses);
  for_each_space(space_of(op), addresses, pointing, [&](Space space, Mask lanes) {
    Resolved place;
    resolve(warp, op, space, kind, 16, addresses, lanes, place);
    for (Mask left = place.valid; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      body(i / 8, i % 8, place.base + place.at[i]);
    }
  });
}

using Matrix = std::array<std::array<std::uint16_t, 8>, 8>;

void load_matrices(Warp& warp, const Operation& op) {
  std::array<Matrix, 4> matrices{};
  for_each_row(warp, op, AccessKind::load, [&](int matrix, int row, const std::byte* from) {
    std::memcpy(matrices[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(row)].data(),
                from, 16);
  });
  Words words{};
  const auto count = static_cast<int>(op.variant & matrices_mask);
  for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m) {
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      for (std::size_t e = 0; e < 2; ++e) {
        const std::size_t major = lane / 4;
        const std::size_t minor = lane % 4 * 2 + e;
        const std::uint32_t x =
            (op.variant & transposed) != 0 ? matrices[m][minor][major] : matrices[m][major][minor];
        words[m][lane] |= x << (16 * e);
      }
    }
  }
  write_registers(warp, warp.worker->code->lists.data() + op.list, count, words);
}

void store_matrices(Warp& warp, const Operation& op) {
  const Registers from{warp, warp.worker->code->lists.data() + op.list};
  for_each_row(warp, op, AccessKind::store, [&](int matrix, int row, std::byte* to) {
    std::array<std::uint16_t, 8> values{};
    for (int k = 0; k < 8; ++k) {
      const int major = (op.variant & transposed) != 0 ? k : row;
      const int minor = (op.variant & transposed) != 0 ? row : k;
      const std::uint32_t word = from.word(matrix, major * 4 + minor / 2);
      values[static_cast<std::size_t>(k)] = static_cast<std::uint16_t>(word >> (16 * (minor & 1)));
    }
    std::memcpy(to, values.data(), 16);
  });
}

// ---- wmma, of 16 x 16 x 16

enum class Fragment : std::uint32_t { a, b, half_sum, float_sum };

// Operation::variant: the fragment, and whether columns follow each other in memory.
constexpr std::uint32_t fragment_mask = 3;
constexpr std::uint32_t by_columns = 4;

/// The place of a register's first element, and whether its second one is to the right of it (or
/// below).
struct Pair {
  Place first;
  bool right = true;
};

/// Registers of two elements: A as in a 16 x 16 mma, B and the sums as two of 8 columns. Of sums of
/// floats two registers make a pair.
Pair pair_of(Fragment fragment, int lane, int pair) {
  switch (fragment) {
    case Fragment::a: return {place_in_a(lane, pair, 0, 2), true};
    case Fragment::b: {
      Place p = place_in_b(lane, pair & 1, 0, 2);
      p.column += 8 * (pair >> 1);
      return {p, false};
    }
    default: {
      Place p = place_in_c(lane, 2 * (pair & 1));
      p.column += 8 * (pair >> 1);
      return {p, true};
    }
  }
}

/// The accesses of a lane's four pairs: one each where a pair's elements are neighbours in memory,
/// else two. Calls body(pair, element or -1 for both, bytes of one element, place).
template <class Body>
void for_each_access(Warp& warp, const Operation& op, AccessKind kind, const Body& body) {
  const auto fragment = static_cast<Fragment>(op.variant & fragment_mask);
  const bool columns = (op.variant & by_columns) != 0;
  const int bytes = fragment == Fragment::float_sum ? 4 : 2;
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  const std::int32_t* stride = list[0] == Operation::none ? nullptr : &list[0];
  alignas(64) std::uint64_t base[warp_lanes];
  load_addresses(warp, op, base);
  for (int pair = 0; pair < 4; ++pair) {
    const bool neighbours = pair_of(fragment, 0, pair).right != columns;
    for (int e = 0; e < (neighbours ? 1 : 2); ++e) {
      alignas(64) std::uint64_t addresses[warp_lanes];
      for (int i = 0; i < warp_lanes; ++i) {
        const Pair at = pair_of(fragment, i, pair);
        const int row = at.first.row + (at.right ? 0 : e);
        const int column = at.first.column + (at.right ? e : 0);
        const std::uint64_t pitch =
            stride != nullptr ? source<std::uint32_t>(warp, *stride)[i] : 16;
        const std::uint64_t element = static_cast<std::uint64_t>(columns ? column : row) * pitch +
                                      static_cast<std::uint64_t>(columns ? row : column);
        addresses[i] = base[i] + element * static_cast<std::uint64_t>(bytes);
      }
      for_each_space(space_of(op), addresses, warp.active, [&](Space space, Mask lanes) {
        Resolved place;
        resolve(warp, op, space, kind, neighbours ? 2 * bytes : bytes, addresses, lanes, place);
        for (Mask left = place.valid; left != 0; left &= left - 1) {
          const int i = std::countr_zero(left);
          body(pair, neighbours ? -1 : e, bytes, i, place.base + place.at[i]);
        }
      });
    }
  }
}

/// Operands: the stride, then the registers. A and B have 8, the last four as the first: hardware
/// that needs each element twice gave them their number.
void load_fragment(Warp& warp, const Operation& op) {
  Words words{};
  for_each_access(warp, op, AccessKind::load,
                  [&](int pair, int e, int bytes, int lane, const std::byte* from) {
                    std::array<std::uint32_t, 2> values{};
                    const auto at = static_cast<std::size_t>(lane);
                    const std::size_t first = e < 0 ? 0 : static_cast<std::size_t>(e);
                    const std::size_t last = e < 0 ? 1 : first;
                    for (std::size_t k = first; k <= last; ++k) {
                      std::memcpy(&values[k], from + (k - first) * static_cast<std::size_t>(bytes),
                                  static_cast<std::size_t>(bytes));
                      const auto p = static_cast<std::size_t>(pair);
                      if (bytes == 4)
                        words[2 * p + k][at] = values[k];
                      else
                        words[p][at] |= values[k] << (16 * k);
                    }
                  });
  const auto fragment = static_cast<Fragment>(op.variant & fragment_mask);
  const std::int32_t* registers = warp.worker->code->lists.data() + op.list + 1;
  if (fragment == Fragment::a || fragment == Fragment::b)
    std::copy_n(words.begin(), 4, words.begin() + 4);
  write_registers(warp, registers, fragment == Fragment::half_sum ? 4 : 8, words);
}

void store_fragment(Warp& warp, const Operation& op) {
  const Registers from{warp, warp.worker->code->lists.data() + op.list + 1};
  for_each_access(
      warp, op, AccessKind::store, [&](int pair, int e, int bytes, int lane, std::byte* to) {
        const int first = e < 0 ? 0 : e;
        const int last = e < 0 ? 1 : e;
        for (int k = first; k <= last; ++k) {
          const std::uint32_t value =
              bytes == 4 ? from.word(2 * pair + k, lane) : from.word(pair, lane) >> (16 * k);
          std::memcpy(to + (k - first) * bytes, &value, static_cast<std::size_t>(bytes));
        }
      });
}

/// D = A B + C of 16 columns. Operands: D, A, B, C.
void multiply_fragments(Warp& warp, const Operation& op) {
  const std::int32_t* list = warp.worker->code->lists.data() + op.list;
  const bool halves_out = (op.variant & half_result) != 0;
  const bool halves_in = (op.variant & half_addend) != 0;
  const int results = halves_out ? 4 : 8;
  const Registers of_a{warp, list + results};
  const Registers of_b{warp, list + results + 8};
  const Registers c{warp, list + results + 16};
  Left<float> a;
  Right<float> b;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int pair = 0; pair < 4; ++pair) {
      for (int e = 0; e < 2; ++e) {
        const Place p = pair_of(Fragment::a, lane, pair).first;
        a[static_cast<std::size_t>(p.row)][static_cast<std::size_t>(p.column + e)] =
            small_float(of_a.word(pair, lane), e, 0);
        const Place q = pair_of(Fragment::b, lane, pair).first;
        b[static_cast<std::size_t>(q.column)][static_cast<std::size_t>(q.row + e)] =
            small_float(of_b.word(pair, lane), e, 0);
      }
    }
  }
  Words words{};
  for (int lane = 0; lane < warp_lanes; ++lane) {
    for (int i = 0; i < 8; ++i) {
      const Place p = pair_of(Fragment::float_sum, lane, i >> 1).first;
      const double sum = accumulate(a[static_cast<std::size_t>(p.row)].data(),
                                    b[static_cast<std::size_t>(p.column + (i & 1))].data(), 16,
                                    read_sum(c, i, lane, halves_in), -14);
      write_sum(words, i, lane, sum, halves_out);
    }
  }
  write_registers(warp, list, results, words);
}

// ---- which instructions these are

struct Form {
  const Entry* entry = nullptr;
  std::uint32_t variant = 0;
  /// Vectors of registers, in the order of Operation::list: how many, of which operand, and whether
  /// written.
  struct Vector {
    std::size_t operand = 0;
    std::size_t registers = 0;
    bool is_result = false;
  };
  std::vector<Vector> vectors;
  std::optional<std::size_t> address;  ///< operand
  std::optional<std::size_t> stride;   ///< operand, first in the list, which may be left out
};

using Modifiers = std::vector<std::string>;

/// Whether modifiers are those of a pattern, "*" standing for any.
bool match(const Modifiers& m, std::initializer_list<std::string_view> pattern) {
  return m.size() == pattern.size() &&
         std::equal(m.begin(), m.end(), pattern.begin(),
                    [](const auto& x, auto p) { return p == "*" || x == p; });
}

std::optional<Form> form_of_float_product(const Modifiers& m) {
  // sync.aligned.shape.row.col.d.a.b.c
  if (!match(m, {"sync", "aligned", "*", "row", "col", "*", "*", "*", "*"})) return std::nullopt;
  if (m[2] != "m16n8k8" && m[2] != "m16n8k16") return std::nullopt;
  const bool bfloat = m[6] == "bf16";
  if (m[6] != m[7] || (!bfloat && m[6] != "f16")) return std::nullopt;
  if (m[5] != m[8] || (m[5] != "f32" && (bfloat || m[5] != "f16"))) return std::nullopt;
  static const Entry entry{multiply_floats, {}};
  const std::size_t depth = m[2] == "m16n8k8" ? 8 : 16;
  const bool half = m[5] == "f16";
  Form form{&entry, static_cast<std::uint32_t>(depth) | sixteen_rows, {}, {}, {}};
  if (bfloat) form.variant |= bfloats;
  if (half) form.variant |= half_result | half_addend;
  const std::size_t sums = half ? 2 : 4;
  form.vectors = {{0, sums, true}, {1, depth / 4, false}, {2, depth / 8, false}, {3, sums, false}};
  return form;
}

std::optional<Form> form_of_integer_product(Modifiers m) {
  // sync.aligned.shape.row.col[.satfinite].s32.a.b.s32
  std::uint32_t variant = 0;
  if (m.size() == 10 && m[5] == "satfinite") {
    variant |= saturates;
    m.erase(m.begin() + 5);
  }
  if (!match(m, {"sync", "aligned", "*", "row", "col", "s32", "*", "*", "s32"}))
    return std::nullopt;
  for (const std::size_t type : {6U, 7U}) {
    if (m[type] != "s8" && m[type] != "u8") return std::nullopt;
  }
  if (m[6] == "s8") variant |= a_is_signed;
  if (m[7] == "s8") variant |= b_is_signed;
  std::size_t depth = 16;
  std::size_t tall = 2;
  if (m[2] == "m16n8k32")
    depth = 32;
  else if (m[2] == "m8n8k16")
    tall = 1;
  else if (m[2] != "m16n8k16")
    return std::nullopt;
  if (tall == 2) variant |= sixteen_rows;
  static const Entry entry{multiply_integers, {}};
  Form form{&entry, variant | static_cast<std::uint32_t>(depth), {}, {}, {}};
  form.vectors = {{0, 2 * tall, true},
                  {1, tall * depth / 16, false},
                  {2, depth / 16, false},
                  {3, 2 * tall, false}};
  return form;
}

bool is_shared(std::string_view modifier) {
  return modifier == "shared" || modifier == "shared::cta";
}

std::optional<Form> form_of_matrix_move(Modifiers m, bool loads) {
  // sync.aligned.m8n8.num[.trans][.shared].b16
  Form form;
  if (m.size() > 4 && m[4] == "trans") {
    form.variant |= transposed;
    m.erase(m.begin() + 4);
  }
  if (m.size() > 4 && is_shared(m[4])) m.erase(m.begin() + 4);
  if (!match(m, {"sync", "aligned", "m8n8", "*", "b16"})) return std::nullopt;
  if (m[3] != "x1" && m[3] != "x2" && m[3] != "x4") return std::nullopt;
  const auto count = static_cast<std::size_t>(m[3][1] - '0');
  form.variant |= static_cast<std::uint32_t>(count);
  static const Entry load{load_matrices, {}};
  static const Entry store{store_matrices, {}};
  form.entry = loads ? &load : &store;
  form.vectors = {{loads ? 0U : 1U, count, loads}};
  form.address = loads ? 1 : 0;
  return form;
}

std::optional<Form> form_of_fragment_move(Modifiers m) {
  // load.{a,b,c} or store.d, then sync.aligned.layout.m16n16k16[.space].type
  if (m.size() == 8 && (is_shared(m[6]) || m[6] == "global")) m.erase(m.begin() + 6);
  if (!match(m, {"*", "*", "sync", "aligned", "*", "m16n16k16", "*"})) return std::nullopt;
  const bool loads = m[0] == "load";
  if (m[4] != "row" && m[4] != "col") return std::nullopt;
  Form form;
  std::size_t registers = 8;
  if (loads && (m[1] == "a" || m[1] == "b") && m[6] == "f16") {
    form.variant = static_cast<std::uint32_t>(m[1] == "a" ? Fragment::a : Fragment::b);
  } else if (m[1] == (loads ? "c" : "d") && (m[6] == "f16" || m[6] == "f32")) {
    registers = m[6] == "f16" ? 4 : 8;
    form.variant =
        static_cast<std::uint32_t>(m[6] == "f16" ? Fragment::half_sum : Fragment::float_sum);
  } else {
    return std::nullopt;
  }
  if (m[4] == "col") form.variant |= by_columns;
  static const Entry load{load_fragment, {}};
  static const Entry store{store_fragment, {}};
  form.entry = loads ? &load : &store;
  form.vectors = {{loads ? 0U : 1U, registers, loads}};
  form.address = loads ? 1 : 0;
  form.stride = 2;
  return form;
}

std::optional<Form> form_of_fragment_product(const Modifiers& m) {
  // mma.sync.aligned.layout.layout.m16n16k16.d.c: the layouts are those that A and B were loaded
  // with.
  if (!match(m, {"mma", "sync", "aligned", "*", "*", "m16n16k16", "*", "*"})) return std::nullopt;
  for (const std::size_t type : {6U, 7U}) {
    if (m[type] != "f16" && m[type] != "f32") return std::nullopt;
  }
  static const Entry entry{multiply_fragments, {}};
  Form form{&entry, 0, {}, {}, {}};
  if (m[6] == "f16") form.variant |= half_result;
  if (m[7] == "f16") form.variant |= half_addend;
  form.vectors = {{0, m[6] == "f16" ? 4U : 8U, true},
                  {1, 8, false},
                  {2, 8, false},
                  {3, m[7] == "f16" ? 4U : 8U, false}};
  return form;
}

std::optional<Form> form_of(const ptx::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  if (instruction.opcode == "mma") {
    const std::optional<Form> form = form_of_float_product(m);
    return form ? form : form_of_integer_product(m);
  }
  if (instruction.opcode == "ldmatrix") return form_of_matrix_move(m, true);
  if (instruction.opcode == "stmatrix") return form_of_matrix_move(m, false);
  if (instruction.opcode == "wmma" && !m.empty()) {
    return m[0] == "mma" ? form_of_fragment_product(m) : form_of_fragment_move(m);
  }
  return std::nullopt;
}

}  // namespace

const Entry* find_tensor_operation(const ptx::Instruction& instruction) {
  const std::optional<Form> form = form_of(instruction);
  return form ? form->entry : nullptr;
}

DecodedOperands tensor_operands(const ptx::Instruction& instruction, const OperandReader& read) {
  const std::optional<Form> form = form_of(instruction);
  const auto& operands = instruction.operands;
  DecodedOperands decoded;
  if (!form) return decoded;
  const std::size_t least = form->vectors.size() + (form->address ? 1 : 0);
  if (operands.size() != least && !(form->stride && operands.size() == least + 1)) return decoded;
  if (form->address) decoded.address = &operands[*form->address];
  if (form->stride) {
    const bool is_given = operands.size() > *form->stride;
    decoded.list.push_back(is_given ? read(operands[*form->stride], Width::w32, false)
                                    : Operation::none);
  }
  for (const Form::Vector& vector : form->vectors) {
    const ptx::Operand& operand = operands[vector.operand];
    // A single register need not stand in braces.
    const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
    if ((is_vector ? operand.elements.size() : 1) != vector.registers) return decoded;
    for (std::size_t i = 0; i < vector.registers; ++i) {
      decoded.list.push_back(
          read(is_vector ? operand.elements[i] : operand, Width::w32, vector.is_result));
    }
  }
  decoded.variant = form->variant;
  decoded.supported = true;
  return decoded;
}

}  // namespace warpwise::emulator
