// The operations of lanes_baseline.cpp, compiled for AVX2. Only code between the pragmas may use
// AVX2. The linker keeps one copy of each inline function of the standard headers for the whole
// library, and that copy must run on any CPU.

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
#include "warpwise/emulator/decode/flags.hpp"
#include "warpwise/emulator/instructions/lanes/lanes.hpp"
#include "warpwise/emulator/instructions/operands.hpp"

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt,lzcnt")
namespace warpwise::emulator::avx2 {

#include "warpwise/emulator/instructions/lanes/lanes-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_numbers-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_packed-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_table-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_wide-inl.hpp"
#include "warpwise/emulator/instructions/lanes/lanes_words_table-inl.hpp"

}  // namespace warpwise::emulator::avx2
#pragma GCC pop_options
#endif
