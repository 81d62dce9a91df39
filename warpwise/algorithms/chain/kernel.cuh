#pragma once

#include <cuda/std/cstdint>

#include "warpwise/algorithms/chain/arguments.hpp"
#include "warpwise/primitives/sobel/kernel.cuh"

// The fused kernel of a chain: grey, gradient and threshold in one pass. For nvcc and NVRTC: no
// host headers.
//
// A warp goes down a strip of columns, two rows at a time. It keeps the gradient terms of the last
// two rows in registers. For each column it subtracts the pixel that leaves the window from the
// pixel that enters it, and sums these numbers along the row in 16 bits. The change of a window's
// sum is the difference of such sums at the window's two ends. Each thread keeps the window sums of
// its own columns. The bytes of the window's rows are kept in shared memory.
namespace warpwise::kernels::chain {

using Pair = sobel::SobelPair<2, 1>;
inline constexpr unsigned all_lanes = 0xffffffff;

/// Contribution of one row of a thread's eight pixels to the gradients of the rows around it, in
/// pairs of pixels (0, 2), (1, 3), (4, 6), (5, 7): the difference of the neighbours along the row,
/// and the pixels smoothed along it.
struct Terms {
  Pair difference[4];
  Pair smoothed[4];
};

/// Eight bytes of gradient, in the pairs of Terms.
struct Gradient {
  unsigned pair[4];
};

/// A thread's position in the image: the values it needs in every row.
struct Place {
  const unsigned char* column;  ///< the thread's pixels in row 0
  int pitch;
  int height;
  // The lanes with the first and the last pixels of a row; -1 and 32 if the strip does not touch
  // that border. Lanes outside these have no pixels.
  int first_lane;
  int last_lane;

  __device__ bool at_border() const { return first_lane >= 0 || last_lane < 32; }
};

struct Words {
  unsigned word[6];
};

__device__ inline Words load_words(const unsigned char* at) {
  const auto* p = reinterpret_cast<const uint2*>(at);
  const uint2 a = __ldg(p), b = __ldg(p + 1), c = __ldg(p + 2);
  return {{a.x, a.y, b.x, b.y, c.x, c.y}};
}

/// Loads one row after another, and the last row again at the end of the image.
class RowWalk {
 public:
  /// The first load() returns row y + 1; rows above the image read row 0.
  __device__ RowWalk(const Place& place, int y) : y_(y) {
    const int line = min(max(y, 0), place.height - 1);
    at_ = place.column + cuda::std::int64_t{line} * place.pitch;
  }
  __device__ Words load(const Place& place) {
    if (static_cast<unsigned>(y_) < static_cast<unsigned>(place.height - 1)) at_ += place.pitch;
    ++y_;
    // Prefetches a later row into the L2 cache, so that its load is faster. Leaves out rows above
    // the image, where at_ is not row y_.
    if (y_ >= 0 && y_ + rows_ahead < place.height) {
      asm volatile(
          "prefetch.global.L2 [%0];" ::"l"(at_ + cuda::std::int64_t{rows_ahead} * place.pitch));
    }
    return load_words(at_);
  }

 private:
  static constexpr int rows_ahead = 2;  // the fastest of 0, 2, 4, 6, 8 and 16 on an H200
  const unsigned char* at_;
  int y_;
};

/// Returns sum + the signed 16-bit halves of `pair` times the two low signed bytes of `weights`.
__device__ inline int plus_pair(int sum, unsigned pair, unsigned weights) {
  int result;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(pair), "r"(weights), "r"(sum));
  return result;
}

