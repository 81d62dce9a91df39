#pragma once

// The order in which gemv adds, the same on every backend. All sums start from +0. A part of the
// order that holds no element may be left out: adding its zero gives the same bits.
namespace warpwise::detail::gemv::order {

/// Number of lanes of a sum "in lanes". Element e of a sequence goes to lane e mod 32. Each lane is
/// summed from the first element to the last. The lanes are then added "by halves": lane i adds
/// lane i + 16, then lane i + 8, i + 4, i + 2 and i + 1.
inline constexpr int lanes = 32;

// A row times x is divided into chunks of 1024 columns, and a chunk into four pieces of 256. Each
// piece is summed in lanes. The pieces are then added lane by lane, (p0 + p1) + (p2 + p3), and at
// last the lanes by halves.
inline constexpr int piece_columns = 256;
inline constexpr int chunk_columns = 1024;
inline constexpr int chunk_pieces = chunk_columns / piece_columns;

// A column times x is divided into chunks of 256 rows, and a chunk into eight strands of 32. A
// strand is summed from its first row to its last. The strands are then added one after the other.
inline constexpr int strand_rows = 32;
inline constexpr int chunk_rows = 256;
inline constexpr int chunk_strands = chunk_rows / strand_rows;

// Number of chunks in a group. The sums of a group's chunks are summed in lanes. If there are
// several groups, their sums are then summed in the same way.
inline constexpr int group = 1024;

}  // namespace warpwise::detail::gemv::order
