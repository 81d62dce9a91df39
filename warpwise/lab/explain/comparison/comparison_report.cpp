#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/comparison/comparison.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_lines = 8;
constexpr std::size_t longest_source = 60;
// Two times whose ratio is below this factor count as equally fast.
constexpr double as_fast = 1.05;

std::string count_text(double value) { return grouped(static_cast<std::uint64_t>(value)); }

std::string quotient(double before, double after) {
  return before > 0 && after > 0 ? fmt::format("{:.2f}", after / before) : "";
}

template <class Write>
std::string row(const ComparedFigure& figure, const Write& write) {
  return fmt::format("{:<34} {:>16} {:>16} {:>8}\n", figure.what, write(figure.before),
                     write(figure.after), quotient(figure.before, figure.after));
}

bool is_about_as_fast(const Range& gain) {
  return gain.likely > 1 / as_fast && gain.likely < as_fast;
}

// Returns "1.50 times as fast", or "about as fast" if the likely gain is within `as_fast`.
std::string gain_text(const Range& gain) {
  const std::string between = fmt::format("between {:.2f} and {:.2f}", gain.least, gain.most);
  if (is_about_as_fast(gain)) return fmt::format("about as fast ({})", between);
  return fmt::format("{:.2f} times as fast ({})", gain.likely, between);
}

std::string larger_text(const ComparedTimes& times) {
  return number(times.larger) == "1"
             ? "a slightly larger problem, which fills the GPU"
             : fmt::format("a problem {} times as large, which fills the GPU",
                           number(times.larger));
}

// Returns " Most of the difference is L2: 13 us in the first, 3 us in the second.", or nothing.
std::string change_text(const ComparedTimes& times) {
  const ComparedFigure& part = times.parts[times.changed];
  if (is_about_as_fast(times.gain)) return "";
  return fmt::format(" {} of the difference is {}: {} us in the first, {} us in the second.",
                     times.larger > 1 ? "There, most" : "Most", part.what, time_text(part.before),
                     time_text(part.after));
}

std::string difference_of(const Comparison& comparison) {
  if (!comparison.times) {
    return "The difference in time is not known: there is no profile of such a GPU, or a kernel "
           "cannot be predicted.";
  }
  const ComparedTimes& times = *comparison.times;
  const std::string bottleneck =
      times.rules_before == times.rules_after
          ? fmt::format("The bottleneck of both is {}", times.rules_before)
          : fmt::format("The bottleneck is {} in the first, {} in the second", times.rules_before,
                        times.rules_after);
  const std::string on = times.profile.gpu_with_article();
  if (times.larger == 1) {
    return fmt::format("On {}, the second would be {} (modelled).{} {}.", on, gain_text(times.gain),
                       change_text(times), bottleneck);
  }
  return fmt::format(
      "On {}, the second would be {} as launched here (modelled). On {}, it would be {}.{} {}.", on,
      gain_text(times.launched_gain), larger_text(times), gain_text(times.gain), change_text(times),
      bottleneck);
}

// Says how much faster the second kernel was on the machine's own GPU, and what was predicted.
std::string measured_text(const Comparison& comparison) {
  if (!comparison.measured) return "";
  const MeasuredTimes& measured = *comparison.measured;
  if (!measured.why_not.empty()) return "Not measured: " + measured.why_not + ".";
  const ComparedFigure& cold = measured.cold_us;
  std::string text = fmt::format(
      "Measured on {} with a cold L2: {} us and {} us. The second is {:.2f} times as fast",
      measured.device, time_text(cold.before), time_text(cold.after), cold.speedup());
  const auto& times = comparison.times;
  if (times && times->profile.gpu == measured.device) {
    text += fmt::format("; predicted were {:.2f} times", times->launched.speedup());
  }
  return text + ".";
}

