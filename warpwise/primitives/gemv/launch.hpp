#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "warpwise/base/element_type.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/gemv/arguments.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/order.hpp"
#include "warpwise/primitives/gemv/tunables.hpp"

// How the kernels of gemv are launched for given arguments.
namespace warpwise::detail::gemv {

/// Kernels with a stride loop take several turns where a grid does not cover everything.
constexpr unsigned gemv_grid(std::int64_t blocks) {
  return static_cast<unsigned>(std::min<std::int64_t>(blocks, 0x7fffffff));
}

constexpr int gemv_log2_up(std::int64_t number) {
  int log = 0;
  while (std::int64_t{1} << log < number) ++log;
  return log;
}

inline bool gemv_aligned(const void* data, std::int64_t stride, std::int64_t to) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(to) == 0 &&
         stride % to == 0;
}

/// How A may be loaded. \param size  bytes of an element of A
inline kernels::gemv::GemvAccess gemv_access(const kernels::gemv::GemvArguments& a,
                                             std::int64_t size) {
  // With a single row the pitch does not matter.
  const std::int64_t pitch = a.rows > 1 ? a.pitch : 0;
  const auto in_words_of = [&](std::int64_t bytes) {
    return gemv_aligned(a.a, pitch, bytes) && a.columns * size % bytes == 0;
  };
  if (in_words_of(16)) return kernels::gemv::GemvAccess::vector;
  if (size == 2 && in_words_of(8)) return kernels::gemv::GemvAccess::half_vector;
  return gemv_aligned(a.a, pitch, size) ? kernels::gemv::GemvAccess::element
                                        : kernels::gemv::GemvAccess::byte;
}

/// Whether gemv_rows, or gemv_columns, may read x where it is; else it takes a copy.
inline bool gemv_reads_x(const void* x, std::int64_t stride, kernels::gemv::GemvAccess access,
                         std::int64_t size, bool transpose) {
  const std::int64_t word = transpose                                          ? size
                            : access == kernels::gemv::GemvAccess::vector      ? 16
                            : access == kernels::gemv::GemvAccess::half_vector ? 8
                                                                               : size;
  return stride == size && gemv_aligned(x, 0, word);
}

// --- Rows times x --------------------------------------------------------------------------------

/// The template arguments of gemv_rows.
struct GemvRowsShape {
  int steps;
  int pieces;
  int at_once;
};

/// \param elements  of a load
constexpr GemvRowsShape gemv_rows_shape(int elements, int steps, int pieces) {
  // As many words in flight in each thread as there are registers for.
  return {steps, pieces, elements > 1 ? 8 / steps : std::min(8, 32 / (steps * pieces))};
}

constexpr int gemv_elements(kernels::gemv::GemvAccess access, int size) {
  return access == kernels::gemv::GemvAccess::vector        ? 16 / size
         : access == kernels::gemv::GemvAccess::half_vector ? 8 / size
                                                            : 1;
}

/// Narrow matrices have kernels that put more rows into a warp. Loads of single bytes have fewer.
inline GemvRowsShape gemv_rows_shape(kernels::gemv::GemvAccess access, int size,
                                     std::int64_t columns) {
  const int elements = gemv_elements(access, size);
  const int steps = access != kernels::gemv::GemvAccess::byte && columns <= 64 ? 2 : 8;
  const int pieces = columns <= 256 ? 1 : elements > 1 && columns <= 512 ? 2 : 4;
  return gemv_rows_shape(elements, steps, pieces);
}

/// Warps of a block of gemv_rows.
inline constexpr int gemv_warps = kernels::gemv::gemv_block_threads / 32;

/// Sets of chunks that rows are cut into, and the warps of a block that take a set.
struct GemvRowsSets {
  std::int64_t sets;
  int log_team;
  bool apart;  ///< the sum of each chunk is a list, not that of a set
};

/// One set where a block's warps have room for all chunks, or a few that leave none of them idle;
/// else chunks apart, several of them in a block where it has more warps than there are rows.
inline GemvRowsSets gemv_rows_sets(std::int64_t rows, std::int64_t columns) {
  const std::int64_t chunks = gpu::blocks_for(columns, order::chunk_columns);
  if (chunks <= gemv_warps) return {1, gemv_log2_up(chunks), chunks == 1};
  if (chunks == 2 * gemv_warps || chunks == 4 * gemv_warps) {
    return {chunks / gemv_warps, gemv_log2_up(gemv_warps), false};
  }
  const int log_rows = std::min(gemv_log2_up(gemv_warps), gemv_log2_up(rows));
  const int log_team = gemv_log2_up(gemv_warps) - log_rows;
  return {gpu::blocks_for(chunks, std::int64_t{1} << log_team), log_team, true};
}

