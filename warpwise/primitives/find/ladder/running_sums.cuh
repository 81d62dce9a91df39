#pragma once

#include "places.cuh"

// The kernels of running sums, which zncc needs: sums over the template and the image alone.
namespace warpwise::ladders {

constexpr int sums_threads = 128;
// Number of adjacent windows per thread.
constexpr int windows_run = 8;

__device__ inline void add(OwnSums& to, const OwnSums& from) {
  to.sum += from.sum;
  to.squares += from.squares;
}
__device__ inline void take_off(OwnSums& to, const OwnSums& from) {
  to.sum -= from.sum;
  to.squares -= from.squares;
}

}  // namespace warpwise::ladders

/// Computes the template's own sums. Runs as one block.
extern "C" __global__ void template_sums(warpwise::ladders::FindProblem p) {
  using namespace warpwise::ladders;
  __shared__ unsigned parts[2][sums_threads];
  OwnSums sums{0, 0};
  for (int i = threadIdx.x; i < p.side * p.side; i += sums_threads) {
    sums.add(p.templ[i / p.side * p.templ_pitch + i % p.side]);
  }
  parts[0][threadIdx.x] = sums.sum;
  parts[1][threadIdx.x] = sums.squares;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < sums_threads; ++i) add(sums, {parts[0][i], parts[1][i]});
  *RunningSums(p).templ = sums;
}

/// Computes column sums. A thread slides down SEGMENT rows; in each, one pixel enters, one leaves.
extern "C" __global__ void column_sums(warpwise::ladders::FindProblem p) {
  using namespace warpwise::ladders;
  const long long across = (p.width + sums_threads - 1) / sums_threads;
  const long long x = blockIdx.x % across * sums_threads + threadIdx.x;
  const long long top = blockIdx.x / across * SEGMENT;
  if (x >= p.width) return;
  const unsigned char* in = p.image + top * p.image_pitch + x;
  OwnSums sums{0, 0};
  for (int j = 0; j < p.side; ++j, in += p.image_pitch) sums.add(*in);
  OwnSums* columns = RunningSums(p).columns + x;
  const unsigned char* out = in - p.side * p.image_pitch;
  const long long end = min(top + SEGMENT, p.rows);
  for (long long y = top; y < end; ++y) {
    columns[y * p.width] = sums;
    if (y + 1 == end) break;
    OwnSums leaves{0, 0};
    leaves.add(*out);
    sums.add(*in);
    take_off(sums, leaves);
    in += p.image_pitch;
    out += p.image_pitch;
  }
}

/// Computes window sums. A thread block copies a row's column sums into shared memory. A thread
/// adds those of its first window, then slides along to 7 more windows.
extern "C" __global__ void window_sums(warpwise::ladders::FindProblem p) {
  using namespace warpwise::ladders;
  constexpr int tile = sums_threads * windows_run;
  constexpr int largest_side = 256;
  // One element of 9 is unused, so that a warp's windows, 8 sums apart, begin in different banks.
  constexpr int elements = (tile + largest_side) / windows_run * (windows_run + 1);
  __shared__ unsigned long long columns[elements];
  const auto at = [](int i) { return i + i / windows_run; };
  const long long across = (p.columns + tile - 1) / tile;
  const long long left = blockIdx.x % across * tile;
  const long long y = blockIdx.x / across;
  const RunningSums known(p);
  const auto* row = reinterpret_cast<const unsigned long long*>(known.columns + y * p.width + left);
  const int count = static_cast<int>(min(p.width - left, static_cast<long long>(tile + p.side)));
  for (int i = threadIdx.x; i < count; i += sums_threads) columns[at(i)] = row[i];
  __syncthreads();
  const auto column = [&](int i) {
    const unsigned long long value = columns[at(i)];
    return OwnSums{static_cast<unsigned>(value), static_cast<unsigned>(value >> 32)};
  };
  const int first = static_cast<int>(threadIdx.x) * windows_run;
  if (left + first >= p.columns) return;
  OwnSums sums{0, 0};
  for (int i = 0; i < p.side; ++i) add(sums, column(first + i));
  const int end =
      static_cast<int>(min(p.columns - left - first, static_cast<long long>(windows_run)));
  for (int k = 0; k < end; ++k) {
    known.windows[y * p.columns + left + first + k] = sums;
    if (k + 1 == end) break;
    take_off(sums, column(first + k));
    add(sums, column(first + k + p.side));
  }
}
