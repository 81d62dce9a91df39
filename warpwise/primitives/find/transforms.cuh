#pragma once

#include "warpwise/primitives/find/scores.cuh"

// find's products of large templates: Fourier transforms in double, whose errors are so small that
// rounding gives the exact sums (docs/decisions). Fit for nvcc and NVRTC: no host headers of their
// own.
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

/// Times −i, in an inverse transform i.
template <bool inverse>
__device__ inline Complex turned(const Complex& a) {
  return inverse ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
}

/// The transform of 2, 4 or 8 numbers.
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
  constexpr double root = 0.70710678118654752440;  // of 1/2
  Complex even[4], odd[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    even[k] = v[k] + v[k + 4];
    odd[k] = v[k] - v[k + 4];
  }
  // Times the first and the third of the 8th roots of 1.
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

/// Where point i lies: points at strides of a power of two are in different banks.
__device__ inline int slot(int i) { return i ^ (i >> 3 & 7); }

/// One pass over a block's points i: transforms of `radix` of load(i) at strides of 2^log_stride,
/// the roots of 1 between the passes, and store(i, point). 2^log_lines neighbours are of different
/// lines. Forward passes go from large strides to small ones and leave a line's points in another
/// order, from which inverse passes go back.
template <int radix, bool inverse, class Load, class Store>
__device__ inline void transform_pass(const Complex* roots, int log_stride, int log_lines,
                                      Load load, Store store) {
  constexpr int log_radix = radix == 8 ? 3 : radix / 2;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < transform_points / radix;
       i += transform_threads) {
    const int low = i & ((1 << log_stride) - 1);
    const int base = ((i >> log_stride) << (log_stride + log_radix)) + low;
    Complex v[radix];
#pragma unroll
    for (int k = 0; k < radix; ++k) v[k] = load(base + (k << log_stride));
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
    for (int k = 0; k < radix; ++k) store(base + (k << log_stride), v[k]);
  }
}

/// Points in shared memory: the place of each is where it comes from, and where it goes.
struct FromShared {
  const Complex* points;
  __device__ Complex operator()(int i) const { return points[slot(i)]; }
};
struct ToShared {
  Complex* points;
  __device__ void operator()(int i, const Complex& point) const { points[slot(i)] = point; }
};

/// A block's lines of 2^log_length points in shared memory, on the way.
class TransformLines {
 public:
  __device__ TransformLines(Complex* points, const Complex* roots, int log_length, int log_lines)
      : points_(points), roots_(roots), rest_(log_length % 3), top_(log_lines + log_length),
        log_lines_(log_lines) {}

  /// The passes there of points load(i), but for the last one.
  template <class Load>
  __device__ void begin_forward(Load load) const {
    if (rest_ == 1)
      transform_pass<2, false>(roots_, top_ - 1, log_lines_, load, ToShared{points_});
    else if (rest_ == 2)
      transform_pass<4, false>(roots_, top_ - 2, log_lines_, load, ToShared{points_});
    else
      transform_pass<8, false>(roots_, top_ - 3, log_lines_, load, ToShared{points_});
    __syncthreads();
    for (int at = outer() - 3; at > log_lines_; at -= 3) {
      transform_pass<8, false>(roots_, at, log_lines_, FromShared{points_}, ToShared{points_});
      __syncthreads();
    }
  }
  /// The last pass there: store(i, point).
  template <class Store>
  __device__ void end_forward(Store store) const {
    transform_pass<8, false>(roots_, log_lines_, log_lines_, FromShared{points_}, store);
  }
  /// The last pass there, times factor(i), and the first pass back.
  template <class Factor>
  __device__ void turn(Factor factor) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < transform_points / 8; i += transform_threads) {
      const int low = i & ((1 << log_lines_) - 1);
      const int base = ((i >> log_lines_) << (log_lines_ + 3)) + low;
      Complex v[8];
#pragma unroll
      for (int k = 0; k < 8; ++k) v[k] = points_[slot(base + (k << log_lines_))];
      transform_few<false>(v);
#pragma unroll
      for (int k = 0; k < 8; ++k) v[k] = v[k] * factor(base + (k << log_lines_));
      transform_few<true>(v);
#pragma unroll
      for (int k = 0; k < 8; ++k) points_[slot(base + (k << log_lines_))] = v[k];
    }
    __syncthreads();
  }
  /// The first pass back of points load(i).
  template <class Load>
  __device__ void begin_inverse(Load load) const {
    transform_pass<8, true>(roots_, log_lines_, log_lines_, load, ToShared{points_});
    __syncthreads();
  }
  /// The other passes back: store(i, point). Not divided by the length.
  template <class Store>
  __device__ void end_inverse(Store store) const {
    for (int at = log_lines_ + 3; at < outer(); at += 3) {
      transform_pass<8, true>(roots_, at, log_lines_, FromShared{points_}, ToShared{points_});
      __syncthreads();
    }
    if (rest_ == 1)
      transform_pass<2, true>(roots_, top_ - 1, log_lines_, FromShared{points_}, store);
    else if (rest_ == 2)
      transform_pass<4, true>(roots_, top_ - 2, log_lines_, FromShared{points_}, store);
    else
      transform_pass<8, true>(roots_, top_ - 3, log_lines_, FromShared{points_}, store);
  }

 private:
  /// The logarithm of the largest stride.
  __device__ int outer() const { return top_ - (rest_ == 0 ? 3 : rest_); }

  Complex* points_;
  const Complex* roots_;
  int rest_;
  int top_;  ///< the logarithm of all lines' points that lie together
  int log_lines_;
};

