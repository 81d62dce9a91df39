#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <vector>

#include <tbb/task_arena.h>

#include "warpwise/algorithms/chain/backends.hpp"
#include "warpwise/cpu/parallel.hpp"

// A chain on the CPU. Each thread computes a strip of the result's rows, in bands from top to
// bottom. Bands are low enough for the results between the steps to stay in a cache. Each step
// reads a halo of rows around a band. Rows computed for the band above are kept, so that within a
// strip no row is computed twice. A step is given only the source rows that its band needs.
namespace warpwise::detail::chain {
namespace {

/// Bytes of one band's results between the steps. Measured: all sizes from 1 MiB on are equally
/// fast.
constexpr std::int64_t bytes_of_band = std::int64_t{2} << 20;
/// Least height of a band, in halos, because threshold() sums a window's rows again for each band.
constexpr std::int64_t halos_of_band = 8;
/// Least height of a strip, in halos, because neighbouring strips both compute the rows of a halo.
constexpr std::int64_t halos_of_strip = 16;

struct Range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t rows() const { return last - first; }
};

/// Returns the source rows that a step reads to compute the rows `result`.
Range needed_for(Range result, const ChainStep& step, std::int64_t height) {
  const std::int64_t halo = halo_of(step);
  return {std::max<std::int64_t>(0, result.first - halo), std::min(height, result.last + halo)};
}

template <class View>
View rows_of(const View& view, Range rows) {
  return view.sub_view(0, rows.first, view.width(), rows.rows());
}

/// Buffer between two steps. It holds the most recent rows of the earlier step's result.
class Between {
 public:
  Between(Pixels pixels, std::int64_t width, std::int64_t most_rows)
      : pixels_(pixels), width_(width), most_rows_(most_rows),
        pitch_((width * pixels.channels * size_of(pixels.type) + 63) / 64 * 64) {}

  std::int64_t bytes() const { return checked_mul(pitch_, most_rows_); }
  void use(std::byte* memory) { memory_ = memory; }
  void start(std::int64_t row) { held_ = {row, row}; }
  std::int64_t end() const { return held_.last; }

  /// Drops the rows before `first`, makes room for the missing rows up to `last`, and returns a
  /// view of the missing rows.
  HostView next_rows(std::int64_t first, std::int64_t last) {
    std::memmove(memory_, memory_ + (first - held_.first) * pitch_,
                 static_cast<std::size_t>((held_.last - first) * pitch_));
    const Range missing{held_.last, last};
    held_ = {first, last};
    return rows(missing);
  }

  HostView rows(Range wanted) const {
    return HostView(memory_ + (wanted.first - held_.first) * pitch_, pixels_.type, width_,
                    wanted.rows(), pixels_.channels, pitch_)
        .in_order(pixels_.order);
  }

 private:
  Pixels pixels_;
  std::int64_t width_;
  std::int64_t most_rows_;
  std::int64_t pitch_;
  std::byte* memory_ = nullptr;
  Range held_{0, 0};
};

/// A strip of the result, computed from top to bottom.
class Strip {
 public:
  /// \param band_rows  largest number of rows in one run().
  Strip(std::span<const ChainStep> steps, ConstHostView src, HostView dst, std::int64_t band_rows,
        KeptMemory& memory)
      : steps_(steps), src_(src), dst_(dst), computed_(steps.size()), needed_(steps.size()),
        memory_(memory) {
    Pixels pixels = pixels_of(src);
    std::int64_t halo = 0;
    for (const ChainStep& step : steps) halo += halo_of(step);
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      pixels = result_of(steps[i], pixels);
      halo -= halo_of(steps[i]);
      between_.emplace_back(pixels, src.width(), std::min(band_rows + 2 * halo, src.height()));
    }
    std::int64_t bytes = 0;
    for (const Between& each : between_) bytes = checked_add(bytes, each.bytes());
    // Rows are aligned to cache lines: a vector across two lines takes twice as long.
    constexpr std::size_t line = 64;
    block_ = memory.take(checked_add(bytes, line));
    std::byte* at = block_.data.get();
    at += -reinterpret_cast<std::uintptr_t>(at) % line;
    for (Between& each : between_) {
      each.use(at);
      at += each.bytes();
    }
  }

