#include <algorithm>
#include <array>
#include <optional>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/check.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/gpu/launch.hpp"
#include "warpwise/gpu/limit.hpp"
#include "warpwise/primitives/disparity/backends.hpp"
#include "warpwise/primitives/disparity/energy_maps.cuh"
#include "warpwise/primitives/disparity/sweep.cuh"
#include "warpwise/primitives/disparity/tiles.cuh"
#include "warpwise/primitives/disparity/tunables.hpp"

namespace warpwise::detail::disparity {
namespace {

using kernels::disparity::PaddedPair;
using kernels::disparity::slice_displacements;
using kernels::disparity::SweepArguments;

unsigned char* bytes_of(const gpu::Buffer& buffer) {
  return reinterpret_cast<unsigned char*>(buffer.data());
}

/// Columns of the widest tile, which reaches as far beyond the image.
constexpr std::int64_t widest_tile = 128;
/// What a grid's y dimension takes.
constexpr std::int64_t most_strips = 65535;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Both images with their borders, as the sweep reads them: a row more above than a block reaches,
/// to the left as many pixels as there are displacements, to the right those of an unfinished tile.
class PaddedImages {
 public:
  PaddedImages(ConstDeviceView left, ConstDeviceView right, int half, int slices,
               gpu::StreamHandle stream)
      : width_(left.width()), height_(left.height()), half_(half),
        origin_(round_up(slice_displacements * slices + 2 * half + 4, 16)),
        pitch_(round_up(checked_add(width_, origin_ + half + widest_tile), 16)),
        rows_(checked_add(height_, 2 * half + 1)),
        pixels_(checked_mul(2, checked_mul(pitch_, rows_)), stream) {
    const kernels::disparity::PadArguments arguments{{pointer(left), pointer(right)},
                                                     {left.pitch_bytes(), right.pitch_bytes()},
                                                     {image(0), image(1)},
                                                     pitch_,
                                                     rows_,
                                                     width_,
                                                     height_,
                                                     origin_ - half,
                                                     half + 1};
    constexpr int threads = kernels::disparity::disparity_threads;
    const dim3 grid(
        gpu::grid_x(gpu::blocks_for(pitch_ / 4, threads)),
        2 * std::min<unsigned>(gpu::grid_y(gpu::blocks_for(rows_, rows_of_a_thread)), 32767));
    kernels::disparity::disparity_pad_kernel<<<grid, threads, 0, stream>>>(arguments);
    gpu::check_launch("disparity_pad_kernel");
  }

  /// Whose pixels the tiles compare: from the border's corner on.
  PaddedPair pair() const {
    const std::int64_t corner = pitch_ + origin_ - 2 * half_;
    return {image(0) + corner, image(1) + corner, pitch_, width_, height_, half_};
  }
  const unsigned* words(int i) const { return reinterpret_cast<const unsigned*>(image(i)); }
  std::int64_t pitch_words() const { return pitch_ / 4; }
  std::int64_t origin_words() const { return origin_ / 4; }

 private:
  /// A thread pads several rows, so that working out its place counts for less.
  static constexpr std::int64_t rows_of_a_thread = 4;

  static const unsigned char* pointer(ConstDeviceView view) {
    return reinterpret_cast<const unsigned char*>(view.data());
  }
  unsigned char* image(int i) const { return bytes_of(pixels_) + i * pitch_ * rows_; }

