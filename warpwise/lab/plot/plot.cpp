#include "warpwise/lab/plot/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/figure_kinds.hpp"
#include "warpwise/lab/plot/what_varies.hpp"

namespace warpwise::lab {
namespace {

// A reader cannot tell more than six lines, or kinds of dots, apart.
constexpr std::size_t most_series = 6;
constexpr std::size_t most_panels = 24;

using FigureNames = std::vector<std::string>;

// Chooses the contents of the plot of one record.
class Chooser {
 public:
  explicit Chooser(const Record& record) : record_(record), rows_(samples_of(record)) {
    Variation variation = what_varies(rows_);
    plot_.kind = variation.kind;
    drawn_axes_ = std::move(variation.drawn_axes);
    undrawn_axes_ = std::move(variation.undrawn_axes);
  }

  Plot plot() {
    choose_figure();
    describe_run();
    if (plot_.kind == PlotKind::dots) {
      make_dots();
    } else {
      make_axis(drawn_axes_[0], plot_.x);
      if (plot_.kind == PlotKind::maps) make_axis(drawn_axes_[1], plot_.y);
      place(plot_.kind == PlotKind::maps ? 0 : most_series);
    }
    make_value_axis();
    write_alternative_text();
    return std::move(plot_);
  }

 private:
  FigureNames wanted_figures() const {
    FigureNames names = {"end_to_end_us"};
    names.insert(names.end(), record_.report.begin(), record_.report.end());
    if (record_.is_ladder && record_.report.empty()) {
      // Times at different sizes cannot be compared, but shares of the roof can.
      const bool sizes =
          std::find(undrawn_axes_.begin(), undrawn_axes_.end(), "@size") != undrawn_axes_.end();
      if (plot_.kind == PlotKind::dots || sizes) names.emplace_back("share_of_roof");
      if (plot_.kind == PlotKind::lines && drawn_axes_[0] == "@size")
        names.emplace_back("gb_per_s");
    }
    names.insert(names.end(), {"cold_us", "warp_instructions"});
    return names;
  }

  // Returns true if the figure is constant along the drawn axes. A plot would then show nothing.
  bool is_constant(const std::string& figure) const {
    if (plot_.kind == PlotKind::dots || figure.ends_with("_us")) return false;
    const bool of_blocks = drawn_axes_[0].starts_with("@block");
    std::map<std::string, double> first;
    return std::all_of(samples_.begin(), samples_.end(), [&](const RunRow& each) {
      std::string rest;
      for (const auto& [name, at] : each.at) {
        const bool drawn =
            std::find(drawn_axes_.begin(), drawn_axes_.end(), name) != drawn_axes_.end() ||
            (of_blocks && name.starts_with("@block"));
        if (!drawn) rest += at.text + ' ';
      }
      const double value = each.figure.value;
      return first.try_emplace(rest, value).first->second == value;
    });
  }

  void choose_figure() {
    FigureNames names = wanted_figures();
    std::erase_if(names, [&](const std::string& name) {
      take_samples(name);
      return samples_.empty();
    });
    const auto changing = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      take_samples(name);
      return !is_constant(name);
    });
    if (names.empty()) {
      throw InvalidArgument(fmt::format("nothing to draw: no row of {}{}{} was measured",
                                        record_.study, record_.experiment.empty() ? "" : "/",
                                        record_.experiment));
    }
    figure_ = changing == names.end() ? names.front() : *changing;
    take_samples(figure_);
    const FigureKind kind = kind_of(figure_);
    plot_.higher_is_better = kind.higher_is_better;
    plot_.value.name = kind.is_share ? figure_ + "_percent" : figure_;
    plot_.value.title = kind.title.empty() ? words_of(figure_) : std::string(kind.title);
    if (values_in_samples("@cc").size() > 1) undrawn_axes_.insert(undrawn_axes_.begin(), "@cc");
    if (values_in_samples("@rung").size() > 1 && plot_.kind != PlotKind::dots) {
      undrawn_axes_.push_back("@rung");
    }
  }

