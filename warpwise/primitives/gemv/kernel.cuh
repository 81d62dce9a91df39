#pragma once

#include <cuda/std/cstdint>

#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/elements.cuh"
#include "warpwise/primitives/gemv/order.hpp"

// The kernels of gemv. Fit for nvcc and NVRTC: no host headers. The bits are those of products and
// sums rounded one by one, in the order of order.hpp.
namespace warpwise::kernels::gemv {

namespace order = detail::gemv::order;
using cuda::std::int64_t;

/// Lets the launch behind this one begin, whose kernel calls gemv_wait_for_launch before it reads
/// what this one writes.
__device__ inline void gemv_let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ inline void gemv_wait_for_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// --- The result ----------------------------------------------------------------------------------

__device__ inline float gemv_load_y(const unsigned char* y, bool by_float) {
  return by_float
             ? *reinterpret_cast<const float*>(y)
             : __uint_as_float(y[0] | y[1] << 8 | y[2] << 16 | static_cast<unsigned>(y[3]) << 24);
}

__device__ inline void gemv_store_y(unsigned char* y, float value, bool by_float) {
  if (by_float) {
    *reinterpret_cast<float*>(y) = value;
    return;
  }
  const unsigned bits = __float_as_uint(value);
  for (int i = 0; i < 4; ++i) y[i] = static_cast<unsigned char>(bits >> (8 * i));
}

__device__ inline void gemv_finish(const GemvArguments& a, int64_t output, float sum) {
  unsigned char* const y = a.y + output * a.y_stride;
  float value = __fmul_rn(a.alpha, sum);
  if (a.beta != 0) value = __fadd_rn(value, __fmul_rn(a.beta, gemv_load_y(y, a.y_by_float)));
  gemv_store_y(y, value, a.y_by_float);
}

/// The sum of list `list` of an output: to y where a list is all there is.
__device__ inline void gemv_put(const GemvArguments& a, int64_t list, int64_t outputs,
                                int64_t output, float sum) {
  if (a.sums != nullptr)
    a.sums[list * outputs + output] = sum;
  else
    gemv_finish(a, output, sum);
}

/// y = beta * y, where alpha is 0 and the product does not count.
__global__ void __launch_bounds__(gemv_block_threads) gemv_scale(GemvArguments a, int64_t outputs) {
  int64_t output = int64_t{blockIdx.x} * gemv_block_threads + threadIdx.x;
  for (; output < outputs; output += int64_t{gridDim.x} * gemv_block_threads) {
    unsigned char* const y = a.y + output * a.y_stride;
    const float value = a.beta == 0 ? 0 : __fmul_rn(a.beta, gemv_load_y(y, a.y_by_float));
    gemv_store_y(y, value, a.y_by_float);
  }
}

/// Copies the elements of x, `stride` bytes apart, into an array.
template <class Element>
__global__ void __launch_bounds__(gemv_block_threads)
    gemv_gather(const unsigned char* x, int64_t stride, int64_t count, Element* to) {
  int64_t i = int64_t{blockIdx.x} * gemv_block_threads + threadIdx.x;
  for (; i < count; i += int64_t{gridDim.x} * gemv_block_threads) {
    unsigned bits = 0;
#pragma unroll
    for (int b = 0; b < static_cast<int>(sizeof(Element)); ++b) {
      bits |= static_cast<unsigned>(__ldg(x + i * stride + b)) << (8 * b);
    }
    to[i] = static_cast<Element>(bits);
  }
}

// --- Rows times x --------------------------------------------------------------------------------

__host__ __device__ constexpr int gemv_log2(int power) {
  return power == 1 ? 0 : 1 + gemv_log2(power / 2);
}

/// How a warp lies over rows: 32 lanes of the order are 32 / V threads of V elements side by side,
/// so that V pieces fit into a warp, `pieces` of each row. With V = 1 the pieces of a chunk are
/// summed one after the other by the same threads.
template <int V, int pieces>
struct GemvWarp {
  static constexpr int piece_threads = 32 / V;
  static constexpr int row_threads = V == 1 ? 32 : piece_threads * pieces;
  static constexpr int rows = 32 / row_threads;
  static constexpr int thread_pieces = V == 1 ? pieces : 1;

