#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "warpwise/base/checked.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/primitives/disparity/arguments.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"

// Launches of disparity's kernels.
namespace warpwise::detail::disparity {

enum class DisparityStep : std::uint8_t { pad, energies, sweep, tiles, check };

/// A kernel with its template arguments.
struct DisparityKernel {
  DisparityStep step;
  Measure measure = {};  ///< measure, used by sweep and tiles
  bool keyed = false;    ///< for sweep only, as are `checked`, `subpixel` and `lanes`
  bool checked = false;
  bool subpixel = false;
  int lanes = 32;      ///< used by sweep: 32 or few_lanes
  bool swept = false;  ///< used by check: true if right_best has a sweep's 64 bits
};
constexpr const char* kernel_name(const DisparityKernel& kernel) {
  switch (kernel.step) {
    case DisparityStep::pad: return "disparity_pad_kernel";
    case DisparityStep::energies: return "disparity_energy_kernel";
    case DisparityStep::sweep: return "disparity_sweep_kernel";
    case DisparityStep::tiles: return "disparity_match_kernel";
    case DisparityStep::check: return "disparity_check_kernel";
  }
  return "";
}

/// The launches of a call: padded images, energies, the sweep or two launches of tiles, and the
/// check.
using DisparityLaunches = gpu::Launches<DisparityKernel, 5>;

/// Arguments of a call of disparity().
struct DisparityCall {
  ConstDeviceView left;
  ConstDeviceView right;
  DeviceView dst;
  DisparityOptions options;

  std::int64_t pixels() const { return checked_mul(left.width(), left.height()); }
  bool checked() const { return options.check >= 0; }
  /// Returns the number of displacements to try.
  int candidates() const {
    return static_cast<int>(std::min<std::int64_t>(options.max_disparity + 1, left.width()));
  }
  int slices() const {
    return static_cast<int>(gpu::blocks_for(candidates(), kernels::disparity::slice_displacements));
  }
};

/// Returns the number of a warp's lanes that have column sums in shared memory: 32 or few_lanes.
/// Few lanes take less shared memory, so that more warps fit. This pays for ssd, ncc and zncc,
/// whose sums of a column take 16 bytes a lane. Kernels with few lanes exist only for the most
/// common options: with the check and without sub-pixel results.
inline int sweep_lanes(const DisparityCall& call) {
  constexpr int few = kernels::disparity::few_lanes;
  const DisparityOptions& options = call.options;
  const bool pays = options.measure != Measure::sad && call.checked() && !options.subpixel;
  return pays && call.candidates() <= 4 * few ? few : 32;
}

/// Columns of the widest tile. A tile may reach up to this number of columns beyond the image.
inline constexpr std::int64_t widest_tile = 128;
/// Limit of a grid's y dimension.
inline constexpr std::int64_t most_strips = 65535;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct SweepPlan {
  int tile_width;
  int shared_bytes;
};

/// Divides a sweep into blocks of threads with up to `most_shared` bytes of shared memory. Returns
/// nothing if the sums do not fit.
inline std::optional<SweepPlan> sweep_plan(const DisparityCall& call, bool keyed,
                                           std::int64_t most_shared) {
  // Bytes of a thread block's shared memory that CUDA itself takes.
  constexpr std::int64_t reserved = 1024;
  constexpr int good_tile_width = 32;
  const DisparityOptions& options = call.options;
  const int half = options.block / 2, slices = call.slices();
  const auto bytes = [&](std::int64_t tile_width) -> std::int64_t {
    return slices * kernels::disparity::slice_bytes(options.measure, keyed, options.subpixel,
                                                    sweep_lanes(call), half,
                                                    static_cast<int>(tile_width));
  };
  // More warps hide latency; 12, 8 and 4 are divided evenly among four schedulers. However, more
  // warps make tiles narrower, and each tile also computes an image block's width of columns beside
  // its own columns.
  for (const int warps : {12, 8, 4, 1}) {
    const std::int64_t blocks = std::max(warps / slices, 1);
    const std::int64_t room = (most_shared + reserved) / blocks - reserved;
    const std::int64_t fits = (room - bytes(0)) / (bytes(1) - bytes(0)) / 4 * 4;
    if (fits < (warps > 1 ? std::max(good_tile_width, half) : 4)) continue;
    const std::int64_t width = call.left.width();
    const std::int64_t tiles = gpu::blocks_for(width, std::min<std::int64_t>(fits, widest_tile));
    const std::int64_t tile_width = round_up(gpu::blocks_for(width, tiles), 4);
    return SweepPlan{static_cast<int>(tile_width), static_cast<int>(bytes(tile_width))};
  }
  return std::nullopt;
}

/// Layout of a call's scratch memory, in bytes except `map_pitch` and `map_origin`. Each part
/// begins at a multiple of 128.
struct DisparityPlan {
  bool keyed = false;
  std::optional<SweepPlan> sweep;  ///< nothing: the call uses tiles

