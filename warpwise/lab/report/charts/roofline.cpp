#include "warpwise/lab/report/charts/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

constexpr double roofline_height = 380;

// Returns the warp instructions per pixel, from the row of the same rung and block that has counts.
// The emulator counts at one size only, so other rows have none.
std::optional<double> work_of(const Record& record, const RecordedRow& row) {
  for (const RecordedRow& each : record.rows) {
    if (each.rung != row.rung || each.block != row.block || each.values != row.values) continue;
    const double pixels =
        static_cast<double>(each.counts_size[0]) * static_cast<double>(each.counts_size[1]);
    if (pixels <= 0 || each.by_capability.empty()) continue;
    const auto& counts = each.by_capability.front().second;
    const auto found = counts.find("warp_instructions");
    if (found != counts.end()) return found->second.value / pixels;
  }
  return std::nullopt;
}

std::optional<RoofPoint> point_of(const Record& record, const RecordedRow& row) {
  const auto time = figure_of(row, "cold_us");
  const auto rate = figure_of(row, "gb_per_s");
  const auto instructions = work_of(record, row);
  if (!time || !rate || !instructions) return std::nullopt;
  const double pixels = static_cast<double>(row.size[0]) * static_cast<double>(row.size[1]);
  const double kilobytes = *rate * *time;  // GB/s times µs gives kilobytes
  const double work = *instructions * pixels / kilobytes;
  if (!(work > 0) || !(*rate > 0) || !std::isfinite(work)) return std::nullopt;
  return RoofPoint{record.study, row.rung, &row, work, *rate};
}

// Returns the peak rate of warp instructions. Since Volta, a multiprocessor can issue four warp
// instructions in each clock cycle.
double instructions_per_s(const Record& record) {
  constexpr double warps_per_clock = 4;
  double multiprocessors = 0;
  double capability = 0;
  for (const auto& [key, value] : record.machine) {
    if (key == "multiprocessors") multiprocessors = std::strtod(value.c_str(), nullptr);
    if (key == "compute_capability") capability = std::strtod(value.c_str(), nullptr);
  }
  std::vector<double> clocks;
  for (const RecordedRow& each : record.rows) {
    if (const auto mhz = figure_of(each, "sm_clock_mhz")) clocks.push_back(*mhz);
  }
  if (clocks.empty() || capability < 7) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return multiprocessors * warps_per_clock * *middle * 1e6;
}

void add_point(RoofPoint point, std::vector<RoofPoint>& points) {
  const auto pixels = [](const RoofPoint& each) { return each.row->size[0] * each.row->size[1]; };
  for (RoofPoint& each : points) {
    if (each.ladder != point.ladder || each.rung != point.rung) continue;
    if (pixels(point) > pixels(each)) each = point;
    return;
  }
  points.push_back(std::move(point));
}

// Draws the points of the rungs and the lines of the limits.
class Drawing {
 public:
  explicit Drawing(const Roofline& roofline) : roofline_(roofline) {
    const auto [least_work, most_work] =
        std::minmax_element(roofline.points.begin(), roofline.points.end(),
                            [](const RoofPoint& a, const RoofPoint& b) { return a.work < b.work; });
    const auto slowest = std::min_element(
        roofline.points.begin(), roofline.points.end(),
        [](const RoofPoint& a, const RoofPoint& b) { return a.gb_per_s < b.gb_per_s; });
    double highest = std::max(roofline.copy_gb_per_s, roofline.read_gb_per_s);
    for (const RoofPoint& each : roofline.points) highest = std::max(highest, each.gb_per_s);
    work_ = scale_for(least_work->work, most_work->work, true);
    rate_ = scale_for(slowest->gb_per_s, highest, true);
  }

  Html html() const {
    Html inner = vertical_grid_lines(work_, roofline_height, "") +
                 horizontal_grid_lines(rate_, roofline_height) + limits();
    const std::vector<std::string> ladders = ladders_of(roofline_);
    for (const RoofPoint& each : roofline_.points) {
      const auto found = std::find(ladders.begin(), ladders.end(), each.ladder);
      inner += point(each, static_cast<std::size_t>(found - ladders.begin()));
    }
    return inner;
  }

  static std::vector<std::string> ladders_of(const Roofline& roofline) {
    std::vector<std::string> names;
    for (const RoofPoint& each : roofline.points) {
      if (std::find(names.begin(), names.end(), each.ladder) == names.end()) {
        names.push_back(each.ladder);
      }
    }
    return names;
  }

 private:
  double up(double rate) const { return roofline_height * (1 - rate_.fraction(rate)); }

