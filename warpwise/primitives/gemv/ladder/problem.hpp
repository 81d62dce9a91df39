#pragma once

namespace warpwise::ladders {

/// What every rung takes: y = A x. A has `rows` rows of `columns` floats, one row `pitch` floats
/// behind the other; x and y are arrays. All lie at multiples of 4 bytes, y apart from the others.
struct GemvProblem {
  const float* a;
  const float* x;
  float* y;
  long long pitch;
  long long rows;
  long long columns;
  /// Linear textures of A and x, for the rungs that ask for them, and where the first elements lie.
  unsigned long long a_texture;
  unsigned long long x_texture;
  int a_first;
  int x_first;
};

}  // namespace warpwise::ladders
