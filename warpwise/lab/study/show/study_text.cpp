#include "warpwise/lab/study/show/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/study/show/figures.hpp"
#include "warpwise/lab/study/show/halved.hpp"

namespace warpwise::lab {

std::string block_text(const emulator::Dim3& block) {
  return block.z > 1   ? fmt::format("{}x{}x{}", block.x, block.y, block.z)
         : block.y > 1 ? fmt::format("{}x{}", block.x, block.y)
                       : std::to_string(block.x);
}

std::string parameters_text(const ladders::Variables& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

namespace {

constexpr std::size_t ladder_name_width = 32;
constexpr std::size_t name_width = 44;  // width of a name that is followed by the values of axes
// An idea (a rung's description) is left out if fewer characters than this fit on the line.
constexpr std::size_t least_of_an_idea = 20;

// A column between a row's name and its idea. Columns with a small `keep` are left out first if a
// terminal is narrow.
struct Column {
  std::string title;
  std::size_t width;
  int keep;
  bool left = false;  ///< aligned to the left, with two blanks before it
  std::string_view meaning;
};

bool is_modelled(std::string_view title) { return title == "model us" || title == "filled us"; }

std::vector<Column> gpu_columns() {
  return {
      {"cold us", 9, 15, false, "median time of a run with a cold L2"},
      {"[p5, p95]", 17, 10, true, "5th and 95th percentile of these times"},
      {"batch us", 9, 9, false, "time per run in a batch of runs on the same operands"},
      {"GB/s", 7, 13, false, "bytes of inputs read once and outputs written once, per cold time"},
      {"roof", 5, 14, false, "share of the heading's copy or read bandwidth"},
      {"step", 7, 12, false, "speed-up over the rung before"},
      {"all", 7, 11, false, "speed-up over the first rung"},
      {"regs", 5, 7, false, "registers of a thread"},
      {"occ.", 5, 8, false, "occupancy: resident warps, as a share of the maximum"},
      {"refs/px", 8, 4, false, "global memory and texture accesses of threads, per pixel"},
      {"tx/req", 7, 6, false, "transactions per warp's request of global memory"},
      {"sh/req", 7, 5, false, "passes per warp's request of shared memory"},
      {"document", 17, 3, true, "the source document's own time or speed-up"}};
}

// Returns the additional columns of a run with the axis sm_percent or neighbour_percent.
std::vector<Column> share_columns() {
  return {
      {"SMs", 5, 103, false, "multiprocessors that ran the kernel"},
      {"neigh. GB/s", 12, 102, false, "bandwidth of the neighbour kernel at the same time"},
      {"BW left", 8, 101, false, "remaining memory bandwidth, as a share of the heading's copy"}};
}

std::vector<Column> transfer_columns() {
  return {{"total us", 10, 15, false, "median time from host memory and back to host memory"},
          {"[p5, p95]", 17, 10, true, "5th and 95th percentile of these times"},
          {"up us", 9, 12, false, "time of the upload of inputs"},
          {"kernel us", 10, 13, false, "time of the kernels"},
          {"down us", 9, 11, false, "time of the download of outputs"},
          {"kernel", 7, 14, false, "the kernels' share of these three times"},
          {"GB/s", 7, 9, false, "bytes uploaded and downloaded, per total time"}};
}

std::vector<Column> emulator_columns(const StudyRun& run) {
  std::vector<Column> columns = {
      {"warp instr.", 12, 15, false, "warp instructions issued"},
      {"lanes", 6, 12, false, "active lanes per warp instruction, of 32"},
      {"refs/px", 8, 10, false, "global memory and texture accesses of threads, per pixel"},
      {"tx/req", 7, 14, false, "transactions per warp's request of global memory"},
      {"sh/req", 7, 13, false, "passes per warp's request of shared memory"},
      {"B/px", 8, 11, false, "bytes moved by these transactions, per pixel"},
      {"branches", 10, 4, false, "branches executed by warps"},
      {"divergent", 10, 5, false, "branches at which a warp's threads diverged"},
      {"model us", 10, 6, false, "modelled, not measured: time on the heading's GPU, cold"},
      {"filled us", 10, 6, false, "modelled: part of the time of a problem that fills that GPU"},
      {"regs", 5, 8, false, "registers of a thread"},
      {"occ.", 5, 9, false, "occupancy: resident warps, as a share of the maximum"},
      {"CC", 5, 7, true, "compute capability of the counts"},
      {"document", 17, 3, true, "the source document's own time or speed-up"}};
  if (!run.model)
    std::erase_if(columns, [](const Column& each) { return is_modelled(each.title); });
  return columns;
}

// Returns the columns of a study that chooses its own figures. Only runs on a GPU have times.
std::vector<Column> study_columns(const StudyRun& run) {
  std::vector<Column> columns;
  for (const std::string& each : run.report) {
    const auto* const found = std::find(figure_names.begin(), figure_names.end(), each);
    const bool is_time = found - figure_names.begin() < std::ptrdiff_t{timed_figures};
    if (is_time && !run.on_gpu) continue;
    const int keep = static_cast<int>(run.report.size() - columns.size());
    columns.push_back({each, std::max<std::size_t>(each.size(), 9) + 2, keep, false, ""});
  }
  for (const Column& each : emulator_columns(run)) {
    if (is_modelled(each.title)) columns.push_back(each);
  }
  columns.push_back({"CC", 5, 1000, true, "compute capability of the counts"});
  return columns;
}

std::vector<Column> all_columns(const StudyRun& run) {
  if (run.varies_transfer && run.on_gpu) return transfer_columns();
  std::vector<Column> columns = !run.report.empty() ? study_columns(run)
                                : run.on_gpu        ? gpu_columns()
                                                    : emulator_columns(run);
  if (run.varies_gpu_share && run.on_gpu) {
    const std::vector<Column> more = share_columns();
    columns.insert(columns.begin(), more.begin(), more.end());
  }
  return columns;
}

std::size_t name_width_of(const StudyRun& run) {
  return run.report.empty() && !run.varies_gpu_share && !run.varies_transfer ? ladder_name_width
                                                                             : name_width;
}

std::size_t width_of(const Column& column) { return column.width + (column.left ? 2 : 0); }

std::size_t width_of(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const Column& each : columns) width += width_of(each);
  return width;
}

// Returns the columns that fit beside a name into `width` characters, but at least one. A width of
// 0 means no limit.
std::vector<Column> columns_within(const StudyRun& run, std::size_t width) {
  std::vector<Column> columns = all_columns(run);
  while (width > 0 && columns.size() > 1 && name_width_of(run) + width_of(columns) > width) {
    columns.erase(std::min_element(columns.begin(), columns.end(),
                                   [](const auto& a, const auto& b) { return a.keep < b.keep; }));
  }
  return columns;
}

std::string aligned(const Column& column, std::string_view text) {
  return column.left ? fmt::format("  {:<{}}", text, column.width)
                     : fmt::format("{:>{}}", text, column.width);
}

// Formats a number with two decimals below 10, one below 100, and none from 100 on.
std::string short_number(double v) {
  if (v >= 100) return fmt::format("{:.0f}", v);
  return v >= 10 ? fmt::format("{:.1f}", v) : fmt::format("{:.2f}", v);
}

std::string short_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", 100 * *share) : "";
}

std::string document_text(const RungRow& row) {
  std::string text;
  const auto& cpu = row.document_cpu;
  const std::optional<double> time = cpu ? cpu->time_us : row.document.time_us;
  if (time) text = fmt::format("{:.1f} us", *time);
  if (row.document_speedup_over_first) {
    text += fmt::format("{}x{:.3g}", text.empty() ? "" : " ", *row.document_speedup_over_first);
  }
  if (cpu && cpu->gpu_speedup) {
    text += fmt::format("{}GPU x{:.3g}, {} thr.", text.empty() ? "" : " ", *cpu->gpu_speedup,
                        cpu->threads);
  }
  return text;
}

using Cells = std::map<std::string, std::string>;  // key: the column's title

Cells cells_of(const RungCounts& counts) {
  Cells cells = {{"refs/px", short_number(counts.references_per_pixel)},
                 {"tx/req", short_number(counts.transactions_per_request)},
                 {"warp instr.", fmt::format("{}", counts.warp_instructions)},
                 {"lanes", fmt::format("{:.1f}", counts.active_lanes)},
                 {"B/px", short_number(counts.bytes_moved_per_pixel)},
                 {"branches", fmt::format("{}", counts.branches)},
                 {"divergent", fmt::format("{}", counts.divergent_branches)},
                 {"CC", rules::to_string(counts.compute_capability)}};
  if (counts.shared_passes_per_request > 0) {
    cells["sh/req"] = short_number(counts.shared_passes_per_request);
  }
  return cells;
}

Cells cells_of(const RungResources& resources) {
  return {{"regs", resources.registers ? fmt::format("{}", *resources.registers) : ""},
          {"occ.", percent(resources.occupancy)}};
}

Cells cells_of(const EndToEnd& times) {
  const auto bytes = static_cast<double>(times.bytes_up + times.bytes_down);
  return {{"total us", short_number(times.total.median_us)},
          {"[p5, p95]", fmt::format("[{}, {}]", short_number(times.total.p5_us),
                                    short_number(times.total.p95_us))},
          {"up us", short_number(times.upload_us)},
          {"kernel us", short_number(times.kernel_us)},
          {"down us", short_number(times.download_us)},
          {"kernel", percent(kernel_share(times))},
          {"GB/s", bytes > 0 ? short_number(bytes / times.total.median_us / 1000) : ""}};
}

Cells share_of(const RungRow& row) {
  return {{"SMs", row.multiprocessors ? fmt::format("{}", *row.multiprocessors) : ""},
          {"neigh. GB/s", short_number(row.neighbour_gb_per_s)},
          {"BW left", percent(row.bandwidth_left)}};
}

Cells times_of(const RungRow& row) {
  const std::optional<Timing>& shown = row.cold ? row.cold : row.batch;  // a CPU has no cold time
  return {{"cold us", short_number(shown->median_us)},
          {"[p5, p95]",
           fmt::format("[{}, {}]", short_number(shown->p5_us), short_number(shown->p95_us))},
          {"batch us", row.on_cpu ? "" : short_number(row.batch->median_us)},
          {"GB/s", short_number(row.gb_per_s)},
          {"roof", percent(row.share_of_roof)},
          {"step", short_number(row.speedup_over_step_before)},
          {"all", short_number(row.speedup_over_first)}};
}

// Returns the modelled times, if the line is that of the modelled GPU's compute capability.
Cells modelled_of(const StudyRun& run, const RungRow& row, std::size_t index) {
  if (!run.model || !row.modelled || index >= row.counts.size()) return {};
  if (row.counts[index].compute_capability != run.model->compute_capability) return {};
  return {{"model us", short_number(row.modelled->us)},
          {"filled us", short_number(row.modelled->filled_us)}};
}

std::string exact_or_rounded(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : short_number(value);
}

// Returns one line of a row. A row has a line for each compute capability with counts or resources.
Cells cells_of(const StudyRun& run, const RungRow& row, std::size_t index) {
  if (row.end_to_end) return cells_of(*row.end_to_end);
  Cells cells = share_of(row);
  if (!run.report.empty()) {
    for (const std::string& each : run.report) {
      const std::optional<double> value = figure_of(row, index, each);
      if (value) cells[each] = exact_or_rounded(*value);
    }
    cells.merge(modelled_of(run, row, index));
    if (index < row.counts.size()) {
      cells["CC"] = rules::to_string(row.counts[index].compute_capability);
    }
    return cells;
  }
  if (run.on_gpu) cells.merge(times_of(row));
  cells.merge(modelled_of(run, row, index));
  if (index < row.counts.size()) cells.merge(cells_of(row.counts[index]));
  if (index < row.resources.size()) cells.merge(cells_of(row.resources[index]));
  return cells;
}

std::size_t lines_of(const StudyRun& run, const RungRow& row) {
  if (run.on_gpu && run.report.empty()) return 1;
  return std::max<std::size_t>({1, row.counts.size(), row.resources.size()});
}

// Formats the columns of a row, without its name.
std::string figures_text(const StudyRun& run, const RungRow& row,
                         const std::vector<Column>& columns) {
  std::string text;
  const std::size_t lines = lines_of(run, row);
  for (std::size_t i = 0; i < lines; ++i) {
    if (i > 0) text += "\n" + std::string(name_width_of(run), ' ');
    Cells cells = cells_of(run, row, i);
    if (i + 1 == lines && run.report.empty()) cells["document"] = document_text(row);
    for (const Column& each : columns) text += aligned(each, cells[each.title]);
  }
  return text;
}

// Formats a row of the CPU, which has a time but no counts.
std::string cpu_text(const RungRow& row, std::vector<Column> columns) {
  const bool has_document = columns.back().title == "document";
  std::string text = fmt::format("{:>12} us on this CPU", short_number(row.batch->median_us));
  if (!has_document) return text;
  const Column document = columns.back();
  columns.pop_back();
  return fmt::format("{:<{}}", text, width_of(columns)) + aligned(document, document_text(row));
}

// Returns a blank and the idea, cut off at the terminal's width.
std::string idea_text(const std::string& idea, std::size_t used, std::size_t width) {
  if (idea.empty() || width == 0) return idea.empty() ? "" : " " + idea;
  const std::size_t room = width - std::min(width, used + 1);
  return room < least_of_an_idea ? "" : " " + io::shortened(idea, room);
}

// Returns a row's name, block shape, and the values that axes may have set.
std::string study_row_name(const std::string& kernel, const emulator::Dim3& block,
                           const ladders::Variables& parameters, const ladders::Variables& axes) {
  std::string text = fmt::format("{} ({})", kernel, block_text(block));
  for (const auto& values : {parameters, axes}) {
    if (!values.empty()) text += " " + parameters_text(values);
  }
  return text;
}

std::string row_name_without_setting(const StudyRun& run, const RungRow& row) {
  if (!run.is_ladder)
    return study_row_name(row.rung, row.block, row.parameters, row.axis_constants);
  std::string name =
      row.on_cpu ? row.rung : fmt::format("{} ({})", row.rung, block_text(row.block));
  if (!row.axis_constants.empty()) name += " " + parameters_text(row.axis_constants);
  return name;
}

std::string row_name(const StudyRun& run, const RungRow& row) {
  const std::string setting = text_of(row.setting);
  return row_name_without_setting(run, row) + (setting.empty() ? "" : " " + setting);
}

}  // namespace

