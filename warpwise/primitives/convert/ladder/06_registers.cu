// Idea: three words are four pixels. A thread loads its own three words in each of ROWS rows, and
//   stores its four pixels of a row as one 16-byte vector, without shared memory. Two more rungs
//   save instructions: PERMUTE takes a byte out of a word by one instruction instead of a shift and
//   a mask; SATURATING_PACK saturates two channels and puts them into their bytes by one
//   instruction.
// Expected: no barrier and no copy through shared memory, and still one store for four pixels. A
//   warp's loads are 12 bytes apart: each of the three touches all of the warp's 384 bytes, and the
//   cache serves the second and the third. More rows keep more loads in flight. Saved instructions
//   show once the kernel no longer waits for device memory.
// Next limit: device memory.
#include "pixels.cuh"

using warpwise::ladders::ConvertProblem;

__device__ int byte_of(const unsigned (&words)[3], int index) {
  if constexpr (PERMUTE) {
    return static_cast<int>(__byte_perm(words[index / 4], 0, 0x4440 + index % 4));
  } else {
    return static_cast<int>(words[index / 4] >> (index % 4 * 8) & 255);
  }
}

/// Computes channel `row` of a pixel before saturation.
__device__ int channel(const ConvertProblem& p, int row, int r, int g, int b) {
  const auto& k = p.coefficient[row];
  const int sum = k[0] * r + k[1] * g + k[2] * b + p.offset[row];
  return sum >> warpwise::ladders::convert_fraction_bits;
}

__device__ unsigned pack(int y, int cb, int cr) {
  if constexpr (SATURATING_PACK) {
    unsigned upper, all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(upper) : "r"(255), "r"(cr), "r"(0));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(cb), "r"(y), "r"(upper));
    return all;
  } else {
    const auto saturated = [](int value) { return min(max(value, 0), 255); };
    const int bytes = saturated(y) | saturated(cb) << 8 | saturated(cr) << 16;
    return static_cast<unsigned>(bytes) | 0xff000000U;
  }
}

__device__ void store_four(const ConvertProblem& p, int x, int y, const unsigned (&pixel)[4]) {
  unsigned char* const to = p.dst + y * p.dst_pitch + 4LL * x;
  if (x + 4 <= p.width && (reinterpret_cast<unsigned long long>(to) & 15) == 0) {
    *reinterpret_cast<uint4*>(to) = {pixel[0], pixel[1], pixel[2], pixel[3]};
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (x + i < p.width) reinterpret_cast<unsigned*>(to)[i] = pixel[i];
  }
}

extern "C" __global__ void convert(ConvertProblem p) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_X + threadIdx.x) * 4;
  if (x >= p.width) return;
  for (int y = static_cast<int>(blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS; y < p.height;
       y += static_cast<int>(gridDim.y * BLOCK_Y) * ROWS) {
    unsigned words[ROWS][3];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (y + r < p.height) warpwise::ladders::load_words(p, 3LL * x, 4, y + r, words[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (y + r >= p.height) break;
      unsigned pixel[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int red = byte_of(words[r], 3 * i), green = byte_of(words[r], 3 * i + 1),
                  blue = byte_of(words[r], 3 * i + 2);
        pixel[i] = pack(channel(p, 0, red, green, blue), channel(p, 1, red, green, blue),
                        channel(p, 2, red, green, blue));
      }
      store_four(p, x, y + r, pixel);
    }
  }
}