  // Both images with their borders, as the sweep reads them:
  // - above, one row more than a block reaches;
  // - to the left, a pixel for each displacement;
  // - to the right, the pixels of an incomplete tile.
  std::int64_t origin = 0;  ///< offset in a row of the last column of pixel 0's image block
  std::int64_t pitch = 0;
  std::int64_t rows = 0;  ///< rows of each copy

  // Sums over blocks: two maps for ncc and four for zncc.
  std::int64_t map_pitch = 0;
  std::int64_t map_origin = 0;
  std::int64_t map_elements = 0;  ///< elements of each map

  std::int64_t maps_at = 0;
  std::int64_t left_at = 0;   ///< best displacements of the left image's pixels
  std::int64_t right_at = 0;  ///< best displacements of the right image's pixels
  std::int64_t scratch_bytes = 0;
};

inline DisparityPlan disparity_plan(const DisparityCall& call, std::int64_t most_shared) {
  const Measure measure = call.options.measure;
  const int half = call.options.block / 2;
  const std::int64_t reach = kernels::disparity::slice_displacements * call.slices();
  DisparityPlan plan;
  const auto part = [&](std::int64_t bytes) {
    constexpr std::int64_t alignment = 128;
    const std::int64_t at = plan.scratch_bytes;
    plan.scratch_bytes = checked_add(at, checked_add(bytes, alignment - 1)) / alignment * alignment;
    return at;
  };
  plan.keyed = half <= kernels::disparity::largest_keyed_half(measure);
  plan.sweep = sweep_plan(call, plan.keyed, most_shared);
  plan.origin = round_up(reach + 2 * half + 4, 16);
  plan.pitch = round_up(checked_add(call.left.width(), plan.origin + half + widest_tile), 16);
  plan.rows = checked_add(call.left.height(), 2 * half + 1);
  part(checked_mul(2, checked_mul(plan.pitch, plan.rows)));
  if (!least_is_best(measure)) {
    plan.map_origin = reach + 4;
    plan.map_pitch = round_up(checked_add(call.left.width(), plan.map_origin + widest_tile), 4);
    plan.map_elements = checked_mul(plan.map_pitch, call.left.height());
    plan.maps_at = part(checked_mul(plan.map_elements, 4 * (measure == Measure::zncc ? 4 : 2)));
  }
  plan.left_at = part(checked_mul(call.pixels(), 2));
  if (call.checked()) plan.right_at = part(checked_mul(call.pixels(), plan.sweep ? 8 : 2));
  return plan;
}

/// Creates the launches of one call.
class DisparityLauncher {
 public:
  /// \param scratch  plan.scratch_bytes at a multiple of 128
  DisparityLauncher(const DisparityCall& call, const DisparityPlan& plan, std::byte* scratch)
      : call_(call), plan_(plan), scratch_(reinterpret_cast<unsigned char*>(scratch)) {}

  gpu::Launch<DisparityKernel> pad() const {
    // A thread pads several rows, which share the cost of computing its position.
    constexpr std::int64_t rows_of_a_thread = 4;
    constexpr int threads = kernels::disparity::disparity_threads;
    const std::int64_t right_pairs =
        plan_.sweep && call_.checked() ? gpu::blocks_for(call_.pixels(), 2) : 0;
    const kernels::disparity::PadArguments arguments{
        {pointer(call_.left), pointer(call_.right)},
        {call_.left.pitch_bytes(), call_.right.pitch_bytes()},
        {image(0), image(1)},
        plan_.pitch,
        plan_.rows,
        width(),
        height(),
        plan_.origin - half(),
        half() + 1,
        right_best<unsigned long long>(),
        right_pairs};
    const unsigned shares = gpu::grid_y(gpu::blocks_for(plan_.rows, rows_of_a_thread));
    return {.kernel = {.step = DisparityStep::pad},
            .grid = {gpu::grid_x(gpu::blocks_for(plan_.pitch / 4, threads)),
                     2 * std::min(shares, 32767U)},
            .block = {threads},
            .parameters = gpu::Parameters::of(arguments)};
  }

