#include "warpwise/emulator/instructions/memory/reductions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpwise/emulator/instructions/lanes/numbers.hpp"
#include "warpwise/emulator/instructions/lanes/rounding.hpp"

namespace warpwise::emulator {
namespace {

/// Replaces a value in memory by f(value, operand), in one atomic step.
template <class Bits, class Combine>
void combine(std::byte* to, const std::byte* with, const Combine& f) {
  Bits operand;
  std::memcpy(&operand, with, sizeof(operand));
  std::atomic_ref<Bits> memory(*reinterpret_cast<Bits*>(to));
  Bits old = memory.load(std::memory_order_relaxed);
  while (!memory.compare_exchange_weak(old, f(old, operand))) {
  }
}

template <class U, class T>
void reduce_integers(Reduction how, std::byte* to, const std::byte* with) {
  combine<U>(to, with, [how](U old, U b) -> U {
    const auto x = static_cast<T>(old);
    const auto y = static_cast<T>(b);
    switch (how) {
      case Reduction::add: return old + b;
      case Reduction::minimum: return static_cast<U>(std::min(x, y));
      case Reduction::maximum: return static_cast<U>(std::max(x, y));
      case Reduction::increment: return old >= b ? U{0} : old + 1;
      case Reduction::decrement: return old == 0 || old > b ? b : old - 1;
      case Reduction::conjunction: return old & b;
      case Reduction::disjunction: return old | b;
      case Reduction::exclusive: return old ^ b;
      case Reduction::none: break;
    }
    return b;
  });
}

void reduce_halves(Reduction how, SmallFormat format, std::byte* to, const std::byte* with) {
  combine<std::uint16_t>(to, with, [&](std::uint16_t old, std::uint16_t b) -> std::uint16_t {
    const auto x = decode(old, format);
    const auto y = decode(b, format);
    if (how == Reduction::add) return encode(x + y, format);
    // -0 is less than +0, and a number is preferred to a NaN.
    const bool is_minimum = how == Reduction::minimum;
    if (x == y) return is_minimum ? old | b : old & b;
    return encode(is_minimum ? std::fmin(x, y) : std::fmax(x, y), format);
  });
}

/// Adds floats. A NaN sum becomes the canonical NaN, 0x7fffffff.
/// \param flushes  subnormal operands and sums become zeros of the same sign
void add_singles(std::byte* to, const std::byte* with, bool flushes) {
  combine<std::uint32_t>(to, with, [flushes](std::uint32_t old, std::uint32_t b) {
    const auto flushed = [flushes](float x) { return flushes ? flush_to_zero(x) : x; };
    const float sum = flushed(std::bit_cast<float>(old)) + flushed(std::bit_cast<float>(b));
    return std::bit_cast<std::uint32_t>(canonical_nan(flushed(sum)));
  });
}

void add_doubles(std::byte* to, const std::byte* with) {
  combine<std::uint64_t>(to, with, [](std::uint64_t old, std::uint64_t b) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  });
}

}  // namespace

bool can_reduce(Reduction how, ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::u16: return false;
    case ElementType::f16:
    case ElementType::bf16:
      return how == Reduction::add || how == Reduction::minimum || how == Reduction::maximum;
    case ElementType::f32:
    case ElementType::f64: return how == Reduction::add;
    default: return how != Reduction::none;
  }
}

void reduce(Reduction how, ElementType type, std::byte* to, const std::byte* with, bool flushes) {
  switch (type) {
    case ElementType::u32: return reduce_integers<std::uint32_t, std::uint32_t>(how, to, with);
    case ElementType::s32: return reduce_integers<std::uint32_t, std::int32_t>(how, to, with);
    case ElementType::u64: return reduce_integers<std::uint64_t, std::uint64_t>(how, to, with);
    case ElementType::s64: return reduce_integers<std::uint64_t, std::int64_t>(how, to, with);
    case ElementType::f16: return reduce_halves(how, half_format, to, with);
    case ElementType::bf16: return reduce_halves(how, bfloat_format, to, with);
    case ElementType::f32: return add_singles(to, with, flushes);
    case ElementType::f64: return add_doubles(to, with);
    case ElementType::u8:
    case ElementType::u16: break;  // can_reduce() rejects these types
  }
}

}  // namespace warpwise::emulator
