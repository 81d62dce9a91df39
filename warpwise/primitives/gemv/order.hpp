#pragma once

// The order in which gemv adds, the same on every backend. All sums start from +0. A part that
// holds no element adds nothing: leaving it out gives the same bits.
namespace warpwise::detail::gemv::order {

/// Number of lanes of a sum "in lanes". Element e of a list goes to lane e mod 32. Each lane is
/// summed from the first element to the last. Then the lanes are added by halves: lane i takes lane
/// i + 16, then i + 8, 4, 2, 1.
inline constexpr int lanes = 32;

// A row times x: chunks of 1024 columns, each with four pieces of 256. A piece is summed in lanes.
// Before the halves, the pieces are added lane by lane: (p0 + p1) + (p2 + p3).
inline constexpr int piece_columns = 256;
inline constexpr int chunk_columns = 1024;
inline constexpr int chunk_pieces = chunk_columns / piece_columns;

// A column times x: chunks of 256 rows, each with eight strands of 32. A strand is summed from its
// first row to its last, then the strands are added one after the other.
inline constexpr int strand_rows = 32;
inline constexpr int chunk_rows = 256;
inline constexpr int chunk_strands = chunk_rows / strand_rows;

// The sums of the chunks: up to 1024 of them are summed in lanes. If there are more, each group of
// 1024 is summed in lanes, and then the groups' sums in the same way.
inline constexpr int group = 1024;

}  // namespace warpwise::detail::gemv::order