std::string heading_of(const StudyRun& run) {
  std::string text = run.study + (run.experiment.empty() ? "" : "/" + run.experiment);
  if (!run.title.empty()) text += ": " + run.title;
  text += fmt::format(", on {}", run.device);
  if (run.copy_roof_gb_per_s)
    text += fmt::format(", whose copy reaches {:.0f} GB/s", *run.copy_roof_gb_per_s);
  if (run.read_roof_gb_per_s) {
    text += fmt::format(" and whose reads {:.0f} GB/s", *run.read_roof_gb_per_s);
  }
  if (run.vsadu4_roof_per_s) {
    text += fmt::format(" and {:.1f} T absolute differences/s", *run.vsadu4_roof_per_s * 1e-12);
  }
  if (run.bus) {
    text += fmt::format("; its bus reaches {:.1f} GB/s up, {:.1f} down, {:.1f} both ways at once",
                        run.bus->up_gb_per_s, run.bus->down_gb_per_s, run.bus->both_gb_per_s);
  }
  if (run.model) {
    text += fmt::format("; counts, and times modelled for {}", run.model->gpu);
  } else if (!run.on_gpu) {
    text += "; counts instead of times";
  }
  if (!run.document_device.empty()) {
    text += fmt::format("; the document's figures are of a {} at {}x{}", run.document_device,
                        run.document_size.width, run.document_size.height);
  }
  if (!run.missing.empty()) text += "\n" + run.missing;
  return text + "\n";
}