struct GemvRowsLaunch {
  unsigned grid;
  int sets;
  int log_team;
  bool apart;
  std::int64_t lists;  ///< 1: the product goes to y at once
  std::int64_t turns;
};

/// \param size  bytes of an element
inline GemvRowsLaunch gemv_rows_launch(const kernels::gemv::GemvArguments& a,
                                       const GemvRowsShape& shape, kernels::gemv::GemvAccess access,
                                       int size, int multiprocessors, int turn_percent) {
  const int elements = gemv_elements(access, size);
  const auto [sets, log_team, apart] = gemv_rows_sets(a.rows, a.columns);
  const int side_by_side = elements > 1 ? elements / shape.pieces : 1;
  const std::int64_t turns =
      gpu::blocks_for(a.rows, (gemv_warps >> log_team) * shape.at_once * side_by_side);
  // A block for each multiprocessor, then two, since a third would wait for one to end; at last
  // many turns for floats and some for 16-bit elements, as measured on an H200.
  const std::int64_t blocks = turns * sets;
  const std::int64_t one_each = gpu::blocks_for(blocks, multiprocessors);
  const std::int64_t by_rule = std::clamp<std::int64_t>(
      one_each <= 8 ? one_each : gpu::blocks_for(blocks, 2 * multiprocessors), 1,
      size == 4 ? kernels::gemv::gemv_most_turns : 8);
  const std::int64_t of_block =
      std::clamp<std::int64_t>(by_rule * turn_percent / 100, 1, kernels::gemv::gemv_most_turns);
  const std::int64_t lists = apart ? gpu::blocks_for(a.columns, order::chunk_columns) : sets;
  return {gpu::grid_x(gpu::blocks_for(turns, of_block) * sets),
          static_cast<int>(sets),
          log_team,
          apart,
          lists,
          of_block};
}

// --- Columns times x -----------------------------------------------------------------------------

struct GemvColumnsLaunch {
  unsigned tiles;
  unsigned sets;
  int threads;
  int log_strand_threads;
  int lanes;
  int shared_bytes;
  std::int64_t lists;  ///< 1: the product goes to y at once
};

/// \param size  bytes of an element
constexpr int gemv_own_columns(kernels::gemv::GemvAccess access, int size) {
  return access == kernels::gemv::GemvAccess::vector    ? 16 / size
         : access == kernels::gemv::GemvAccess::element ? 1
                                                        : 4;
}

/// With tiles of 2^log_strand_threads threads: blocks of whole columns, or, `apart`, of chunks
/// whose sums are lists. \param threads  of a block, at most
inline GemvColumnsLaunch gemv_columns_with(const kernels::gemv::GemvArguments& a, int own,
                                           int log_strand_threads, int threads, bool apart) {
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  GemvColumnsLaunch launch{};
  launch.log_strand_threads = log_strand_threads;
  launch.tiles =
      gpu::grid_x(gpu::blocks_for(a.columns, static_cast<std::int64_t>(own) << log_strand_threads));
  launch.sets = 1;
  launch.lists = 1;
  const std::int64_t strands =
      chunks == 1 ? gpu::blocks_for(a.rows, order::strand_rows) : chunks * order::chunk_strands;
  launch.threads = std::clamp(1 << (log_strand_threads + std::min(10, gemv_log2_up(strands))), 32,
                              std::max(threads, order::chunk_strands << log_strand_threads));
  if (chunks > 1 && !apart) {
    launch.lanes = 1 << gemv_log2_up(std::min<std::int64_t>(chunks, order::lanes));
  } else if (chunks > 1) {
    launch.lists = chunks;
    const std::int64_t round_chunks = (launch.threads >> log_strand_threads) / order::chunk_strands;
    launch.sets = gpu::grid_y(gpu::blocks_for(chunks, round_chunks));
  }
  launch.shared_bytes = (launch.threads + (launch.lanes << log_strand_threads)) * own *
                        static_cast<int>(sizeof(float));
  return launch;
}