/// Computes the terms of a row of colours. All lanes of the warp must call it.
__device__ inline Terms terms_of(const ChainRule& rule, const Place& place, const Words& row) {
  sobel::SobelArguments weights{};
  weights.grey_first = rule.grey_first;
  weights.grey_third = rule.grey_third;
  unsigned value[chain_pixels];
  sobel::grey_of_row<sobel::SobelSource::rgb>(weights, row.word, value);
  unsigned p[4];
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    p[i] = sobel::pair_of_grey(value[2 * i], value[2 * i + 2]);
    p[i + 1] = sobel::pair_of_grey(value[2 * i + 1], value[2 * i + 3]);
  }
  // `before` has pixel -1 in its upper half, `behind` has pixel 8 in its lower half.
  unsigned before = __shfl_up_sync(all_lanes, p[3], 1);
  unsigned behind = __shfl_down_sync(all_lanes, p[0], 1);
  const int lane = static_cast<int>(threadIdx.x);
  if (place.at_border()) {
    const unsigned first = rule.zero ? 0 : (rule.mirrored ? p[1] : p[0]) << 16;
    const unsigned last = rule.zero ? 0 : (rule.mirrored ? p[2] : p[3]) >> 16;
    if (lane == place.first_lane) before = first;
    if (lane == place.last_lane) behind = last;
  }
  const unsigned left[4] = {__byte_perm(before, p[1], 0x5432), p[0],
                            __byte_perm(p[1], p[3], 0x5432), p[2]};
  const unsigned right[4] = {p[1], __byte_perm(p[0], p[2], 0x5432), p[3],
                             __byte_perm(p[2], behind, 0x5432)};
  Terms terms;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Pair l{left[i]}, r{right[i]}, at{p[i]};
    terms.difference[i] = sobel::subtract(r, l);
    terms.smoothed[i] = sobel::smooth(weights, at, sobel::add(l, r));
  }
  return terms;
}

/// Terms of the last two rows, kept until the next row completes the gradient of the last row.
struct History {
  Pair partial[4];     ///< dx of the last row, except the term of the row below it
  Pair difference[4];  ///< difference of the last row
  Pair above[4];       ///< smoothed pixels of the last row but one
  Pair at[4];          ///< smoothed pixels of the last row

  __device__ History() {}
  __device__ History(const Terms& first, const Terms& second) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      partial[i] = sobel::weigh({}, second.difference[i], first.difference[i]);
      difference[i] = second.difference[i];
      above[i] = first.smoothed[i];
      at[i] = second.smoothed[i];
    }
  }

  /// Returns the gradient of the last row, given the terms of the row below, which becomes the last
  /// row. Columns outside the image get the byte at its edge.
  __device__ Gradient next(const Place& place, const Terms& below) {
    const sobel::SobelArguments none{};
    Gradient result;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Pair dx = sobel::add(partial[i], below.difference[i]);
      const Pair dy = sobel::subtract(below.smoothed[i], above[i]);
      result.pair[i] = sobel::pair_of_results<unsigned char, sobel::SobelResult::l1>(none, dx, dy);
      partial[i] = sobel::weigh(none, below.difference[i], difference[i]);
      difference[i] = below.difference[i];
      above[i] = at[i];
      at[i] = below.smoothed[i];
    }
    if (place.at_border()) {
      const int lane = static_cast<int>(threadIdx.x);
      const unsigned first = __shfl_sync(all_lanes, result.pair[0] & 0xffff, place.first_lane);
      const unsigned last = __shfl_sync(all_lanes, result.pair[3] >> 16, place.last_lane);
      if (lane < place.first_lane || lane > place.last_lane) {
        const unsigned edge = (lane < place.first_lane ? first : last) * 0x10001;
#pragma unroll
        for (unsigned& pair : result.pair) pair = edge;
      }
    }
    return result;
  }
};

/// Computes the terms of row y, -1 <= y <= height, with the border's rule outside the image.
__device__ inline Terms terms_at(const ChainRule& rule, const Place& place, int y) {
  const bool outside = y < 0 || y >= place.height;
  int line = y;
  if (y < 0) line = rule.mirrored && place.height > 1 ? 1 : 0;
  if (y >= place.height) line = rule.mirrored && place.height > 1 ? y - 2 : place.height - 1;
  Words row = load_words(place.column + cuda::std::int64_t{line} * place.pitch);
  if (outside && rule.zero) row = {};
  return terms_of(rule, place, row);
}

/// Computes the gradient of row y (outside the image: of the edge row) from rows in memory.
__device__ inline Gradient gradient_at(const ChainRule& rule, const Place& place, int y,
                                       History& history) {
  const int line = min(max(y, 0), place.height - 1);
  const Terms above = terms_at(rule, place, line - 1);
  history = History(above, terms_at(rule, place, line));
  return history.next(place, terms_at(rule, place, line + 1));
}

