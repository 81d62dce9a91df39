#include "warpwise/emulator/observe/race_words.hpp"

#include <bit>

namespace warpwise::emulator {
namespace {

// A vector of four touches. The compiler splits it if the CPU has no vectors of this size.
// FourInMemory is for loads and stores: it needs only the alignment of one touch.
using Four [[gnu::vector_size(32)]] = std::uint64_t;
using FourSigned [[gnu::vector_size(32)]] = std::int64_t;
using FourInMemory [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
constexpr std::size_t four = 4;
static_assert(ShadowPage::spare == four - 1);

/// Copies words of `from` to `to` where a mask has ones.
[[gnu::always_inline]] inline void select(Four& to, const Four& mask, const Four& from) {
  to = (to & ~mask) | (from & mask);
}

// The highest touch is below 2^63, so signed comparisons give the right order.
[[gnu::always_inline]] inline void are_in(Four& mask, const Four& old, const TouchRange& range) {
  const auto bits = (FourSigned)old;
  mask = (Four)((bits > static_cast<std::int64_t>(range.first) - 1) &
                (bits < static_cast<std::int64_t>(range.end)));
}

/// Calls body(old, now, chosen) for each four words. `chosen` has all ones for words of the set in
/// the range. The body may change the old touches and clear words of `chosen`. Returns those left.
template <bool changes, class Word, class Body>
[[gnu::always_inline]] inline WordSet each_four(Word* old, const std::uint64_t* now, WordSet words,
                                                const TouchRange& of, const Body& body) {
  const TouchRange range = of;  // a copy, which stays in registers
  Four bits = {1, 2, 4, 8};
  Four left = {};
  const auto count = static_cast<std::size_t>(std::bit_width(words));
  for (std::size_t i = 0; i < count; i += four) {
    Four were = *reinterpret_cast<const FourInMemory*>(old + i);
    Four touches = {};
    if (now != nullptr) touches = *reinterpret_cast<const FourInMemory*>(now + i);
    Four chosen;
    are_in(chosen, were, range);
    chosen &= (Four)((bits & words) == bits);
    body(were, touches, chosen);
    if constexpr (changes) *reinterpret_cast<FourInMemory*>(old + i) = were;
    left |= chosen & bits;
    bits <<= four;
  }
  return left[0] | left[1] | left[2] | left[3];
}

[[gnu::always_inline]] inline void fill(std::uint64_t* now, const TouchRun& of, std::size_t count) {
  const TouchRun run = of;  // a copy, which stays in registers
  Four places = {run.place, run.place + 1, run.place + 2, run.place + 3};
  for (std::size_t i = 0; i < count; i += four) {
    *reinterpret_cast<FourInMemory*>(now + i) =
        run.base + (places << run.left >> run.right << Touch::lane_at);
    places += four;
  }
}

struct Stay {
  [[gnu::always_inline]] void operator()(Four&, const Four&, Four&) const {}
};

struct Repeat {
  [[gnu::always_inline]] void operator()(Four& old, const Four& now, Four& chosen) const {
    constexpr std::uint64_t who =
        Touch::lane_bits | Touch::layout_bits | Touch::mask_bits | Touch::several;
    constexpr std::uint64_t more = Touch::several | Touch::others;
    chosen &= (Four)((((old ^ now) & who) | (old & more)) == 0);
  }
};

struct Replace {
  [[gnu::always_inline]] void operator()(Four& old, const Four& now, Four& chosen) const {
    select(old, chosen, now);
  }
};

struct AddOthers {
  [[gnu::always_inline]] void operator()(Four& old, const Four&, Four& chosen) const {
    chosen &= (Four)((old & Touch::strong) == 0);
    old |= chosen & Touch::others;
  }
};

/// Does merged() without branches. Its cases come in reverse order: the last true one decides.
struct Merge {
  [[gnu::always_inline]] void operator()(Four& old, const Four& now, Four& chosen) const {
    constexpr std::uint64_t who = Touch::lane_bits | Touch::layout_bits;
    constexpr std::uint64_t flags = Touch::others | Touch::several;
    const Four differs = old ^ now;
    const Four both = old & now & Touch::mask_bits;
    const Four is_of_others = (Four)((differs & who) != 0);
    // If no other case holds, the touch has the bytes of both.
    const Four joined = now | (old & (Touch::mask_bits | Touch::others));
    Four result = (joined & ~Touch::several) | Touch::layout_part(Touch::mixed_lanes);
    const Four of_one_lane =
        ~is_of_others & (Four)((((old | now) & Touch::several) | (now & Touch::layout_bits)) == 0);
    select(result, of_one_lane, joined);
    // The new touch has all bytes of the old one.
    select(result, (Four)(both == (old & Touch::mask_bits)), now);
    // The old touch has all bytes of the new one.
    const Four of_several = (Four)((old & Touch::several) != 0);
    select(result, of_several & (Four)(both == (now & Touch::mask_bits)), old);
    // Both touches have the same bytes.
    const Four is_new = is_of_others & (Four)((differs & Touch::layout_bits) == 0);
    select(result, (Four)((differs & Touch::mask_bits) == 0),
           now | (old & flags) | (is_new & Touch::several));
    select(old, chosen, result);
  }
};

using Touches = std::uint64_t*;
using ConstTouches = const std::uint64_t*;

// The loops, compiled for one set of instructions.
#define WARPWISE_LOOPS(TARGET)                                                                    \
  TARGET void fill_all(Touches now, const TouchRun& run, std::size_t count) {                     \
    fill(now, run, count);                                                                        \
  }                                                                                               \
  TARGET WordSet in_range(ConstTouches old, WordSet words, const TouchRange& range) {             \
    return each_four<false>(old, nullptr, words, range, Stay());                                  \
  }                                                                                               \
  TARGET WordSet repeated(ConstTouches old, ConstTouches now, WordSet words,                      \
                          const TouchRange& range) {                                              \
    return each_four<false>(old, now, words, range, Repeat());                                    \
  }                                                                                               \
  TARGET WordSet replace(Touches old, ConstTouches now, WordSet words, const TouchRange& range) { \
    return each_four<true>(old, now, words, range, Replace());                                    \
  }                                                                                               \
  TARGET WordSet merge(Touches old, ConstTouches now, WordSet words, const TouchRange& range) {   \
    return each_four<true>(old, now, words, range, Merge());                                      \
  }                                                                                               \
  TARGET WordSet add_others(Touches old, WordSet words, const TouchRange& range) {                \
    return each_four<true>(old, nullptr, words, range, AddOthers());                              \
  }                                                                                               \
  constexpr TouchLoops loops = {fill_all, in_range, repeated, replace, merge, add_others};

namespace baseline {
WARPWISE_LOOPS()
}  // namespace baseline

// A test defines WARPWISE_BASELINE_LOOPS, to run the baseline loops on any processor.
#if defined(__x86_64__) && !defined(WARPWISE_BASELINE_LOOPS)
namespace avx2 {
WARPWISE_LOOPS([[gnu::target("avx2")]])
}  // namespace avx2
}  // namespace
const TouchLoops touch_loops = __builtin_cpu_supports("avx2") ? avx2::loops : baseline::loops;
#else
}  // namespace
constexpr TouchLoops touch_loops = baseline::loops;
#endif

}  // namespace warpwise::emulator
