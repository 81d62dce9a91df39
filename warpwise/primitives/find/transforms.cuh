#pragma once

#include "warpwise/primitives/find/scores.cuh"

// find's products of large templates, by Fourier transforms in double. The transforms' errors are
// so small that rounding gives the exact sums (proof in docs/decisions). nvcc and NVRTC compile
// this file; it includes no host headers.
namespace warpwise::kernels::find {

__device__ inline Complex operator+(const Complex& a, const Complex& b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ inline Complex operator-(const Complex& a, const Complex& b) {
  return {a.re - b.re, a.im - b.im};
}
__device__ inline Complex operator*(const Complex& a, const Complex& b) {
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}

/// Multiplies by −i; in an inverse transform by i.
template <bool inverse>
__device__ inline Complex turned(const Complex& a) {
  return inverse ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
}

/// Transforms 2, 4 or 8 numbers.
template <bool inverse>
__device__ inline void transform_few(Complex (&v)[2]) {
  const Complex sum = v[0] + v[1];
  v[1] = v[0] - v[1];
  v[0] = sum;
}
template <bool inverse>
__device__ inline void transform_few(Complex (&v)[4]) {
  const Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3];
  const Complex d = turned<inverse>(v[1] - v[3]);
  v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
}
template <bool inverse>
__device__ inline void transform_few(Complex (&v)[8]) {
  constexpr double root = 0.70710678118654752440;  // square root of 1/2
  Complex even[4], odd[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    even[k] = v[k] + v[k + 4];
    odd[k] = v[k] - v[k + 4];
  }
  // Multiplies by w, an eighth root of 1: e^(−πi/4), inverse e^(πi/4). turned() multiplies by w².
  const auto eighth = [](const Complex& a) {
    const Complex b = a + turned<inverse>(a);
    return Complex{b.re * root, b.im * root};
  };
  odd[1] = eighth(odd[1]);
  odd[2] = turned<inverse>(odd[2]);
  odd[3] = turned<inverse>(eighth(odd[3]));
  transform_few<inverse>(even);
  transform_few<inverse>(odd);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    v[2 * k] = even[k];
    v[2 * k + 1] = odd[k];
  }
}

/// Returns the index of point i in memory: points at power-of-two strides are in different banks.
__device__ inline int slot(int i) { return i ^ (i >> 3 & 7); }

/// Runs one pass over a thread block's points: transforms of `radix` points at strides of
/// 2^log_stride, and the products with roots of 1 between passes. Each 2^log_lines lines are
/// interleaved point by point. Forward passes go from large strides to small ones and leave a
/// line's points in a permuted order, which inverse passes expect.
template <int radix, bool inverse>
__device__ inline void transform_pass(Complex* points, const Complex* roots, int log_stride,
                                      int log_lines) {
  constexpr int log_radix = radix == 8 ? 3 : radix / 2;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < transform_points / radix;
       i += transform_threads) {
    const int low = i & ((1 << log_stride) - 1);
    const int base = ((i >> log_stride) << (log_stride + log_radix)) + low;
    Complex v[radix];
#pragma unroll
    for (int k = 0; k < radix; ++k) v[k] = points[slot(base + (k << log_stride))];
    if constexpr (!inverse) transform_few<inverse>(v);
    if (log_stride > log_lines) {
      Complex power[radix];
      power[1] =
          roots[(low >> log_lines) << (log_transform_points - log_radix - log_stride + log_lines)];
      if constexpr (inverse) power[1].im = -power[1].im;
#pragma unroll
      for (int k = 1; k < radix; ++k) {
        if (k > 1) power[k] = power[k / 2] * power[k - k / 2];
        v[k] = v[k] * power[k];
      }
    }
    if constexpr (inverse) transform_few<inverse>(v);
#pragma unroll
    for (int k = 0; k < radix; ++k) points[slot(base + (k << log_stride))] = v[k];
  }
  __syncthreads();
}