  std::int64_t width_;
  std::int64_t height_;
  int half_;
  std::int64_t origin_;  ///< where in a row lies what enters the block of pixel 0
  std::int64_t pitch_;
  std::int64_t rows_;
  gpu::Buffer pixels_;
};

/// Sums over the blocks around each pixel of both images, where a measure needs them.
class Energies {
 public:
  Energies(const PaddedImages& images, Measure measure, int slices, gpu::StreamHandle stream) {
    const PaddedPair p = images.pair();
    const int side = 2 * p.half + 1;
    energies_.pixels = side * side;
    if (least_is_best(measure)) return;
    energies_.origin = slice_displacements * slices + 4;
    energies_.pitch = round_up(checked_add(p.width, energies_.origin + widest_tile), 4);
    const std::int64_t map = checked_mul(energies_.pitch, p.height);
    const int maps = measure == Measure::zncc ? 4 : 2;
    maps_.emplace(checked_mul(map, 4 * maps), stream);
    kernels::disparity::EnergyArguments a{{p.base, p.search}, p.pitch,         p.width, p.height,
                                          strip_height,       p.half,          {},      {},
                                          energies_.pitch,    energies_.origin};
    auto* at = reinterpret_cast<unsigned*>(maps_->data());
    for (int i = 0; i < 2; ++i) {
      energies_.squares[i] = a.squares[i] = at + i * map;
      if (measure == Measure::zncc) energies_.totals[i] = a.totals[i] = at + (2 + i) * map;
    }
    a.strip_height = std::max(strip_height, gpu::blocks_for(p.height, most_strips / 2));
    const dim3 grid(
        gpu::grid_x(gpu::blocks_for(energies_.pitch, kernels::disparity::energy_threads)),
        2 * gpu::grid_y(gpu::blocks_for(p.height, a.strip_height)));
    kernels::disparity::
        disparity_energy_kernel<<<grid, kernels::disparity::energy_threads, 0, stream>>>(a);
    gpu::check_launch("disparity_energy_kernel");
  }
  const kernels::disparity::BlockEnergies& maps() const { return energies_; }

 private:
  static constexpr std::int64_t strip_height = 32;

  kernels::disparity::BlockEnergies energies_{};
  std::optional<gpu::Buffer> maps_;
};

/// What is chosen for a call.
int chosen(const tuning::Tunable& tunable, Measure measure, int slices, std::int64_t pixels) {
  return tuning::chosen(tunable, static_cast<int>(measure) + (slices > 1 ? 4 : 0), pixels);
}

/// How a sweep is shared out to blocks of threads.
struct SweepPlan {
  int slices;
  int tile_width;
  int shared_bytes;
};

/// The plan for a GPU whose blocks may have `most_shared` bytes of shared memory; none where the
/// sums of so many displacements do not fit.
template <class Row>
std::optional<SweepPlan> plan_sweep(std::int64_t width, int half, int slices, int most_warps,
                                    std::int64_t most_shared) {
  // What CUDA itself takes of a block's shared memory.
  constexpr std::int64_t reserved = 1024;
  constexpr int good_tile_width = 32;
  const auto bytes = [&](std::int64_t tile_width) {
    return slices * kernels::disparity::SliceMemory<Row>::bytes(half, static_cast<int>(tile_width));
  };
  // Warps hide each other's latencies, the same number on each of four schedulers; but the columns
  // of a block's width come on top of a tile's, and narrow tiles have many of them.
  for (const int warps : {16, 12, 8, 4, 1}) {
    if (warps > most_warps) continue;
    const std::int64_t blocks = std::max(warps / slices, 1);
    const std::int64_t room = (most_shared + reserved) / blocks - reserved;
    const std::int64_t fits = (room - bytes(0)) / (bytes(1) - bytes(0)) / 4 * 4;
    if (fits < (warps > 1 ? std::max(good_tile_width, half) : 4)) continue;
    const std::int64_t tiles = gpu::blocks_for(width, std::min<std::int64_t>(fits, widest_tile));
    const std::int64_t tile_width = round_up(gpu::blocks_for(width, tiles), 4);
    return SweepPlan{slices, static_cast<int>(tile_width), static_cast<int>(bytes(tile_width))};
  }
  return std::nullopt;
}

template <Measure measure, bool keyed, bool checked, bool subpixel>
void launch_sweep(SweepArguments a, const SweepPlan& plan, gpu::StreamHandle stream) {
  const auto kernel = kernels::disparity::disparity_sweep_kernel<measure, keyed, checked, subpixel>;
  gpu::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan.shared_bytes),
      "cudaFuncSetAttribute");
  const int threads = 32 * plan.slices;
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                 &resident, kernel, threads, static_cast<std::size_t>(plan.shared_bytes)),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  // A strip begins with a block's height of rows that only fill the sums. So no more strips than
  // run at once, but where they are high anyway: then those that end early make room for others.
  const std::int64_t tiles = gpu::blocks_for(a.width, plan.tile_width);
  const std::int64_t at_once =
      std::int64_t{resident} * gpu::device_limit(cudaDevAttrMultiProcessorCount) / tiles;
  const std::int64_t percent =
      chosen(strip_percent_tunable, measure, plan.slices, a.width * a.height);
  const std::int64_t high = std::max<std::int64_t>(1, (32 + 4 * a.half) * percent / 100);
  const std::int64_t strips = std::clamp<std::int64_t>(std::max(at_once, a.height / high), 1,
                                                       std::min(a.height, most_strips));
  a.strip_height = gpu::blocks_for(a.height, strips);
  a.tile_width = plan.tile_width;
  const dim3 grid(gpu::grid_x(tiles), gpu::grid_y(gpu::blocks_for(a.height, a.strip_height)));
  kernel<<<grid, static_cast<unsigned>(threads), static_cast<std::size_t>(plan.shared_bytes),
           stream>>>(a);
  gpu::check_launch("disparity_sweep_kernel");
}

