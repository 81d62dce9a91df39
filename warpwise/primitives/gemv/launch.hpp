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

/// Sets of chunks that rows are cut into: one where a block's warps have room for all chunks, or a
/// few that leave none of them idle; else one for each chunk.
constexpr std::int64_t gemv_rows_sets(std::int64_t columns) {
  const std::int64_t chunks = gpu::blocks_for(columns, order::chunk_columns);
  if (chunks <= gemv_warps) return 1;
  return chunks == 2 * gemv_warps || chunks == 4 * gemv_warps ? chunks / gemv_warps : chunks;
}

struct GemvRowsLaunch {
  unsigned grid;
  int sets;
  int log_team;
  std::int64_t turns;
};

/// \param size  bytes of an element
inline GemvRowsLaunch gemv_rows_launch(const kernels::gemv::GemvArguments& a,
                                       const GemvRowsShape& shape, kernels::gemv::GemvAccess access,
                                       int size, int turn_percent) {
  const int elements = gemv_elements(access, size);
  const std::int64_t chunks = gpu::blocks_for(a.columns, order::chunk_columns);
  const std::int64_t sets = gemv_rows_sets(a.columns);
  const int log_team = gemv_log2_up(gpu::blocks_for(chunks, sets));
  const int side_by_side = elements > 1 ? elements / shape.pieces : 1;
  const std::int64_t turns =
      gpu::blocks_for(a.rows, (gemv_warps >> log_team) * shape.at_once * side_by_side);
  // Few turns while there would be fewer blocks than one for each multiprocessor of a large GPU,
  // then some while there would be fewer than two; where there are more blocks than are resident,
  // many turns for floats and some for 16-bit elements, as measured on an H200.
  const std::int64_t blocks = turns * sets;
  const std::int64_t by_rule =
      std::clamp<std::int64_t>(std::max(std::min<std::int64_t>(blocks / 128, 8), blocks / 256), 1,
                               size == 4 ? kernels::gemv::gemv_most_turns : 8);
  const std::int64_t of_block =
      std::clamp<std::int64_t>(by_rule * turn_percent / 100, 1, kernels::gemv::gemv_most_turns);
  return {gpu::grid_x(gpu::blocks_for(turns, of_block) * sets), static_cast<int>(sets), log_team,
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

/// \param size  bytes of an element  \param multiprocessors  of the GPU  \param launches  as
/// column_launches_tunable has them
inline GemvColumnsLaunch gemv_columns_launch(const kernels::gemv::GemvArguments& a,
                                             kernels::gemv::GemvAccess access, int size,
                                             int multiprocessors, int launches) {
  const bool words = gemv_elements(access, size) > 1;
  const int own = access == kernels::gemv::GemvAccess::vector ? 16 / size : 4;
  const std::int64_t chunks = gpu::blocks_for(a.rows, order::chunk_rows);
  const int log_widest = gemv_log2_up(gpu::blocks_for(a.columns, own));
  const auto tiles = [&](int log) {
    return gpu::blocks_for(a.columns, static_cast<std::int64_t>(own) << log);
  };
  GemvColumnsLaunch launch{};
  launch.sets = 1;
  launch.lists = 1;
  if (chunks == 1) {
    const int log_strands = gemv_log2_up(gpu::blocks_for(a.rows, order::strand_rows));
    launch.log_strand_threads = std::min(8 - log_strands, log_widest);
    launch.threads = std::max(32, 1 << (launch.log_strand_threads + log_strands));
  } else {
    // One launch of blocks that each sum whole columns, one on a multiprocessor, or two launches
    // with blocks for all chunks. The first has as many blocks as tiles, which may not fill the
    // multiprocessors, and narrow tiles read short parts of rows: their shares of the bandwidth as
    // measured on an H200.
    constexpr double share_of_log[] = {0.4, 0.4, 0.75, 0.95, 0.99, 1};
    constexpr double second_launch_us = 3;
    constexpr double bytes_per_us = 4.2e6;
    const double us =
        static_cast<double>(a.rows) * static_cast<double>(a.columns) * size / bytes_per_us;
    double best =
        launches == 1 ? std::numeric_limits<double>::infinity() : us / 0.9 + second_launch_us;
    launch.log_strand_threads = std::min(5, log_widest);
    for (int log = words ? 2 : 5; launches != 2 && log <= std::min(5, log_widest); ++log) {
      const std::int64_t full = gpu::blocks_for(tiles(log), multiprocessors) * multiprocessors;
      const double share =
          share_of_log[log] * static_cast<double>(tiles(log)) / static_cast<double>(full);
      if (us / share > best) continue;
      best = us / share;
      launch.log_strand_threads = log;
      launch.lanes = 1 << gemv_log2_up(std::min<std::int64_t>(chunks, order::lanes));
    }
    if (launch.lanes > 0) {
      const int log_strands = std::min(9, gemv_log2_up(chunks * order::chunk_strands));
      launch.threads = std::min(kernels::gemv::gemv_most_column_threads,
                                1 << (launch.log_strand_threads + log_strands));
    } else {
      launch.threads = kernels::gemv::gemv_block_threads;
      launch.lists = chunks;
      const std::int64_t round_chunks =
          (launch.threads >> launch.log_strand_threads) / order::chunk_strands;
      launch.sets = gpu::grid_y(std::min(
          gpu::blocks_for(chunks, round_chunks),
          std::max<std::int64_t>(1, 2 * multiprocessors / tiles(launch.log_strand_threads))));
    }
  }
  launch.tiles = gpu::grid_x(tiles(launch.log_strand_threads));
  launch.shared_bytes = (launch.threads + (launch.lanes << launch.log_strand_threads)) * own *
                        static_cast<int>(sizeof(float));
  return launch;
}

// --- Sums of lists -------------------------------------------------------------------------------

// Up to so many outputs, blocks of gemv_sum take 8 of them, so that there are enough blocks.
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

enum class GemvStep : std::uint8_t { scale, gather, rows, columns, sum };

/// A kernel of gemv with its template arguments.
struct GemvKernel {
  GemvStep step;
  ElementType type = ElementType::f32;  ///< of gather, rows and columns
  kernels::gemv::GemvAccess access = kernels::gemv::GemvAccess::element;  ///< of rows and columns
  GemvRowsShape shape = {};                                               ///< of rows
  int at_once = 0;                                                        ///< of sum
};
constexpr const char* kernel_name(GemvStep step) {
  switch (step) {
    case GemvStep::scale: return "gemv_scale";
    case GemvStep::gather: return "gemv_gather";
    case GemvStep::rows: return "gemv_rows";
    case GemvStep::columns: return "gemv_columns";
    case GemvStep::sum: return "gemv_sum";
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
  GemvColumnsLaunch columns = {};
  std::int64_t lists = 1;         ///< of sums of each output; one goes to y at once
  std::int64_t gather_bytes = 0;  ///< scratch of a copy of x; 0: the kernel reads x itself
  std::int64_t sum_bytes = 0;     ///< scratch of the lists, behind it

  /// The scratch memory starts at a multiple of 16.
  std::int64_t scratch_bytes() const { return checked_add(gather_bytes, sum_bytes); }
};

/// \param multiprocessors  of the GPU; for a transpose only
inline GemvPlan gemv_plan(const GemvCall& call, int multiprocessors, const Tuning& tuning = {}) {
  const kernels::gemv::GemvArguments& a = call.arguments;
  GemvPlan plan;
  plan.access = gemv_access(a, call.size());
  if (!gemv_reads_x(a.x, call.x_stride, plan.access, call.size(), call.transpose)) {
    plan.gather_bytes = gpu::blocks_for(checked_mul(call.inputs(), call.size()), 16) * 16;
  }
  if (call.transpose) {
    plan.columns =
        gemv_columns_launch(a, plan.access, call.size(), multiprocessors, tuning.column_launches);
    plan.lists = plan.columns.lists;
  } else {
    plan.shape = gemv_rows_shape(plan.access, call.size(), a.columns);
    plan.rows = gemv_rows_launch(a, plan.shape, plan.access, call.size(), tuning.row_percent);
    plan.lists = plan.rows.sets;
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
  const int at_once = outputs <= gemv_few_outputs ? 8 : 32;
  const float* sums = a.sums;
  for (std::int64_t count = lists; count > 1;) {
    const std::int64_t groups = gpu::blocks_for(count, order::group);
    float* const to = groups == 1 ? nullptr : const_cast<float*>(sums) + count * outputs;
    launches.add({.kernel = {.step = GemvStep::sum, .at_once = at_once},
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
  } else {
    launches.add({.kernel = {.step = GemvStep::rows,
                             .type = call.type,
                             .access = plan.access,
                             .shape = plan.shape},
                  .grid = {plan.rows.grid},
                  .block = {threads},
                  .parameters =
                      gpu::Parameters::of(a, plan.rows.sets, plan.rows.log_team, plan.rows.turns)});
  }
  add_gemv_sums(a, plan.lists, call.outputs(), launches);
  return launches;
}

}  // namespace warpwise::detail::gemv