/// The lines of a block of rows, and of one of columns.
__device__ inline TransformLines rows_of(const FindTransform& t, Complex* points) {
  return {points, t.roots, t.log_width, 0};
}
__device__ inline TransformLines columns_of(const FindTransform& t, Complex* points) {
  return {points, t.roots, t.log_height, log_transform_points - t.log_height};
}

/// Where point i of a block of rows is in its row.
struct RowPoint {
  int line;
  int x;
  /// Where it lies once it is transformed: so that neighbouring threads store neighbours.
  int transformed;

  __device__ RowPoint(const FindTransform& t, int i)
      : line(i >> t.log_width), x(i & ((1 << t.log_width) - 1)),
        transformed((x & 7) << (t.log_width - 3) | x >> 3) {}
};

/// Where point i of a block of columns is.
struct ColumnPoint {
  int64_t x;
  int y;
  /// Its place among the block's, once it is transformed: likewise.
  int transformed;

  __device__ ColumnPoint(const FindTransform& t, int i) {
    const int log_lines = log_transform_points - t.log_height;
    const int line = i & ((1 << log_lines) - 1);
    x = (int64_t{blockIdx.x} << log_lines) + line;
    y = i >> log_lines;
    transformed = (y & 7) << (log_transform_points - 3) | (y >> 3) << log_lines | line;
  }
};

__device__ inline int transform_rows_of_block(const FindTransform& t) {
  return 1 << (log_transform_points - t.log_width);
}

__device__ inline void add_across_warp(TemplateSums& sums) {
  for (int distance = 16; distance > 0; distance /= 2) {
    sums.sum += __shfl_xor_sync(0xffffffffU, sums.sum, distance);
    sums.squares += __shfl_xor_sync(0xffffffffU, sums.squares, distance);
  }
}

/// A thread for each root.
__global__ void __launch_bounds__(transform_threads) roots_kernel(FindTransform t) {
  const int k = static_cast<int>(blockIdx.x * transform_threads + threadIdx.x);
  double sine = 0, cosine = 0;
  sincospi(k / (transform_points / 2.0), &sine, &cosine);
  t.roots[k] = {cosine, -sine};
}

/// The template's rows, and its sums. Grid: x over its rows.
__global__ void __launch_bounds__(transform_threads, 3)
    template_rows_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const int64_t first = int64_t{blockIdx.x} * transform_rows_of_block(t);
  TemplateSums sums{0, 0};
  const TransformLines lines = rows_of(t, points);
  lines.begin_forward([&](int i) {
    const RowPoint at(t, i);
    const int64_t y = first + at.line;
    unsigned pixel = 0;
    if (at.x < a.templ_width && y < a.templ_height) pixel = a.templ[y * a.templ_pitch + at.x];
    sums.sum += pixel;
    sums.squares += pixel * pixel;
    return Complex{static_cast<double>(pixel), 0};
  });
  lines.end_forward([&](int i, const Complex& point) {
    const RowPoint at(t, i);
    const int64_t y = first + at.line;
    if (y < a.templ_height) t.image[(y << t.log_width) + at.transformed] = point;
  });
  add_across_warp(sums);
  if (threadIdx.x % 32 == 0) {
    t.templ_sums[(int64_t{blockIdx.x} + 1) * (transform_threads / 32) + threadIdx.x / 32] = sums;
  }
}