  // The additions between threads, in order: pieces, then the order's halves. Where a thread holds
  // several values, it gives away half of them and keeps the others, first of its elements, then
  // of its rows; the halves among elements are then between the threads that parted these.
  static constexpr int piece_stages = V == 1 ? 0 : gemv_log2(pieces);
  static constexpr int stages = piece_stages + 5;
  __host__ __device__ static constexpr int distance(int stage) {
    const int element_stage = stage - (stages - gemv_log2(V));
    if (element_stage >= 0) return distance(element_stage);
    return stage < piece_stages ? piece_threads << stage : 16 / V >> (stage - piece_stages);
  }
  /// Where the sum of row `0 <= r < at_once` is after fold: in threads that have these bits.
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

  /// value[element * at_once + row] of every thread; value[0] is a sum in the end.
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

/// A warp sums one chunk of its rows, `at_once` * GemvWarp::rows of them at once; x stays in
/// registers meanwhile. While it sums some rows it loads the next, each word in place of the one
/// just used: what is in flight never runs out. (x out of the first-level cache would wait there
/// for all of A that was asked for before.)
///
/// Block: teams of 2^log_team warps that take as many chunks of the same rows; `turns` times the
/// rows of all its teams.
/// Grid: blocks of rows times sets of chunks. A set is the chunks set, set + sets, ..., one for
/// each warp of a team. What it sums to goes to list `set`, where sets divides 32; or, `apart`,
/// each chunk's sum to a list of its own.
template <class T, GemvAccess access, int steps, int pieces, int at_once>
__global__ void __launch_bounds__(gemv_block_threads, 2)
    gemv_rows(GemvArguments a, int sets, int log_team, bool apart, int64_t turns) {
  using Load = GemvLoad<T, access>;
  using Warp = GemvWarp<Load::elements, pieces>;
  constexpr int V = Load::elements;
  constexpr int size = sizeof(typename T::Element);
  constexpr int loads = steps * Warp::thread_pieces;
  constexpr int warp_rows = at_once * Warp::rows;
  // Rows of less than a chunk need no place for the sums of several.
  constexpr bool may_share = pieces == order::chunk_pieces;
  constexpr int warps = gemv_block_threads / 32;
  __shared__ float chunk_sums[may_share ? gemv_most_turns * warp_rows * warps : 1];

  gemv_let_next_begin();
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

  // Words that do not exist stay zeros and add nothing.
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
      Load::load_if(left > 32 * i && r * Warp::rows < rows_left, next + r * in_turn + 32 * i * size,
                    element[r][i]);
    }
  };
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    Load::load_if(left > 32 * i, a.x + (column + 32 * i) * size, factor[i]);
    load_next(i);
  }

  for (int turn = 0; turn < turns; ++turn) {
    next += to_next_turn;
    rows_left -= turn_rows;
    asm("" : "+l"(next));  // one address, which the loads' offsets lie close to

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
    // The chunks' lanes by halves.
    for (int i = static_cast<int>(threadIdx.x); i < block_rows; i += gemv_block_threads) {
      float* const lanes = chunk_sums + i * team;
      for (int half = team / 2; half > 0; half /= 2) {
        for (int c = 0; c < half; ++c) lanes[c] = __fadd_rn(lanes[c], lanes[c + half]);
      }
      gemv_put(a, set, a.rows, first_row + i, lanes[0]);
    }
  }
}

