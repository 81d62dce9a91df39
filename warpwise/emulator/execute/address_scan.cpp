#include "warpwise/emulator/execute/address_scan.hpp"

#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {
namespace {

[[gnu::always_inline]] inline AddressScan scan(const std::uint64_t* addresses, std::uint64_t first,
                                               std::uint64_t last, std::uint64_t* __restrict copy) {
  const std::uint64_t step = addresses[1] - addresses[0];
  std::uint64_t expected = addresses[0];
  AddressScan result;
  for (int i = 0; i < warp_lanes; ++i) {
    const std::uint64_t address = addresses[i];
    result.outside |= (address - first) | (last - address);
    result.bits |= address;
    result.different |= address ^ expected;
    expected += step;
    copy[i] = address;
  }
  return result;
}

[[gnu::always_inline]] inline std::uint64_t compare(const std::uint64_t* addresses,
                                                    std::uint64_t begin,
                                                    const std::uint64_t* offsets) {
  std::uint64_t different = 0;
  for (int i = 0; i < warp_lanes; ++i) different |= (addresses[i] - begin) ^ offsets[i];
  return different;
}

template <class T>
[[gnu::always_inline]] inline void add(const T* addresses, T offset, std::uint64_t* sums) {
  for (int i = 0; i < warp_lanes; ++i) sums[i] = static_cast<T>(addresses[i] + offset);
}

struct Loops {
  AddressScan (*scan)(const std::uint64_t*, std::uint64_t, std::uint64_t, std::uint64_t*);
  std::uint64_t (*compare)(const std::uint64_t*, std::uint64_t, const std::uint64_t*);
  void (*add_long)(const std::uint64_t*, std::uint64_t, std::uint64_t*);
  void (*add_short)(const std::uint32_t*, std::uint32_t, std::uint64_t*);
};

constexpr Loops baseline = {
    [](const std::uint64_t* addresses, std::uint64_t first, std::uint64_t last,
       std::uint64_t* copy) { return scan(addresses, first, last, copy); },
    [](const std::uint64_t* addresses, std::uint64_t begin, const std::uint64_t* offsets) {
      return compare(addresses, begin, offsets);
    },
    [](const std::uint64_t* addresses, std::uint64_t offset, std::uint64_t* sums) {
      add(addresses, offset, sums);
    },
    [](const std::uint32_t* addresses, std::uint32_t offset, std::uint64_t* sums) {
      add(addresses, offset, sums);
    }};

#if defined(__x86_64__)
[[gnu::target("avx2")]] AddressScan scan_avx2(const std::uint64_t* addresses, std::uint64_t first,
                                              std::uint64_t last, std::uint64_t* copy) {
  return scan(addresses, first, last, copy);
}
[[gnu::target("avx2")]] std::uint64_t compare_avx2(const std::uint64_t* addresses,
                                                   std::uint64_t begin,
                                                   const std::uint64_t* offsets) {
  return compare(addresses, begin, offsets);
}
[[gnu::target("avx2")]] void add_avx2(const std::uint64_t* addresses, std::uint64_t offset,
                                      std::uint64_t* sums) {
  add(addresses, offset, sums);
}
[[gnu::target("avx2")]] void add_short_avx2(const std::uint32_t* addresses, std::uint32_t offset,
                                            std::uint64_t* sums) {
  add(addresses, offset, sums);
}

const Loops loops = __builtin_cpu_supports("avx2")
                        ? Loops{scan_avx2, compare_avx2, add_avx2, add_short_avx2}
                        : baseline;
#else
constexpr Loops loops = baseline;
#endif

}  // namespace

AddressScan scan_addresses(const std::uint64_t* addresses, std::uint64_t first, std::uint64_t last,
                           std::uint64_t* copy) {
  return loops.scan(addresses, first, last, copy);
}

std::uint64_t compare_offsets(const std::uint64_t* addresses, std::uint64_t begin,
                              const std::uint64_t* offsets) {
  return loops.compare(addresses, begin, offsets);
}

void add_offset(const std::uint64_t* addresses, std::uint64_t offset, std::uint64_t* sums) {
  loops.add_long(addresses, offset, sums);
}

void add_offset(const std::uint32_t* addresses, std::uint32_t offset, std::uint64_t* sums) {
  loops.add_short(addresses, offset, sums);
}

}  // namespace warpwise::emulator
