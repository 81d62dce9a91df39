#pragma once

#include <algorithm>
#include <cstdint>

#include "warpwise/base/element_type.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/gemv/columns_launch.hpp"

// Launches of gemv's kernels for given arguments.
namespace warpwise::detail::gemv {

// --- Rows times x --------------------------------------------------------------------------------

/// The template arguments of gemv_rows.
struct GemvRowsShape {
  int steps;
  int pieces;
  int at_once;
};

/// Returns the shape for loads of `elements` elements each.
constexpr GemvRowsShape gemv_rows_shape(int elements, int steps, int pieces) {
  // A thread has as many words of A in flight as its registers hold.
  return {steps, pieces, elements > 1 ? 8 / steps : std::min(8, 32 / (steps * pieces))};
}

/// Returns the shape for a matrix. Narrow matrices get fewer steps and pieces, so a warp sums more
/// rows at once. No shape for loads of single elements has two pieces. No shape for loads of single
/// bytes has two steps.
inline GemvRowsShape gemv_rows_shape(kernels::gemv::GemvAccess access, int size,
                                     std::int64_t columns) {
  const int elements = gemv_elements(access, size);
  const int steps = access != kernels::gemv::GemvAccess::byte && columns <= 64 ? 2 : 8;
  const int pieces = columns <= 256 ? 1 : elements > 1 && columns <= 512 ? 2 : 4;
  return gemv_rows_shape(elements, steps, pieces);
}

/// Warps of a block of gemv_rows.
inline constexpr int gemv_warps = kernels::gemv::gemv_block_threads / 32;

/// A division of each row's chunks into sets. A team of 2^log_team warps sums one set's chunks of
/// some rows. Partial sums go to lists (GemvArguments).
struct GemvRowsSets {
  std::int64_t sets;
  int log_team;
  bool apart;  ///< true: a list for each chunk; false: a team adds the sums of its set's chunks
  bool is_cluster;  ///< a cluster has a block for each set, and its first block adds the sets' sums
};

/// Divides the chunks of each row into sets:
/// - one set if a block has a warp for each chunk;
/// - a cluster with a block for each set if its blocks together have a warp for each chunk;
/// - two or four sets without a cluster if they leave no warp idle;
/// - otherwise a list for each chunk, and several chunks of a row in a block only if it has more
///   warps than A has rows.
inline GemvRowsSets gemv_rows_sets(std::int64_t rows, std::int64_t columns, bool clusters) {
  const std::int64_t chunks = gpu::blocks_for(columns, order::chunk_columns);
  if (chunks <= gemv_warps) return {1, gemv_log2_up(chunks), chunks == 1, false};
  const int log_warps = gemv_log2_up(gemv_warps);
  // With many rows, a second launch costs less than blocks that wait for one another.
  if (clusters && chunks <= gemv_most_cluster * gemv_warps && rows * columns <= 1 << 23) {
    return {std::int64_t{1} << (gemv_log2_up(chunks) - log_warps), log_warps, false, true};
  }
  if (chunks == 2 * gemv_warps || chunks == 4 * gemv_warps) {
    return {chunks / gemv_warps, log_warps, false, false};
  }
  const int log_team = log_warps - std::min(log_warps, gemv_log2_up(rows));
  return {gpu::blocks_for(chunks, std::int64_t{1} << log_team), log_team, true, false};
}

struct GemvRowsLaunch {
  unsigned grid;
  int sets;
  int log_team;
  bool apart;
  bool is_cluster;
  std::int64_t lists;  ///< lists of partial sums; 1: the product goes to y directly
  std::int64_t turns;
};

/// Chooses the launch of gemv_rows. \param size  bytes of an element
inline GemvRowsLaunch gemv_rows_launch(const kernels::gemv::GemvArguments& a,
                                       const GemvRowsShape& shape, kernels::gemv::GemvAccess access,
                                       int size, int multiprocessors, bool clusters) {
  const int elements = gemv_elements(access, size);
  const auto [sets, log_team, apart, is_cluster] = gemv_rows_sets(a.rows, a.columns, clusters);
  const int side_by_side = elements > 1 ? elements / shape.pieces : 1;
  const std::int64_t turns =
      gpu::blocks_for(a.rows, (gemv_warps >> log_team) * shape.at_once * side_by_side);
  // In each turn, a block sums new rows of A. If 8 turns or fewer suffice, there is at most one
  // block for each multiprocessor. Otherwise there are two for each, because a third would wait
  // until one of them ends. The limit is gemv_most_turns turns for floats, and 8 for 16-bit
  // elements; further blocks take the other rows. Measured on an H200.
  const std::int64_t blocks = turns * sets;
  const std::int64_t one_each = gpu::blocks_for(blocks, multiprocessors);
  const std::int64_t of_block = std::clamp<std::int64_t>(
      one_each <= 8 ? one_each : gpu::blocks_for(blocks, 2 * multiprocessors), 1,
      size == 4 ? kernels::gemv::gemv_most_turns : 8);
  const std::int64_t lists = apart        ? gpu::blocks_for(a.columns, order::chunk_columns)
                             : is_cluster ? 1
                                          : sets;
  return {gpu::grid_x(gpu::blocks_for(turns, of_block) * sets),
          static_cast<int>(sets),
          log_team,
          apart,
          is_cluster,
          lists,
          of_block};
}

// --- Sums of lists -------------------------------------------------------------------------------

// Largest number of outputs for which gemv_sum_few adds the lists of partial sums. It has one or
// more warps for each output. gemv_sum adds the lists of more outputs.
inline constexpr std::int64_t gemv_few_outputs = 2048;

/// Returns the bytes of all lists of partial sums, and of the lists of the groups' sums. Returns 0
/// for a single list.
inline std::int64_t gemv_sum_bytes(std::int64_t lists, std::int64_t outputs) {
  std::int64_t all = 0;
  for (std::int64_t count = lists; count > 1; count = gpu::blocks_for(count, order::group)) {
    all += count;
  }
  return checked_mul(checked_mul(all, outputs), sizeof(float));
}

// --- All of a product ----------------------------------------------------------------------------

/// Arguments of gemv(): A times x, or its transpose times x.
struct GemvCall {
  kernels::gemv::GemvArguments arguments;  ///< gemv_launches() sets `sums`, and `x` if it is copied
  std::int64_t x_stride;
  ElementType type;  ///< element type of A and x
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

enum class GemvStep : std::uint8_t {
  scale,
  gather,
  rows,
  narrow,
  columns,
  short_columns,
  strands,
  sum,
  sum_few
};

/// A kernel of gemv with its template arguments.
struct GemvKernel {
  GemvStep step;
  ElementType type = ElementType::f32;  ///< element type of A and x, in steps that read them
  kernels::gemv::GemvAccess access = kernels::gemv::GemvAccess::element;  ///< for rows, columns
  GemvRowsShape shape = {};                                               ///< for rows
  /// blocks of a cluster: along the grid's x for rows, along its y for columns
  unsigned cluster = 1;
  bool lines = false;  ///< for columns: single elements bypass the first-level cache
  int width = 0;       ///< columns of a warp (short_columns) or of a thread (strands)
};
constexpr const char* kernel_name(GemvStep step) {
  switch (step) {
    case GemvStep::scale: return "gemv_scale";
    case GemvStep::gather: return "gemv_gather";
    case GemvStep::rows: return "gemv_rows";
    case GemvStep::narrow: return "gemv_narrow";
    case GemvStep::columns: return "gemv_columns";
    case GemvStep::short_columns: return "gemv_short_columns";
    case GemvStep::strands: return "gemv_strands";
    case GemvStep::sum: return "gemv_sum";
    case GemvStep::sum_few: return "gemv_sum_few";
  }
  return "";
}

/// Launches of a product: a copy of x, the product, and the sums of up to 1024 lists at a time.
using GemvLaunches = gpu::Launches<GemvKernel, 8>;

/// The decisions about a product's launches. They do not depend on where the scratch memory lies.
struct GemvPlan {
  kernels::gemv::GemvAccess access = kernels::gemv::GemvAccess::element;
  GemvRowsShape shape = {};
  GemvRowsLaunch rows = {};
  bool is_narrow = false;  ///< gemv_narrow processes the rows
  GemvColumnsLaunch columns = {};
  int short_width = 0;            ///< columns of a warp of gemv_short_columns; 0: not used
  int strand_chunks = 0;          ///< chunks of a block of gemv_strands; 0: not used
  std::int64_t lists = 1;         ///< lists of sums of each output; a single one goes to y directly
  std::int64_t gather_bytes = 0;  ///< scratch memory of a copy of x; 0: the kernel reads x itself
  std::int64_t sum_bytes = 0;     ///< scratch memory of the lists, behind the copy of x