  gpu::Launch<DisparityKernel> energies() const {
    constexpr std::int64_t least_strip_height = 32;
    const kernels::disparity::PaddedPair p = pair();
    kernels::disparity::EnergyArguments a{};
    a.image[0] = p.base;
    a.image[1] = p.search;
    a.pitch = p.pitch;
    a.width = p.width;
    a.height = p.height;
    a.strip_height = std::max(least_strip_height, gpu::blocks_for(p.height, most_strips / 2));
    a.half = p.half;
    for (int i = 0; i < 2; ++i) {
      a.squares[i] = squares(i);
      a.totals[i] = totals(i);
    }
    a.map_pitch = plan_.map_pitch;
    a.map_origin = plan_.map_origin;
    constexpr int threads = kernels::disparity::energy_threads;
    return {.kernel = {.step = DisparityStep::energies},
            .grid = {gpu::grid_x(gpu::blocks_for(plan_.map_pitch, threads)),
                     2 * gpu::grid_y(gpu::blocks_for(p.height, a.strip_height))},
            .block = {threads},
            .parameters = gpu::Parameters::of(a)};
  }

  /// \param resident  called as resident(kernel, threads, bytes of shared memory): returns the
  ///                  number of such blocks that a multiprocessor holds
  template <class Resident>
  gpu::Launch<DisparityKernel> sweep(int multiprocessors, const Resident& resident) const {
    const DisparityKernel kernel{.step = DisparityStep::sweep,
                                 .measure = call_.options.measure,
                                 .keyed = plan_.keyed,
                                 .checked = call_.checked(),
                                 .subpixel = call_.options.subpixel,
                                 .lanes = sweep_lanes(call_)};
    const SweepPlan& plan = *plan_.sweep;
    const int threads = 32 * call_.slices();
    // A strip begins with a block's height of rows that only fill the sums, which many low strips
    // would repeat too often. Therefore no more strips are made than run at once, unless strips are
    // high. More strips then balance the load, because new strips start as others end.
    const std::int64_t tiles = gpu::blocks_for(width(), plan.tile_width);
    const std::int64_t at_once =
        std::int64_t{resident(kernel, threads, plan.shared_bytes)} * multiprocessors / tiles;
    const std::int64_t high = 32 + 4 * half();
    const std::int64_t strips = std::clamp<std::int64_t>(std::max(at_once, height() / high), 1,
                                                         std::min(height(), most_strips));
    const std::int64_t strip_height = gpu::blocks_for(height(), strips);
    const kernels::disparity::SweepArguments arguments{reinterpret_cast<const unsigned*>(image(0)),
                                                       reinterpret_cast<const unsigned*>(image(1)),
                                                       plan_.pitch / 4,
                                                       plan_.origin / 4,
                                                       width(),
                                                       height(),
                                                       strip_height,
                                                       plan.tile_width,
                                                       half(),
                                                       call_.candidates(),
                                                       left_best(),
                                                       value(),
                                                       call_.dst.pitch_bytes(),
                                                       right_best<unsigned long long>(),
                                                       energy_maps()};
    return {.kernel = kernel,
            .grid = {gpu::grid_x(tiles), gpu::grid_y(gpu::blocks_for(height(), strip_height))},
            .block = {static_cast<unsigned>(threads)},
            .shared_bytes = static_cast<std::size_t>(plan.shared_bytes),
            .parameters = gpu::Parameters::of(arguments)};
  }