/// Whether the transposed product loads single elements though words could be loaded: of matrices
/// that are read in one go, a strand's rows all in flight. As measured on an H100.
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

/// \param size  bytes of an element  \param multiprocessors  of the GPU  \param launches  as
/// column_launches_tunable has them
inline GemvColumnsLaunch gemv_columns_launch(const kernels::gemv::GemvArguments& a,
                                             kernels::gemv::GemvAccess access, int size,
                                             int multiprocessors, int launches) {
  const bool words = gemv_elements(access, size) > 1;
  const int own = gemv_own_columns(access, size);
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  const int log_widest = gemv_log2_up(gpu::blocks_for(a.columns, own));
  if (chunks == 1) {
    const int log_strands = gemv_log2_up(gpu::blocks_for(a.rows, order::strand_rows));
    return gemv_columns_with(a, own, std::min(own == 1 ? 5 : 8 - log_strands, log_widest), 256,
                             false);
  }
  // One launch of blocks that each sum whole columns, one on a multiprocessor, or two launches
  // with blocks for all chunks. The first has as many blocks as tiles, which may not fill the
  // multiprocessors, narrow tiles read short parts of rows, the more of them the more of what is
  // loaded beside them where rows are not aligned, and the rounds of a block come one after the
  // other. Shares of the bandwidth and times as measured on an H200 and an H100.
  struct Share {
    double words, elements, unaligned;
  };
  constexpr Share shares[] = {{0.4, 0.4, 0.4},   {0.4, 0.4, 0.4},   {0.75, 0.6, 0.5},
                              {0.95, 0.9, 0.65}, {0.99, 0.9, 0.78}, {1, 1, 0.92}};
  const bool is_aligned = gemv_elements(gemv_access(a, size), size) > 1;
  const auto share_of = [&](int log) {
    const Share& share = shares[log];
    return words ? share.words : is_aligned ? share.elements : share.unaligned;
  };
  constexpr double second_launch_us = 3;
  constexpr double bytes_per_us = 4.2e6;
  const double us =
      static_cast<double>(a.rows) * static_cast<double>(a.columns) * size / bytes_per_us;
  const int log_two = std::min(words ? 4 : 5, log_widest);
  GemvColumnsLaunch best_launch =
      gemv_columns_with(a, own, log_two, words || log_two < 4 ? 128 : 256, true);
  // More chunks than a group are added group by group, which a block does not.
  if (launches == 2 || chunks > order::group) return best_launch;
  double best = launches == 1 ? std::numeric_limits<double>::infinity()
                              : us / (0.9 * share_of(5)) + second_launch_us;
  for (int log = std::min(words ? 2 : 3, log_widest); log <= std::min(5, log_widest); ++log) {
    const int threads = log >= (words ? 4 : 5) ? 512 : 256;
    const GemvColumnsLaunch launch = gemv_columns_with(a, own, log, threads, false);
    const std::int64_t full = gpu::blocks_for(launch.tiles, multiprocessors) * multiprocessors;
    const double share =
        share_of(log) * static_cast<double>(launch.tiles) / static_cast<double>(full);
    const std::int64_t rounds =
        gpu::blocks_for(chunks * order::chunk_strands, launch.threads >> launch.log_strand_threads);
    const double time =
        std::max(us / share, static_cast<double>(rounds) * (own << log >= 8 ? 0.9 : 3));
    if (time > best) continue;
    best = time;
    best_launch = launch;
  }
  return best_launch;
}

// --- Sums of lists -------------------------------------------------------------------------------

// Up to so many outputs have a warp for each of their groups of lists.
inline constexpr std::int64_t gemv_few_outputs = 2048;

/// Bytes that the lists of every output take, those of their groups included; 0 for a single list.
inline std::int64_t gemv_sum_bytes(std::int64_t lists, std::int64_t outputs) {
  std::int64_t all = 0;
  for (std::int64_t count = lists; count > 1; count = gpu::blocks_for(count, order::group)) {
    all += count;
  }
  return checked_mul(checked_mul(all, outputs), sizeof(float));
}

// --- All of a product ----------------------------------------------------------------------------

/// What gemv() computes: A times x, or its transpose times x.
struct GemvCall {
  kernels::gemv::GemvArguments arguments;  ///< x and sums as launches have them are set below
  std::int64_t x_stride;
  ElementType type;  ///< of A and x
  bool transpose;

