#include "warpwise/emulator/instructions/lanes/lanes.hpp"

namespace warpwise::emulator {

namespace baseline {
Table make_table();
}
namespace avx2 {
Table make_table();
}

const Table& lane_operations() {
#if defined(__x86_64__)
  static const Table table = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                 ? avx2::make_table()
                                 : baseline::make_table();
#else
  static const Table table = baseline::make_table();
#endif
  return table;
}

}  // namespace warpwise::emulator
