#pragma once

#include "warpwise/primitives/shared/matrix_units.cuh"

// Sums of products of a template with an image, at many places of the template in the image, by
// integer matrix units. Fit for nvcc and NVRTC: no host headers.
//
// A place is a position of the template in the image. One product of matrices adds one row of the
// template, over 32 columns k, to the sums ab of 16 rows of 8 places at columns x + n:
//
//   ab[row][n] += Σ_k image[row][x + k] · templ[k − n]
//
// The first matrix holds the image's pixels as they are. The second is a Toeplitz matrix of the
// template's row, which is 0 where k − n is no column of the row. For 32 columns of places, a
// template of w columns needs w + 31 columns k, rounded up to a multiple of 32.
namespace warpwise::kernels {

/// A template's row in shared memory: 4 copies of `words` words. Copy 0 begins 32 pixels before
/// column k = 0, copy i begins i pixels earlier. Any 4 adjacent pixels are then a word of one copy.
/// `words` is an odd multiple of 8, so that the copies are in different banks.
template <int words>
struct ToeplitzRow {
  static_assert(words / 8 % 2 == 1 && words % 8 == 0);
  unsigned copies[4][words];

  /// Sets word `word` of each copy. In copy 0 this word is `pixels`, and the word before it is
  /// `before`.
  __device__ void set(int word, unsigned before, unsigned pixels) {
#pragma unroll
    for (int i = 0; i < 4; ++i) copies[i][word] = __funnelshift_l(before, pixels, 8 * i);
  }
  /// Returns this lane's argument `templ` of add_toeplitz() for 32 columns k from 32 · step on.
  __device__ const unsigned* lane(int step) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    return &copies[lane / 4 % 4][8 * step + 2 + lane % 4 - lane / 16];
  }
};

/// Returns the index of the word, counted from the first pixel, at which this lane begins to load
/// 16 rows of 32 pixels. The second 8 rows begin `distance` rows below the first 8. Rows have
/// `words` words, an odd multiple of 4.
__device__ inline int toeplitz_pixels(int words, int distance) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return (lane % 8 + lane / 8 % 2 * distance) * words + lane / 16 * 4;
}

/// Adds the products of every eighth row of the template to the sums of 16 · groups rows of 32
/// places. sums[m] belongs to rows 8m … 8m + 7 of the places, and to the 8 rows 8 · groups lower.
/// Row 8r of the template in sums[m] needs the same image rows as row 8r + 8 in sums[m − 1]. They
/// are loaded once for both.
///
/// \param image  image row that the first template row covers at the first place, plus this lane's
///               toeplitz_pixels(image_words, 8 · groups)
/// \param templ  ToeplitzRow::lane() of the first template row; rows are templ_words apart
/// \param rows   number of all template rows from the first to the last, not of every eighth only
/// \tparam first, last  true for the first or last 32 columns k: half of some Toeplitz matrices is
///                then zero, and skipped
template <bool first, bool last, int most_rows, int groups>
__device__ inline void add_toeplitz(const unsigned* image, int image_words, const unsigned* templ,
                                    int templ_words, int rows, MatrixSums (&sums)[groups][4]) {
  constexpr int eights = most_rows / 8;
  MatrixPair pixels[groups + eights - 1];
#pragma unroll
  for (int i = 0; i < groups + eights - 1; ++i) pixels[i] = load_pair(image + 8 * i * image_words);
#pragma unroll
  for (int r = 0; r < eights; ++r) {
    if (8 * r >= rows) break;
    unsigned toeplitz[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) toeplitz[i] = templ[8 * r * templ_words + 2 * i];
#pragma unroll
    for (int m = 0; m < groups; ++m) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const unsigned near = toeplitz[3 - n], far = toeplitz[5 - n];
        if (first && n >= 2)
          multiply_add_far(sums[m][n], pixels[m + r], far);
        else if (last && n < 2)
          multiply_add_near(sums[m][n], pixels[m + r], near);
        else
          multiply_add(sums[m][n], pixels[m + r], near, far);
      }
    }
  }
}

/// Writes a warp's sums, row by row, to shared memory with rows of `words` words. If `words` is 8
/// more than a multiple of 32, the lanes' words use different banks. `rows` is the distance in rows
/// between the upper and the lower 8 rows of the sums.
template <int words>
__device__ inline void store_sums(const MatrixSums (&sums)[4], unsigned* to, int rows) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const unsigned(&at)[4] = sums[n].at;
    unsigned* upper = to + lane / 4 * words + 8 * n + lane % 4 * 2;
    *reinterpret_cast<uint2*>(upper) = {at[0], at[1]};
    *reinterpret_cast<uint2*>(upper + rows * words) = {at[2], at[3]};
  }
}

}  // namespace warpwise::kernels
