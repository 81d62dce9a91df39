#include "warpwise/lab/explain/programs/program_timeline.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "warpwise/emulator/runtime/reports/launch_record.hpp"

namespace warpwise::lab {
namespace {

using emulator::runtime::CopyKind;

std::optional<double> time_of(CopyKind transfer, std::uint64_t bytes, const DeviceProfile& device) {
  const auto moving = [&](double times) {
    return device.figure("launch_us") +
           times * static_cast<double>(bytes) / (1e3 * device.figure("dram_gb_per_s"));
  };
  switch (transfer) {
    case CopyKind::within_gpu: return moving(2);
    case CopyKind::fill: return moving(1);
    case CopyKind::to_gpu:
    case CopyKind::from_gpu:
    case CopyKind::of_host: break;
  }
  return std::nullopt;
}

// Predicts the times of a program's launches, given in the program's order.
class LaunchTimes {
 public:
  /// Returns the mean time of `event.times` launches. \param follows  true if the event before has
  /// a known time: the first launch then takes `next_launch_us` instead of `launch_us`
  std::optional<double> of(const Explanation& kernel, const ProgramEvent& event,
                           std::uint64_t instructions, bool follows) {
    const LaunchPrediction* const prediction = kernel.known_prediction();
    if (prediction == nullptr) return std::nullopt;
    const auto [first, ignored] = first_.emplace(*event.kernel, instructions);
    const Bounds& bounds = prediction->bounds;
    double work_us = bounds.time_us() - bounds.launch_us;
    if (first->second > 0)
      work_us *= static_cast<double>(instructions) / static_cast<double>(first->second);
    const double waits_us = follows ? 0 : bounds.launch_us - bounds.next_launch_us;
    return work_us + bounds.next_launch_us + waits_us / static_cast<double>(event.times);
  }

 private:
  std::map<std::size_t, std::uint64_t> first_;  // by kernel: warp instructions of its first launch
};

}  // namespace

ProgramTimeline timeline_of(const nlohmann::json& recorded, const std::vector<Explanation>& kernels,
                            const DeviceProfile& device) {
  ProgramTimeline timeline;
  LaunchTimes launches;
  bool follows = false;
  std::map<std::size_t, KernelTime> by_kernel;
  for (const nlohmann::json& each : recorded) {
    ProgramEvent event;
    const std::uint64_t amount = each.at(1);
    event.times = each.at(2);
    event.start_us = timeline.us;
    if (each.at(0).is_string()) {
      event.transfer = each.at(0);
      event.bytes = amount;
      const auto transfer = value_named<CopyKind>(event.transfer);
      if (transfer) event.us = time_of(*transfer, amount, device);
    } else {
      const std::size_t kernel = each.at(0);
      event.kernel = kernel;
      event.us = launches.of(kernels.at(kernel), event, amount, follows);
    }
    follows = event.us.has_value();
    const double us = event.us.value_or(0) * static_cast<double>(event.times);
    timeline.us += us;
    if (event.kernel && event.us) {
      KernelTime& own = by_kernel[*event.kernel];
      own.kernel = *event.kernel;
      own.launches += event.times;
      own.us += us;
    }
    timeline.events.push_back(std::move(event));
  }
  for (const auto& [kernel, time] : by_kernel) timeline.by_kernel.push_back(time);
  std::ranges::stable_sort(timeline.by_kernel, std::ranges::greater(), &KernelTime::us);
  return timeline;
}

std::string text_of_transfer(const std::string& name) {
  switch (value_named<CopyKind>(name).value_or(CopyKind::of_host)) {
    case CopyKind::to_gpu: return "copy to the GPU";
    case CopyKind::from_gpu: return "copy from the GPU";
    case CopyKind::within_gpu: return "copy within the GPU";
    case CopyKind::of_host: return "copy of the host's memory";
    case CopyKind::fill: return "fill of the GPU's memory";
  }
  return name;
}

UnknownTimes unknown_times(const ProgramTimeline& timeline) {
  UnknownTimes result;
  for (const ProgramEvent& each : timeline.events) {
    if (each.us) continue;
    if (each.kernel) {
      result.launches += each.times;
    } else {
      result.copies += each.times;
      result.bytes += each.bytes * each.times;
    }
  }
  return result;
}

}  // namespace warpwise::lab
