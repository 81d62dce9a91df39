#include "warpwise/lab/report/kernel/program_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/report/charts/chart.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/words/kernel_words.hpp"
#include "warpwise/lab/report/words/said.hpp"

namespace warpwise::lab::report {
namespace {

constexpr double row_height = 36;
constexpr double bar_top = 19;
constexpr double bar_height = 10;
constexpr double narrowest = 0.002;       // least width of a bar, as a share of the picture
constexpr std::size_t most_rows = 12;     // most rows of the picture
constexpr std::size_t longest_name = 30;  // letters that fit beside a time on a telephone
constexpr std::size_t most_events = 500;  // most events in the table

std::string of_transfer(const std::string& name) {
  for (const auto& [key, words] : kernel_words.transfers) {
    if (name == key) return words;
  }
  return name;
}

// A row of the timeline. It shows a kernel, or a kind of transfer.
struct Row {
  std::string name;
  std::string link;
  double us = 0;  ///< total time
  bool is_known = false;
  struct Bar {
    double start_us = 0;
    double us = 0;
  };
  std::vector<Bar> bars;  ///< in the order of time; bars that touch on the picture are joined
};

class Timeline {
 public:
  explicit Timeline(const RecordField& program) : kernels_(program.at("kernels").list()) {
    all_us_ = program.at("predicted_us").number();
    for (const RecordField& each : program.at("timeline").list()) add(each);
  }

  Html picture_of_rows() const {
    const std::vector<const Row*> rows = sorted();
    const Scale scale{0, all_us_ > 0 ? all_us_ : 1, false};
    const double height = row_height * static_cast<double>(rows.size());
    Html inner = vertical_grid_lines(scale, height, " µs");
    for (std::size_t i = 0; i < rows.size(); ++i)
      inner += html_of(*rows[i], scale, row_height * static_cast<double>(i));
    return picture("room-dots", height, kernel_words.timeline, inner);
  }

  Table table() const {
    Table table;
    table.caption = kernel_words.timeline;
    table.file = "timeline.csv";
    table.columns = {{kernel_words.event},
                     {kernel_words.event_start, true},
                     {kernel_words.event_time, true},
                     {kernel_words.event_times, true},
                     {kernel_words.event_bytes, true}};
    table.rows = cells_;
    return table;
  }

  std::size_t left_out() const { return events_ - cells_.size(); }

 private:
  void add(const RecordField& event) {
    const auto kernel = event.find("kernel");
    const std::string transfer = kernel ? "" : event.at("transfer").text();
    const auto index = static_cast<std::size_t>(kernel ? kernel->whole() : 0);
    if (kernel && index >= kernels_.size()) kernel->fail("the number of a kernel");
    Row& row = rows_[kernel ? fmt::format("{:09}", index) : transfer];
    if (row.name.empty()) {
      row.name = kernel ? kernels_[index].at("kernel").text() : of_transfer(transfer);
      if (kernel) row.link = "#" + section_id(kernels_[index], index + 1);
    }
    const RecordField time = event.at("time_us");
    const std::int64_t times = event.at("times").whole();
    const double start = event.at("start_us").number();
    const double us = time.is_null() ? 0 : time.number() * static_cast<double>(times);
    row.is_known = row.is_known || !time.is_null();
    row.us += us;
    const double gap = narrowest * all_us_ / 2;
    if (!row.bars.empty() && start <= row.bars.back().start_us + row.bars.back().us + gap) {
      row.bars.back().us = std::max(row.bars.back().us, start + us - row.bars.back().start_us);
    } else {
      row.bars.push_back({start, us});
    }
    if (events_++ >= most_events) return;
    const auto bytes = event.find("bytes");
    cells_.push_back({{row.name, {}},
                      {number(start), text(time_text(start))},
                      time.is_null() ? Cell{kernel_words.not_known, {}}
                                     : Cell{number(time.number()), text(time_text(time.number()))},
                      {fmt::format("{}", times), {}},
                      bytes ? Cell{fmt::format("{}", bytes->whole()), {}} : Cell{}});
  }

