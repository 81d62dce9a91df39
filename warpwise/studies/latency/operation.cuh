#pragma once

// One operation of a chain: OPERATION 0 is an addition, 1 a multiplication, 2 a division. Each is
// rounded on its own: the compiler neither fuses these functions into multiply-adds nor reorders
// them. The results stay between 0.01 and 1000, so that a division takes its short path.
__device__ inline float operation(float x, int number) {
#if OPERATION == 0
  return __fadd_rn(x, 0.75F);
#elif OPERATION == 1
  return __fmul_rn(x, 1.0009765625F);
#else
  // The dividends differ, because two divisions of one dividend would cancel out. x is the divisor,
  // since the compiler could compute one reciprocal for all divisions by a constant.
  return __fdiv_rn(1.0F + 0.015625F * static_cast<float>(number), x);
#endif
}