dim3 grid_of_tiles(const kernels::disparity::PaddedPair& p) {
  return {gpu::grid_x(gpu::blocks_for(p.width, kernels::disparity::disparity_tile_width)),
          gpu::grid_y(gpu::blocks_for(p.height, kernels::disparity::disparity_tile_height))};
}

std::size_t shared_bytes(const kernels::disparity::PaddedPair& p) {
  return sizeof(unsigned) * kernels::disparity::disparity_tile_height *
         static_cast<std::size_t>(kernels::disparity::disparity_sums_stride(p.half));
}

template <Measure measure>
void launch(const kernels::disparity::MatchArguments& a, gpu::StreamHandle stream) {
  kernels::disparity::disparity_match_kernel<measure>
      <<<grid_of_tiles(a.images), kernels::disparity::disparity_threads, shared_bytes(a.images),
         stream>>>(a);
  gpu::check_launch("disparity_match_kernel");
}

void match(Measure measure, const kernels::disparity::MatchArguments& a, gpu::StreamHandle stream) {
  switch (measure) {
    case Measure::sad: return launch<Measure::sad>(a, stream);
    case Measure::ssd: return launch<Measure::ssd>(a, stream);
    case Measure::ncc: return launch<Measure::ncc>(a, stream);
    case Measure::zncc: return launch<Measure::zncc>(a, stream);
  }
}

short* displacements(const gpu::Buffer& buffer) { return reinterpret_cast<short*>(buffer.data()); }

/// Where the result of a call goes.
struct Result {
  unsigned char* value;
  std::int64_t pitch;
  std::int64_t width;
  std::int64_t height;

  std::int64_t pixels() const { return checked_mul(width, height); }
};

template <class Right>
void check_result(const Result& result, const gpu::Buffer& left, const gpu::Buffer& right,
                  int check, gpu::StreamHandle stream) {
  constexpr int threads = kernels::disparity::sweep_max_threads;
  const kernels::disparity::CheckArguments<Right> arguments{displacements(left),
                                                            reinterpret_cast<Right*>(right.data()),
                                                            result.value,
                                                            result.pitch,
                                                            result.width,
                                                            result.height,
                                                            check};
  const dim3 grid(gpu::grid_x(gpu::blocks_for(result.width, threads)), gpu::grid_y(result.height));
  kernels::disparity::disparity_check_kernel<<<grid, threads, 0, stream>>>(arguments);
  gpu::check_launch("disparity_check_kernel");
}

