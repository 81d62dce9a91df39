#pragma once

#include "warpwise/primitives/threshold/band_products.cuh"

// Computes how the sums of windows change from one row to the next. Fit for nvcc and NVRTC: no
// host headers.
namespace warpwise::kernels::threshold {

/// Compile-time properties of a kernel's blocks. In each row of a block's strip, each of the
/// `deciding_threads` has one word of results.
template <class PixelType, BandSums band_sums, int deciding_threads>
struct BandShape {
  using Pixel = PixelType;
  static constexpr BandSums sums = band_sums;
  static constexpr int size = sizeof(Pixel);
  static constexpr int count = threshold_pixels_per_word<Pixel>;
  /// Type of bias minus the sum of a window.
  using Less = cuda::std::conditional_t<sums == BandSums::wide, int64_t, int>;
  static constexpr int strip = 4 * deciding_threads;
  /// Words of shared memory for the changes of 8 bytes of pixels.
  static constexpr int words = size == 2 || sums == BandSums::pairs ? 4 : 8;
  /// Words between rows of changes. At this distance, stores of 4 lanes in 8 rows use all banks.
  static constexpr int pitch = strip / 8 * words + words;

  /// Returns the index of a lane's first changes. Its warp computes the changes from byte
  /// `warp_bytes` of the strip on.
  static __device__ int place_of_lane(int warp_bytes, int lane) {
    return lane / 4 * pitch + (warp_bytes / 8 * 4 + lane % 4) * (words / 4);
  }
};

/// Stores lane l's four sums, of rows l / 4 and l / 4 + 8, to where BandColumn reads them.
template <class Shape>
__device__ inline void put_changes(int* upper, const int (&sums)[4]) {
  int* const lower = upper + 8 * Shape::pitch;
  if constexpr (Shape::size == 2) {
    *upper = sums[0] + 256 * sums[1];
    *lower = sums[2] + 256 * sums[3];
  } else if constexpr (Shape::sums == BandSums::pairs) {
    *upper = static_cast<int>(permuted(sums[0], sums[1], 0x5410));
    *lower = static_cast<int>(permuted(sums[2], sums[3], 0x5410));
  } else {
    *reinterpret_cast<int2*>(upper) = {sums[0], sums[1]};
    *reinterpret_cast<int2*>(lower) = {sums[2], sums[3]};
  }
}

/// For small windows: computes each sum from the products of all its bytes. The windows around 16
/// adjacent bytes of pixels overlap; together they lie in `parts` groups of 16 bytes.
template <class Shape, int parts>
class WholeSums {
 public:
  __device__ explicit WholeSums(const BandArguments& a) {
    const int window = (2 * a.half + 1) * Shape::size;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        weights_[k][p] = band_weights<typename Shape::Pixel>(a.out_at + 8 * k - 16 * p, window);
      }
    }
  }

  /// Computes the changes for a warp's part of the strip: sums along 16 rows that come in. Without
  /// `starting`, it subtracts sums along 16 rows that go out. `rows` is the address that the lane
  /// gives to BandBytes::load() for the first 16 bytes of its row.
  template <bool starting>
  __device__ void along_rows(unsigned rows, int* changes) const {
    BandBytes bytes[parts];  // the bytes at 16 i are in element i mod parts
#pragma unroll
    for (int p = 0; p < parts - 1; ++p) bytes[p].load(rows + 16 * p);
#pragma unroll
    for (int i = 0; i < threshold_band_warp_bytes / 16; ++i) {
      constexpr int last = parts - 1;
      bytes[(i + last) % parts].load(rows + 16 * (i + last));
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        int sums[4] = {};
#pragma unroll
        for (int p = 0; p < parts; ++p) {
          const BandBytes& part = bytes[(i + p) % parts];
          if constexpr (starting) {
            add_products(sums, part.in, weights_[k][p]);
          } else {
            add_change(sums, part, weights_[k][p]);
          }
        }
        put_changes<Shape>(changes + (2 * i + k) * Shape::words, sums);
      }
    }
  }

 private:
  unsigned weights_[2][parts];  ///< weights for 8 bytes of results and for the next 8
};

