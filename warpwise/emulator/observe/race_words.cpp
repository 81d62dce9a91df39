#include "warpwise/emulator/observe/race_words.hpp"

namespace warpwise::emulator {
namespace {

[[gnu::always_inline]] inline OldTouches compare(const std::uint64_t* old, const TouchRun& now,
                                                 std::size_t count) {
  OldTouches result;
  const TouchRun run = now;
  const std::uint64_t first = old[0];
  result.first = first;
  for (std::size_t i = 0; i < count; ++i) {
    result.any |= old[i];
    result.different |= old[i] ^ first;
    result.changed |= old[i] ^ run.at(i);
  }
  return result;
}

[[gnu::always_inline]] inline void replace(std::uint64_t* old, const TouchRun& now,
                                           std::size_t count) {
  const TouchRun run = now;
  for (std::size_t i = 0; i < count; ++i) old[i] = run.at(i);
}

[[gnu::always_inline]] inline void merge(std::uint64_t* old, const TouchRun& now,
                                         std::size_t count) {
  const TouchRun run = now;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t touch = run.at(i);
    const std::uint64_t several = ((old[i] ^ touch) & Touch::lane_bits) != 0 ? Touch::several : 0;
    old[i] = touch | (old[i] & (Touch::others | Touch::several)) | several;
  }
}

[[gnu::always_inline]] inline void add(std::uint64_t* old, std::uint64_t flags, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) old[i] |= flags;
}

struct Loops {
  OldTouches (*compare)(const std::uint64_t*, const TouchRun&, std::size_t);
  void (*replace)(std::uint64_t*, const TouchRun&, std::size_t);
  void (*merge)(std::uint64_t*, const TouchRun&, std::size_t);
  void (*add)(std::uint64_t*, std::uint64_t, std::size_t);
};

constexpr Loops baseline = {
    [](const std::uint64_t* old, const TouchRun& now, std::size_t count) {
      return compare(old, now, count);
    },
    [](std::uint64_t* old, const TouchRun& now, std::size_t count) { replace(old, now, count); },
    [](std::uint64_t* old, const TouchRun& now, std::size_t count) { merge(old, now, count); },
    [](std::uint64_t* old, std::uint64_t flags, std::size_t count) { add(old, flags, count); }};

#if defined(__x86_64__)
[[gnu::target("avx2")]] OldTouches compare_avx2(const std::uint64_t* old, const TouchRun& now,
                                                std::size_t count) {
  return compare(old, now, count);
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
                        ? Loops{compare_avx2, replace_avx2, merge_avx2, add_avx2}
                        : baseline;
#else
constexpr Loops loops = baseline;
#endif

}  // namespace

OldTouches compare_touches(const std::uint64_t* old, const TouchRun& now, std::size_t count) {
  return loops.compare(old, now, count);
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
