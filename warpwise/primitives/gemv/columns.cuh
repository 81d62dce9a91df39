#pragma once

#include "warpwise/primitives/gemv/result.cuh"

// The kernel of columns times x. Strands, chunks and lanes are those of order.hpp.
namespace warpwise::kernels::gemv {

/// Multiplies tiles of A's columns by x. In each group of 2^log_strand_threads threads, a thread
/// sums a few of a tile's columns over one strand, and loads the next rows meanwhile. Other groups
/// take other strands. Block `set` of a tile's `sets` blocks takes chunks set, set + sets, ... If
/// `lanes` is 0, each chunk's sums go to a list. Else a block adds its chunks' sums in lanes, whose
/// number `lanes` is a power of 2. Several sets then form a cluster, whose first block adds all.
///
/// Shared memory: the sums of each thread, then the sums of the lanes.
/// Grid: x over the tiles of columns, y over the sets of chunks.
template <class T, GemvAccess access, bool lines>
__global__ void __launch_bounds__(gemv_most_column_threads)
    gemv_columns(GemvArguments a, int log_strand_threads, int lanes) {
  using Load = GemvLoad<T, access>;
  constexpr int size = sizeof(typename T::Element);
  constexpr int own = gemv_thread_columns<access, size>;
  constexpr int words = own / Load::elements;
  constexpr int batch_rows = gemv_strand_batch<access>;
  extern __shared__ float strand_sums[];

  const int threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  const int strand_threads = 1 << log_strand_threads;
  const int strand = thread >> log_strand_threads;
  const int at = thread & (strand_threads - 1);
  const int tile_columns = own << log_strand_threads;
  const int log_tile_columns = gemv_log2(own) + log_strand_threads;
  const int strands = threads >> log_strand_threads;
  const int log_chunk_strands =
      strands >= order::chunk_strands ? gemv_log2(order::chunk_strands) : 31 - __clz(strands);
  const int chunk_strands = 1 << log_chunk_strands;
  const int round_chunks = strands >> log_chunk_strands;
  const int chunks = static_cast<int>((a.rows + order::chunk_rows - 1) / order::chunk_rows);
  const int set = static_cast<int>(blockIdx.y);
  const int sets = static_cast<int>(gridDim.y);
  float* const chunk_lanes = strand_sums + threads * own;

  const int64_t first_column = int64_t{blockIdx.x} * tile_columns;
  // Loads of neighbouring threads are adjacent.
  const int64_t column = first_column + (words == 1 ? at * own : at);
  const int left =
      static_cast<int>(a.columns - column < tile_columns ? a.columns - column : tile_columns);
  typename Load::Word element[batch_rows][words]{};
  typename T::Element factor[batch_rows]{};
  // Addresses of the next rows of A and x: up to a batch of rows, `rows_left` of which exist.
  const unsigned char* next = nullptr;
  const typename T::Element* next_x = nullptr;
  int rows_left = 0;
  const auto start_round = [&](int round) {
    const int64_t row =
        (set + int64_t{sets} * (round * round_chunks + (strand >> log_chunk_strands))) *
            order::chunk_rows +
        (strand & (chunk_strands - 1)) * order::strand_rows;
    next = a.a + row * a.pitch + column * size;
    next_x = reinterpret_cast<const typename T::Element*>(a.x) + row;
    rows_left =
        static_cast<int>(a.rows - row < order::strand_rows ? a.rows - row : order::strand_rows);
  };
  const auto load = [&](int b, const unsigned char* from) {
    gemv_load_if(b < rows_left, next_x + b, factor[b]);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      gemv_load_a_if<T, access, lines>(b < rows_left && left > w * strand_threads,
                                       from + w * strand_threads * size, element[b][w]);
    }
  };
  const auto load_next = [&](int b) {
    load(b, next);
    next += a.pitch;
  };
  for (int i = thread; i < lanes * tile_columns; i += threads) chunk_lanes[i] = 0;

