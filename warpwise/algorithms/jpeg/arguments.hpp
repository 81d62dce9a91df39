#pragma once

#include <cstdint>

// Arguments of the JPEG decoder's kernels. Compiled by g++ and nvcc.
namespace warpwise::kernels::jpeg {

/// Bits of a sequence: the part of the entropy-coded data that one thread decodes.
inline constexpr std::uint32_t sequence_bits = 512;
/// Threads of a thread block, each of which decodes a sequence. Together they find the decoder's
/// states at the starts of their sequences.
inline constexpr unsigned sequences_of_block = 128;
/// Launches of settle_kernel() after the first one. In each, a thread block starts from the state
/// that the block before it reached in the previous launch.
inline constexpr int settling_launches = 4;
/// Largest number of rounds of a thread block in these launches. In a round, threads whose start
/// states have changed decode again. If states still change after these rounds, the CPU decodes the
/// file. This happens in nearly blank parts.
inline constexpr int most_rounds = 96;
/// Threads of a thread block that transforms 8x8 blocks, with 8 threads for each of them.
inline constexpr unsigned transform_threads = 256;
/// Number of bits that index Codes::of_start.
inline constexpr int lookup_bits = 10;
/// Longest code.
inline constexpr int longest_code = 16;

/// A Huffman table.
struct Codes {
  /// Indexed by the next lookup_bits bits: length << 8 | symbol; 0 for longer codes.
  std::uint16_t of_start[1 << lookup_bits];
  /// Indexed by length: a bound for the next 16 bits of the data. If they are below it, they begin
  /// with a code of at most this length.
  std::uint32_t limit[longest_code + 1];
  /// Indexed by length: the number that is added to a code to get its index in `symbol`.
  std::int32_t offset[longest_code + 1];
  std::uint8_t symbol[256];
};

struct Tables {
  Codes codes[4];                     ///< two for first (DC) coefficients, two for the others (AC)
  std::uint16_t quantisation[3][64];  ///< quantisation of each component, row by row
  /// index in the 8x8 block of each coefficient, for coefficients in the order of the data
  std::uint8_t place[64];
  /// Indices in `codes` of each component's tables, 4 bits each. The lower half is for the first
  /// coefficients, the upper half for the others.
  std::uint32_t codes_of;
};

/// Consecutive bits of a segment, which one thread decodes.
struct Sequence {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t segment;
};

/// The data between two restart markers. It begins with the first bit of its first sequence.
struct Segment {
  std::uint32_t first_sequence;
  std::uint32_t first_block;  ///< index among all 8x8 blocks, in the order of the data
  std::uint32_t end_block;
};

/// Counts over one or several consecutive sequences. The counts over all sequences before a
/// sequence give its first 8x8 block and the DC values at its start.
struct Sums {
  std::uint32_t blocks;  ///< number of 8x8 blocks that end in the sequences
  std::int32_t dc[3];    ///< for each component: sum of the first coefficients' differences
};

/// A component's samples: whole 8x8 blocks in memory. `width` and `height` count the picture's own
/// samples.
struct Plane {
  std::uint8_t* samples;
  std::uint32_t pitch;
  std::uint32_t width;
  std::uint32_t height;
};

struct Arguments {
  const std::uint32_t* words;  ///< the data, big-endian, followed by 16 bytes
  const Tables* tables;
  const Sequence* sequences;
  const Segment* segments;
  std::uint64_t* entered;  ///< for each sequence: the state that it was last decoded from
  std::uint64_t* left;     ///< for each sequence: the decoder's state at its end
  /// for each thread block: `left` of its last sequence, from the previous launch
  const std::uint64_t* before;
  std::uint64_t* after;  ///< for each thread block: `left` of its last sequence, from this launch
  Sums* sums;            ///< for each sequence: its own counts
  Sums* group_sums;      ///< for each thread block: the sums of all its sequences
  Sums* sums_before;     ///< for each sequence: the sums of all sequences before it
  std::int16_t* coefficients;  ///< 64 for each 8x8 block, row by row; zeros at first
  std::uint8_t* pixels;        ///< gray8 or rgb24, without gaps
  std::uint32_t* failed;       ///< set to 1 if the CPU has to decode the file
  Plane planes[3];
  std::uint32_t sequence_count;
  std::uint32_t units_in_row;  ///< units (MCUs): the 8x8 blocks of all components at one place
  std::uint32_t block_count;
  std::uint32_t codes_of;   ///< as in Tables
  std::uint8_t across;      ///< columns of luma blocks in a unit
  std::uint8_t down;        ///< rows of luma blocks in a unit
  std::uint8_t components;  ///< number of components in the data: 1 or 3
  std::uint8_t has_colour;  ///< pixels are rgb24; else the luma alone
  std::uint8_t has_linear;  ///< chroma is interpolated
};

}  // namespace warpwise::kernels::jpeg
