#pragma once

namespace warpwise::ladders {

/// Arguments of every rung: images of bytes; columns × rows blocks of `size` × `size` pixels, side
/// by side from the reference's corner; displacements from `first` to `first + search - 1` along
/// both axes. Displacements and scores are at multiples of 4 bytes; images at any address.
struct MatchProblem {
  const unsigned char* reference;
  const unsigned char* target;
  unsigned char* displacement;  ///< pairs of 16-bit integers
  unsigned char* score;         ///< 32-bit integers, or floats for ncc
  void* scratch;                ///< a score for each candidate, in rungs that ask for them
  unsigned long long reference_texture;
  unsigned long long target_texture;
  long long reference_offset;  ///< texel of the first pixel
  long long target_offset;
  long long reference_pitch;  ///< pitch in bytes, like all pitches
  long long target_pitch;
  long long displacement_pitch;
  long long score_pitch;
  long long width;  ///< of both images
  long long height;
  long long columns;
  long long rows;
  int size;
  int first;
  int search;
};

}  // namespace warpwise::ladders