/// A thread's eight column changes: entering pixel - leaving pixel + 255, in the pairs of Terms.
using Numbers = Gradient;

/// Computes exclusive prefix sums of a row's numbers at a thread's eight columns, in pairs of
/// neighbours. `start`, in both halves of a word, is the sum of the numbers before the eight.
__device__ inline void sums_before(const Numbers& m, unsigned start, unsigned (&sum)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned two = m.pair[i] + m.pair[i + 1];
    const unsigned even = start + (two << 16);  // sums before pixels 0 and 2
    const unsigned odd = even + m.pair[i];      // sums before pixels 1 and 3
    sum[i] = __byte_perm(even, odd, 0x5410);
    sum[i + 1] = __byte_perm(even, odd, 0x7632);
    start = __byte_perm(odd + m.pair[i + 1], 0, 0x3232);
  }
}

/// Returns the sum of a thread's eight numbers, in the upper half of a word.
__device__ inline unsigned sum_of(const Numbers& m) {
  const unsigned all = m.pair[0] + m.pair[1] + m.pair[2] + m.pair[3];
  return all + (all << 16);
}

// Shared memory is accessed by 32-bit addresses, which stay in registers from row to row.
__device__ inline uint2 load_two(unsigned address) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address) : "memory");
  return v;
}
__device__ inline void store_two(unsigned address, uint2 v) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(v.x), "r"(v.y) : "memory");
}

/// A position in the ring of the window's rows in shared memory. Each lane has its own part of each
/// row: it reads only what it wrote itself.
class Ring {
 public:
  static constexpr int row_bytes = chain_columns;

  __device__ Ring(unsigned begin, int rows)
      : at_(begin + threadIdx.x * chain_pixels), begin_(at_), end_(at_ + rows * row_bytes) {}
  __device__ unsigned at() const { return at_; }
  __device__ void advance() {
    at_ += row_bytes;
    if (at_ == end_) at_ = begin_;
  }

 private:
  unsigned at_;
  unsigned begin_;
  unsigned end_;
};

/// Shared-memory addresses of the prefix sums at both ends of a thread's windows. A word holds two
/// columns. At one end, a pair of windows needs one word (`whole`), at the other parts of two words
/// (`split`). Words 0, 4, 8, … come first, then 1, 5, 9, …, each beside the other row's same word.
struct Ends {
  unsigned whole[4];
  unsigned split[5];
  /// Flags of half a word for each pixel: 1 if its window crosses the middle of the warp's columns,
  /// where the prefix sums start again at 0.
  unsigned crosses[4];
};

inline constexpr int bytes_of_words = 32 * sizeof(uint2);

template <bool odd_half>
__device__ Ends ends_of(unsigned sums, int half) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto address = [&](int word) {
    // Only halo columns can reach outside the strip; their results are not used.
    const int beside = min(max(lane + (word >> 2), 0), 31);
    unsigned at = sums + (word & 3) * bytes_of_words + beside * sizeof(uint2);
    asm("" : "+r"(at));  // kept in a register, not computed again in every row
    return at;
  };
  Ends ends;
  const int right = (half + 1) >> 1;  // words that are half + 1 pixels to the right
  const int left = -((half + 1) >> 1);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    ends.whole[i] = address((odd_half ? right : left) + i);
    const auto crosses = [&](int x) -> unsigned {
      return x - half < chain_columns / 2 && x + half + 1 >= chain_columns / 2 ? 1 : 0;
    };
    const int x = chain_pixels * lane + 2 * i;
    ends.crosses[i] = crosses(x) | crosses(x + 1) << 16;
    asm("" : "+r"(ends.crosses[i]));
  }
#pragma unroll
  for (int i = 0; i < 5; ++i) ends.split[i] = address((odd_half ? left : right) + i);
  return ends;
}

/// A pair of signed numbers as one 32-bit number: lower + 65536 * upper.
using SignedPair = unsigned;