  void take_samples(const std::string& name) {
    samples_.clear();
    const double scale = kind_of(name).is_share ? 100 : 1;
    const auto scaled = [&](RecordedFigure figure) {
      figure.value *= scale;
      if (figure.low) *figure.low *= scale;
      if (figure.high) *figure.high *= scale;
      return figure;
    };
    for (const RunRow& row : rows_) {
      if (const auto found = row.row->figures.find(name); found != row.row->figures.end()) {
        samples_.push_back({row.at, scaled(found->second), row.row});
        continue;
      }
      for (const auto& [capability, figures] : row.row->by_capability) {
        const auto found = figures.find(name);
        if (found == figures.end()) continue;
        samples_.push_back({row.at, scaled(found->second), row.row});
        samples_.back().at["@cc"] = {std::strtod(capability.c_str(), nullptr), capability};
      }
    }
  }

  std::set<Coordinate> values_in_samples(const std::string& name) const {
    std::set<Coordinate> values;
    for (const RunRow& each : samples_) {
      if (each.at.contains(name)) values.insert(each.at.at(name));
    }
    return values;
  }

  void describe_run() {
    plot_.title = record_.study;
    if (!record_.experiment.empty()) plot_.title += "/" + record_.experiment;
    if (!record_.title.empty()) plot_.title += ": " + record_.title;
    std::string note = record_.device;
    const auto sizes = values_in_samples("@size");
    if (sizes.size() == 1) note += (note.empty() ? "" : ", ") + sizes.begin()->text;
    if (!note.empty()) plot_.notes.push_back(note);
    if (!record_.origin.empty()) plot_.notes.push_back(record_.origin);
    if (record_.interrupted) plot_.notes.emplace_back("interrupted: the measurement is incomplete");
  }

  void make_axis(const std::string& name, PlotAxis& axis) const {
    const std::string own = name.substr(name.starts_with('@') ? 1 : 0);
    axis.name = name == "@size" ? "pixels" : name == "@block" ? "block_threads" : own;
    axis.title = name == "@size"    ? "size, pixels"
                 : name == "@block" ? "threads of a block"
                                    : words_of(own);
    std::set<double> numbers;
    for (const Coordinate& each : values_in_samples(name)) numbers.insert(each.number);
    axis.values.assign(numbers.begin(), numbers.end());
    for (const double each : axis.values) axis.texts.push_back(figure_text(each));
    axis.logarithmic = lie_evenly_as_powers(axis.values);
  }