  std::int64_t inputs() const { return transpose ? arguments.rows : arguments.columns; }
  std::int64_t outputs() const { return transpose ? arguments.columns : arguments.rows; }
  int size() const { return static_cast<int>(size_of(type)); }
};

inline GemvCall gemv_call(ConstDeviceView a, ConstDeviceView x, DeviceView y,
                          const GemvOptions& options) {
  const VectorOf<ConstDeviceView> factor(x);
  const VectorOf<DeviceView> result(y);
  return {{.a = reinterpret_cast<const unsigned char*>(a.data()),
           .x = reinterpret_cast<const unsigned char*>(factor.data),
           .y = reinterpret_cast<unsigned char*>(result.data),
           .pitch = a.pitch_bytes(),
           .rows = a.height(),
           .columns = a.width(),
           .y_stride = result.stride_bytes,
           .sums = nullptr,
           .alpha = options.alpha,
           .beta = options.beta,
           .y_by_float = gemv_aligned(result.data, result.stride_bytes, sizeof(float))},
          factor.stride_bytes,
          a.type(),
          options.transpose};
}

enum class GemvStep : std::uint8_t { scale, gather, rows, narrow, columns, sum, sum_few };

/// A kernel of gemv with its template arguments.
struct GemvKernel {
  GemvStep step;
  ElementType type = ElementType::f32;  ///< of gather, rows, narrow and columns
  kernels::gemv::GemvAccess access = kernels::gemv::GemvAccess::element;  ///< of rows and columns
  GemvRowsShape shape = {};                                               ///< of rows
};
constexpr const char* kernel_name(GemvStep step) {
  switch (step) {
    case GemvStep::scale: return "gemv_scale";
    case GemvStep::gather: return "gemv_gather";
    case GemvStep::rows: return "gemv_rows";
    case GemvStep::narrow: return "gemv_narrow";
    case GemvStep::columns: return "gemv_columns";
    case GemvStep::sum: return "gemv_sum";
    case GemvStep::sum_few: return "gemv_sum_few";
  }
  return "";
}

/// A copy of x, the product, and its sums: 1024 lists of each output at a time.
using GemvLaunches = gpu::Launches<GemvKernel, 8>;

/// How a product is launched, but for where its scratch memory is.
struct GemvPlan {
  kernels::gemv::GemvAccess access = kernels::gemv::GemvAccess::element;
  GemvRowsShape shape = {};
  GemvRowsLaunch rows = {};
  bool is_narrow = false;  ///< gemv_narrow takes the rows
  GemvColumnsLaunch columns = {};
  std::int64_t lists = 1;         ///< of sums of each output; one goes to y at once
  std::int64_t gather_bytes = 0;  ///< scratch of a copy of x; 0: the kernel reads x itself
  std::int64_t sum_bytes = 0;     ///< scratch of the lists, behind it

  /// The scratch memory starts at a multiple of 16.
  std::int64_t scratch_bytes() const { return checked_add(gather_bytes, sum_bytes); }
};

/// \param multiprocessors  of the GPU
inline GemvPlan gemv_plan(const GemvCall& call, int multiprocessors, const Tuning& tuning = {}) {
  const kernels::gemv::GemvArguments& a = call.arguments;
  GemvPlan plan;
  plan.access = gemv_access(a, call.size());
  if (!gemv_reads_x(a.x, call.x_stride, plan.access, call.size(), call.transpose)) {
    plan.gather_bytes = gpu::blocks_for(checked_mul(call.inputs(), call.size()), 16) * 16;
  }
  if (call.transpose) {
    if (plan.access == kernels::gemv::GemvAccess::vector &&
        gemv_columns_by_element(a, call.size(), multiprocessors)) {
      plan.access = kernels::gemv::GemvAccess::element;
    }
    plan.columns =
        gemv_columns_launch(a, plan.access, call.size(), multiprocessors, tuning.column_launches);
    plan.lists = plan.columns.lists;
  } else {
    plan.is_narrow = plan.access == kernels::gemv::GemvAccess::element &&
                     a.columns <= kernels::gemv::gemv_narrow_columns;
    plan.shape = gemv_rows_shape(plan.access, call.size(), a.columns);
    plan.rows = gemv_rows_launch(a, plan.shape, plan.access, call.size(), multiprocessors,
                                 tuning.row_percent);
    plan.lists = plan.rows.lists;
  }
  plan.sum_bytes = gemv_sum_bytes(plan.lists, call.outputs());
  return plan;
}