/// Transforms lines of 2^log_length points, without division by this length. `without_smallest`
/// leaves the smallest stride's pass to the caller. All threads must call it after storing points.
template <bool inverse, bool without_smallest = false>
__device__ inline void transform_lines(Complex* points, const Complex* roots, int log_length,
                                       int log_lines) {
  __syncthreads();
  const int rest = log_length % 3, top = log_lines + log_length;
  if constexpr (!inverse) {
    if (rest == 1) transform_pass<2, false>(points, roots, top - 1, log_lines);
    if (rest == 2) transform_pass<4, false>(points, roots, top - 2, log_lines);
    for (int at = top - rest - 3; at >= log_lines + (without_smallest ? 3 : 0); at -= 3)
      transform_pass<8, false>(points, roots, at, log_lines);
  } else {
    for (int at = log_lines + (without_smallest ? 3 : 0); at < top - rest; at += 3)
      transform_pass<8, true>(points, roots, at, log_lines);
    if (rest == 1) transform_pass<2, true>(points, roots, top - 1, log_lines);
    if (rest == 2) transform_pass<4, true>(points, roots, top - 2, log_lines);
  }
}

/// Calls use(i, line, x) for each of this thread's points: point i is column x of row `line`.
template <class Use>
__device__ inline void each_of_rows(const FindTransform& t, Use use) {
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < transform_points; i += transform_threads) {
    use(i, i >> t.log_width, i & ((1 << t.log_width) - 1));
  }
}

/// Calls use(i, x, y) for each of this thread's points: point i is row y of the tile's column x.
template <class Use>
__device__ inline void each_of_columns(const FindTransform& t, Use use) {
  const int log_lines = log_transform_points - t.log_height;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < transform_points; i += transform_threads) {
    const int line = i & ((1 << log_lines) - 1);
    use(i, static_cast<int>(blockIdx.x << log_lines) + line, i >> log_lines);
  }
}

__device__ inline int transform_rows_of_block(const FindTransform& t) {
  return 1 << (log_transform_points - t.log_width);
}

__device__ inline void add_across_warp(TemplateSums& sums) {
  for (int distance = 16; distance > 0; distance /= 2) {
    sums.sum += __shfl_xor_sync(0xffffffffU, sums.sum, distance);
    sums.squares += __shfl_xor_sync(0xffffffffU, sums.squares, distance);
  }
}

/// Computes the roots of 1, one in each thread.
__global__ void __launch_bounds__(transform_threads) roots_kernel(FindTransform t) {
  const int k = static_cast<int>(blockIdx.x * transform_threads + threadIdx.x);
  double sine = 0, cosine = 0;
  sincospi(k / (transform_points / 2.0), &sine, &cosine);
  follow_launch();
  t.roots[k] = {cosine, -sine};
}

/// Transforms the template's rows, and sums its pixels and their squares. Grid: x over its rows.
__global__ void __launch_bounds__(transform_threads, 3)
    template_rows_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const int64_t first = int64_t{blockIdx.x} * transform_rows_of_block(t);
  TemplateSums sums{0, 0};
  // The template was complete before this launch began, because roots_kernel waited for it.
  each_of_rows(t, [&](int i, int line, int x) {
    const int64_t y = first + line;
    unsigned pixel = 0;
    if (x < a.templ_width && y < a.templ_height) pixel = a.templ[y * a.templ_pitch + x];
    sums.sum += pixel;
    sums.squares += pixel * pixel;
    points[slot(i)] = {static_cast<double>(pixel), 0};
  });
  follow_launch();
  add_across_warp(sums);
  if (threadIdx.x % 32 == 0) {
    t.templ_sums[(int64_t{blockIdx.x} + 1) * (transform_threads / 32) + threadIdx.x / 32] = sums;
  }
  transform_lines<false>(points, t.roots, t.log_width, 0);
  each_of_rows(t, [&](int i, int line, int x) {
    const int64_t y = first + line;
    if (y < a.templ_height) t.image[(y << t.log_width) + x] = points[slot(i)];
  });
}

