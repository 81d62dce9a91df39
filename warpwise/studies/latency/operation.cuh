#pragma once

// One operation of a chain: OPERATION 0 is an addition, 1 a multiplication, 2 a division. Each is
// rounded on its own: the compiler makes no fused multiply-add of these functions, and no other
// order. Its results stay between 0.01 and 1000, where a division takes its short way.
__device__ inline float operation(float x, int number) {
#if OPERATION == 0
  return __fadd_rn(x, 0.75F);
#elif OPERATION == 1
  return __fmul_rn(x, 1.0009765625F);
#else
  // What is divided differs from one to the next, else two divisions would cancel out; and x is
  // what it is divided by, else the compiler could make its reciprocal once for all.
  return __fdiv_rn(1.0F + 0.015625F * static_cast<float>(number), x);
#endif
}
