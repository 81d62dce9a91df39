// Each thread of a warp takes the lock in turn. Its holder must continue while others spin.
extern "C" __global__ void spin_lock(int* lock, int* counter, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    bool done = false;
    while (!done) {
      if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        volatile int* const guarded = counter;
        *guarded = *guarded + 1;
        __threadfence();
        atomicExch(lock, 0);
        done = true;
      }
    }
  }
}
