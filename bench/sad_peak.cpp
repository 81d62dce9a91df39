#include "bench/sad_peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/sad_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <atomic>

#include "bench/cpu_harness.hpp"
#include "warpwise/primitives/shared/matching-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace warpwise::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Makes the compiler assume that a vector has changed, so that it does not reuse an earlier
/// result.
template <class V>
HWY_INLINE void renew([[maybe_unused]] V& v) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm volatile("" : "+x"(v.raw));
#endif
}

/// Sums differences of twelve vectors, `rounds` times. Returns the number of pixels.
std::uint64_t sum_differences(std::uint64_t rounds) {
#if HWY_TARGET == HWY_SCALAR
  return rounds;
#else
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  auto a = hn::Set(d, std::uint8_t{3});
  const auto b = hn::Set(d, std::uint8_t{5});
  // Each addition waits for the previous one of the same sum, and six sums hide that latency on any
  // CPU. Each sum is a separate variable, because the compiler would keep an array of them in
  // memory.
  auto s0 = hn::Zero(d64), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  const auto add = [&](auto& sum) HWY_ATTR {
    renew(a);
    sum = hn::Add(sum, detail::HWY_NAMESPACE::absolute_differences_of_8(d, a, b));
    renew(sum);
  };
  for (std::uint64_t i = 0; i < rounds; ++i) {
    add(s0), add(s1), add(s2), add(s3), add(s4), add(s5);
    add(s0), add(s1), add(s2), add(s3), add(s4), add(s5);
  }
  return rounds * 12 * hn::Lanes(d);
#endif
}

}  // namespace
}  // namespace warpwise::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace warpwise::bench {
namespace {
HWY_EXPORT(sum_differences);
}

double absolute_differences_per_second(int threads) {
  constexpr std::uint64_t rounds = 1'000'000;
  std::atomic<std::uint64_t> pixels = 0;
  const double seconds = fastest(3, [&] {
    pixels = 0;
    on_threads(threads, [&](int) { pixels += HWY_DYNAMIC_DISPATCH(sum_differences)(rounds); });
  });
  return static_cast<double>(pixels) / seconds;
}

}  // namespace warpwise::bench
#endif