  const auto is_there = [&](int round) {
    return set + int64_t{sets} * round * round_chunks < chunks;
  };
  start_round(0);
  wait_for_launch();
  // The rows' addresses are computed in several chains of additions, eight rows each. In a single
  // chain, each address would wait for the one before it.
  constexpr int chains = batch_rows / 8;
  const unsigned char* chain[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) {
    chain[c] = next + 8 * c * a.pitch;
    asm("" : "+l"(chain[c]));  // keeps a register for each chain
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int c = 0; c < chains; ++c) {
      load(8 * c + i, chain[c]);
      chain[c] += a.pitch;
    }
  }
  next = chain[chains - 1];
  for (int round = 0; is_there(round); ++round) {
    if (!is_there(round + 1)) let_next_begin();
    float sum[own]{};
    const auto add_row = [&](int b) {
      const float x = T::widen(factor[b]);
#pragma unroll
      for (int w = 0; w < words; ++w) {
        float wide[Load::elements];
        Load::widen(element[b][w], wide);
#pragma unroll
        for (int j = 0; j < Load::elements; ++j) {
          float& to = sum[w * Load::elements + j];
          to = T::add_product(to, wide[j], x);
        }
      }
    };
#pragma unroll 1
    for (int i = batch_rows; i <= order::strand_rows; i += batch_rows) {
      const int batch = rows_left;
      rows_left -= batch_rows;
      next_x += batch_rows;
      if (i == order::strand_rows && !is_there(round + 1)) {
#pragma unroll
        for (int b = 0; b < batch_rows; ++b) {
          if (b < batch) add_row(b);
        }
        break;
      }
      if (i == order::strand_rows) start_round(round + 1);
#pragma unroll
      for (int b = 0; b < batch_rows; ++b) {
        if (b < batch) add_row(b);
        load_next(b);
      }
    }
    if (a.rows <= order::strand_rows) {  // one strand only: no sums to add
#pragma unroll
      for (int j = 0; j < own; ++j) {
        const int64_t output = column + (words == 1 ? j : j * strand_threads);
        if (strand == 0 && output < a.columns) gemv_finish(a, output, sum[j]);
      }
      return;
    }
#pragma unroll
    for (int j = 0; j < own; ++j) {
      strand_sums[strand * tile_columns + (words == 1 ? at * own + j : at + j * strand_threads)] =
          sum[j];
    }
    __syncthreads();

    // Adds the sums of a chunk's strands one after the other.
    const int slots = lanes == 0 || round_chunks < lanes ? round_chunks : lanes;
    for (int i = thread; i < slots << log_tile_columns; i += threads) {
      const int in_tile = i & (tile_columns - 1);
      for (int in_round = i >> log_tile_columns; in_round < round_chunks; in_round += slots) {
        const int in_set = round * round_chunks + in_round;
        const int64_t chunk = set + int64_t{sets} * in_set;
        if (chunk >= chunks) break;
        const float* const of_chunk =
            strand_sums + (in_round << (log_chunk_strands + log_tile_columns)) + in_tile;
        float total = 0;
#pragma unroll
        for (int s = 0; s < order::chunk_strands; ++s) {
          if (s < chunk_strands) total = __fadd_rn(total, of_chunk[s << log_tile_columns]);
        }
        if (lanes == 0) {
          const int64_t output = first_column + in_tile;
          if (output < a.columns) gemv_put(a, chunk, a.columns, output, total);
        } else {
          float& to = chunk_lanes[((in_set & (lanes - 1)) << log_tile_columns) + in_tile];
          to = __fadd_rn(to, total);
        }
      }
    }
    __syncthreads();  // waits before the next round overwrites the sums
  }
  if (lanes == 0) return;

  // Adds the lanes by halves.
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int i = thread; i < half << log_tile_columns; i += threads) {
      chunk_lanes[i] = __fadd_rn(chunk_lanes[i], chunk_lanes[i + (half << log_tile_columns)]);
    }
    __syncthreads();
  }
  if (sets > 1) {
    gemv_meet_cluster();  // waits until the first block no longer reads its strand sums
    for (int i = thread; i < tile_columns; i += threads) {
      gemv_store_to_first(strand_sums + set * tile_columns + i, chunk_lanes[i]);
    }
    gemv_meet_cluster();
    if (set > 0) return;
  }
  for (int i = thread; i < tile_columns; i += threads) {
    float sum = chunk_lanes[i];
    if (sets > 1) {
      for (int half = sets / 2; half > 0; half /= 2) {
        for (int c = 0; c < half; ++c) {
          float& to = strand_sums[c * tile_columns + i];
          to = __fadd_rn(to, strand_sums[(c + half) * tile_columns + i]);
        }
      }
      sum = strand_sums[i];
    }
    const int64_t output = first_column + i;
    if (output < a.columns) gemv_finish(a, output, sum);
  }
}

}  // namespace warpwise::kernels::gemv
