#include "warpwise/emulator/instructions/memory/reductions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpwise/emulator/instructions/lanes/numbers.hpp"

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

/// Combines two floats. Minimum and maximum prefer a number to a NaN.
template <class F>
F of_floats(Reduction how, F x, F y) {
  switch (how) {
    case Reduction::minimum: return std::fmin(x, y);
    case Reduction::maximum: return std::fmax(x, y);
    default: return x + y;
  }
}

void reduce_halves(Reduction how, SmallFormat format, std::byte* to, const std::byte* with) {
  combine<std::uint16_t>(to, with, [&](std::uint16_t old, std::uint16_t b) {
    return encode(of_floats(how, decode(old, format), decode(b, format)), format);
  });
}

template <class U, class F>
void reduce_floats(Reduction how, std::byte* to, const std::byte* with) {
  combine<U>(to, with, [how](U old, U b) {
    return std::bit_cast<U>(of_floats(how, std::bit_cast<F>(old), std::bit_cast<F>(b)));
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

void reduce(Reduction how, ElementType type, std::byte* to, const std::byte* with) {
  switch (type) {
    case ElementType::u32: return reduce_integers<std::uint32_t, std::uint32_t>(how, to, with);
    case ElementType::s32: return reduce_integers<std::uint32_t, std::int32_t>(how, to, with);
    case ElementType::u64: return reduce_integers<std::uint64_t, std::uint64_t>(how, to, with);
    case ElementType::s64: return reduce_integers<std::uint64_t, std::int64_t>(how, to, with);
    case ElementType::f16: return reduce_halves(how, half_format, to, with);
    case ElementType::bf16: return reduce_halves(how, bfloat_format, to, with);
    case ElementType::f32: return reduce_floats<std::uint32_t, float>(how, to, with);
    case ElementType::f64: return reduce_floats<std::uint64_t, double>(how, to, with);
    case ElementType::u8:
    case ElementType::u16: break;  // can_reduce() rejects these types
  }
}

}  // namespace warpwise::emulator
