#pragma once

#include "warpwise/primitives/gemv/access.hpp"

// Launches of the transposed product, which multiplies columns of A by x. Chunks, strands and lanes
// are those of order.hpp.
namespace warpwise::detail::gemv {

/// Number of blocks of the largest cluster that every GPU with clusters supports.
inline constexpr int gemv_most_cluster = 8;

struct GemvColumnsLaunch {
  unsigned tiles;
  unsigned sets;
  int threads;
  int log_strand_threads;
  int lanes;
  int shared_bytes;
  std::int64_t lists;  ///< lists of partial sums; 1: the product goes to y directly
};

/// Returns the number of columns that a thread sums. \param size  bytes of an element
constexpr int gemv_own_columns(kernels::gemv::GemvAccess access, int size) {
  return access == kernels::gemv::GemvAccess::vector    ? 16 / size
         : access == kernels::gemv::GemvAccess::element ? 1
                                                        : 4;
}

// gemv_own_columns must return the numbers of the kernel.
static_assert(gemv_own_columns(kernels::gemv::GemvAccess::vector, 2) ==
              kernels::gemv::gemv_thread_columns<kernels::gemv::GemvAccess::vector, 2>);
static_assert(gemv_own_columns(kernels::gemv::GemvAccess::vector, 4) ==
              kernels::gemv::gemv_thread_columns<kernels::gemv::GemvAccess::vector, 4>);
static_assert(gemv_own_columns(kernels::gemv::GemvAccess::element, 4) ==
              kernels::gemv::gemv_thread_columns<kernels::gemv::GemvAccess::element, 4>);

/// Division of a column's chunks: a block or a cluster of blocks sums whole columns. With `apart`,
/// each chunk's sums are a list of their own, and a second launch adds the lists.
enum class GemvChunks : std::uint8_t { of_block, of_cluster, apart };

/// Returns a launch with tiles 2^log_strand_threads threads wide.
/// \param threads  largest number of threads of a block
inline GemvColumnsLaunch gemv_columns_with(const kernels::gemv::GemvArguments& a, int own,
                                           int log_strand_threads, int threads,
                                           GemvChunks division) {
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  GemvColumnsLaunch launch{};
  launch.log_strand_threads = log_strand_threads;
  launch.tiles =
      gpu::grid_x(gpu::blocks_for(a.columns, static_cast<std::int64_t>(own) << log_strand_threads));
  launch.sets = 1;
  launch.lists = 1;
  const std::int64_t strands =
      chunks == 1 ? gpu::blocks_for(a.rows, order::strand_rows) : chunks * order::chunk_strands;
  const bool sums_columns = chunks > 1 && division != GemvChunks::apart;
  if (sums_columns) {
    launch.lanes = 1 << gemv_log2_up(std::min<std::int64_t>(chunks, order::lanes));
    if (division == GemvChunks::of_cluster) {
      launch.sets = static_cast<unsigned>(std::min(gemv_most_cluster, launch.lanes));
      launch.lanes /= static_cast<int>(launch.sets);
    }
  }
  launch.threads = std::clamp(
      1 << (log_strand_threads + std::min(10, gemv_log2_up(gpu::blocks_for(strands, launch.sets)))),
      32, std::max(threads, order::chunk_strands << log_strand_threads));
  if (chunks > 1 && !sums_columns) {
    launch.lists = chunks;
    const std::int64_t round_chunks = (launch.threads >> log_strand_threads) / order::chunk_strands;
    launch.sets = gpu::grid_y(gpu::blocks_for(chunks, round_chunks));
  }
  launch.shared_bytes = (launch.threads + (launch.lanes << log_strand_threads)) * own *
                        static_cast<int>(sizeof(float));
  return launch;
}

/// Returns true if the transposed product should load single elements although wider words are
/// possible. Single elements are faster for matrices that are read in one go, with all rows of a
/// strand in flight. Measured on an H100.
inline bool gemv_columns_by_element(const kernels::gemv::GemvArguments& a, int size,
                                    int multiprocessors) {
  if (size != 4) return false;
  if (a.rows <= order::chunk_rows) {
    const std::int64_t warps =
        gpu::blocks_for(a.columns, 32) * gpu::blocks_for(a.rows, order::strand_rows);
    return warps <= 16 * std::int64_t{multiprocessors};
  }
  return a.rows * a.columns <= 3 << 19;
}

/// Returns true if single elements should bypass the first-level cache. In narrow tiles they should
/// not: a warp reads only parts of cache lines, and its later loads need the rest. For small
/// matrices both ways take the same time. Measured on an H100.
inline bool gemv_columns_in_lines(const kernels::gemv::GemvArguments& a,
                                  const GemvColumnsLaunch& launch) {
  return launch.log_strand_threads >= 4 && a.rows * a.columns >= 1 << 21;
}

/// Returns the number of columns of each warp of gemv_short_columns. Returns 0 if a warp cannot
/// hold the strands of one column, or if several strands need more than 16 warps for each
/// multiprocessor: partly used cache lines would then cost time. On an H100, 65536 columns of 16
/// rows took 6.6 us with 32 columns a warp and 9.4 us with 8.
inline int gemv_short_width(const kernels::gemv::GemvArguments& a, int multiprocessors) {
  const std::int64_t strands = gpu::blocks_for(a.rows, order::strand_rows);
  if (strands == 1) return 32;
  if (gpu::blocks_for(a.columns, 32) * strands > 16 * std::int64_t{multiprocessors}) return 0;
  return strands == 2 ? 16 : strands <= 4 ? 8 : 0;
}

/// Returns the bytes of shared memory of gemv_strands for a chunk. They hold the strands' sums, and
/// A and x with 16 bytes of padding after each thread's part of a strand of A and after each strand
/// of x.
constexpr int gemv_strands_chunk_bytes(int columns) {
  const int across = columns < 4 ? 1 : columns / 4;
  const int words = order::strand_rows / 4;
  return order::chunk_strands * (16 * (words * columns + across + words + 1) + 4 * columns);
}

/// Returns the number of chunks that a block of gemv_strands takes. It is the largest power of 2
/// that fits shared memory and leaves enough blocks for 7/8 of the multiprocessors. An H100 with
/// 132 multiprocessors takes 256 chunks in 128 blocks of two chunks. Returns 0 if the kernel cannot
/// take A, or if a block or a cluster sums whole columns in less time.
inline int gemv_strand_chunks(const kernels::gemv::GemvArguments& a, ElementType type,
                              bool copies_x, int multiprocessors) {
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  if (type != ElementType::f32 || a.columns > kernels::gemv::gemv_few_columns ||
      (a.columns > 3 && a.columns % 4 != 0) || a.pitch != a.columns * 4 ||
      !gemv_aligned(a.a, 0, 16) || (!copies_x && !gemv_aligned(a.x, 0, 16)) ||
      chunks <= order::lanes) {
    return 0;
  }
  const int most =
      kernels::gemv::gemv_strands_bytes / gemv_strands_chunk_bytes(static_cast<int>(a.columns));
  int of_block = 1;
  while (2 * of_block <= most && 8 * chunks >= 7 * std::int64_t{multiprocessors} * 2 * of_block) {
    of_block *= 2;
  }
  return of_block;
}

/// Returns the share of the bandwidth that tiles 2^log threads wide reach, measured on an H200 and
/// an H100. Narrow tiles read short parts of rows. If rows are not aligned, a larger part of the
/// loaded bytes is unused.
inline double gemv_bandwidth_share(int log, bool words, bool is_aligned) {
  struct Share {
    double words, elements, unaligned;
  };
  constexpr Share shares[] = {{0.4, 0.4, 0.4},   {0.4, 0.4, 0.4},   {0.75, 0.6, 0.5},
                              {0.95, 0.9, 0.65}, {0.99, 0.9, 0.78}, {1, 1, 0.92}};
  const Share& share = shares[log];
  return words ? share.words : is_aligned ? share.elements : share.unaligned;
}

/// Returns the bandwidth that one block reaches on a large matrix, divided by the mean bandwidth of
/// a multiprocessor (the GPU's divided by the number of multiprocessors). Measured on an H200 with
/// 132 multiprocessors: 64 blocks of 512 threads read 4096x4096 floats at 0.9 of the GPU's
/// bandwidth, and 8192x8192 16-bit floats at 0.75. \param size  bytes of an element
constexpr double gemv_block_share(int threads, int size) {
  return (size == 4 ? 1.9 : 1.55) * threads / 512;
}

/// Returns a launch that writes each chunk's sums to a list of its own. A second launch adds the
/// lists.
inline GemvColumnsLaunch gemv_columns_apart(const kernels::gemv::GemvArguments& a, int own,
                                            bool words, int log_widest, int multiprocessors) {
  const int log = std::min(words ? 4 : 5, log_widest);
  GemvColumnsLaunch launch =
      gemv_columns_with(a, own, log, words || log < 4 ? 128 : 256, GemvChunks::apart);
  // A multiprocessor has room for four blocks that load words. If there were more than six blocks
  // for each multiprocessor, the launch has only four. Each of them then takes chunks in several
  // rounds, and no block starts late. With up to six blocks, rounds gain nothing. On an H100,
  // 100000 rows of 100 columns took 23.9 us with 782 blocks and 24.3 us with 528; 262144 rows of 64
  // columns took 40.5 us with 1024 blocks and 34.5 us with 528.
  if (words && std::int64_t{launch.tiles} * launch.sets > 6 * multiprocessors) {
    launch.sets = std::max(1U, 4 * static_cast<unsigned>(multiprocessors) / launch.tiles);
  }
  return launch;
}

/// Chooses the launch of gemv_columns.
/// \param size  bytes of an element
/// \param multiprocessors  number of the GPU's multiprocessors
inline GemvColumnsLaunch gemv_columns_launch(const kernels::gemv::GemvArguments& a,
                                             kernels::gemv::GemvAccess access, int size,
                                             int multiprocessors, bool clusters) {
  const bool words = gemv_elements(access, size) > 1;
  const int own = gemv_own_columns(access, size);
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  const int log_widest = gemv_log2_up(gpu::blocks_for(a.columns, own));
  if (chunks == 1) {
    const int log_strands = gemv_log2_up(gpu::blocks_for(a.rows, order::strand_rows));
    return gemv_columns_with(a, own, std::min(own == 1 ? 5 : 8 - log_strands, log_widest), 256,
                             GemvChunks::of_block);
  }
  // The choice is between one launch, whose blocks each sum whole columns, and two launches, the
  // first of which has blocks for all chunks. Costs of the single launch:
  // - It has one block for each tile, which may not fill the multiprocessors.
  // - Narrow tiles reach only a share of the bandwidth.
  // - The rounds of a block come one after the other.
  //
  // The times were measured on an H200 and an H100.
  const bool is_aligned = gemv_elements(gemv_access(a, size), size) > 1;
  const auto share_of = [&](int log) { return gemv_bandwidth_share(log, words, is_aligned); };
  const bool is_large = a.rows * a.columns >= 1 << 23;
  constexpr double second_launch_us = 3.5;
  constexpr double cluster_us = 0.7;
  constexpr double bytes_per_us = 4.2e6;
  const double us =
      static_cast<double>(a.rows) * static_cast<double>(a.columns) * size / bytes_per_us;
  GemvColumnsLaunch best_launch = gemv_columns_apart(a, own, words, log_widest, multiprocessors);
  // If there are more than order::group chunks, their sums must be added group by group. The kernel
  // of a single launch cannot do this.
  if (chunks > order::group) return best_launch;
  double best = us / (0.9 * share_of(5)) + second_launch_us;
  const auto offer = [&](int log, int threads, GemvChunks division) {
    const GemvColumnsLaunch launch = gemv_columns_with(a, own, log, threads, division);
    const bool is_cluster = division == GemvChunks::of_cluster;
    if (is_cluster && launch.tiles > gemv_most_cluster) return;
    const std::int64_t blocks = std::int64_t{launch.tiles} * launch.sets;
    // Large matrices and clusters are bound by the bandwidth that their blocks reach. Small
    // matrices without clusters are bound by the last block to end.
    const double reached =
        is_cluster ? (size == 4 ? 2 : 1.5) : gemv_block_share(launch.threads, size);
    const double filled =
        is_cluster || is_large
            ? std::min(1.0, reached * static_cast<double>(blocks) / multiprocessors)
            : static_cast<double>(blocks) /
                  static_cast<double>(gpu::blocks_for(blocks, multiprocessors) * multiprocessors);
    const std::int64_t rounds =
        gpu::blocks_for(chunks * order::chunk_strands,
                        (launch.threads >> launch.log_strand_threads) * std::int64_t{launch.sets});
    const double time = std::max(us / (share_of(log) * filled),
                                 static_cast<double>(rounds) * (own << log >= 8 ? 0.9 : 2.5)) +
                        (is_cluster ? cluster_us : 0);
    if (time > best) return;
    best = time;
    best_launch = launch;
  };
  for (int log = std::min(words ? 2 : 3, log_widest); log <= std::min(5, log_widest); ++log) {
    // A block that has a multiprocessor to itself needs many threads.
    const bool alone =
        is_large && words && gpu::blocks_for(a.columns, own << log) <= multiprocessors;
    offer(log, alone || log >= (words ? 4 : 5) ? 512 : 256, GemvChunks::of_block);
    if (clusters) offer(log, 512, GemvChunks::of_cluster);
  }
  return best_launch;
}

}  // namespace warpwise::detail::gemv
