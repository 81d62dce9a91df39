#include "warpwise/lab/study/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpwise::lab {
namespace {

using Json = nlohmann::ordered_json;

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

Json json_of(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"p5_us", timing.p5_us},
          {"p95_us", timing.p95_us},
          {"samples", timing.samples},
          {"dropped", timing.dropped}};
}

Json json_of(const RungCounts& counts) {
  return {{"compute_capability", rules::to_string(counts.compute_capability)},
          {"size", {counts.size.width, counts.size.height}},
          {"warp_instructions", counts.warp_instructions},
          {"active_lanes", counts.active_lanes},
          {"branches", counts.branches},
          {"divergent_branches", counts.divergent_branches},
          {"barriers", counts.barriers},
          {"references_per_pixel", counts.references_per_pixel},
          {"transactions_per_request", counts.transactions_per_request},
          {"bytes_moved_per_pixel", counts.bytes_moved_per_pixel},
          {"shared_passes_per_request", counts.shared_passes_per_request}};
}

template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

Json json_of(const RungRow& row) {
  Json object = {{"rung", row.rung},
                 {"idea", row.idea},
                 {"rows", row.rows},
                 {"size", {row.size.width, row.size.height}},
                 {"parameters", row.parameters}};
  if (row.on_cpu)
    object["on_cpu"] = true;
  else
    object["block"] = {row.block.x, row.block.y, row.block.z};
  if (!row.skipped.empty()) object["skipped"] = row.skipped;
  if (!row.wrong.empty()) object["wrong"] = row.wrong;
  if (row.cold) object["cold"] = json_of(*row.cold);
  if (row.batch) object[row.on_cpu ? "time" : "batch"] = json_of(*row.batch);
  put(object, "sm_clock_mhz", row.sm_clock_mhz);
  put(object, "gb_per_s", row.gb_per_s);
  put(object, "share_of_roof", row.share_of_roof);
  if (!row.step_before.empty()) object["step_before"] = row.step_before;
  put(object, "speedup_over_step_before", row.speedup_over_step_before);
  put(object, "speedup_over_first", row.speedup_over_first);
  for (const RungResources& each : row.resources) {
    Json resources = {{"compute_capability", rules::to_string(each.compute_capability)}};
    put(resources, "registers", each.registers);
    if (!each.registers_from.empty()) resources["registers_from"] = each.registers_from;
    put(resources, "occupancy", each.occupancy);
    object["resources"].push_back(resources);
  }
  for (const RungCounts& each : row.counts) object["counts"].push_back(json_of(each));
  put(object, "document_time_us", row.document.time_us);
  put(object, "document_speedup_over_first", row.document_speedup_over_first);
  if (row.document_cpu) {
    object["document_threads"] = row.document_cpu->threads;
    put(object, "document_time_us", row.document_cpu->time_us);
    put(object, "document_gpu_speedup", row.document_cpu->gpu_speedup);
  }
  return object;
}

// A field of CSV: quoted where it has to be.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::vector<std::string> timing_fields(const std::optional<Timing>& timing) {
  if (!timing) return {"", "", ""};
  return {fmt::format("{}", timing->median_us), fmt::format("{}", timing->p5_us),
          fmt::format("{}", timing->p95_us)};
}

