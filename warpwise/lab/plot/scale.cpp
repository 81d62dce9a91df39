#include "warpwise/lab/plot/scale.hpp"

#include <algorithm>
#include <cmath>

namespace warpwise::lab {

std::vector<double> even_ticks(double least, double greatest, std::size_t most) {
  if (!(greatest > least)) return {least};
  double step =
      std::pow(10, std::floor(std::log10((greatest - least) / static_cast<double>(most))));
  constexpr double factors[] = {2, 2.5, 2};  // these factors turn a step of 1 into 2, 5 and 10
  const auto count = [&] {
    return std::floor(greatest / step * (1 + 1e-12)) - std::ceil(least / step * (1 - 1e-12)) + 1;
  };
  for (int i = 0; count() > static_cast<double>(most); ++i) step *= factors[i % 3];
  std::vector<double> ticks;
  const auto first = std::ceil(least / step * (1 - 1e-12));
  for (double i = 0; i < count(); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::vector<double> log_ticks(double least, double greatest, std::size_t most) {
  const double first = std::floor(std::log10(least));
  const double last = std::ceil(std::log10(greatest));
  if (!std::isfinite(first) || !std::isfinite(last)) return {least};
  const auto within = [&](std::initializer_list<double> factors, double apart) {
    std::vector<double> ticks;
    for (double exponent = first; exponent <= last; exponent += apart) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10, exponent);
        if (tick >= least * (1 - 1e-12) && tick <= greatest * (1 + 1e-12)) ticks.push_back(tick);
      }
    }
    return ticks;
  };
  std::vector<double> ticks = within({1, 2, 5}, 1);
  if (ticks.size() < 2) return even_ticks(least, greatest, most);
  if (ticks.size() > most) ticks = within({1}, 1);
  for (double apart = 2; ticks.size() > most; ++apart) ticks = within({1}, apart);
  return ticks;
}

std::vector<std::size_t> thinned(std::size_t count, std::size_t most) {
  most = std::max<std::size_t>(most, 1);
  const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; i += step) result.push_back(i);
  return result;
}

}  // namespace warpwise::lab