/// Computes the conjugate of the template's transform, divided by a tile's number of pixels. Its
/// product with an image tile's transform is their correlation's transform. Grid: x over columns.
__global__ void __launch_bounds__(transform_threads, 3)
    template_columns_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  follow_launch();
  each_of_columns(t, [&](int i, int x, int y) {
    Complex point{0, 0};
    if (y < a.templ_height) point = t.image[(int64_t{y} << t.log_width) + x];
    points[slot(i)] = point;
  });
  transform_lines<false>(points, t.roots, t.log_height, log_transform_points - t.log_height);
  const double scale = 1.0 / static_cast<double>(int64_t{1} << (t.log_width + t.log_height));
  // Stores points in the order in which columns_kernel uses them.
  const int log_lines = log_transform_points - t.log_height;
#pragma unroll 4
  for (int to = static_cast<int>(threadIdx.x); to < transform_points; to += transform_threads) {
    const int k = to / (transform_points / 8), i = to % (transform_points / 8);
    const int from =
        ((i >> log_lines) << (log_lines + 3)) + (i & ((1 << log_lines) - 1)) + (k << log_lines);
    const Complex point = points[slot(from)];
    t.templ[int64_t{blockIdx.x} * transform_points + to] = {point.re * scale, -point.im * scale};
  }
  if (blockIdx.x != 0) return;
  TemplateSums sums{0, 0};
#pragma unroll 4
  for (int64_t i = threadIdx.x; i < t.part_count; i += transform_threads) {
    const TemplateSums part = t.templ_sums[transform_threads / 32 + i];
    sums.sum += part.sum;
    sums.squares += part.squares;
  }
  add_across_warp(sums);
  if (threadIdx.x % 32 == 0) t.templ_sums[threadIdx.x / 32] = sums;
}

/// A tile of the image. `there` is false for the second tile of the last pair if it does not exist.
struct TransformTile {
  bool there;
  int64_t x;  ///< column of the tile's first pixel, and of its first place
  int64_t y;

  __device__ TransformTile(const FindTransform& t, int64_t tile)
      : there(tile < t.tiles), x(tile % t.tiles_x * t.tile_columns),
        y(tile / t.tiles_x * t.tile_rows) {}

  __device__ double pixel(const FindArguments& a, int64_t column, int64_t row) const {
    const bool inside = there && x + column < a.image_width && y + row < a.image_height;
    return inside ? a.image[(y + row) * a.image_pitch + x + column] : 0;
  }
};

/// A pair of tiles. The second one is to the right of the first or below it.
struct TransformPair {
  TransformTile first;
  TransformTile second;
  Complex* points;

  __device__ TransformPair(const FindTransform& t, int64_t pair)
      : first(t, 2 * pair), second(t, 2 * pair + 1),
        points(t.image + (pair << (t.log_width + t.log_height))) {}

  /// Returns the number of rows from the pair's top to the image's end; rows after them are zero.
  __device__ int64_t rows(const FindArguments& a) const { return a.image_height - first.y; }
};

/// Transforms the rows of pairs of tiles. Grid: x over rows, y over pairs.
__global__ void __launch_bounds__(transform_threads, 3)
    image_rows_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t top = int64_t{blockIdx.x} * transform_rows_of_block(t);
  if (top >= pair.rows(a)) return;
  each_of_rows(t, [&](int i, int line, int x) {
    points[slot(i)] = {pair.first.pixel(a, x, top + line), pair.second.pixel(a, x, top + line)};
  });
  transform_lines<false>(points, t.roots, t.log_width, 0);
  // The image and roots were complete before this launch began: the launch before waited for them.
  follow_launch();
  each_of_rows(t, [&](int i, int line, int x) {
    pair.points[((top + line) << t.log_width) + x] = points[slot(i)];
  });
}