  // Returns true if the values lie more evenly on a logarithmic axis than on a linear one. The
  // widest gap between them then takes a clearly smaller share of the logarithmic axis.
  static bool lie_evenly_as_powers(const std::vector<double>& values) {
    if (values.size() < 3 || values.front() <= 0 || values.back() < 4 * values.front())
      return false;
    double even = 0;
    double powers = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      even = std::max(even, values[i] - values[i - 1]);
      powers = std::max(powers, std::log(values[i] / values[i - 1]));
    }
    return powers / std::log(values.back() / values.front()) <
           0.75 * even / (values.back() - values.front());
  }

  static std::string text_of(const std::string& name, const Coordinate& at) {
    if (name == "@rung" || name == "@size" || name == "@transfer") return at.text;
    if (name == "@cc") return "CC " + at.text;
    return (name == "@block" ? "block" : words_of(name)) + " " + at.text;
  }

  // A sample's values of some parameters, by which samples are sorted, and these values as a text.
  using Key = std::pair<std::vector<Coordinate>, std::string>;
  static Key key_of(const RunRow& sample, const FigureNames& names) {
    Key key;
    for (const std::string& name : names) {
      const auto at = sample.at.find(name);
      key.first.push_back(at == sample.at.end() ? Coordinate{} : at->second);
      if (at == sample.at.end()) continue;
      key.second += (key.second.empty() ? "" : ", ") + text_of(name, at->second);
    }
    return key;
  }

  std::set<Key> keys_of(const FigureNames& names) const {
    std::set<Key> keys;
    for (const RunRow& each : samples_) keys.insert(key_of(each, names));
    return keys;
  }

  // Puts the samples into panels of at most `most` series; 0: one series in each panel, for maps.
  // At first one panel has all series. While it has too many, each value of a further parameter
  // gets its own panel: compute capability, size, block, kernel, then the others.
  void place(std::size_t most) {
    static const FigureNames order = {"@cc", "@size", "@block", "@rung"};
    FigureNames inner = undrawn_axes_;
    FigureNames outer;
    const auto move_out = [&](const std::string& name) {
      const auto found = std::find(inner.begin(), inner.end(), name);
      if (found == inner.end()) return;
      inner.erase(found);
      outer.push_back(name);
    };
    const auto fits = [&] { return most > 0 && keys_of(inner).size() <= most; };
    for (const std::string& name : order) {
      if (!fits() && (most == 0 || inner.size() > 1)) move_out(name);
    }
    while (!fits() && (most == 0 ? !inner.empty() : inner.size() > 1)) {
      move_out(FigureNames(inner).front());
    }
    std::reverse(outer.begin(), outer.end());  // puts the kernel before block and size
    const std::set<Key> series = keys_of(inner);
    for (const Key& panel : keys_of(outer)) add_panels(panel, series, outer, inner, most);
    if (plot_.panels.size() > most_panels) {
      plot_.notes.push_back(
          fmt::format("the first {} of {} panels", most_panels, plot_.panels.size()));
      plot_.panels.resize(most_panels);
    }
  }

  void add_panels(const Key& panel, const std::set<Key>& series, const FigureNames& outer,
                  const FigureNames& inner, std::size_t most) {
    // If there are more series than `most`, they are divided among panels of about equal numbers.
    const std::size_t parts = most == 0 ? 1 : (series.size() + most - 1) / most;
    const std::size_t each_part = (series.size() + parts - 1) / parts;
    has_parts_ = parts > 1;
    std::size_t done = 0;
    for (const Key& key : series) {
      if (done++ % each_part == 0) plot_.panels.emplace_back().title = panel.second;
      PlotSeries& added = plot_.panels.back().series.emplace_back();
      added.name = key.second.empty() ? samples_.front().row->rung : key.second;
      for (const RunRow& sample : samples_) {
        if (key_of(sample, outer) == panel && key_of(sample, inner) == key)
          add_point(sample, added);
      }
      std::stable_sort(added.points.begin(), added.points.end(),
                       [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    }
  }

  void add_point(const RunRow& sample, PlotSeries& series) {
    PlotPoint point;
    point.value = sample.figure.value;
    point.low = sample.figure.low;
    point.high = sample.figure.high;
    if (plot_.kind == PlotKind::dots) {
      point.x = static_cast<double>(row_of(*sample.row));
      point.document = document_of(sample);
    } else {
      const auto x = sample.at.find(drawn_axes_[0]);
      if (x == sample.at.end()) {
        if (plot_.kind == PlotKind::maps) return;
        series.is_level = true;
        point.x = plot_.x.values.front();
      } else {
        point.x = x->second.number;
      }
      if (plot_.kind == PlotKind::maps) {
        const auto y = sample.at.find(drawn_axes_[1]);
        if (y == sample.at.end()) return;
        point.y = y->second.number;
      }
    }
    series.points.push_back(point);
  }

  std::string row_name(const RecordedRow& row) const {
    return row.rung + (rows_have_blocks_ ? " " + shape_text(row.block) : "") +
           (row.transfer.empty() ? "" : " " + row.transfer);
  }
  std::size_t row_of(const RecordedRow& row) const {
    const auto& names = plot_.x.texts;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), row_name(row)) -
                                    names.begin());
  }

  // Returns the figure's value at a speed-up of 1, computed from this sample's value and speed-up.
  std::optional<double> compute_value_at_speedup_1(const RunRow& sample) const {
    if (figure_ != "cold_us" && figure_ != "gb_per_s" && figure_ != "share_of_roof") return {};
    const auto found = sample.row->figures.find("speedup_over_first");
    if (found == sample.row->figures.end() || found->second.value <= 0) return {};
    return plot_.higher_is_better ? sample.figure.value / found->second.value
                                  : sample.figure.value * found->second.value;
  }

  std::optional<double> document_of(const RunRow& sample) {
    const std::optional<double> first = compute_value_at_speedup_1(sample);
    const auto found = sample.row->figures.find("document_speedup_over_first");
    if (!first || found == sample.row->figures.end() || found->second.value <= 0) return {};
    plot_.has_document = true;
    return plot_.higher_is_better ? *first * found->second.value : *first / found->second.value;
  }

  void make_dots() {
    const auto block = std::find(undrawn_axes_.begin(), undrawn_axes_.end(), "@block");
    rows_have_blocks_ = block != undrawn_axes_.end();
    if (rows_have_blocks_) undrawn_axes_.erase(block);
    std::erase(undrawn_axes_, "@transfer");
    plot_.x.name = "kernel";
    for (const RecordedRow& row : record_.rows) {
      const std::string name = row_name(row);
      auto& names = plot_.x.texts;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    plot_.row_texts.assign(plot_.x.texts.size(), "not run");
    // The loop goes backwards, so that a row's text shows its first size and compute capability.
    for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
      const auto& figures = sample->row->figures;
      const auto time = figures.find(figure_.ends_with("_us") ? figure_ : "cold_us");
      plot_.row_texts[row_of(*sample->row)] = time == figures.end()
                                                  ? figure_text(sample->figure.value)
                                                  : figure_text(time->second.value) + " µs";
    }
    place(most_series);
    if (rows_have_blocks_) mark_the_best_shapes();
    set_value_at_speedup_1();
  }

  void mark_the_best_shapes() {
    // Compares the blocks of each rung, in samples that agree with the first one in all of
    // undrawn_axes_.
    std::map<std::string, std::vector<const RunRow*>> shapes;
    const Key kind = key_of(samples_.front(), undrawn_axes_);
    for (const RunRow& each : samples_) {
      if (key_of(each, undrawn_axes_) == kind) shapes[each.row->rung].push_back(&each);
    }
    for (const auto& [rung, samples] : shapes) {
      if (samples.size() < 2) continue;
      const auto is_better = [&](const RunRow* a, const RunRow* b) {
        return plot_.higher_is_better ? a->figure.value > b->figure.value
                                      : a->figure.value < b->figure.value;
      };
      const RunRow* const best = *std::min_element(samples.begin(), samples.end(), is_better);
      const auto as_good = std::count_if(samples.begin(), samples.end(), [&](const RunRow* each) {
        return each->figure.value == best->figure.value;
      });
      if (as_good == 1) plot_.row_texts[row_of(*best->row)] += " ★";
    }
    plot_.notes.emplace_back("★ the best block of each kernel");
  }

  // Sets plot_.value_at_speedup_1. Uses the samples that agree with the first one in all of
  // undrawn_axes_. If they give different values, the plot gets no axis of speed-ups.
  void set_value_at_speedup_1() {
    const FigureNames kinds = undrawn_axes_;
    std::optional<Key> kind;
    constexpr double nearly = 0.01;
    for (const RunRow& each : samples_) {
      const std::optional<double> first = compute_value_at_speedup_1(each);
      if (!first) continue;
      if (!kind) kind = key_of(each, kinds);
      if (key_of(each, kinds) != *kind) continue;
      if (plot_.value_at_speedup_1 && std::abs(*first / *plot_.value_at_speedup_1 - 1) > nearly) {
        plot_.value_at_speedup_1.reset();
        return;
      }
      plot_.value_at_speedup_1 = first;
    }
  }

  static std::vector<double> values_of(const PlotPanel& panel) {
    std::vector<double> values;
    for (const PlotSeries& series : panel.series) {
      for (const PlotPoint& point : series.points) {
        values.push_back(point.value);
        for (const auto& each : {point.low, point.high, point.document}) {
          if (each) values.push_back(*each);
        }
      }
    }
    std::sort(values.begin(), values.end());
    return values;
  }

  void make_value_axis() {
    std::erase_if(plot_.panels, [](const PlotPanel& panel) { return values_of(panel).empty(); });
    if (plot_.panels.empty()) throw InvalidArgument("nothing to draw: no row lies on the axes");
    double least = std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::lowest();
    for (PlotPanel& panel : plot_.panels) {
      const std::vector<double> values = values_of(panel);
      panel.values = {values.front(), values.back()};
      least = std::min(least, values.front());
      most = std::max(most, values.back());
    }
    // A linear axis can show zero. A logarithmic axis can show small values beside large ones.
    const double far = plot_.kind == PlotKind::lines ? 20 : plot_.kind == PlotKind::maps ? 10 : 4;
    plot_.value.logarithmic = least > 0 && (most >= far * least || plot_.value_at_speedup_1);
    plot_.value.values = {least, most};
    // All panels get the same range, so that readers can compare them. Parts of a divided panel do
    // not.
    if (has_parts_) return;
    for (PlotPanel& panel : plot_.panels) panel.values = {least, most};
  }

  // Sets plot_.description, the text for readers who cannot see the plot.
  void write_alternative_text() {
    const PlotPoint* extremes[2] = {};
    std::string places[2];
    for (const PlotPanel& panel : plot_.panels) {
      for (const PlotSeries& series : panel.series) {
        for (const PlotPoint& point : series.points) {
          for (const int i : {0, 1}) {
            const bool further =
                extremes[i] == nullptr ||
                (i == 0 ? point.value < extremes[i]->value : point.value > extremes[i]->value);
            if (!further) continue;
            extremes[i] = &point;
            places[i] = place_text(panel, series, point);
          }
        }
      }
    }
    constexpr std::string_view kinds[] = {"A dot for each kernel", "Lines", "A map of cells"};
    plot_.description = fmt::format(
        "{}{}: {}, from {} ({}) to {} ({}).", kinds[static_cast<std::size_t>(plot_.kind)],
        plot_.kind == PlotKind::dots    ? ""
        : plot_.kind == PlotKind::lines ? " over " + plot_.x.title
                                        : " over " + plot_.x.title + " and " + plot_.y.title,
        plot_.value.title, figure_text(extremes[0]->value), places[0],
        figure_text(extremes[1]->value), places[1]);
  }

  std::string place_text(const PlotPanel& panel, const PlotSeries& series,
                         const PlotPoint& point) const {
    FigureNames parts;
    if (!panel.title.empty()) parts.push_back(panel.title);
    const bool many = panel.series.size() > 1;
    if (plot_.kind == PlotKind::dots) {
      if (many) parts.push_back(series.name);
      parts.push_back(plot_.x.texts[static_cast<std::size_t>(point.x)]);
    } else {
      if (many || panel.title.empty()) parts.push_back(series.name);
      if (!series.is_level) parts.push_back(plot_.x.title + " " + figure_text(point.x));
    }
    if (plot_.kind == PlotKind::maps) parts.push_back(plot_.y.title + " " + figure_text(point.y));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  const Record& record_;
  std::vector<RunRow> rows_;  ///< rows that were run; their figures are not set
  std::vector<RunRow> samples_;
  std::string figure_;
  FigureNames drawn_axes_;    ///< parameters and settings that vary and are drawn as axes
  FigureNames undrawn_axes_;  ///< other parameters that vary; they distinguish series and panels
  bool rows_have_blocks_ = false;
  bool has_parts_ = false;  ///< a panel had too many series and was divided
  Plot plot_;
};

}  // namespace

Plot plot_of(const Record& record) { return Chooser(record).plot(); }

}  // namespace warpwise::lab
