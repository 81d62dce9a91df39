#include "warpwise/lab/study/table/points.hpp"

namespace warpwise::lab {

using ladders::Variables;

Variables merged(Variables parameters, const Variables& others) {
  for (const auto& [name, value] : others) parameters[name] = value;
  return parameters;
}

std::vector<Variables> parameters_of(const StudyTable& table, const Axes& axes) {
  std::vector<Variables> result = {table.parameters()};
  for (const auto& [name, values] : axes.parameters) {
    std::vector<Variables> longer;
    for (const Variables& each : result) {
      for (const std::int64_t value : values) longer.push_back(merged(each, {{name, value}}));
    }
    result = std::move(longer);
  }
  return result;
}

std::vector<RungPoint> points_of(const Rung& rung, const Axes& axes) {
  std::vector<RungPoint> result = {{rung, {}}};
  for (const auto& [name, values] : axes.constants) {
    if (!rung.constants.contains(name)) continue;
    std::vector<RungPoint> longer;
    for (const RungPoint& each : result) {
      for (const std::int64_t value : values) {
        longer.push_back(each);
        longer.back().rung.constants[name] = std::to_string(value);
        longer.back().constants[name] = value;
      }
    }
    result = std::move(longer);
  }
  return result;
}

std::vector<Setting> settings_of(const Axes& axes) {
  std::vector<Setting> result;
  for (const Transfer& each : axes.transfers) result.push_back({.transfer = each});
  if (!result.empty()) return result;
  const auto or_usual = [](const std::vector<std::int64_t>& values, std::int64_t usual) {
    return values.empty() ? std::vector{usual} : values;
  };
  const Setting usual;
  for (const std::int64_t sms : or_usual(axes.sm_percents, usual.sm_percent)) {
    for (const std::int64_t neighbour :
         or_usual(axes.neighbour_percents, usual.neighbour_percent)) {
      result.push_back({static_cast<int>(sms), static_cast<int>(neighbour), std::nullopt});
    }
  }
  return result;
}

std::vector<emulator::Dim3> blocks_of(const Rung& rung, const Axes& axes) {
  if (rung.shipped) return {rung.blocks.front()};
  if (axes.all_blocks) return rung.blocks;
  return axes.blocks.empty() ? std::vector{rung.blocks.front()} : axes.blocks;
}

}  // namespace warpwise::lab