template <Measure measure, bool keyed, bool checked, bool subpixel>
bool sweep(const PaddedImages& images, const Energies& energies, const Result& result,
           const DisparityOptions& options, int candidates, gpu::StreamHandle stream) {
  using Row = typename kernels::disparity::SweepRow<measure, keyed, checked, subpixel>::Type;
  const int half = options.block / 2;
  const int slices = static_cast<int>(gpu::blocks_for(candidates, slice_displacements));
  const int most_warps = chosen(warps_tunable, measure, slices, result.width * result.height);
  const auto plan = plan_sweep<Row>(result.width, half, slices, most_warps,
                                    gpu::device_limit(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (!plan) return false;
  const gpu::Buffer left(checked_mul(result.pixels(), 2), stream);
  const gpu::Buffer right(checked ? checked_mul(result.pixels(), 8) : 0, stream);
  if (checked) gpu::fill_bytes(right.data(), 0xff, right.bytes(), stream);
  launch_sweep<measure, keyed, checked, subpixel>(
      {images.words(0), images.words(1), images.pitch_words(), images.origin_words(), result.width,
       result.height, 0, 0, half, candidates, displacements(left), result.value, result.pitch,
       reinterpret_cast<unsigned long long*>(right.data()), energies.maps()},
      *plan, stream);
  if (checked) check_result<unsigned long long>(result, left, right, options.check, stream);
  return true;
}

template <Measure measure, bool keyed>
bool sweep(const PaddedImages& images, const Energies& energies, const Result& result,
           const DisparityOptions& options, int candidates, gpu::StreamHandle stream) {
  if (options.check < 0) {
    return options.subpixel ? sweep<measure, keyed, false, true>(images, energies, result, options,
                                                                 candidates, stream)
                            : sweep<measure, keyed, false, false>(images, energies, result, options,
                                                                  candidates, stream);
  }
  return options.subpixel ? sweep<measure, keyed, true, true>(images, energies, result, options,
                                                              candidates, stream)
                          : sweep<measure, keyed, true, false>(images, energies, result, options,
                                                               candidates, stream);
}

template <Measure which, bool with_keys>
struct RowOf {
  static constexpr Measure measure = which;
  static constexpr bool keyed = with_keys;
};

/// Whether the sums fit shared memory, and the sweep was launched.
bool sweep(const PaddedImages& images, const Energies& energies, const Result& result,
           const DisparityOptions& options, int candidates, gpu::StreamHandle stream) {
  const bool keyed = options.block / 2 <= kernels::disparity::largest_keyed_half(options.measure);
  const auto go = [&](auto row) {
    return sweep<row.measure, row.keyed>(images, energies, result, options, candidates, stream);
  };
  switch (options.measure) {
    case Measure::sad: return go(RowOf<Measure::sad, true>{});
    case Measure::ssd:
      return keyed ? go(RowOf<Measure::ssd, true>{}) : go(RowOf<Measure::ssd, false>{});
    case Measure::ncc: return go(RowOf<Measure::ncc, false>{});
    case Measure::zncc: return go(RowOf<Measure::zncc, false>{});
  }
  throw InvalidArgument("disparity: no such measure");
}

/// The best displacements of both images' pixels, one image after the other.
void by_tiles(const PaddedImages& images, const Energies& energies, const Result& result,
              const DisparityOptions& options, int candidates, gpu::StreamHandle stream) {
  const std::int64_t best_bytes = checked_mul(result.pixels(), std::int64_t{sizeof(short)});
  const gpu::Buffer best(best_bytes, stream);
  const kernels::disparity::MatchArguments from_left{
      images.pair(), candidates,      1, energies.maps(), displacements(best), result.value,
      result.pitch,  options.subpixel};
  match(options.measure, from_left, stream);
  if (options.check < 0) return;

  const gpu::Buffer best_from_right(best_bytes, stream);
  kernels::disparity::MatchArguments from_right = from_left;
  std::swap(from_right.images.base, from_right.images.search);
  from_right.direction = -1;
  from_right.best = displacements(best_from_right);
  from_right.value = nullptr;
  match(options.measure, from_right, stream);
  check_result<short>(result, best, best_from_right, options.check, stream);
}

}  // namespace

void disparity_cuda(ConstDeviceView left, ConstDeviceView right, DeviceView dst,
                    const DisparityOptions& options, gpu::StreamHandle stream) {
  gpu::require_device();
  const int candidates =
      static_cast<int>(std::min<std::int64_t>(options.max_disparity + 1, left.width()));
  const int slices = static_cast<int>(gpu::blocks_for(candidates, slice_displacements));
  const PaddedImages images(left, right, options.block / 2, slices, stream);
  const Energies energies(images, options.measure, slices, stream);
  const Result result{reinterpret_cast<unsigned char*>(dst.data()), dst.pitch_bytes(), left.width(),
                      left.height()};
  if (!sweep(images, energies, result, options, candidates, stream)) {
    by_tiles(images, energies, result, options, candidates, stream);
  }
}

}  // namespace warpwise::detail::disparity