std::string lines_text(const Comparison& comparison) {
  if (comparison.lines.empty()) return "";
  std::string text = fmt::format("\nlines with the largest difference in {}\n", comparison.decides);
  const std::size_t shown = std::min(most_lines, comparison.lines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedLine& line = comparison.lines[i];
    const std::string& place = line.before.empty() ? line.after : line.before;
    const std::string source = io::shortened(io::printable(line.source), longest_source);
    text += fmt::format("{:<34} {:>16} {:>16}  {}\n", place, grouped(line.count_before),
                        grouped(line.count_after), source);
  }
  if (shown < comparison.lines.size())
    text += fmt::format("and {} more\n", comparison.lines.size() - shown);
  return text;
}

ordered_json json_of(const Range& range) {
  return {{"least", range.least}, {"likely", range.likely}, {"most", range.most}};
}

ordered_json json_of(const ComparedFigure& figure) {
  return {{"what", figure.what}, {"before", figure.before}, {"after", figure.after}};
}

}  // namespace

std::string text_of(const Comparison& comparison) {
  std::string text = fmt::format("first:  {}\nsecond: {}\n\n{}\n\n", comparison.before,
                                 comparison.after, wrapped(difference_of(comparison), 0));
  const std::string measured = measured_text(comparison);
  if (!measured.empty()) text += wrapped(measured, 0) + "\n\n";
  for (const std::string& note : comparison.notes) text += wrapped(note, 0) + "\n\n";
  text += fmt::format("{:<34} {:>16} {:>16} {:>8}\n",
                      "counts, CC " + rules::to_string(comparison.compute_capability), "first",
                      "second", "ratio");
  for (const ComparedFigure& each : comparison.counts) text += row(each, count_text);
  if (const auto& times = comparison.times) {
    text += fmt::format("\nus on {}, modelled\n", times->profile.gpu_with_article());
    if (times->larger > 1)
      text += row(times->launched, time_text) + "of " + larger_text(*times) + ":\n";
    text += row(times->time, time_text);
    for (const ComparedFigure& each : times->parts) {
      if (each.before > 0 || each.after > 0) text += row(each, time_text);
    }
  }
  return text + lines_text(comparison);
}

ordered_json json_of(const Comparison& comparison) {
  ordered_json object = {{"before", comparison.before},
                         {"after", comparison.after},
                         {"compute_capability", rules::to_string(comparison.compute_capability)},
                         {"difference", difference_of(comparison)},
                         {"notes", comparison.notes}};
  object["counts"] = ordered_json::array();
  for (const ComparedFigure& each : comparison.counts) object["counts"].push_back(json_of(each));
  if (const auto& times = comparison.times) {
    ordered_json parts = ordered_json::array();
    for (const ComparedFigure& each : times->parts) parts.push_back(json_of(each));
    object["prediction"] = {{"device", times->profile.name},
                            {"gpu", times->profile.gpu},
                            {"larger", times->larger},
                            {"launched_us", {times->launched.before, times->launched.after}},
                            {"launched_gain", json_of(times->launched_gain)},
                            {"time_us", {times->time.before, times->time.after}},
                            {"gain", json_of(times->gain)},
                            {"rules", {times->rules_before, times->rules_after}},
                            {"changed", times->parts[times->changed].what},
                            {"bounds_us", std::move(parts)}};
  }
  if (const auto& measured = comparison.measured) {
    object["measured"] =
        measured->why_not.empty()
            ? ordered_json{{"device", measured->device},
                           {"cold_us", {measured->cold_us.before, measured->cold_us.after}}}
            : ordered_json{{"unavailable", measured->why_not}};
  }
  object["lines_by"] = comparison.decides;
  object["lines"] = ordered_json::array();
  for (const ComparedLine& each : comparison.lines) {
    object["lines"].push_back({{"before", each.before},
                               {"after", each.after},
                               {"source", each.source},
                               {"count", {each.count_before, each.count_after}}});
  }
  return object;
}

}  // namespace warpwise::lab