  ~Strip() { memory_.give_back(std::move(block_)); }
  Strip(const Strip&) = delete;
  Strip& operator=(const Strip&) = delete;

  void start(std::int64_t row) {
    for (std::size_t i = between_.size(); i-- > 0;) {
      row = needed_for({row, row}, steps_[i + 1], src_.height()).first;
      between_[i].start(row);
    }
  }

  /// Computes the rows `result` of dst, which follow the rows of the last call.
  void run(Range result) {
    Range wanted = result;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      computed_[i] = {i < between_.size() ? between_[i].end() : result.first, wanted.last};
      needed_[i] = wanted = needed_for(computed_[i], steps_[i], src_.height());
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (computed_[i].rows() == 0) continue;  // the band above computed the image's last rows
      const ConstHostView from =
          i == 0 ? rows_of(src_, needed_[0]) : ConstHostView(between_[i - 1].rows(needed_[i]));
      const HostView to = i < between_.size()
                              ? between_[i].next_rows(needed_[i + 1].first, computed_[i].last)
                              : rows_of(dst_, result);
      run_rows(steps_[i], from, to, computed_[i].first - needed_[i].first);
    }
  }

 private:
  std::span<const ChainStep> steps_;
  ConstHostView src_;
  HostView dst_;
  std::vector<Between> between_;
  std::vector<Range> computed_;  // rows that each step computes for the current band
  std::vector<Range> needed_;    // source rows that each step reads to compute its rows
  KeptMemory& memory_;
  KeptMemory::Block block_;
};

/// Returns the bytes of one row, summed over all results between the steps.
std::int64_t row_bytes_between(std::span<const ChainStep> steps, ConstHostView src) {
  Pixels pixels = pixels_of(src);
  std::int64_t bytes = 0;
  for (const ChainStep& step : steps.first(steps.size() - 1)) {
    pixels = result_of(step, pixels);
    bytes += src.width() * pixels.channels * size_of(pixels.type);
  }
  return bytes;
}

}  // namespace

KeptMemory::Block KeptMemory::take(std::int64_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      Block last = std::move(free_.back());
      free_.pop_back();
      if (last.bytes >= bytes) return last;  // else the block is freed and a larger one allocated
    }
  }
  return {std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)), bytes};
}

void KeptMemory::give_back(Block block) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(block));
  } catch (const std::exception&) {
    // There is no memory for the list's entry: the block is freed.
  }
}

void run_bands(std::span<const ChainStep> steps, ConstHostView src, HostView dst,
               KeptMemory& memory) {
  const std::int64_t height = src.height();
  std::int64_t halo = 0;
  for (const ChainStep& step : steps) halo += halo_of(step);
  const std::int64_t threads = cpu::concurrency();
  const std::int64_t between = row_bytes_between(steps, src);
  const std::int64_t row_bytes = src.row_bytes() + between + dst.row_bytes();
  const bool is_small = checked_mul(row_bytes, height) <= cpu::bytes_per_task;
  if (steps.size() == 1 || is_small || height / threads < halos_of_strip * halo) {
    // Bands do not pay: run each step over the whole image, on all threads.
    Strip whole(steps, src, dst, height, memory);
    whole.start(0);
    return whole.run({0, height});
  }
  const std::int64_t band_rows =
      std::clamp(std::max(bytes_of_band / between, halos_of_band * halo), std::int64_t{1}, height);
  const std::int64_t strips = std::min(threads, height);
  cpu::parallel_rows(strips, height / strips * row_bytes, [&](auto first, auto last) {
    const auto run = [&] {
      Strip strip(steps, src, dst, band_rows, memory);
      const std::int64_t begin = height * first / strips, end = height * last / strips;
      strip.start(begin);
      for (std::int64_t y = begin; y < end; y += band_rows) {
        strip.run({y, std::min(y + band_rows, end)});
      }
    };
    // Each strip has its own thread, so the steps inside it run on one thread.
    threads == 1 ? run() : tbb::task_arena(1).execute(run);
  });
}

}  // namespace warpwise::detail::chain
