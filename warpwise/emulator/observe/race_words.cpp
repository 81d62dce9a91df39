#include "warpwise/emulator/observe/race_words.hpp"

#include <bit>

namespace warpwise::emulator {
namespace {

// Four touches. The compiler divides them if the CPU has no vectors of this size. Only those in
// memory may begin at any touch: templates and locals have the type with its own alignment.
using Four [[gnu::vector_size(32)]] = std::uint64_t;
using FourInMemory [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
constexpr std::size_t four = 4;

[[gnu::always_inline]] inline std::uint64_t reduced(const Four& words) {
  return words[0] | words[1] | words[2] | words[3];
}

/// Calls body(i, touches) for each four words, and rest(i) for the others.
template <class Body, class Rest>
[[gnu::always_inline]] inline void each_four(const TouchRun& now, std::size_t count,
                                             const Body& body, const Rest& rest) {
  const TouchRun run = now;  // a copy, which stays in registers
  const std::uint64_t place = run.place;
  Four places = {place, place + 1, place + 2, place + 3};
  std::size_t i = 0;
  for (; i + four <= count; i += four) {
    const Four touches = run.base + (places << run.left >> run.right << Touch::lane_at);
    body(i, touches);
    places += four;
  }
  for (; i < count; ++i) rest(i);
}

[[gnu::always_inline]] inline std::uint64_t different(const std::uint64_t* old, std::size_t count) {
  const std::uint64_t first = old[0];
  Four bits = {};
  std::uint64_t others = 0;
  std::size_t i = 0;
  for (; i + four <= count; i += four)
    bits |= *reinterpret_cast<const FourInMemory*>(old + i) ^ first;
  for (; i < count; ++i) others |= old[i] ^ first;
  return reduced(bits) | others;
}

[[gnu::always_inline]] inline std::uint64_t changed(const std::uint64_t* old, const TouchRun& now,
                                                    std::size_t count) {
  Four bits = {};
  std::uint64_t others = 0;
  each_four(
      now, count,
      [&](std::size_t i, const Four& touches) {
        bits |= *reinterpret_cast<const FourInMemory*>(old + i) ^ touches;
      },
      [&](std::size_t i) { others |= old[i] ^ now.at(i); });
  return reduced(bits) | others;
}

[[gnu::always_inline]] inline void replace(std::uint64_t* old, const TouchRun& now,
                                           std::size_t count) {
  each_four(
      now, count,
      [&](std::size_t i, const Four& touches) {
        *reinterpret_cast<FourInMemory*>(old + i) = touches;
      },
      [&](std::size_t i) { old[i] = now.at(i); });
}

template <class T>
[[gnu::always_inline]] inline void merge_into(T& old, const T& now) {
  // If any of the lane's bits differs, the sum has the bit above them.
  const T differs = ((old ^ now) & Touch::lane_bits) + Touch::lane_bits;
  constexpr int above = std::bit_width(Touch::lane_bits);
  const T several = differs >> above << std::countr_zero(Touch::several);
  old = now | (old & (Touch::others | Touch::several)) | (several & Touch::several);
}

[[gnu::always_inline]] inline void merge(std::uint64_t* old, const TouchRun& now,
                                         std::size_t count) {
  each_four(
      now, count,
      [&](std::size_t i, const Four& touches) {
        Four words = *reinterpret_cast<FourInMemory*>(old + i);
        merge_into<Four>(words, touches);
        *reinterpret_cast<FourInMemory*>(old + i) = words;
      },
      [&](std::size_t i) { merge_into(old[i], now.at(i)); });
}

[[gnu::always_inline]] inline void add(std::uint64_t* old, std::uint64_t flags, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) old[i] |= flags;
}

struct Loops {
  std::uint64_t (*different)(const std::uint64_t*, std::size_t);
  std::uint64_t (*changed)(const std::uint64_t*, const TouchRun&, std::size_t);
  void (*replace)(std::uint64_t*, const TouchRun&, std::size_t);
  void (*merge)(std::uint64_t*, const TouchRun&, std::size_t);
  void (*add)(std::uint64_t*, std::uint64_t, std::size_t);
};

constexpr Loops baseline = {
    [](const std::uint64_t* old, std::size_t count) { return different(old, count); },
    [](const std::uint64_t* old, const TouchRun& now, std::size_t count) {
      return changed(old, now, count);
    },
    [](std::uint64_t* old, const TouchRun& now, std::size_t count) { replace(old, now, count); },
    [](std::uint64_t* old, const TouchRun& now, std::size_t count) { merge(old, now, count); },
    [](std::uint64_t* old, std::uint64_t flags, std::size_t count) { add(old, flags, count); }};

// A test defines WARPWISE_BASELINE_LOOPS, to run these loops on any processor.
#if defined(__x86_64__) && !defined(WARPWISE_BASELINE_LOOPS)
[[gnu::target("avx2")]] std::uint64_t different_avx2(const std::uint64_t* old, std::size_t count) {
  return different(old, count);
}
[[gnu::target("avx2")]] std::uint64_t changed_avx2(const std::uint64_t* old, const TouchRun& now,
                                                   std::size_t count) {
  return changed(old, now, count);
}
[[gnu::target("avx2")]] void replace_avx2(std::uint64_t* old, const TouchRun& now,
                                          std::size_t count) {
  replace(old, now, count);
}
[[gnu::target("avx2")]] void merge_avx2(std::uint64_t* old, const TouchRun& now,
                                        std::size_t count) {
  merge(old, now, count);
}
[[gnu::target("avx2")]] void add_avx2(std::uint64_t* old, std::uint64_t flags, std::size_t count) {
  add(old, flags, count);
}

const Loops loops = __builtin_cpu_supports("avx2")
                        ? Loops{different_avx2, changed_avx2, replace_avx2, merge_avx2, add_avx2}
                        : baseline;
#else
constexpr Loops loops = baseline;
#endif

}  // namespace

std::uint64_t different_bits(const std::uint64_t* old, std::size_t count) {
  return loops.different(old, count);
}

std::uint64_t changed_bits(const std::uint64_t* old, const TouchRun& now, std::size_t count) {
  return loops.changed(old, now, count);
}

void replace_touches(std::uint64_t* old, const TouchRun& now, std::size_t count) {
  loops.replace(old, now, count);
}

void merge_touches(std::uint64_t* old, const TouchRun& now, std::size_t count) {
  loops.merge(old, now, count);
}

void add_to_touches(std::uint64_t* old, std::uint64_t flags, std::size_t count) {
  loops.add(old, flags, count);
}

}  // namespace warpwise::emulator