  // Returns at most most_rows rows: the longest first, those without a known time last.
  std::vector<const Row*> sorted() const {
    std::vector<const Row*> rows;
    for (const auto& [key, row] : rows_) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row* a, const Row* b) { return a->us > b->us; });
    if (rows.size() > most_rows) rows.resize(most_rows);
    return rows;
  }

  static Html html_of(const Row& row, const Scale& scale, double y) {
    const std::string at = pixels(y + 13);
    Html name = element("text", {{"class", "name"}, {"x", "0"}, {"y", at}},
                        io::shortened(row.name, longest_name));
    if (!row.link.empty()) name = element("a", {{"href", row.link}}, name);
    Html html = name + element("text", {{"class", "t end"}, {"x", "100%"}, {"y", at}},
                               row.is_known ? time_text(row.us) : kernel_words.not_known);
    for (const Row::Bar& bar : row.bars) {
      const double left = scale.fraction(bar.start_us);
      const double right = scale.fraction(bar.start_us + bar.us);
      html +=
          element("rect",
                  {{"class", row.is_known ? "now" : "then"},
                   {"x", across(std::min(left, 1 - narrowest))},
                   {"y", pixels(y + bar_top)},
                   {"width", across(std::max(right - left, narrowest))},
                   {"height", pixels(bar_height)}},
                  element("title", row.is_known ? said(kernel_words.bar, row.name,
                                                       time_text(bar.start_us), time_text(bar.us))
                                                : said(kernel_words.mark, row.name)));
    }
    return html;
  }

  std::vector<RecordField> kernels_;
  double all_us_ = 0;
  std::map<std::string, Row> rows_;
  std::size_t events_ = 0;
  std::vector<std::vector<Cell>> cells_;
};

Html card_of(const RecordField& first, const std::vector<RecordField>& kernels, double all_us) {
  const auto index = static_cast<std::size_t>(first.at("kernel").whole());
  if (index >= kernels.size()) first.fail("about a kernel");
  const RecordField& kernel = kernels[index];
  const double us = first.at("time_us").number();
  const std::int64_t launches = first.at("launches").whole();
  const Html name =
      element("a", {{"href", "#" + section_id(kernel, index + 1)}}, kernel.at("kernel").text());
  Html inner = element("h3", name) + element("p", {{"class", "big"}}, percent_text(us / all_us)) +
               element("p", {{"class", "note"}},
                       launches == 1 ? said(kernel_words.first_of_one, time_text(us))
                                     : said(kernel_words.first_about, time_text(us), launches,
                                            time_text(us / static_cast<double>(launches))));
  const std::vector<RecordField> advice = kernel.at("advice").list();
  if (!advice.empty()) inner += element("p", advice.front().at("text").text());
  return element("article", {{"class", "card"}}, inner);
}

}  // namespace

std::string section_id(const RecordField& launch, std::size_t number) {
  return fmt::format("{}-{}", id_of(launch.at("kernel").text()), number);
}

Html program_overview(const RecordField& program) {
  const auto all = program.find("predicted_us");
  if (!all || program.at("timeline").list().empty()) return {};
  const std::string gpu = program.at("gpu").text();
  const std::vector<RecordField> kernels = program.at("kernels").list();
  Html html = element("p", {{"class", "wide"}},
                      said(kernel_words.program_about, time_text(all->number()), gpu));
  Html cards;
  for (const RecordField& each : program.at("look_first").list())
    cards += card_of(each, kernels, all->number());
  if (!cards.empty())
    html += element("h2", kernel_words.look_first) + element("div", {{"class", "cards"}}, cards);
  const Timeline timeline(program);
  html += element("h2", said(kernel_words.timeline_on, gpu)) +
          element("p", {{"class", "wide"}}, kernel_words.timeline_about) +
          element("figure", timeline.picture_of_rows()) + folded(timeline.table());
  if (timeline.left_out() > 0)
    html += element("p", {{"class", "note"}}, said(kernel_words.more_events, timeline.left_out()));
  return html;
}

}  // namespace warpwise::lab::report
