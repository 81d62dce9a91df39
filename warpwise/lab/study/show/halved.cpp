#include "warpwise/lab/study/show/halved.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpwise::lab {
namespace {

// Times of one kernel on one number of multiprocessors. The key is the share of the bandwidth that
// was left for the kernel.
using Curve = std::map<double, double>;

constexpr double half_of_bandwidth = 0.5;

std::optional<double> time_at(const Curve& curve, double left) {
  const auto above = curve.lower_bound(left);
  if (above == curve.end()) return std::nullopt;
  if (above->first == left || above == curve.begin()) {
    return above->first == left ? std::optional(above->second) : std::nullopt;
  }
  const auto below = std::prev(above);
  const double share = (1 / left - 1 / above->first) / (1 / below->first - 1 / above->first);
  return above->second + share * (below->second - above->second);
}

std::optional<double> loss(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return std::nullopt;
  return 1 - *before / *after;
}

bool is_same_work(const RungRow& a, const RungRow& b) {
  return a.rung == b.rung && a.size == b.size && a.parameters == b.parameters &&
         a.axis_constants == b.axis_constants && a.block.x == b.block.x && a.block.y == b.block.y &&
         a.block.z == b.block.z;
}

// Returns true if `half` is about half of `many`. A GPU can reserve only some numbers of SMs, so
// exactly half may be impossible.
bool is_half(int half, int many) {
  constexpr double tolerance = 0.04;
  return std::abs(2.0 * half / many - 1) <= tolerance;
}

std::optional<Halved> halved_of(const RungRow& row, const std::map<int, Curve>& curves) {
  for (auto many = curves.rbegin(); many != curves.rend(); ++many) {
    const auto half = std::find_if(curves.begin(), curves.end(), [&](const auto& each) {
      return is_half(each.first, many->first);
    });
    if (half == curves.end()) continue;
    const auto at = [](const auto& curve, double left) { return time_at(curve->second, left); };
    const double all = 1;
    return Halved{
        .row = row,
        .many = many->first,
        .half = half->first,
        .sms_at_all_bandwidth = loss(at(many, all), at(half, all)),
        .sms_at_half_bandwidth = loss(at(many, half_of_bandwidth), at(half, half_of_bandwidth)),
        .bandwidth_at_many_sms = loss(at(many, all), at(many, half_of_bandwidth)),
        .bandwidth_at_half_sms = loss(at(half, all), at(half, half_of_bandwidth))};
  }
  return std::nullopt;
}

}  // namespace

std::string Halved::bound_by() const {
  if (!sms_at_all_bandwidth || !bandwidth_at_many_sms) return {};
  constexpr double matters = 0.25;
  const bool sms = *sms_at_all_bandwidth >= matters;
  const bool bandwidth = *bandwidth_at_many_sms >= matters;
  if (sms && bandwidth) return "both";
  return sms ? "multiprocessors" : bandwidth ? "bandwidth" : "neither";
}

std::vector<Halved> halved_of(const StudyRun& run) {
  std::vector<const RungRow*> kernels;
  std::vector<std::map<int, Curve>> curves;
  for (const RungRow& row : run.rows) {
    if (!row.cold || !row.multiprocessors) continue;
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const RungRow* each) { return is_same_work(*each, row); });
    const auto index = static_cast<std::size_t>(found - kernels.begin());
    if (found == kernels.end()) {
      kernels.push_back(&row);
      curves.emplace_back();
    }
    curves[index][*row.multiprocessors][row.bandwidth_left.value_or(1)] = row.cold->median_us;
  }
  std::vector<Halved> result;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (std::optional<Halved> halved = halved_of(*kernels[i], curves[i])) {
      result.push_back(*std::move(halved));
    }
  }
  return result;
}

}  // namespace warpwise::lab
