#include "warpwise/emulator/instructions/matrices/matrix_sum.hpp"

namespace warpwise::emulator::tensor {

const MatrixLoops& avx2_matrix_loops();

const MatrixLoops& matrix_loops() {
#if defined(__x86_64__)
  static const MatrixLoops& loops = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                        ? avx2_matrix_loops()
                                        : portable_matrix_loops();
  return loops;
#else
  return portable_matrix_loops();
#endif
}

}  // namespace warpwise::emulator::tensor
