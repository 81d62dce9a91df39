#pragma once

namespace warpwise::ladders {

/// What every rung takes: a stereo pair of bytes, and floats for its disparities by SAD, checked
/// from the right image, −1 where that leads elsewhere by more than one. Images lie anywhere.
struct DisparityProblem {
  const unsigned char* left;
  const unsigned char* right;
  unsigned char* dst;    ///< floats
  void* scratch;         ///< as large as a rung asks for
  long long left_pitch;  ///< bytes
  long long right_pitch;
  long long dst_pitch;
  int width;
  int height;
  int half;   ///< of a block's side, rounded down
  int count;  ///< of displacements, from 0 on
};

}  // namespace warpwise::ladders
