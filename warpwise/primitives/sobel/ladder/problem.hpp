#pragma once

namespace warpwise::ladders {

/// What every rung takes: the edges |dx| + |dy|, saturated at 255, of the grey values of an image
/// whose border pixels are repeated outside of it. A pixel of src is one aligned word with red,
/// green and blue in its lower three bytes. src and dst do not overlap.
struct SobelProblem {
  const unsigned* src;
  unsigned char* dst;
  long long src_pitch;  ///< in pixels
  long long dst_pitch;
  int width;
  int height;

  const int* filter;  ///< 2 x 3 x 3 weights: dx's, then dy's, each row by row
  float grey_scale;   ///< what the weighted sum of the colours is divided by: 32768

  unsigned long long texture;  ///< over src's memory, where the rung asks for one
  int texture_start;           ///< the texel of the first pixel
};

}  // namespace warpwise::ladders
