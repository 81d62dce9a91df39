#pragma once

namespace warpwise::ladders {

/// Arguments of every rung: a stereo pair of bytes, and floats for its disparities by SAD. The
/// check from the right image writes −1 if the two images' disparities differ by more than one.
/// Images may have any alignment.
struct DisparityProblem {
  const unsigned char* left;
  const unsigned char* right;
  unsigned char* dst;    ///< floats
  void* scratch;         ///< scratch memory of the size that the rung asks for
  long long left_pitch;  ///< bytes
  long long right_pitch;
  long long dst_pitch;
  int width;
  int height;
  int half;   ///< half of a block's side, rounded down
  int count;  ///< number of displacements, from 0 on
};

}  // namespace warpwise::ladders
