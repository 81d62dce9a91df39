#pragma once

namespace warpwise::ladders {

/// Arguments of every rung. A rung computes the edges |dx| + |dy|, saturated at 255, of an image's
/// grey values; border pixels are repeated outside. A pixel of src is one aligned word with red,
/// green and blue in its lower three bytes. src and dst do not overlap.
struct SobelProblem {
  const unsigned* src;
  unsigned char* dst;
  long long src_pitch;  ///< in pixels
  long long dst_pitch;
  int width;
  int height;

  const int* filter;  ///< 2 x 3 x 3 weights: dx's, then dy's, each row by row
  float grey_scale;   ///< divisor of the weighted sum of the colours: 32768

  unsigned long long texture;  ///< texture over src's memory, if the rung asks for one
  int texture_start;           ///< the texel of the first pixel
};

}  // namespace warpwise::ladders
