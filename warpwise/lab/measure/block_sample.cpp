#include "warpwise/lab/measure/block_sample.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/count_fields.hpp"

namespace warpwise::lab {
namespace {

using emulator::MemoryCounts;

class Scale {
 public:
  explicit Scale(double factor) : factor_(factor) {}

  void operator()(std::uint64_t& count) const {
    const double scaled = static_cast<double>(count) * factor_;
    if (scaled > most_counted)
      throw InvalidArgument("a count of the whole grid would exceed 10^18: give a smaller grid");
    count = static_cast<std::uint64_t>(std::llround(scaled));
  }
  template <class Counts>
  void operator()(Counts& counts) const {
    for (const auto& [name, field] : emulator::fields_of(counts)) (*this)(counts.*field);
  }
  void operator()(MemoryCounts& counts) const {
    emulator::visit_memory([&](const char*, auto& part) { (*this)(part); }, counts);
    (*this)(counts.texture_requests);
    (*this)(counts.texture_references);
  }

 private:
  double factor_;
};

}  // namespace

std::uint64_t BlockSample::of(std::uint64_t grid_blocks) const {
  const std::uint64_t wanted =
      blocks > 0 ? blocks
                 : static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(grid_blocks)));
  return std::clamp<std::uint64_t>(wanted, 1, grid_blocks);
}

BlockSample parse_sample(const std::string& text) {
  BlockSample sample;
  const char* const end = text.data() + text.size();
  if (text.ends_with('%')) {
    double percent = 0;
    const auto [stop, error] = std::from_chars(text.data(), end - 1, percent);
    if (error == std::errc() && stop == end - 1 && percent > 0 && percent <= 100) {
      sample.share = percent / 100;
      return sample;
    }
  } else {
    const auto [stop, error] = std::from_chars(text.data(), end, sample.blocks);
    if (error == std::errc() && stop == end && sample.blocks > 0) return sample;
  }
  throw InvalidArgument("--sample got '" + text +
                        "', it takes a number of blocks or a share: 2000, 5%");
}

std::optional<BlockSample> sample_within(std::uint64_t budget,
                                         const emulator::LaunchResult& launch) {
  if (launch.faults.size() != 1 || launch.blocks == 0) return std::nullopt;
  if (launch.faults[0].kind != emulator::FaultKind::budget) return std::nullopt;
  // The instructions include those of blocks that did not end, so `each` is an upper bound.
  const double each = static_cast<double>(launch.executed) / static_cast<double>(launch.blocks);
  constexpr double share_of_budget =
      0.25;  // the sampled blocks may be costlier than those that ran
  const double blocks = share_of_budget * static_cast<double>(budget) / each;
  return BlockSample{.blocks = std::max<std::uint64_t>(static_cast<std::uint64_t>(blocks), 1)};
}

bool has_ended(const emulator::LaunchResult& launch, std::uint64_t blocks) {
  // The launch runs whole clusters, so more than `blocks` blocks. A fault may stop the last cluster
  // after `blocks` blocks have ended.
  const auto is_stop = [](const emulator::Fault& fault) {
    return fault.kind == emulator::FaultKind::budget || fault.kind == emulator::FaultKind::deadlock;
  };
  return launch.blocks >= blocks && std::ranges::none_of(launch.faults, is_stop);
}

bool replaces_stopped(const emulator::LaunchResult& sample, std::uint64_t sampled_blocks,
                      std::uint64_t budget) {
  const auto is_of_a_block = [](const emulator::Fault& fault) {
    return fault.kind == emulator::FaultKind::out_of_bounds ||
           fault.kind == emulator::FaultKind::misaligned;
  };
  if (std::ranges::any_of(sample.faults, is_of_a_block)) return true;
  return has_ended(sample, sampled_blocks) && sample.totals.warp_instructions > budget;
}

void extrapolate(emulator::LaunchResult& launch, std::uint64_t sampled_blocks,
                 std::uint64_t grid_blocks) {
  if (!has_ended(launch, sampled_blocks) || launch.blocks >= grid_blocks) return;
  const Scale scale(static_cast<double>(grid_blocks) / static_cast<double>(launch.blocks));
  scale(launch.totals);
  for (auto& [name, count] : launch.instructions_by_class) scale(count);
  for (MemoryCounts& counts : launch.memory) scale(counts);
  scale(launch.thread_rounds);
  for (emulator::LineCounts& line : launch.lines) {
    scale(line.execution);
    for (MemoryCounts& counts : line.memory) scale(counts);
  }
}

}  // namespace warpwise::lab
