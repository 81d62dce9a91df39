#pragma once

namespace warpwise::ladders {

/// What every rung takes: a square template and an image of bytes, and the columns × rows places at
/// which the template lies inside the image. Bytes lie anywhere.
struct FindProblem {
  const unsigned char* templ;
  const unsigned char* image;
  unsigned char* best;    ///< x and y, integers of 64 bits, then the score, a double
  void* scratch;          ///< as large as a rung asks for
  long long templ_pitch;  ///< bytes
  long long image_pitch;
  long long width;  ///< of the image
  long long height;
  long long columns;  ///< of places
  long long rows;
  int side;  ///< of the template
};

}  // namespace warpwise::ladders
