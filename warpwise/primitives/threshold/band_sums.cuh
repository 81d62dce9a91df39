#pragma once

#include "warpwise/primitives/threshold/band_products.cuh"

// Changes of the sums along rows, from one row's window to the next row's. Fit for nvcc and NVRTC:
// no host headers.
namespace warpwise::kernels::threshold {

/// Compile-time properties of a block whose strip has a word of results for each of the threads
/// that decide.
template <class PixelType, BandSums band_sums, int deciding_threads>
struct BandShape {
  using Pixel = PixelType;
  static constexpr BandSums sums = band_sums;
  static constexpr int size = sizeof(Pixel);
  static constexpr int count = threshold_pixels_per_word<Pixel>;
  /// Type of bias less the sum of a window.
  using Less = cuda::std::conditional_t<sums == BandSums::wide, int64_t, int>;
  static constexpr int strip = 4 * deciding_threads;
  /// Words of shared memory for the changes of 8 bytes of pixels.
  static constexpr int words = size == 2 || sums == BandSums::pairs ? 4 : 8;
  /// Words from row to row of these: 8 rows' words of 4 lanes access all banks.
  static constexpr int pitch = strip / 8 * words + words;

  /// Returns the place of a lane's first changes. Its warp computes the changes from byte
  /// `warp_bytes` of the strip on.
  static __device__ int place_of_lane(int warp_bytes, int lane) {
    return lane / 4 * pitch + (warp_bytes / 8 * 4 + lane % 4) * (words / 4);
  }
};

/// Puts a lane's four sums, in rows l / 4 and l / 4 + 8, to where BandColumn reads them.
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

/// Computes each sum on its own, for windows of few bytes: as products of all its bytes. These and
/// the next 15 lie within `parts` times 16 bytes.
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

  /// Computes the changes for a warp's part of the strip: sums along 16 rows that come in, minus
  /// those of 16 rows that go out unless `starting`. `rows` is the lane's address for
  /// BandBytes::load() of its first 16 bytes.
  template <bool starting>
  __device__ void along_rows(unsigned rows, int* changes) const {
    BandBytes bytes[parts];  // those at 16 i are in element i mod parts
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
  unsigned weights_[2][parts];  ///< for 8 bytes of results and for the next 8
};

/// Computes each sum from the one 8 bytes before: adds what comes in, subtracts what goes out.
template <class Shape>
class SlidingSums {
 public:
  __device__ explicit SlidingSums(const BandArguments& a) : in_offset_(a.in_offset) {
    using Pixel = typename Shape::Pixel;
    const int window = (2 * a.half + 1) * Shape::size;
    parts_ = (a.out_at + 8 - Shape::size + window + 15) / 16;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      first_[k] = band_weights<Pixel>(a.out_at - 16 * k, window);
      last_[k] = band_weights<Pixel>(a.out_at - 16 * (parts_ - 1 - k), window);
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        coming_[k][p] = band_weights<Pixel>(a.in_at + 8 * k - 16 * p, 8);
        going_[k][p] = band_weights<Pixel>(a.out_at + 8 * k - 16 * p, 8);
      }
    }
  }

  /// Computes the changes for a warp's part of the strip, like WholeSums::along_rows().
  __device__ void along_rows(unsigned rows, int* changes) const {
    // Two sums, so that a product need not wait for the one before.
    int sums[4] = {};
    int others[4] = {};
    const auto part_at = [&](int p) {
      BandBytes part;
      part.load(rows + 16 * p);
      return part;
    };
    add_change(sums, part_at(0), first_[0]);
    add_change(others, part_at(1), first_[1]);
    const unsigned ones = band_ones<typename Shape::Pixel>();
#pragma unroll 2
    for (int p = 2; p + 1 < parts_ - 2; p += 2) {
      add_change(sums, part_at(p), ones);
      add_change(others, part_at(p + 1), ones);
    }
    if (parts_ % 2 != 0) add_change(sums, part_at(parts_ - 3), ones);
    add_change(others, part_at(parts_ - 2), last_[1]);
    add_change(sums, part_at(parts_ - 1), last_[0]);
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] += others[i];
    constexpr int steps = threshold_band_warp_bytes / 16;
    BandBytes coming[2];  // columns that come into the window
    BandBytes going[2];
    coming[0].load(rows + in_offset_);
    going[0].load(rows);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      coming[(i + 1) % 2].load(rows + in_offset_ + 16 * (i + 1));
      going[(i + 1) % 2].load(rows + 16 * (i + 1));
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        put_changes<Shape>(changes + (2 * i + k) * Shape::words, sums);
        if (k == 1 && i + 1 == steps) break;
        int of_coming[4] = {};
        int of_going[4] = {};
#pragma unroll
        for (int p = 0; p < 2; ++p) {
          add_change(of_coming, coming[(i + p) % 2], coming_[k][p]);
          add_change(of_going, going[(i + p) % 2], going_[k][p]);
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) sums[n] += of_coming[n] - of_going[n];
      }
    }
  }

 private:
  int in_offset_;
  int parts_;  ///< number of 16 bytes that the first sum has, at least 5
  unsigned first_[2];
  unsigned last_[2];  ///< weights of the last 16 bytes, and the last but one
  unsigned coming_[2]
                  [2];    ///< weights of what comes in, 8 bytes and 16 bytes further on, in 2 parts
  unsigned going_[2][2];  ///< weights of what goes out
};

}  // namespace warpwise::kernels::threshold
