#include "warpwise/lab/study/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "warpwise/lab/study/figures.hpp"

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
constexpr std::size_t name_width = 44;  // where the values of axes stand behind a name

// A number in `width` places with three digits that count, or blanks.
std::string cell(const std::optional<double>& value, int width) {
  if (!value) return std::string(static_cast<std::size_t>(width), ' ');
  const double v = *value;
  if (v >= 100) return fmt::format("{:>{}.0f}", v, width);
  return v >= 10 ? fmt::format("{:>{}.1f}", v, width) : fmt::format("{:>{}.2f}", v, width);
}

std::string trimmed(double value) {
  std::string text = cell(value, 0);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:>4.0f}%", 100 * *share) : "     ";
}

std::string counts_text(const RungCounts& counts) {
  return cell(counts.references_per_pixel, 8) + cell(counts.transactions_per_request, 7) +
         (counts.shared_passes_per_request > 0 ? cell(counts.shared_passes_per_request, 7)
                                               : std::string(7, ' '));
}

std::string resources_text(const RungResources& resources) {
  return (resources.registers ? fmt::format("{:>5}", *resources.registers) : "     ") +
         percent(resources.occupancy);
}

// In as many places in every row.
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
  return fmt::format("{:<17}", text);
}

std::string gpu_line(const RungRow& row) {
  const std::optional<Timing>& shown = row.cold ? row.cold : row.batch;  // a CPU has no cold time
  std::string text = cell(shown->median_us, 9) +
                     fmt::format(" {:<17}", fmt::format("[{}, {}]", trimmed(shown->p5_us),
                                                        trimmed(shown->p95_us)));
  text += row.on_cpu ? std::string(9, ' ') : cell(row.batch->median_us, 9);
  text += cell(row.gb_per_s, 7) + percent(row.share_of_roof) +
          cell(row.speedup_over_step_before, 7) + cell(row.speedup_over_first, 7);
  text += row.resources.empty() ? std::string(10, ' ') : resources_text(row.resources[0]);
  text += row.counts.empty() ? std::string(22, ' ') : counts_text(row.counts[0]);
  return text + "  " + document_text(row);
}

std::string emulator_lines(const RungRow& row) {
  if (row.on_cpu) {
    return fmt::format("{:<85}  {}", cell(row.batch->median_us, 12) + " us on this CPU",
                       document_text(row));
  }
  std::string text;
  for (std::size_t i = 0; i < row.counts.size(); ++i) {
    const RungCounts& counts = row.counts[i];
    if (i > 0) text += "\n" + std::string(32, ' ');
    text += fmt::format("{:>12}{:>6.1f}", counts.warp_instructions, counts.active_lanes) +
            counts_text(counts) + cell(counts.bytes_moved_per_pixel, 8) +
            fmt::format("{:>10}{:>10}", counts.branches, counts.divergent_branches) +
            resources_text(row.resources[i]) +
            fmt::format("  {:<5}", rules::to_string(counts.compute_capability));
  }
  return text + "  " + document_text(row);
}

// The columns of a study that says itself what to show. Times are of a GPU alone.
std::vector<std::string_view> shown_figures(const StudyRun& run) {
  std::vector<std::string_view> result;
  for (const std::string& each : run.report) {
    const auto* const found = std::find(figure_names.begin(), figure_names.end(), each);
    const bool is_time = found - figure_names.begin() < std::ptrdiff_t{timed_figures};
    if (run.on_gpu || !is_time) result.push_back(*found);
  }
  return result;
}

std::size_t width_of(std::string_view figure) {
  return std::max<std::size_t>(figure.size(), 9) + 2;
}

std::string exact_or_rounded(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : trimmed(value);
}