/// The template's transform, conjugate and divided by the number of a tile's pixels: a product with
/// it is the correlation's. Grid: x over columns.
__global__ void __launch_bounds__(transform_threads, 3)
    template_columns_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformLines lines = columns_of(t, points);
  lines.begin_forward([&](int i) {
    const ColumnPoint at(t, i);
    if (at.y >= a.templ_height) return Complex{0, 0};
    return t.image[(int64_t{at.y} << t.log_width) + at.x];
  });
  const double scale = 1.0 / static_cast<double>(int64_t{1} << (t.log_width + t.log_height));
  lines.end_forward([&](int i, const Complex& point) {
    t.templ[int64_t{blockIdx.x} * transform_points + ColumnPoint(t, i).transformed] = {
        point.re * scale, -point.im * scale};
  });
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

/// A tile of the image.
struct TransformTile {
  bool there;
  int64_t x;  ///< of its first pixel and place
  int64_t y;

  __device__ TransformTile(const FindTransform& t, int64_t tile)
      : there(tile < t.tiles), x(tile % t.tiles_x * t.tile_columns),
        y(tile / t.tiles_x * t.tile_rows) {}

  __device__ double pixel(const FindArguments& a, int64_t column, int64_t row) const {
    const bool inside = there && x + column < a.image_width && y + row < a.image_height;
    return inside ? a.image[(y + row) * a.image_pitch + x + column] : 0;
  }
};

/// A pair of tiles: the second one is not above the first.
struct TransformPair {
  TransformTile first;
  TransformTile second;
  Complex* points;

  __device__ TransformPair(const FindTransform& t, int64_t pair)
      : first(t, 2 * pair), second(t, 2 * pair + 1),
        points(t.image + (pair << (t.log_width + t.log_height))) {}

  /// Rows from here on are zero.
  __device__ int64_t rows(const FindArguments& a) const { return a.image_height - first.y; }
};

/// The rows of pairs of tiles. Grid: x over rows, y over pairs.
__global__ void __launch_bounds__(transform_threads, 3)
    image_rows_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t top = int64_t{blockIdx.x} * transform_rows_of_block(t);
  if (top >= pair.rows(a)) return;
  const TransformLines lines = rows_of(t, points);
  lines.begin_forward([&](int i) {
    const RowPoint at(t, i);
    return Complex{pair.first.pixel(a, at.x, top + at.line),
                   pair.second.pixel(a, at.x, top + at.line)};
  });
  lines.end_forward([&](int i, const Complex& point) {
    const RowPoint at(t, i);
    pair.points[((top + at.line) << t.log_width) + at.transformed] = point;
  });
}

/// The columns of pairs of tiles: there, times the template's, and back. Grid: x over columns, y
/// over pairs.
__global__ void __launch_bounds__(transform_threads, 3)
    columns_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t rows = pair.rows(a);
  const TransformLines lines = columns_of(t, points);
  lines.begin_forward([&](int i) {
    const ColumnPoint at(t, i);
    if (at.y >= rows) return Complex{0, 0};
    return pair.points[(int64_t{at.y} << t.log_width) + at.x];
  });
  lines.turn([&](int i) {
    return t.templ[int64_t{blockIdx.x} * transform_points + ColumnPoint(t, i).transformed];
  });
  lines.end_inverse([&](int i, const Complex& point) {
    const ColumnPoint at(t, i);
    if (at.y < t.tile_rows) pair.points[(int64_t{at.y} << t.log_width) + at.x] = point;
  });
}

/// The sums of products of pairs of tiles, and the scores. Grid: x over rows of places, y over
/// pairs. `Sum` holds the image's Σb².
template <Measure measure, class Sum>
__global__ void __launch_bounds__(transform_threads, 3)
    transform_scores_kernel(FindArguments a, FindTransform t) {
  extern __shared__ Complex points[];
  const TransformPair pair(t, blockIdx.y);
  const int64_t top = int64_t{blockIdx.x} * transform_rows_of_block(t);
  const TransformLines lines = rows_of(t, points);
  lines.begin_inverse([&](int i) {
    const RowPoint at(t, i);
    // The last block may have rows that no tile has, of which nothing is scored.
    if (top + at.line >= t.tile_rows) return Complex{0, 0};
    return pair.points[((top + at.line) << t.log_width) + at.transformed];
  });
  lines.end_inverse(ToShared{points});
  __syncthreads();
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
  // The points are done with.
  __syncthreads();
  auto& best = *reinterpret_cast<FindPlace(*)[transform_threads]>(points);
  rank_block(best, scores.best, measure);
  if (threadIdx.x == 0) a.candidates[int64_t{blockIdx.y} * gridDim.x + blockIdx.x] = best[0];
}

}  // namespace warpwise::kernels::find
