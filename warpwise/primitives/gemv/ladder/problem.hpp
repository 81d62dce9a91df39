#pragma once

namespace warpwise::ladders {

/// Arguments of every rung: y = A x. A has `rows` rows of `columns` floats, and rows start `pitch`
/// floats apart. x and y are contiguous. All are aligned to 4 bytes; y overlaps neither A nor x.
struct GemvProblem {
  const float* a;
  const float* x;
  float* y;
  long long pitch;
  long long rows;
  long long columns;
  /// Linear textures of A and x, for the rungs that ask for them, and the indices of their first
  /// elements.
  unsigned long long a_texture;
  unsigned long long x_texture;
  int a_first;
  int x_first;
};

}  // namespace warpwise::ladders