// A line for each compute capability that the row has something of.
std::string study_lines(const StudyRun& run, const RungRow& row) {
  std::string text;
  const std::size_t lines = std::max<std::size_t>({1, row.counts.size(), row.resources.size()});
  for (std::size_t i = 0; i < lines; ++i) {
    if (i > 0) text += "\n" + std::string(name_width, ' ');
    for (const std::string_view each : shown_figures(run)) {
      const std::optional<double> value = figure_of(row, i, each);
      text += fmt::format("{:>{}}", value ? exact_or_rounded(*value) : "", width_of(each));
    }
    if (i < row.counts.size()) {
      text += fmt::format("  {:<5}", rules::to_string(row.counts[i].compute_capability));
    }
  }
  return text;
}

std::string study_columns(const StudyRun& run, const RungRow& row) {
  std::string text = fmt::format("{}x{}\n{:<{}}", row.size.width, row.size.height, "", name_width);
  for (const std::string_view each : shown_figures(run)) {
    text += fmt::format("{:>{}}", each, width_of(each));
  }
  return text + "  CC\n";
}

// With what an axis may have set.
std::string study_row_name(const RungRow& row) {
  std::string text = fmt::format("{} ({})", row.rung, block_text(row.block));
  for (const auto& values : {row.parameters, row.axes}) {
    if (!values.empty()) text += " " + parameters_text(values);
  }
  return text;
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
  if (!run.on_gpu) text += "; counts in the place of times";
  if (!run.document_device.empty()) {
    text += fmt::format("; the document's figures are of a {} at {}x{}", run.document_device,
                        run.document_size.width, run.document_size.height);
  }
  return text + "\n";
}

bool begins_table(const StudyRun& run, const RungRow* before, const RungRow& row) {
  if (before == nullptr || before->size != row.size) return true;
  return run.report.empty() && before->parameters != row.parameters;
}

std::string columns_of(const StudyRun& run, const RungRow& row) {
  if (!run.report.empty()) return study_columns(run, row);
  std::string work = fmt::format("{}x{}", row.size.width, row.size.height);
  if (!row.parameters.empty()) work += ", " + parameters_text(row.parameters);
  work += "\n";
  if (!run.on_gpu) {
    return work +
           fmt::format(
               "{:<32}{:>12}{:>6}{:>8}{:>7}{:>7}{:>8}{:>10}{:>10}{:>5}{:>5}  {:<5}  {:<17} {}\n",
               "", "warp instr.", "lanes", "refs/px", "tx/req", "sh/req", "B/px", "branches",
               "divergent", "regs", "occ.", "CC", "document", "idea");
  }
  return work +
         fmt::format(
             "{:<32}{:>9} {:<17}{:>9}{:>7}{:>5}{:>7}{:>7}{:>5}{:>5}{:>8}{:>7}{:>7}  {:<17} {}\n",
             "", "cold us", "[p5, p95]", "batch us", "GB/s", "roof", "step", "all", "regs", "occ.",
             "refs/px", "tx/req", "sh/req", "document", "idea");
}

std::string line_of(const StudyRun& run, const RungRow& row) {
  std::string name =
      row.on_cpu ? row.rung : fmt::format("{} ({})", row.rung, block_text(row.block));
  if (!run.is_ladder) name = study_row_name(row);
  if (!row.axes.empty() && run.is_ladder) name += " " + parameters_text(row.axes);
  const std::size_t width = run.report.empty() ? ladder_name_width : name_width;
  std::string text = fmt::format("{:<{}}", name, width);
  if (!row.skipped.empty()) return text + "skipped: " + row.skipped + "\n";
  if (!row.wrong.empty()) return text + "WRONG: " + row.wrong + "\n";
  if (!run.report.empty()) return text + study_lines(run, row) + "\n";
  return text + (run.on_gpu ? gpu_line(row) : emulator_lines(row)) + " " + row.idea + "\n";
}

std::string transfers_of(const StudyRun& run) {
  std::string text;
  for (const TransferRow& each : run.transfers) {
    text += fmt::format("{}transfers at {}x{}{}{}: {} us up, {} us down, page-locked\n",
                        text.empty() ? "\n" : "", each.size.width, each.size.height,
                        each.parameters.empty() ? "" : ", ", parameters_text(each.parameters),
                        trimmed(each.upload_us), trimmed(each.download_us));
  }
  return text;
}

}  // namespace warpwise::lab