/// Rows of at most gemv_narrow_columns elements, which follow one another or not: a thread sums
/// gemv_narrow_rows of them, neighbours in neighbouring threads.
template <class T>
__global__ void __launch_bounds__(gemv_block_threads) gemv_narrow(GemvArguments a) {
  constexpr int most = gemv_narrow_columns;
  constexpr int rows = gemv_narrow_rows;
  using Element = typename T::Element;
  Element element[rows][most]{};
  Element factor[most]{};
  const int64_t first = int64_t{blockIdx.x} * (gemv_block_threads * rows) + threadIdx.x;
  const auto* const x = reinterpret_cast<const Element*>(a.x);
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
    // The order's lanes by halves; those that hold no element add nothing.
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

// --- Columns times x -----------------------------------------------------------------------------

/// Every thread sums the same few columns of a strand at a time; 2^log_strand_threads side by side
/// make a tile's width, and what is left of a block takes other strands. While a thread sums some
/// rows it loads the next. A block takes the chunks set, set + sets, ...: with `lanes` (a power of
/// two), the only set, and the block sums them all, in that many lanes of the order; without, each
/// chunk's sum is a list.
///
/// Shared memory: the sums of each thread, then those of the lanes.
/// Grid: x tiles, y sets.
template <class T, GemvAccess access>
__global__ void __launch_bounds__(gemv_most_column_threads)
    gemv_columns(GemvArguments a, int log_strand_threads, int lanes) {
  using Load = GemvLoad<T, access>;
  constexpr int size = sizeof(typename T::Element);
  constexpr int own = gemv_thread_columns<access, size>;
  constexpr int words = own / Load::elements;
  constexpr int batch_rows = gemv_strand_batch<access>;
  extern __shared__ float strand_sums[];

  gemv_let_next_begin();
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
  // Neighbouring threads' loads are neighbours.
  const int64_t column = first_column + (words == 1 ? at * own : at);
  const int left =
      static_cast<int>(a.columns - column < tile_columns ? a.columns - column : tile_columns);
  typename Load::Word element[batch_rows][words]{};
  typename T::Element factor[batch_rows]{};
  // The rows to load next, of which `rows_left` exist, up to a batch.
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
  const auto load_next = [&](int b) {
    gemv_load_if(b < rows_left, next_x + b, factor[b]);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      Load::load_if(b < rows_left && left > w * strand_threads, next + w * strand_threads * size,
                    element[b][w]);
    }
    next += a.pitch;
  };
  for (int i = thread; i < lanes * tile_columns; i += threads) chunk_lanes[i] = 0;

  const auto is_there = [&](int round) {
    return set + int64_t{sets} * round * round_chunks < chunks;
  };
  start_round(0);
#pragma unroll
  for (int b = 0; b < batch_rows; ++b) load_next(b);
  for (int round = 0; is_there(round); ++round) {
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
    if (a.rows <= order::strand_rows) {  // nothing to add up
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

    // The strands of a chunk one after the other.
    for (int i = thread; i < round_chunks << log_tile_columns; i += threads) {
      const int in_round = i >> log_tile_columns;
      const int in_tile = i & (tile_columns - 1);
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
    __syncthreads();  // the next round writes the sums again
  }
  if (lanes == 0) return;

  // The lanes by halves.
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int i = thread; i < half << log_tile_columns; i += threads) {
      chunk_lanes[i] = __fadd_rn(chunk_lanes[i], chunk_lanes[i + (half << log_tile_columns)]);
    }
    __syncthreads();
  }
  for (int i = thread; i < tile_columns; i += threads) {
    const int64_t output = first_column + i;
    if (output < a.columns) gemv_finish(a, output, chunk_lanes[i]);
  }
}

// --- Sums of lists -------------------------------------------------------------------------------

/// The sum of `count` lanes, by halves.
template <int count>
__device__ float gemv_halves(float* lanes) {
  if constexpr (count == 1) {
    return lanes[0];
  } else {
#pragma unroll
    for (int i = 0; i < count / 2; ++i) lanes[i] = __fadd_rn(lanes[i], lanes[i + count / 2]);
    return gemv_halves<count / 2>(lanes);
  }
}