/// Computes the sums of large windows from three parts: the first 32 bytes, the last 32, and those
/// `between`. All windows that begin in the same 16 bytes share the part `between`. For windows in
/// the next 16 bytes, that part gains 16 bytes at its end and loses 16 at its beginning.
template <class Shape>
class WideSums {
 public:
  __device__ explicit WideSums(const BandArguments& a) {
    using Pixel = typename Shape::Pixel;
    const int window = (2 * a.half + 1) * Shape::size;
    last_ = (a.out_at + window) / 16;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first = a.out_at + lane / 4 / Shape::size * Shape::size;
    const unsigned ones = band_ones<Pixel>();
#pragma unroll
    for (int k = 0; k < 2; ++k) {
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        const int at = 16 * p + lane % 4 * 4;
        left_[k][p] = weights_between(ones, at, first + 8 * k, 32);
        right_[k][p] = weights_between(ones, at, 0, first + 8 * k + window - 16 * last_);
      }
    }
  }

  /// Computes the changes for a warp's part of the strip, like WholeSums::along_rows(). The part
  /// `between` is a running sum along the row. Only the first warp knows its start; other warps
  /// begin at 0. All their changes then lack a constant: the sum of all earlier warps' shares.
  ///
  /// \param upper     where lane l stores the warp's share for row l / 4. The share is the running
  ///                  sum at the end of the warp's columns.
  /// \param to_lower  words from `upper` to the place of the share for row l / 4 + 8
  __device__ void along_rows(unsigned rows, int* changes, bool is_first, int* upper,
                             int to_lower) const {
    const unsigned ones = band_ones<typename Shape::Pixel>();
    const auto part_at = [&](int p) {
      BandBytes part;
      part.load(rows + 16 * p);
      return part;
    };
    int between[4] = {};
    if (is_first) {
      int others[4] = {};  // second sums, so that a product need not wait for the one before
#pragma unroll 2
      for (int p = 2; p + 1 < last_; p += 2) {
        add_change(between, part_at(p), ones);
        add_change(others, part_at(p + 1), ones);
      }
      if (last_ % 2 != 0) add_change(between, part_at(last_ - 1), ones);
#pragma unroll
      for (int i = 0; i < 4; ++i) between[i] += others[i];
    }
    constexpr int steps = threshold_band_warp_bytes / 16;
    BandBytes left[3] = {part_at(0), part_at(1)};
    BandBytes right[3] = {part_at(last_), part_at(last_ + 1)};
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      left[(i + 2) % 3] = part_at(i + 2);
      if (i + 1 < steps) right[(i + 2) % 3] = part_at(last_ + i + 2);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        int sums[4] = {between[0], between[1], between[2], between[3]};
#pragma unroll
        for (int p = 0; p < 2; ++p) {
          add_change(sums, left[(i + p) % 3], left_[k][p]);
          add_change(sums, right[(i + p) % 3], right_[k][p]);
        }
        put_changes<Shape>(changes + (2 * i + k) * Shape::words, sums);
      }
      add_change(between, right[i % 3], ones);
      add_change_with(between, left[(i + 2) % 3], negative(ones), ones);
    }
    if (threadIdx.x % 4 == 0) {
      constexpr int high = Shape::size == 2 ? 256 : 0;  // u16: odd elements sum high bytes
      upper[0] = between[0] + high * between[1];
      upper[to_lower] = between[2] + high * between[3];
    }
  }

 private:
  int last_;  ///< index of the group of 16 bytes at which the windows' last 32 bytes begin
  unsigned left_[2][2];
  unsigned right_[2][2];
};

}  // namespace warpwise::kernels::threshold