bool begins_table(const StudyRun& run, const RungRow* before, const RungRow& row) {
  if (before == nullptr || before->size != row.size) return true;
  return run.report.empty() && before->parameters != row.parameters;
}

std::string legend_of(const StudyRun& run, std::size_t width) {
  std::string text;
  for (const Column& each : columns_within(run, width)) {
    if (!each.meaning.empty()) text += fmt::format("  {:<12} {}\n", each.title, each.meaning);
  }
  if (!run.counters_library.empty()) {
    text +=
        "  ratio        the GPU's counter divided by the emulator's count. They differ for "
        "instructions: ptxas changes PTX when it makes machine code\n";
  }
  return text;
}

std::string columns_of(const StudyRun& run, const RungRow& row, std::size_t width) {
  std::string text = fmt::format("{}x{}", row.size.width, row.size.height);
  if (run.report.empty() && !row.parameters.empty()) text += ", " + parameters_text(row.parameters);
  const std::vector<Column> columns = columns_within(run, width);
  const std::size_t hidden = all_columns(run).size() - columns.size();
  if (hidden > 0)
    text += fmt::format("; {} more column{} in a wider terminal", hidden, hidden > 1 ? "s" : "");
  text += "\n" + std::string(name_width_of(run), ' ');
  for (const Column& each : columns) text += aligned(each, each.title);
  const std::size_t used = name_width_of(run) + width_of(columns);
  if (run.report.empty() && (width == 0 || used + 1 + least_of_an_idea <= width)) text += " idea";
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string line_of(const StudyRun& run, const RungRow& row, std::size_t width) {
  const std::size_t name_width = name_width_of(run);
  std::string text = fmt::format("{:<{}}", row_name(run, row), name_width);
  if (!text.ends_with(' ')) text += ' ';
  if (!row.skipped.empty()) return text + "skipped: " + row.skipped + "\n";
  if (!row.wrong.empty()) return text + "WRONG: " + row.wrong + "\n";
  const std::vector<Column> columns = columns_within(run, width);
  const bool is_cpu_in_emulator = row.on_cpu && !run.on_gpu && run.report.empty();
  text += is_cpu_in_emulator ? cpu_text(row, columns) : figures_text(run, row, columns);
  if (run.report.empty()) text += idea_text(row.idea, name_width + width_of(columns), width);
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (const RungResources& each : row.resources) {
    if (each.why_not.empty()) continue;
    text += fmt::format("    cannot run on CC {}: {}\n", rules::to_string(each.compute_capability),
                        each.why_not);
  }
  return text;
}

std::string knees_of(const StudyRun& run) {
  if (!run.knee) return "";
  std::string text = fmt::format("\nknees of {} over {}", run.knee->of, run.knee->axis);
  if (run.knees.empty()) return text + ": none without times; run on a GPU\n";
  text += ", where a flat part ends and a rising line begins\n";
  for (const SeriesKnee& each : run.knees) {
    const std::string name =
        fmt::format("{} {}x{}",
                    study_row_name(each.rung, each.block, each.parameters, each.axis_constants),
                    each.size.width, each.size.height) +
        (each.setting == Setting{} ? "" : " " + text_of(each.setting));
    text += fmt::format("{:<{}} ", name, name_width - 1);
    const std::optional<Knee>& knee = each.search.knee;
    text +=
        knee ? fmt::format(
                   "at {}: {} us up to there, then {:.3g} us per unit; points deviate by up to {}",
                   short_number(knee->at), short_number(knee->level), knee->slope,
                   percent(knee->largest_deviation))
             : "none: " + each.search.why_none;
    text += "\n";
  }
  return text;
}

std::string halved_text(const StudyRun& run) {
  std::string text;
  for (const Halved& each : halved_of(run)) {
    if (text.empty()) {
      text = fmt::format(
          "\nloss of a kernel's speed; 50% means twice the "
          "time\n{:<{}}{:>10}{:>16}{:>16}{:>16}{:>16}  bound "
          "by\n{:<{}}{:>10}{:>16}{:>16}{:>16}{:>16}\n",
          "", name_width, "SMs", "SMs halved,", "SMs halved,", "memory halved,", "memory halved,",
          "", name_width, "", "all of memory", "half of memory", "many SMs", "half the SMs");
    }
    RungRow row = each.row;
    row.setting = {};
    text +=
        fmt::format("{:<{}}{:>10}{:>16}{:>16}{:>16}{:>16}  {}\n", row_name(run, row), name_width,
                    fmt::format("{}, {}", each.many, each.half), percent(each.sms_at_all_bandwidth),
                    percent(each.sms_at_half_bandwidth), percent(each.bandwidth_at_many_sms),
                    percent(each.bandwidth_at_half_sms), each.bound_by());
  }
  return text;
}

std::string transfers_of(const StudyRun& run) {
  std::string text;
  for (const TransferRow& each : run.transfers) {
    text += fmt::format("{}transfers at {}x{}{}{}: {} us up, {} us down, page-locked\n",
                        text.empty() ? "\n" : "", each.size.width, each.size.height,
                        each.parameters.empty() ? "" : ", ", parameters_text(each.parameters),
                        short_number(each.upload_us), short_number(each.download_us));
  }
  return text;
}

}  // namespace warpwise::lab