std::string csv_line(const LadderRun& run, const RungRow& row, const RungResources* resources,
                     const RungCounts* counts) {
  std::vector<std::string> fields = {run.ladder,
                                     row.rung,
                                     fmt::format("{}", fmt::join(row.rows, " ")),
                                     std::to_string(row.size.width),
                                     std::to_string(row.size.height),
                                     quoted(parameters_text(row.parameters)),
                                     row.on_cpu ? "" : block_text(row.block),
                                     quoted(row.skipped.empty() ? row.wrong : row.skipped)};
  for (const auto& timing : {row.cold, row.batch}) {
    for (std::string& each : timing_fields(timing)) fields.push_back(std::move(each));
  }
  fields.push_back(field(row.gb_per_s));
  fields.push_back(field(row.share_of_roof));
  fields.push_back(row.step_before);
  fields.push_back(field(row.speedup_over_step_before));
  fields.push_back(field(row.speedup_over_first));
  fields.push_back(resources == nullptr ? "" : rules::to_string(resources->compute_capability));
  fields.push_back(resources == nullptr ? "" : field(resources->registers));
  fields.push_back(resources == nullptr ? "" : field(resources->occupancy));
  if (counts == nullptr) {
    fields.resize(fields.size() + 6);
  } else {
    for (const double each :
         {static_cast<double>(counts->warp_instructions), counts->active_lanes,
          static_cast<double>(counts->divergent_branches), counts->references_per_pixel,
          counts->transactions_per_request, counts->shared_passes_per_request}) {
      fields.push_back(fmt::format("{}", each));
    }
  }
  fields.push_back(field(row.document_cpu ? row.document_cpu->time_us : row.document.time_us));
  fields.push_back(field(row.document_speedup_over_first));
  fields.push_back(row.document_cpu ? field(row.document_cpu->gpu_speedup) : "");
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::string heading_of(const LadderRun& run) {
  std::string text = run.ladder + (run.experiment.empty() ? "" : "/" + run.experiment);
  if (!run.title.empty()) text += ": " + run.title;
  text += fmt::format(", on {}", run.device);
  if (run.copy_roof_gb_per_s)
    text += fmt::format(", whose copy reaches {:.0f} GB/s", *run.copy_roof_gb_per_s);
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

std::string columns_of(const RungRow& row, bool on_gpu) {
  std::string work = fmt::format("{}x{}", row.size.width, row.size.height);
  if (!row.parameters.empty()) work += ", " + parameters_text(row.parameters);
  work += "\n";
  if (!on_gpu) {
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

std::string line_of(const RungRow& row, bool on_gpu) {
  const std::string name =
      row.on_cpu ? row.rung : fmt::format("{} ({})", row.rung, block_text(row.block));
  std::string text = fmt::format("{:<32}", name);
  if (!row.skipped.empty()) return text + "skipped: " + row.skipped + "\n";
  if (!row.wrong.empty()) return text + "WRONG: " + row.wrong + "\n";
  return text + (on_gpu ? gpu_line(row) : emulator_lines(row)) + " " + row.idea + "\n";
}

std::string transfers_of(const LadderRun& run) {
  std::string text;
  for (const TransferRow& each : run.transfers) {
    text += fmt::format("{}transfers at {}x{}{}{}: {} us up, {} us down, page-locked\n",
                        text.empty() ? "\n" : "", each.size.width, each.size.height,
                        each.parameters.empty() ? "" : ", ", parameters_text(each.parameters),
                        trimmed(each.upload_us), trimmed(each.download_us));
  }
  return text;
}

nlohmann::ordered_json json_of(const LadderRun& run) {
  Json machine = {{"device", run.device},
                  {"compute_capability", rules::to_string(run.compute_capability)}};
  if (run.on_gpu) {
    machine["multiprocessors"] = run.multiprocessors;
    machine["cuda_driver"] = run.driver_version;
  }
  Json rows = Json::array();
  for (const RungRow& each : run.rows) rows.push_back(json_of(each));
  Json object = {{"ladder", run.ladder}};
  if (!run.experiment.empty()) {
    object["experiment"] = run.experiment;
    object["title"] = run.title;
    object["rows"] = run.document_rows;
  }
  if (!run.document_device.empty()) {
    object["document_device"] = run.document_device;
    object["document_size"] = {run.document_size.width, run.document_size.height};
  }
  object["machine"] = machine;
  object["method"] = run.method;
  put(object, "copy_roof_gb_per_s", run.copy_roof_gb_per_s);
  put(object, "absolute_differences_roof_per_s", run.vsadu4_roof_per_s);
  for (const TransferRow& each : run.transfers) {
    object["transfers"].push_back({{"size", {each.size.width, each.size.height}},
                                   {"parameters", each.parameters},
                                   {"upload_us", each.upload_us},
                                   {"download_us", each.download_us}});
  }
  object["results"] = rows;
  return object;
}

std::string csv_of(const LadderRun& run) {
  std::string text =
      "ladder,rung,rows,width,height,parameters,block,not_run,cold_us,cold_p5_us,cold_p95_us,"
      "batch_us,batch_p5_us,batch_p95_us,gb_per_s,share_of_roof,step_before,"
      "speedup_over_step_before,speedup_over_first,compute_capability,registers,occupancy,"
      "warp_instructions,active_lanes,divergent_branches,references_per_pixel,"
      "transactions_per_request,shared_passes_per_request,document_time_us,"
      "document_speedup_over_first,document_gpu_speedup\n";
  for (const RungRow& row : run.rows) {
    const std::size_t lines = std::max<std::size_t>({1, row.resources.size(), row.counts.size()});
    for (std::size_t i = 0; i < lines; ++i) {
      text += csv_line(run, row, i < row.resources.size() ? &row.resources[i] : nullptr,
                       i < row.counts.size() ? &row.counts[i] : nullptr);
    }
  }
  return text;
}

}  // namespace warpwise::lab