  /// Returns the launch that finds the best displacements of one image's pixels; for the left image
  /// it writes the values too.
  gpu::Launch<DisparityKernel> tiles(bool from_left) const {
    kernels::disparity::MatchArguments a{
        pair(),  call_.candidates(),      from_left ? 1 : -1,    energy_maps(), left_best(),
        value(), call_.dst.pitch_bytes(), call_.options.subpixel};
    if (!from_left) {
      std::swap(a.images.base, a.images.search);
      a.best = right_best<short>();
      a.value = nullptr;
    }
    const int stride = kernels::disparity::disparity_sums_stride(half());
    return {
        .kernel = {.step = DisparityStep::tiles, .measure = call_.options.measure},
        .grid = {gpu::grid_x(gpu::blocks_for(width(), kernels::disparity::disparity_tile_width)),
                 gpu::grid_y(gpu::blocks_for(height(), kernels::disparity::disparity_tile_height))},
        .block = {kernels::disparity::disparity_threads},
        .shared_bytes = sizeof(unsigned) * kernels::disparity::disparity_tile_height *
                        static_cast<std::size_t>(stride),
        .parameters = gpu::Parameters::of(a)};
  }

  gpu::Launch<DisparityKernel> check() const {
    constexpr int threads = kernels::disparity::sweep_max_threads;
    return {.kernel = {.step = DisparityStep::check, .swept = plan_.sweep.has_value()},
            .grid = {gpu::grid_x(gpu::blocks_for(width(), threads)), gpu::grid_y(height())},
            .block = {threads},
            .parameters =
                plan_.sweep ? check_parameters<unsigned long long>() : check_parameters<short>()};
  }

 private:
  static const unsigned char* pointer(ConstDeviceView view) {
    return reinterpret_cast<const unsigned char*>(view.data());
  }
  std::int64_t width() const { return call_.left.width(); }
  std::int64_t height() const { return call_.left.height(); }
  int half() const { return call_.options.block / 2; }
  unsigned char* value() const { return reinterpret_cast<unsigned char*>(call_.dst.data()); }

  unsigned char* image(int i) const { return scratch_ + i * plan_.pitch * plan_.rows; }
  short* left_best() const { return reinterpret_cast<short*>(scratch_ + plan_.left_at); }
  /// Returns the best displacements of the right pixels; null if nothing is checked.
  template <class Right>
  Right* right_best() const {
    return call_.checked() ? reinterpret_cast<Right*>(scratch_ + plan_.right_at) : nullptr;
  }

  /// Return an image's map of squares or of totals; null if the measure has none.
  unsigned* squares(int i) const { return least_is_best(call_.options.measure) ? nullptr : map(i); }
  unsigned* totals(int i) const {
    return call_.options.measure == Measure::zncc ? map(2 + i) : nullptr;
  }
  unsigned* map(int i) const {
    return reinterpret_cast<unsigned*>(scratch_ + plan_.maps_at) + i * plan_.map_elements;
  }
  kernels::disparity::BlockEnergies energy_maps() const {
    return {{squares(0), squares(1)},
            {totals(0), totals(1)},
            plan_.map_pitch,
            plan_.map_origin,
            call_.options.block * call_.options.block};
  }

  /// Returns the padded images that the tiles compare, from the border's corner on.
  kernels::disparity::PaddedPair pair() const {
    const std::int64_t corner = plan_.pitch + plan_.origin - 2 * half();
    return {image(0) + corner, image(1) + corner, plan_.pitch, width(), height(), half()};
  }

  template <class Right>
  gpu::Parameters check_parameters() const {
    return gpu::Parameters::of(kernels::disparity::CheckArguments<Right>{
        left_best(), right_best<Right>(), value(), call_.dst.pitch_bytes(), width(), height(),
        call_.options.check});
  }

  const DisparityCall& call_;
  const DisparityPlan& plan_;
  unsigned char* scratch_;
};

/// Returns the launches of a call, in order.
/// \param resident  the same function as for DisparityLauncher::sweep()
/// \throws InvalidArgument  a row wider than a GPU grid
template <class Resident>
DisparityLaunches disparity_launches(const DisparityCall& call, const DisparityPlan& plan,
                                     std::byte* scratch, int multiprocessors,
                                     const Resident& resident) {
  const DisparityLauncher launcher(call, plan, scratch);
  DisparityLaunches launches;
  launches.add(launcher.pad());
  if (plan.map_elements > 0) launches.add(launcher.energies());
  if (plan.sweep) {
    launches.add(launcher.sweep(multiprocessors, resident));
  } else {
    launches.add(launcher.tiles(true));
    if (call.checked()) launches.add(launcher.tiles(false));
  }
  if (call.checked()) launches.add(launcher.check());
  return launches;
}

}  // namespace warpwise::detail::disparity