  bool has_cluster() const { return rows.is_cluster || (columns.lanes > 0 && columns.sets > 1); }
  /// Returns the size of the scratch memory, which must start at a multiple of 16 bytes.
  std::int64_t scratch_bytes() const { return checked_add(gather_bytes, sum_bytes); }
};

/// Chooses the launches of a product. \param multiprocessors  number of the GPU's multiprocessors
/// \param clusters  true if blocks may be launched in clusters
inline GemvPlan gemv_plan(const GemvCall& call, int multiprocessors, bool clusters = false) {
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
    plan.columns = gemv_columns_launch(a, plan.access, call.size(), multiprocessors, clusters);
    plan.lists = plan.columns.lists;
    if (plan.access == kernels::gemv::GemvAccess::element) {
      plan.short_width = gemv_short_width(a, multiprocessors);
    }
    plan.strand_chunks = gemv_strand_chunks(a, call.type, plan.gather_bytes > 0, multiprocessors);
    if (plan.strand_chunks > 0) {
      plan.columns = {};
      plan.lists = gpu::blocks_for(a.rows, order::chunk_rows);
    }
  } else {
    plan.is_narrow = plan.access == kernels::gemv::GemvAccess::element &&
                     a.columns <= kernels::gemv::gemv_narrow_columns;
    plan.shape = gemv_rows_shape(plan.access, call.size(), a.columns);
    plan.rows =
        gemv_rows_launch(a, plan.shape, plan.access, call.size(), multiprocessors, clusters);
    plan.lists = plan.rows.lists;
  }
  plan.sum_bytes = gemv_sum_bytes(plan.lists, call.outputs());
  return plan;
}

/// Returns the launch of gemv_scale alone: y = beta y.
inline gpu::Launch<GemvKernel> gemv_scale_launch(const GemvCall& call) {
  constexpr int threads = kernels::gemv::gemv_block_threads;
  return {.kernel = {.step = GemvStep::scale},
          .grid = {gemv_grid(gpu::blocks_for(call.outputs(), threads))},
          .block = {threads},
          .parameters = gpu::Parameters::of(call.arguments, call.outputs())};
}

/// Adds the launches that sum the lists into y. The sums of groups of lists follow the lists in the
/// scratch memory.
inline void add_gemv_sums(const kernels::gemv::GemvArguments& a, std::int64_t lists,
                          std::int64_t outputs, GemvLaunches& launches) {
  const float* sums = a.sums;
  for (std::int64_t count = lists; count > 1;) {
    const std::int64_t groups = gpu::blocks_for(count, order::group);
    if (outputs <= gemv_few_outputs && groups <= order::group) {
      // Each lane of a warp reads an output's sum from a different list. Lists lie `outputs` floats
      // apart, so each float moves a whole sector. Blocks of few outputs spread these reads over
      // the multiprocessors.
      const int log_warps = std::min(5, gemv_log2_up(groups));
      const std::int64_t in_block =
          std::clamp<std::int64_t>(outputs / 128, 1, std::max(1, 8 >> log_warps));
      launches.add(
          {.kernel = {.step = GemvStep::sum_few},
           .grid = {gemv_grid(gpu::blocks_for(outputs, in_block))},
           .block = {static_cast<unsigned>(in_block << (5 + log_warps))},
           .shared_bytes =
               groups == 1 ? 0 : static_cast<std::size_t>(in_block * groups) * sizeof(float),
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

/// Returns the launches of a plan. `scratch` may be null if the plan needs none.
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
  if (plan.short_width > 0) {
    launches.add(
        {.kernel = {.step = GemvStep::short_columns, .type = call.type, .width = plan.short_width},
         .grid = {gpu::grid_x(gpu::blocks_for(a.columns, plan.short_width))},
         .block = {32},
         .parameters = gpu::Parameters::of(a)});
  } else if (plan.strand_chunks > 0) {
    const int columns = static_cast<int>(a.columns);
    launches.add({.kernel = {.step = GemvStep::strands, .width = std::min(columns, 4)},
                  .grid = {gpu::grid_x(gpu::blocks_for(plan.lists, plan.strand_chunks))},
                  .block = {kernels::gemv::gemv_strand_threads},
                  .shared_bytes = static_cast<std::size_t>(plan.strand_chunks *
                                                           gemv_strands_chunk_bytes(columns)),
                  .parameters = gpu::Parameters::of(a, plan.strand_chunks)});
  } else if (call.transpose) {
    const GemvColumnsLaunch& columns = plan.columns;
    launches.add({.kernel = {.step = GemvStep::columns,
                             .type = call.type,
                             .access = plan.access,
                             .cluster = plan.has_cluster() ? columns.sets : 1,
                             .lines = gemv_columns_in_lines(a, columns)},
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
    launches.add(
        {.kernel = {.step = GemvStep::rows,
                    .type = call.type,
                    .access = plan.access,
                    .shape = plan.shape,
                    .cluster = plan.has_cluster() ? static_cast<unsigned>(plan.rows.sets) : 1},
         .grid = {plan.rows.grid},
         .block = {threads},
         .parameters = gpu::Parameters::of(a, plan.rows.sets, plan.rows.log_team, plan.rows.apart,
                                           plan.rows.turns)});
  }
  add_gemv_sums(a, plan.lists, call.outputs(), launches);
  return launches;
}

}  // namespace warpwise::detail::gemv
