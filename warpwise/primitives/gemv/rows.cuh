#pragma once

#include "warpwise/primitives/gemv/result.cuh"

// The kernels of rows times x. Chunks, pieces and lanes are those of order.hpp.
namespace warpwise::kernels::gemv {

/// The mapping of a warp's threads to elements of A; V is the number of elements of a load. A piece
/// (order.hpp) has 32 / V threads, each with V adjacent lanes. If V > 1, a warp sums V pieces at
/// once, `pieces` of each row. If V = 1, it sums the `pieces` of one row one after the other.
template <int V, int pieces>
struct GemvWarp {
  static constexpr int piece_threads = 32 / V;
  static constexpr int row_threads = V == 1 ? 32 : piece_threads * pieces;
  static constexpr int rows = 32 / row_threads;
  static constexpr int thread_pieces = V == 1 ? pieces : 1;

  // Stages of fold(): shuffles add the pieces, then the 32 lanes by halves (order.hpp). A thread
  // with several values gives half of them to its partner: first of its elements, then of its rows.
  // The last stages add the elements, which then lie in different threads.
  static constexpr int piece_stages = V == 1 ? 0 : gemv_log2(pieces);
  static constexpr int stages = piece_stages + 5;
  __host__ __device__ static constexpr int distance(int stage) {
    const int element_stage = stage - (stages - gemv_log2(V));
    if (element_stage >= 0) return distance(element_stage);
    return stage < piece_stages ? piece_threads << stage : 16 / V >> (stage - piece_stages);
  }
  /// Returns a mask for a lane's index. After fold(), each lane has the sum of one of `at_once`
  /// rows. The bits under the mask tell which row it is.
  __host__ __device__ static constexpr int row_bits(int at_once) {
    int bits = 0;
    for (int i = 0; i < gemv_log2(at_once); ++i) bits |= distance(gemv_log2(V) + i);
    return bits;
  }
  static __device__ int row_of(int lane, int at_once) {
    int row = 0;
#pragma unroll
    for (int i = 0; i < gemv_log2(at_once); ++i) {
      row = 2 * row + ((lane & distance(gemv_log2(V) + i)) != 0 ? 1 : 0);
    }
    return row;
  }

  /// Adds value[element * at_once + row] of all threads. At the end value[0] is one row's sum.
  template <int stage = 0, int values>
  static __device__ void fold(float (&value)[values], int lane) {
    static_assert(values <= 1 << stages);
    constexpr int by = distance(stage);
    constexpr int kept = values >> (stage + 1);
    if constexpr (kept == 0) {
      value[0] = __fadd_rn(value[0], __shfl_xor_sync(0xffffffffU, value[0], by));
    } else {
      const bool upper = (lane & by) != 0;
#pragma unroll
      for (int i = 0; i < kept; ++i) {
        const float keep = upper ? value[i + kept] : value[i];
        const float give = upper ? value[i] : value[i + kept];
        value[i] = __fadd_rn(keep, __shfl_xor_sync(0xffffffffU, give, by));
      }
    }
    if constexpr (stage + 1 < stages) fold<stage + 1>(value, lane);
  }
};

/// A warp sums one chunk of `at_once` * GemvWarp::rows rows at once. Its part of x stays in
/// registers: loads of x from the first-level cache would wait for all earlier loads of A. Each
/// word of A, once summed, is replaced by a load of the next rows, so loads are always in
/// flight.
///
/// Block: teams of 2^log_team warps. The warps of a team take different chunks of the same rows. In
/// each of `turns` turns, the teams take new rows.
/// Grid: a block for each group of rows and each set. Set s has a chunk for each warp of a team: s,
/// s + sets, ... If `apart`, each chunk's sum has its own list. Otherwise `sets` divides 32, and
/// the set's sum goes to list s. Without lists, a cluster's first block adds the sets' sums.
template <class T, GemvAccess access, int steps, int pieces, int at_once>
__global__ void __launch_bounds__(gemv_block_threads, 2)
    gemv_rows(GemvArguments a, int sets, int log_team, bool apart, int64_t turns) {
  using Load = GemvLoad<T, access>;
  using Warp = GemvWarp<Load::elements, pieces>;
  constexpr int V = Load::elements;
  constexpr int size = sizeof(typename T::Element);
  constexpr int loads = steps * Warp::thread_pieces;
  constexpr int warp_rows = at_once * Warp::rows;
  // Rows of less than a chunk need no shared memory for the sums of several chunks.
  constexpr bool may_share = pieces == order::chunk_pieces;
  constexpr int warps = gemv_block_threads / 32;
  __shared__ float chunk_sums[may_share ? gemv_most_turns * warp_rows * warps : 1];

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int team = 1 << log_team;
  const int member = warp & (team - 1);
  const int turn_rows = warps * warp_rows >> log_team;
  const int set = static_cast<int>(blockIdx.x % static_cast<unsigned>(sets));
  const int64_t chunk = set + int64_t{sets} * member;
  const int64_t column = chunk * order::chunk_columns +
                         lane % Warp::row_threads / Warp::piece_threads * order::piece_columns +
                         lane % Warp::piece_threads * V;
  const int left = static_cast<int>(
      a.columns - column < order::chunk_columns ? a.columns - column : order::chunk_columns);

  // Words beyond the matrix stay zero and do not change the sums.
  typename Load::Word factor[loads]{};
  typename Load::Word element[at_once][loads]{};
  const int64_t first_row = int64_t{blockIdx.x / static_cast<unsigned>(sets)} * turns * turn_rows;
  const int local_row = (warp >> log_team) * warp_rows + lane / Warp::row_threads;
  const int block_rows = static_cast<int>(
      a.rows - first_row < turns * turn_rows ? a.rows - first_row : turns * turn_rows);
  int rows_left = block_rows - local_row;
  const unsigned char* next = a.a + (first_row + local_row) * a.pitch + column * size;
  const int64_t in_turn = Warp::rows * a.pitch;
  const int64_t to_next_turn = turn_rows * a.pitch;
  const auto load_next = [&](int i) {
#pragma unroll
    for (int r = 0; r < at_once; ++r) {
      gemv_load_a_if<T, access, may_share>(left > 32 * i && r * Warp::rows < rows_left,
                                           next + r * in_turn + 32 * i * size, element[r][i]);
    }
  };
  wait_for_launch();
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    Load::load_if(left > 32 * i, a.x + (column + 32 * i) * size, factor[i]);
    load_next(i);
  }