/// Transforms the columns of pairs of tiles, multiplies them by the template's transform, and
/// transforms them back. Grid: x over columns, y over pairs.
__global__ void __launch_bounds__(transform_threads, 3)
    columns_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t rows = pair.rows(a);
  follow_launch();
  each_of_columns(t, [&](int i, int x, int y) {
    Complex point{0, 0};
    if (y < rows) point = pair.points[(int64_t{y} << t.log_width) + x];
    points[slot(i)] = point;
  });
  const int log_lines = log_transform_points - t.log_height;
  transform_lines<false, true>(points, t.roots, t.log_height, log_lines);
  const Complex* templ = t.templ + int64_t{blockIdx.x} * transform_points;
  // Runs the last forward pass, the product, and the first inverse pass.
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < transform_points / 8; i += transform_threads) {
    const int base = ((i >> log_lines) << (log_lines + 3)) + (i & ((1 << log_lines) - 1));
    Complex v[8], w[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) w[k] = templ[k * (transform_points / 8) + i];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = points[slot(base + (k << log_lines))];
    transform_few<false>(v);
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = v[k] * w[k];
    transform_few<true>(v);
#pragma unroll
    for (int k = 0; k < 8; ++k) points[slot(base + (k << log_lines))] = v[k];
  }
  transform_lines<true, true>(points, t.roots, t.log_height, log_lines);
  each_of_columns(t, [&](int i, int x, int y) {
    if (y < t.tile_rows) pair.points[(int64_t{y} << t.log_width) + x] = points[slot(i)];
  });
}

/// Computes the sums of products of pairs of tiles, and the scores. `Sum` is an integer type that
/// holds Σb² of a place. Grid: x over rows of places, y over pairs.
template <Measure measure, class Sum>
__global__ void __launch_bounds__(transform_threads, 3)
    transform_scores_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t top = int64_t{blockIdx.x} * transform_rows_of_block(t);
  follow_launch();
  each_of_rows(t, [&](int i, int line, int x) {
    // The last block may have rows beyond the tile, which are not scored.
    Complex point{0, 0};
    if (top + line < t.tile_rows) point = pair.points[((top + line) << t.log_width) + x];
    points[slot(i)] = point;
  });
  transform_lines<true>(points, t.roots, t.log_width, 0);
  TemplateSums templ{0, 0};
#pragma unroll
  for (int i = 0; i < transform_threads / 32; ++i) {
    templ.sum += t.templ_sums[i].sum;
    templ.squares += t.templ_sums[i].squares;
  }
  PlaceScores<measure, Sum> scores{{a.templ_width * a.templ_height, templ.sum, templ.squares},
                                   -2,
                                   templ.squares,
                                   {0, 0, detail::find::worst_score(measure)}};
#pragma unroll 1
  for (int part = 0; part < 2 * transform_points; part += places_together * transform_threads) {
    const bool second = part >= transform_points;
    const TransformTile& tile = second ? pair.second : pair.first;
    const auto point_of = [&](int i) {
      return part % transform_points + i * transform_threads + static_cast<int>(threadIdx.x);
    };
    const auto where = [&](int i) {
      const int point = point_of(i);
      return longlong2{tile.x + (point & ((1 << t.log_width) - 1)),
                       tile.y + top + (point >> t.log_width)};
    };
    Sum products[places_together];
    unsigned valid = 0;
#pragma unroll
    for (int i = 0; i < places_together; ++i) {
      const Complex& point = points[slot(point_of(i))];
      products[i] = static_cast<Sum>(__double2ll_rn(second ? point.im : point.re));
      const longlong2 place = where(i);
      const bool own = place.x - tile.x < t.tile_columns && place.y - tile.y < t.tile_rows;
      if (tile.there && own && place.x < a.columns && place.y < a.rows) valid |= 1U << i;
    }
    score_places(a, scores, products, valid, where);
  }
  // The points are no longer needed: rank_block reuses their memory.
  __syncthreads();
  auto& best = *reinterpret_cast<FindPlace(*)[transform_threads]>(points);
  rank_block(best, scores.best, measure);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = best[0];
}

}  // namespace warpwise::kernels::find
