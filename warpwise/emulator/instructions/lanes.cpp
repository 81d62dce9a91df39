// Compiles lanes-inl.hpp for the baseline and, on x86, for AVX2 as well, and chooses at run time.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "warpwise/base/float16.hpp"
#include "warpwise/emulator/execute/state.hpp"

namespace warpwise::emulator {

namespace baseline {
#include "warpwise/emulator/instructions/lanes-inl.hpp"
#include "warpwise/emulator/instructions/lanes_packed-inl.hpp"
#include "warpwise/emulator/instructions/lanes_table-inl.hpp"
}  // namespace baseline

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt,lzcnt")
namespace avx2 {
#include "warpwise/emulator/instructions/lanes-inl.hpp"
#include "warpwise/emulator/instructions/lanes_packed-inl.hpp"
#include "warpwise/emulator/instructions/lanes_table-inl.hpp"
}  // namespace avx2
#pragma GCC pop_options

const Table& lane_operations() {
  static const Table table = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                 ? avx2::make_table()
                                 : baseline::make_table();
  return table;
}
#else
const Table& lane_operations() {
  static const Table table = baseline::make_table();
  return table;
}
#endif

}  // namespace warpwise::emulator