/// Computes the changes of a thread's window sums in two rows. `first_half`: each row's sum over
/// the first half of the columns. `less`: the total of the 255s that a window's numbers include.
template <bool odd_half>
__device__ void changes_of(const Ends& ends, const unsigned (&first_half)[2], SignedPair less,
                           SignedPair (&change)[2][4]) {
  uint2 before = load_two(ends.split[0]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint2 behind = load_two(ends.split[i + 1]);
    const uint2 whole = load_two(ends.whole[i]);
    const unsigned split[2] = {__byte_perm(before.x, behind.x, 0x5432),
                               __byte_perm(before.y, behind.y, 0x5432)};
    const unsigned other[2] = {whole.x, whole.y};
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const unsigned right = odd_half ? other[row] : split[row];
      const unsigned left = odd_half ? split[row] : other[row];
      change[row][i] = first_half[row] * ends.crosses[i] + (right - left - less);
    }
    before = behind;
  }
}

/// Subtracts the changes from `less_sum`, which holds bias - sum for each pixel.
__device__ inline void slide(const SignedPair (&change)[4], int (&less_sum)[chain_pixels]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    less_sum[2 * i] = plus_pair(less_sum[2 * i], change[i], 0x00ff);
    // A negative lower number borrows one from the upper; adding 2^15 keeps it from doing so.
    less_sum[2 * i + 1] = plus_pair(less_sum[2 * i + 1], change[i] + 0x8000, 0xff00);
  }
}

/// Returns `value` plus the value of the lane `distance` below, if that lane is in the same half of
/// the warp.
__device__ inline unsigned plus_lower(unsigned value, int distance) {
  unsigned sum;
  asm volatile(
      "{ .reg .u32 lower; .reg .pred there; mov.u32 %0, %1;"
      " shfl.sync.up.b32 lower|there, %1, %2, 0x1000, 0xffffffff;"
      " @there add.u32 %0, lower, %1; }"
      : "=&r"(sum)
      : "r"(value), "r"(distance));
  return sum;
}

/// Returns the threshold's results of four pixels as bytes.
__device__ inline unsigned decide(const ChainRule& rule, unsigned bytes, const int* less_sum) {
  const unsigned area = static_cast<unsigned>(rule.area);
  int excess[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    // The dot product selects the byte: area has at most 16 bits.
    const unsigned factor = k % 2 == 0 ? area : area << 16;
    if (k < 2) {
      asm("dp2a.lo.u32.u32 %0, %1, %2, %3;"
          : "=r"(excess[k])
          : "r"(factor), "r"(bytes), "r"(less_sum[k]));
    } else {
      asm("dp2a.hi.u32.u32 %0, %1, %2, %3;"
          : "=r"(excess[k])
          : "r"(factor), "r"(bytes), "r"(less_sum[k]));
    }
  }
  unsigned low, high;  // the sign of each excess as a byte, 0x00 or 0xff
  asm("prmt.b32 %0, %1, %2, 0x00fb;" : "=r"(low) : "r"(excess[0]), "r"(excess[1]));
  asm("prmt.b32 %0, %1, %2, 0x00fb;" : "=r"(high) : "r"(excess[2]), "r"(excess[3]));
  const unsigned is_below = __byte_perm(low, high, 0x5410);
  return (is_below & rule.below) | (~is_below & rule.above);
}

