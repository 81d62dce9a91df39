#pragma once

namespace warpwise::ladders {

/// Arguments of every rung: a square template and an image of bytes, and the columns × rows places
/// at which the template is inside the image. Both may have any alignment.
struct FindProblem {
  const unsigned char* templ;
  const unsigned char* image;
  unsigned char* best;    ///< x and y, integers of 64 bits, then the score, a double
  void* scratch;          ///< scratch memory of the size that the rung asks for
  long long templ_pitch;  ///< bytes
  long long image_pitch;
  long long width;  ///< width of the image
  long long height;
  long long columns;  ///< columns of places
  long long rows;
  int side;  ///< side of the template
};

}  // namespace warpwise::ladders