/// Sums `count` sums of each output, a group of 1024 at a time, into
/// to[group * outputs + output], or, where `to` is null (one group), into y.
///
/// Block: 32 outputs by 8 threads, thread t of which sums the order's lanes t, t + 8, ...
/// Grid: x strides over the outputs, y over the groups.
__global__ void __launch_bounds__(gemv_block_threads)
    gemv_sum(GemvArguments a, const float* sums, int64_t count, int64_t outputs, float* to) {
  constexpr int at_once = 32;
  constexpr int threads = gemv_block_threads / at_once;
  constexpr int own = order::lanes / threads;
  __shared__ float part[threads][at_once];
  const int at = static_cast<int>(threadIdx.x) % at_once;
  const int thread = static_cast<int>(threadIdx.x) / at_once;

  gemv_wait_for_launch();
  for (int64_t group = blockIdx.y; group * order::group < count; group += gridDim.y) {
    const int64_t rest = count - group * order::group;
    const int terms = static_cast<int>(rest < order::group ? rest : order::group);
    for (int64_t first = int64_t{blockIdx.x} * at_once; first < outputs;
         first += int64_t{gridDim.x} * at_once) {
      const int64_t output = first + at;
      const float* const from = sums + group * order::group * outputs + output;
      float lane[own]{};
      if (output < outputs) {
#pragma unroll(32 / own)
        for (int c = thread; c < terms; c += order::lanes) {
#pragma unroll
          for (int j = 0; j < own; ++j) {
            if (c + j * threads < terms) {
              lane[j] = __fadd_rn(lane[j], from[(c + j * threads) * outputs]);
            }
          }
        }
      }
      part[thread][at] = gemv_halves<own>(lane);
      __syncthreads();
      if (thread == 0 && output < outputs) {
        float total[threads];
#pragma unroll
        for (int t = 0; t < threads; ++t) total[t] = part[t][at];
        const float sum = gemv_halves<threads>(total);
        if (to != nullptr)
          to[group * outputs + output] = sum;
        else
          gemv_finish(a, output, sum);
      }
      __syncthreads();  // the next outputs write the parts again
    }
  }
}

/// Adds the lanes of a warp by halves; every lane gets the sum.
__device__ inline float gemv_halves_of_warp(float lane) {
#pragma unroll
  for (int half = order::lanes / 2; half > 0; half /= 2) {
    lane = __fadd_rn(lane, __shfl_xor_sync(0xffffffffU, lane, half));
  }
  return lane;
}

/// Sums up to 1024 terms in the lanes of a warp.
template <class Load>
__device__ inline float gemv_sum_of_warp(int count, Load load) {
  constexpr int most = order::group / order::lanes;
  const int lane = static_cast<int>(threadIdx.x) % order::lanes;
  float term[most]{};
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (lane + i * order::lanes < count) term[i] = load(lane + i * order::lanes);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (lane + i * order::lanes < count) sum = __fadd_rn(sum, term[i]);
  }
  return gemv_halves_of_warp(sum);
}

/// The same for few outputs, all levels at once: a warp sums a group, and one warp the groups of an
/// output, at most 1024.
///
/// Block: 2^log_warps warps for each of its outputs.
/// Grid: x over the outputs.
__global__ void __launch_bounds__(gemv_most_sum_threads)
    gemv_sum_few(GemvArguments a, const float* sums, int64_t count, int64_t outputs,
                 int log_warps) {
  __shared__ float group_sums[order::group];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int in_block = warp >> log_warps, member = warp & ((1 << log_warps) - 1);
  const int groups = static_cast<int>((count + order::group - 1) / order::group);
  const int64_t output = int64_t{blockIdx.x} * (blockDim.x / 32 >> log_warps) + in_block;
  float* const own = group_sums + in_block * groups;
  gemv_wait_for_launch();
  float sum = 0;
  for (int group = member; output < outputs && group < groups; group += 1 << log_warps) {
    const int64_t first = int64_t{group} * order::group;
    const float* const from = sums + first * outputs + output;
    sum = gemv_sum_of_warp(
        static_cast<int>(count - first < order::group ? count - first : order::group),
        [&](int i) { return from[i * outputs]; });
    if (lane == 0 && groups > 1) own[group] = sum;
  }
  if (groups > 1) {
    __syncthreads();
    if (member == 0) sum = gemv_sum_of_warp(groups, [&](int i) { return own[i]; });
  }
  if (lane == 0 && member == 0 && output < outputs) gemv_finish(a, output, sum);
}

}  // namespace warpwise::kernels::gemv