  for (int turn = 0; turn < turns; ++turn) {
    if (turn + 1 == turns) let_next_begin();
    next += to_next_turn;
    rows_left -= turn_rows;
    asm("" : "+l"(next));  // keeps one address register, from which all loads have small offsets

    float sum[Warp::thread_pieces][V * at_once]{};
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      float x[V];
      Load::widen(factor[i], x);
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
        float wide[V];
        Load::widen(element[r][i], wide);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          float& to = sum[i / steps][j * at_once + r];
          to = T::add_product(to, wide[j], x[j]);
        }
      }
      load_next(i);
    }
    if constexpr (Warp::thread_pieces == order::chunk_pieces) {
#pragma unroll
      for (int i = 0; i < V * at_once; ++i) {
        sum[0][i] = __fadd_rn(__fadd_rn(sum[0][i], sum[1][i]), __fadd_rn(sum[2][i], sum[3][i]));
      }
    }
    Warp::fold(sum[0], lane);

    constexpr int others = (Warp::row_threads - 1) & ~Warp::row_bits(at_once);
    if ((lane & others) == 0) {
      const int in_block = turn * turn_rows + local_row + Warp::row_of(lane, at_once) * Warp::rows;
      if (may_share && !apart)
        chunk_sums[in_block * team + member] = sum[0][0];
      else if (in_block < block_rows && chunk * order::chunk_columns < a.columns)
        gemv_put(a, chunk, a.rows, first_row + in_block, sum[0][0]);
    }
  }

  if constexpr (may_share) {
    if (apart) return;
    __syncthreads();
    const bool is_cluster = sets > 1 && a.sums == nullptr;
    // Adds the sums of each row's chunks: c adds c + team / 2, then c + team / 4, and so on.
    for (int i = static_cast<int>(threadIdx.x); i < block_rows; i += gemv_block_threads) {
      float* const lanes = chunk_sums + i * team;
      for (int half = team / 2; half > 0; half /= 2) {
        for (int c = 0; c < half; ++c) lanes[c] = __fadd_rn(lanes[c], lanes[c + half]);
      }
      if (!is_cluster) gemv_put(a, set, a.rows, first_row + i, lanes[0]);
    }
    if (!is_cluster) return;
    gemv_meet_cluster();  // waits until the first block has added its chunks' sums
    for (int i = static_cast<int>(threadIdx.x); set > 0 && i < block_rows;
         i += gemv_block_threads) {
      gemv_store_to_first(chunk_sums + i * team + set, chunk_sums[i * team]);
    }
    gemv_meet_cluster();
    for (int i = static_cast<int>(threadIdx.x); set == 0 && i < block_rows;
         i += gemv_block_threads) {
      float* const of_sets = chunk_sums + i * team;
      for (int half = sets / 2; half > 0; half /= 2) {
        for (int c = 0; c < half; ++c) of_sets[c] = __fadd_rn(of_sets[c], of_sets[c + half]);
      }
      gemv_finish(a, first_row + i, of_sets[0]);
    }
  }
}

/// Sums rows of at most gemv_narrow_columns elements, with or without gaps. A thread sums
/// gemv_narrow_rows rows; neighbouring threads have neighbouring rows.
template <class T>
__global__ void __launch_bounds__(gemv_block_threads) gemv_narrow(GemvArguments a) {
  constexpr int most = gemv_narrow_columns;
  constexpr int rows = gemv_narrow_rows;
  using Element = typename T::Element;
  Element element[rows][most]{};
  Element factor[most]{};
  const int64_t first = int64_t{blockIdx.x} * (gemv_block_threads * rows) + threadIdx.x;
  const auto* const x = reinterpret_cast<const Element*>(a.x);
  wait_for_launch();
#pragma unroll
  for (int c = 0; c < most; ++c) gemv_load_if(c < a.columns, x + c, factor[c]);
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int64_t row = first + r * gemv_block_threads;
    const auto* const from = reinterpret_cast<const Element*>(a.a + row * a.pitch);
#pragma unroll
    for (int c = 0; c < most; ++c) {
      gemv_load_if(row < a.rows && c < a.columns, from + c, element[r][c]);
    }
  }
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    // Adds the products by halves, as order.hpp adds 32 lanes. Lanes without an element are zero.
    float lane[most];
#pragma unroll
    for (int c = 0; c < most; ++c) {
      lane[c] = T::add_product(0, T::widen(element[r][c]), T::widen(factor[c]));
    }
#pragma unroll
    for (int half = most / 2; half > 0; half /= 2) {
#pragma unroll
      for (int c = 0; c < half; ++c) lane[c] = __fadd_rn(lane[c], lane[c + half]);
    }
    const int64_t row = first + r * gemv_block_threads;
    if (row < a.rows) gemv_finish(a, row, lane[0]);
  }
}

}  // namespace warpwise::kernels::gemv