/// Computes segment `segment` of strip `strip` of an image by one warp.
template <bool odd_half>
__device__ void chain_strip(const ChainRule& rule, const ChainImage& image, int strip,
                            int segment) {
  extern __shared__ uint4 memory[];
  const int lane = static_cast<int>(threadIdx.x);
  const int half = rule.half;
  const int halo = chain_halo(half);
  const int left = strip * (chain_columns - 2 * halo) - halo;
  const int x = left + chain_pixels * lane;
  const Place place{image.src + 3 * cuda::std::int64_t{min(max(x, 0), image.width - chain_pixels)},
                    image.src_pitch, image.height, left <= 0 ? -left / chain_pixels : -1,
                    min((image.width - 1 - left) / chain_pixels, 32)};
  const int first = segment * image.segment_rows;
  const int end = min(first + image.segment_rows, image.height);
  const bool stores = x >= left + halo && x < min(left + chain_columns - halo, image.width);

  const int window = 2 * half + 1;
  const auto sums = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  Ring entering(sums + 4 * bytes_of_words, window);  // the row that enters or leaves the window
  Ring centre = entering;
  for (int i = 0; i < window; ++i, entering.advance()) {
    store_two(entering.at(), {0, 0});
    if (i < half + 1) centre.advance();  // in the ring, `half` rows behind the entering row
  }
  const Ends ends = ends_of<odd_half>(sums, half);
  SignedPair less = 255 * window * 0x10001U;
  asm("" : "+r"(less));  // kept in a register, not multiplied in every row
  int less_sum[chain_pixels];
#pragma unroll
  for (int& sum : less_sum) sum = rule.bias;

  int y = first - half;  // the row that enters the window
  unsigned char* dst = image.dst + cuda::std::int64_t{first - 2 * half} * image.dst_pitch + x;
  RowWalk coming(place, y + 2);
  History history;
  Words next[2] = {};  // rows y + 1 and y + 2
#pragma unroll 1
  for (; y < end + half; y += 2) {
    Gradient m[2];
    if (y > max(first - half, 0) && y + 2 < image.height) {
      m[0] = history.next(place, terms_of(rule, place, next[0]));
      m[1] = history.next(place, terms_of(rule, place, next[1]));
    } else {
#pragma unroll 1
      for (int i = 0; i < 2; ++i) {
        m[1] = gradient_at(rule, place, y + i, history);
        if (i == 0) m[0] = m[1];
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) next[i] = coming.load(place);

    uint2 bytes[2];  // the pixels at the windows' centres
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint2 gone = load_two(entering.at());
      store_two(entering.at(), {__byte_perm(m[i].pair[0], m[i].pair[1], 0x6240),
                                __byte_perm(m[i].pair[2], m[i].pair[3], 0x6240)});
      entering.advance();
      bytes[i] = load_two(centre.at());
      centre.advance();
      const unsigned old[4] = {__byte_perm(gone.x, 0, 0x4240), __byte_perm(gone.x, 0, 0x4341),
                               __byte_perm(gone.y, 0, 0x4240), __byte_perm(gone.y, 0, 0x4341)};
      // Adding 255 keeps each number non-negative; the sum of 128 of them fits 16 bits.
#pragma unroll
      for (int k = 0; k < 4; ++k) m[i].pair[k] = m[i].pair[k] - old[k] + 255 * 0x10001;
    }

    // Scans the threads' sums over each half of the warp. The halves of a word hold the sums of the
    // two rows.
    const unsigned own = __byte_perm(sum_of(m[0]), sum_of(m[1]), 0x7632);
    unsigned up_to_here = own;
#pragma unroll
    for (int distance = 1; distance < 16; distance *= 2) {
      up_to_here = plus_lower(up_to_here, distance);
    }
    const unsigned first_halves = __shfl_sync(all_lanes, up_to_here, 15);
    const unsigned before = up_to_here - own;
    unsigned words[2][4];
    sums_before(m[0], __byte_perm(before, 0, 0x1010), words[0]);
    sums_before(m[1], __byte_perm(before, 0, 0x3232), words[1]);
    const unsigned own_words = sums + lane * static_cast<int>(sizeof(uint2));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      store_two(own_words + i * bytes_of_words, {words[0][i], words[1][i]});
    }
    __syncwarp();
    SignedPair change[2][4];
    changes_of<odd_half>(ends, {first_halves & 0xffff, first_halves >> 16}, less, change);
    __syncwarp();

#pragma unroll
    for (int i = 0; i < 2; ++i, dst += image.dst_pitch) {
      slide(change[i], less_sum);
      const int row = y + i - half;  // the row of the window's centre
      if (row < first) continue;
      const uint2 result{decide(rule, bytes[i].x, less_sum),
                         decide(rule, bytes[i].y, less_sum + 4)};
      if (stores && row < end) *reinterpret_cast<uint2*>(dst) = result;
    }
  }
}

/// Computes the thresholded gradient of the grey of rgb24 pixels, for one or more images. Grid: one
/// warp for each strip and segment, image after image.
template <int most, bool odd_half>
__global__ void __launch_bounds__(32) chain_kernel(const __grid_constant__ ChainArguments<most> a) {
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
  if constexpr (most > 1) {
    while (i + 1 < a.images && block >= a.image[i + 1].first_block) ++i;
  }
  const ChainImage image = a.image[i];
  const int own = block - image.first_block;
  chain_strip<odd_half>(a.rule, image, own % image.strips, own / image.strips);
}

}  // namespace warpwise::kernels::chain