/// gemv_scale alone: y = beta y.
inline gpu::Launch<GemvKernel> gemv_scale_launch(const GemvCall& call) {
  constexpr int threads = kernels::gemv::gemv_block_threads;
  return {.kernel = {.step = GemvStep::scale},
          .grid = {gemv_grid(gpu::blocks_for(call.outputs(), threads))},
          .block = {threads},
          .parameters = gpu::Parameters::of(call.arguments, call.outputs())};
}

/// Sums the lists, whose groups' sums go behind them in the scratch memory, into y.
inline void add_gemv_sums(const kernels::gemv::GemvArguments& a, std::int64_t lists,
                          std::int64_t outputs, GemvLaunches& launches) {
  const float* sums = a.sums;
  for (std::int64_t count = lists; count > 1;) {
    const std::int64_t groups = gpu::blocks_for(count, order::group);
    if (outputs <= gemv_few_outputs && groups <= order::group) {
      const int log_warps = std::min(5, gemv_log2_up(groups));
      const unsigned warps = std::max(8, 1 << log_warps);
      launches.add({.kernel = {.step = GemvStep::sum_few},
                    .grid = {gemv_grid(gpu::blocks_for(outputs, warps >> log_warps))},
                    .block = {32 * warps},
                    .parameters = gpu::Parameters::of(a, sums, count, outputs, log_warps)});
      return;
    }
    constexpr int at_once = 32;
    float* const to = groups == 1 ? nullptr : const_cast<float*>(sums) + count * outputs;
    launches.add({.kernel = {.step = GemvStep::sum},
                  .grid = {gemv_grid(gpu::blocks_for(outputs, at_once)), gpu::grid_y(groups)},
                  .block = {kernels::gemv::gemv_block_threads},
                  .parameters = gpu::Parameters::of(a, sums, count, outputs, to)});
    sums = to;
    count = groups;
  }
}

/// The launches of a plan with its scratch memory, which may be null where it takes none.
inline GemvLaunches gemv_launches(const GemvCall& call, const GemvPlan& plan, std::byte* scratch) {
  constexpr int threads = kernels::gemv::gemv_block_threads;
  GemvLaunches launches;
  kernels::gemv::GemvArguments a = call.arguments;
  if (plan.gather_bytes > 0) {
    launches.add({.kernel = {.step = GemvStep::gather, .type = call.type},
                  .grid = {gemv_grid(gpu::blocks_for(call.inputs(), threads))},
                  .block = {threads},
                  .parameters = gpu::Parameters::of(a.x, call.x_stride, call.inputs(), scratch)});
    a.x = reinterpret_cast<const unsigned char*>(scratch);
  }
  if (plan.sum_bytes > 0) a.sums = reinterpret_cast<float*>(scratch + plan.gather_bytes);
  if (call.transpose) {
    const GemvColumnsLaunch& columns = plan.columns;
    launches.add({.kernel = {.step = GemvStep::columns, .type = call.type, .access = plan.access},
                  .grid = {columns.tiles, columns.sets},
                  .block = {static_cast<unsigned>(columns.threads)},
                  .shared_bytes = static_cast<std::size_t>(columns.shared_bytes),
                  .parameters = gpu::Parameters::of(a, columns.log_strand_threads, columns.lanes)});
  } else if (plan.is_narrow) {
    constexpr std::int64_t rows = threads * kernels::gemv::gemv_narrow_rows;
    launches.add({.kernel = {.step = GemvStep::narrow, .type = call.type},
                  .grid = {gpu::grid_x(gpu::blocks_for(a.rows, rows))},
                  .block = {threads},
                  .parameters = gpu::Parameters::of(a)});
  } else {
    launches.add({.kernel = {.step = GemvStep::rows,
                             .type = call.type,
                             .access = plan.access,
                             .shape = plan.shape},
                  .grid = {plan.rows.grid},
                  .block = {threads},
                  .parameters = gpu::Parameters::of(a, plan.rows.sets, plan.rows.log_team,
                                                    plan.rows.apart, plan.rows.turns)});
  }
  add_gemv_sums(a, plan.lists, call.outputs(), launches);
  return launches;
}

}  // namespace warpwise::detail::gemv
