#include <algorithm>
#include <cstddef>
#include <vector>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/cpu/parallel.hpp"

// A chain on the CPU. A band of rows of the result needs some rows more of what each step reads;
// each step computes all rows that the next one needs of it. At a band's ends, inside of the image,
// a step takes its own border for what lies beyond: these rows come out wrong, and no step needs
// them.
namespace warpwise::detail::chain {
namespace {

/// Bytes of results that a band may take: of smaller ones more rows are computed twice, larger ones
/// leave a core's share of the caches.
constexpr std::int64_t bytes_of_band = std::int64_t{4} << 20;
/// Bytes of all results that stay in the last cache anyway: bands gain nothing there.
constexpr std::int64_t bytes_in_cache = std::int64_t{16} << 20;
/// How many times its halo a band is high at least: the halo's rows are computed twice.
constexpr std::int64_t halos_of_band = 16;

struct Range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t rows() const { return last - first; }
};

/// What the rows of a step's result need of what it reads.
Range needed_for(Range result, const ChainStep& step, std::int64_t height) {
  const std::int64_t halo = halo_of(step);
  return {std::max<std::int64_t>(0, result.first - halo), std::min(height, result.last + halo)};
}

template <class View>
View rows_of(const View& view, Range rows) {
  return view.sub_view(0, rows.first, view.width(), rows.rows());
}

/// Images between the steps of a band and of its result, one behind another.
class Band {
 public:
  Band(std::span<const ChainStep> steps, ConstHostView src, HostView dst, KeptMemory& memory)
      : steps_(steps), src_(src), dst_(dst), memory_(memory) {
    Pixels pixels{src.type(), src.channels()};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      pixels =
          i + 1 < steps.size() ? result_of(steps[i], pixels) : Pixels{dst.type(), dst.channels()};
      pixels_.push_back(pixels);
    }
  }

  ~Band() {
    if (block_.data) memory_.give_back(std::move(block_));
  }
  Band(const Band&) = delete;
  Band& operator=(const Band&) = delete;

  /// Of all results.
  std::int64_t row_bytes() const {
    std::int64_t bytes = 0;
    for (const Pixels& pixels : pixels_) bytes += pitch_of(pixels);
    return bytes;
  }

  /// Rows [first, last) of dst.
  void run(Range result) {
    std::vector<Range> ranges(steps_.size() + 1, result);  // what step i reads; the result last
    for (std::size_t i = steps_.size(); i-- > 0;) {
      ranges[i] = needed_for(ranges[i + 1], steps_[i], src_.height());
    }
    const std::int64_t bytes = checked_mul(row_bytes(), ranges[0].rows());
    if (block_.bytes < bytes) block_ = memory_.take(bytes);
    ConstHostView from = rows_of(src_, ranges[0]);
    std::byte* at = block_.data.get();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      // All rows that it reads become rows of its result, of which the next reads the right ones.
      const HostView whole(at, pixels_[i].type, src_.width(), from.height(), pixels_[i].channels,
                           pitch_of(pixels_[i]));
      const Range rows{ranges[i + 1].first - ranges[i].first, ranges[i + 1].last - ranges[i].first};
      at += pitch_of(pixels_[i]) * from.height();
      if (i + 1 == steps_.size() && rows.rows() == from.height()) {
        return run_step(steps_[i], from, rows_of(dst_, result));
      }
      run_step(steps_[i], from, whole);
      from = rows_of(ConstHostView(whole), rows);
    }
    for (std::int64_t y = 0; y < from.height(); ++y) {
      std::copy_n(from.row(y), from.row_bytes(), dst_.row(result.first + y));
    }
  }

 private:
  std::int64_t pitch_of(const Pixels& pixels) const {
    return (src_.width() * pixels.channels * size_of(pixels.type) + 63) / 64 * 64;
  }

  std::span<const ChainStep> steps_;
  ConstHostView src_;
  HostView dst_;
  std::vector<Pixels> pixels_;  // of each step's result
  KeptMemory& memory_;
  KeptMemory::Block block_;
};

}  // namespace

KeptMemory::Block KeptMemory::take(std::int64_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      Block last = std::move(free_.back());
      free_.pop_back();
      if (last.bytes >= bytes) return last;  // else it makes room for a larger one
    }
  }
  return {std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)), bytes};
}

void KeptMemory::give_back(Block block) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(block));
}

void run_bands(std::span<const ChainStep> steps, ConstHostView src, HostView dst,
               KeptMemory& memory) {
  std::int64_t halo = 0;
  for (const ChainStep& step : steps) halo += halo_of(step);
  const std::int64_t row_bytes = Band(steps, src, dst, memory).row_bytes();
  const bool is_small = checked_mul(row_bytes, src.height()) <= bytes_in_cache;
  const std::int64_t height =
      is_small ? src.height()
               : std::clamp(std::max(bytes_of_band / row_bytes, halos_of_band * halo),
                            std::int64_t{1}, src.height());
  const std::int64_t bands = (src.height() + height - 1) / height;
  cpu::parallel_rows(bands, height * row_bytes, [&](auto first, auto last) {
    Band band(steps, src, dst, memory);
    for (std::int64_t i = first; i < last; ++i) {
      band.run({src.height() * i / bands, src.height() * (i + 1) / bands});
    }
  });
}

}  // namespace warpwise::detail::chain