  Html limits() const {
    Html html;
    const auto level = [&](double rate, const char* kind) {
      if (rate <= 0) return;
      const std::string y = pixels(up(rate));
      html += lone("line", {{"class", kind}, {"x1", "0"}, {"x2", "100%"}, {"y1", y}, {"y2", y}});
    };
    level(roofline_.copy_gb_per_s, "roof");
    level(roofline_.read_gb_per_s, "roof dash");
    if (roofline_.instructions_per_s <= 0) return html;
    // The limit of instructions per second also limits the bytes per second, in proportion to the
    // bytes per instruction.
    const auto rate_at = [&](double work) {
      return roofline_.instructions_per_s / work * 1000 / 1e9;
    };
    const auto work_at = [&](double rate) { return rate_at(rate); };  // rate_at is its own inverse
    const double left = std::max(work_.least, work_at(rate_.greatest));
    const double right = std::min(work_.greatest, work_at(rate_.least));
    if (left >= right) return html;
    return html + lone("line", {{"class", "roof"},
                                {"x1", across(work_.fraction(left))},
                                {"x2", across(work_.fraction(right))},
                                {"y1", pixels(up(rate_at(left)))},
                                {"y2", pixels(up(rate_at(right)))}});
  }

  Html point(const RoofPoint& each, std::size_t series) const {
    const double x = work_.fraction(each.work);
    const double y = up(each.gb_per_s);
    const std::string name = each.ladder + "/" + each.rung;
    const std::string said =
        fmt::format(fmt::runtime(words().roofline_point), name, figure_text(each.gb_per_s),
                    percent_text(figure_of(*each.row, "share_of_roof").value_or(0)),
                    time_text(*figure_of(*each.row, "cold_us")));
    // The label moves to the left in proportion to the point's horizontal position, so that it
    // stays within the picture.
    constexpr double letter_width = 7.2;
    const double shift = -x * letter_width * static_cast<double>(name.size());
    const Html label = element(
        "text",
        {{"class", "label"}, {"x", across(x)}, {"dx", pixels(shift)}, {"y", pixels(y - 10)}}, name);
    return element("g",
                   {{"class", "point"}, {"tabindex", "0"}, {"role", "img"}, {"aria-label", said}},
                   element("title", said) + mark(x, y, series, "") + label);
  }

  const Roofline& roofline_;
  Scale work_;
  Scale rate_;
};

}  // namespace

std::vector<Roofline> rooflines_of(const std::vector<Recorded>& runs) {
  std::vector<Roofline> all;
  for (const Recorded& run : runs) {
    const Record& record = run.record;
    if (!finding_of(record)) continue;
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Roofline& each) { return each.device == record.device; });
    if (found == all.end()) found = all.insert(found, Roofline{record.device, 0, 0, 0, {}});
    const auto roof = [&](const char* name) {
      const auto value = record.roofs.find(name);
      return value == record.roofs.end() ? 0.0 : value->second;
    };
    found->copy_gb_per_s = std::max(found->copy_gb_per_s, roof("copy_roof_gb_per_s"));
    found->read_gb_per_s = std::max(found->read_gb_per_s, roof("read_roof_gb_per_s"));
    found->instructions_per_s = std::max(found->instructions_per_s, instructions_per_s(record));
    for (const RecordedRow& row : record.rows) {
      if (auto point = point_of(record, row)) add_point(*std::move(point), found->points);
    }
  }
  std::erase_if(all, [](const Roofline& each) { return each.points.empty(); });
  return all;
}

Html picture_of(const Roofline& roofline) {
  const Words& w = words();
  const Html svg = element("svg",
                           {{"class", "chart"},
                            {"role", "group"},
                            {"aria-label", w.roofline},
                            {"width", "100%"},
                            {"height", pixels(roofline_height)}},
                           Drawing(roofline).html());
  Html lines;
  const auto line = [&](const char* format, double value) {
    if (value > 0) lines += element("li", fmt::format(fmt::runtime(format), figure_text(value)));
  };
  line(w.copy_roof, roofline.copy_gb_per_s);
  line(w.read_roof, roofline.read_gb_per_s);
  line(w.issue_roof, roofline.instructions_per_s / 1e9);
  return element("p", {{"class", "axis up"}}, w.roofline_y) +
         element("div", {{"class", "room-lines"}}, svg) +
         element("p", {{"class", "axis"}}, w.roofline_x) +
         legend(Drawing::ladders_of(roofline), false) + element("ul", {{"class", "limits"}}, lines);
}

Table table_of(const Roofline& roofline) {
  const Words& w = words();
  Table table;
  table.caption = w.roofline;
  table.file = "roofline.csv";
  table.columns = {{w.rung},       {w.ladder},        {w.size},      {w.per_kilobyte, true},
                   {"GB/s", true}, {w.of_roof, true}, {w.time, true}};
  for (const RoofPoint& each : roofline.points) {
    const double share = figure_of(*each.row, "share_of_roof").value_or(0);
    const double time = *figure_of(*each.row, "cold_us");
    table.rows.push_back({{each.rung, {}},
                          {each.ladder, {}},
                          {size_text(each.row->size), {}},
                          {number(each.work), text(figure_text(each.work))},
                          {number(each.gb_per_s), text(figure_text(each.gb_per_s))},
                          {number(share), text(percent_text(share))},
                          {number(time), text(time_text(time))}});
  }
  return table;
}

}  // namespace warpwise::lab::report
