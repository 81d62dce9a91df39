// Calls each atomic function once, on results[0 ...]. Sums the old values, so that they are used.
extern "C" __global__ void atomics(int* results, unsigned* unsigned_results, float* sums,
                                   unsigned long long* wide, unsigned long long* returned) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const unsigned u = static_cast<unsigned>(i);
  unsigned long long sum = 0;
  sum += static_cast<unsigned>(atomicAdd(&results[0], i));
  sum += static_cast<unsigned>(atomicSub(&results[1], i));
  sum += static_cast<unsigned>(atomicMin(&results[2], -i));
  sum += static_cast<unsigned>(atomicMax(&results[3], i));
  sum += static_cast<unsigned>(atomicExch(&results[4], 7));
  sum += static_cast<unsigned>(atomicCAS(&results[5], 0, 5));
  sum += atomicAnd(&unsigned_results[0], ~(1u << (u % 32)));
  sum += atomicOr(&unsigned_results[1], 1u << (u % 32));
  sum += atomicXor(&unsigned_results[2], 1u << (u % 32));
  sum += atomicInc(&unsigned_results[3], 9);
  sum += atomicDec(&unsigned_results[4], 9);
  sum += atomicMin(&unsigned_results[5], u);
  sum += atomicMax(&unsigned_results[6], u);
  atomicAdd(&sums[0], 0.5f);
  sum += atomicAdd(&wide[0], 3ull);
  sum += atomicMax(&wide[1], static_cast<unsigned long long>(u) << 33);
  sum += atomicCAS(&wide[2], 0ull, 6ull);
  sum += atomicExch(&wide[3], 8ull);
  atomicAdd(&returned[0], sum);
}

extern "C" __global__ void atomics_double(double* sum, const double* from) {
  atomicAdd(sum, from[threadIdx.x]);
}
