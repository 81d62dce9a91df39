#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "warpwise/lab/study/study_report.hpp"

namespace warpwise::lab {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"p5_us", timing.p5_us},
          {"p95_us", timing.p95_us},
          {"samples", timing.samples},
          {"dropped", timing.dropped}};
}

Json json_of(const emulator::TrafficCounts& counts) {
  return {{"requests", counts.requests},
          {"transactions_32", counts.transactions_32},
          {"transactions_64", counts.transactions_64},
          {"transactions_128", counts.transactions_128}};
}

Json json_of(const emulator::PassCounts& counts) {
  return {{"requests", counts.requests}, {"passes", counts.passes}};
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
          {"shared_passes_per_request", counts.shared_passes_per_request},
          {"global_load", json_of(counts.global_load)},
          {"global_store", json_of(counts.global_store)},
          {"shared_load", json_of(counts.shared_load)},
          {"shared_store", json_of(counts.shared_store)}};
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
  if (!row.axes.empty()) object["axes"] = row.axes;
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
  if (!row.roof.empty()) object["roof"] = row.roof;
  if (!row.step_before.empty()) object["step_before"] = row.step_before;
  put(object, "speedup_over_step_before", row.speedup_over_step_before);
  put(object, "speedup_over_first", row.speedup_over_first);
  for (const RungResources& each : row.resources) {
    Json resources = {{"compute_capability", rules::to_string(each.compute_capability)}};
    put(resources, "registers", each.registers);
    if (!each.registers_from.empty()) resources["registers_from"] = each.registers_from;
    put(resources, "spill_bytes", each.spill_bytes);
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

// What the columns of earlier versions do not have.
constexpr std::string_view counted_figures[] = {
    "spill_bytes",        "global_load_requests",  "global_load_32",     "global_load_64",
    "global_load_128",    "global_store_requests", "global_store_32",    "global_store_64",
    "global_store_128",   "shared_load_requests",  "shared_load_passes", "shared_store_requests",
    "shared_store_passes"};

// The constants that any row has a value of.
std::vector<std::string> axes_of(const StudyRun& run) {
  std::set<std::string> names;
  for (const RungRow& row : run.rows) {
    for (const auto& [name, value] : row.axes) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string csv_line(const StudyRun& run, const RungRow& row, std::size_t index,
                     const std::vector<std::string>& axes) {
  const RungResources* const resources =
      index < row.resources.size() ? &row.resources[index] : nullptr;
  const RungCounts* const counts = index < row.counts.size() ? &row.counts[index] : nullptr;
  std::vector<std::string> fields = {run.study,
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
  for (const std::string_view each : counted_figures) {
    fields.push_back(field(figure_of(row, index, each)));
  }
  for (const std::string& axis : axes) {
    const auto found = row.axes.find(axis);
    fields.push_back(found == row.axes.end() ? "" : std::to_string(found->second));
  }
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

nlohmann::ordered_json json_of(const StudyRun& run) {
  Json machine = {{"device", run.device},
                  {"compute_capability", rules::to_string(run.compute_capability)}};
  if (run.on_gpu) {
    machine["multiprocessors"] = run.multiprocessors;
    machine["cuda_driver"] = run.driver_version;
  }
  Json rows = Json::array();
  for (const RungRow& each : run.rows) rows.push_back(json_of(each));
  Json object = {{run.is_ladder ? "ladder" : "study", run.study}};
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
  put(object, "read_roof_gb_per_s", run.read_roof_gb_per_s);
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

std::string csv_of(const StudyRun& run) {
  const std::vector<std::string> axes = axes_of(run);
  std::string text = fmt::format(
      "{},rung,rows,width,height,parameters,block,not_run,cold_us,cold_p5_us,cold_p95_us,"
      "batch_us,batch_p5_us,batch_p95_us,gb_per_s,share_of_roof,step_before,"
      "speedup_over_step_before,speedup_over_first,compute_capability,registers,occupancy,"
      "warp_instructions,active_lanes,divergent_branches,references_per_pixel,"
      "transactions_per_request,shared_passes_per_request,document_time_us,"
      "document_speedup_over_first,document_gpu_speedup,{}{}{}\n",
      run.is_ladder ? "ladder" : "study", fmt::join(counted_figures, ","), axes.empty() ? "" : ",",
      fmt::join(axes, ","));
  for (const RungRow& row : run.rows) {
    const std::size_t lines = std::max<std::size_t>({1, row.resources.size(), row.counts.size()});
    for (std::size_t i = 0; i < lines; ++i) text += csv_line(run, row, i, axes);
  }
  return text;
}

}  // namespace warpwise::lab
