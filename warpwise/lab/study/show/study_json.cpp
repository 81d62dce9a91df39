#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "warpwise/io/printable.hpp"
#include "warpwise/lab/study/counters/counters_csv.hpp"
#include "warpwise/lab/study/show/figures.hpp"
#include "warpwise/lab/study/show/halved.hpp"
#include "warpwise/lab/study/show/series_knees.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::lab {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson traffic_json(const emulator::TrafficCounts& counts) {
  return {{"requests", counts.requests},
          {"transactions_32", counts.transactions_32},
          {"transactions_64", counts.transactions_64},
          {"transactions_128", counts.transactions_128}};
}

OrderedJson passes_json(const emulator::PassCounts& counts) {
  return {{"requests", counts.requests}, {"passes", counts.passes}};
}

OrderedJson json_of(const RungCounts& counts) {
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
          {"executed_threads", counts.possible_references},
          {"idle_threads", counts.unmade_references},
          {"thread_efficiency_percent", counts.thread_efficiency_percent},
          {"load_transactions_per_request", counts.load_transactions_per_request},
          {"global_load", traffic_json(counts.global_load)},
          {"global_store", traffic_json(counts.global_store)},
          {"shared_load", passes_json(counts.shared_load)},
          {"shared_store", passes_json(counts.shared_store)}};
}

OrderedJson json_of(const CounterReading& reading) {
  OrderedJson launches = OrderedJson::array();
  for (const LaunchCounters& each : reading.launches) {
    launches.push_back({{"kernel", each.kernel},
                        {"grid", {each.grid.x, each.grid.y, each.grid.z}},
                        {"metrics", each.values}});
  }
  return {{"size", {reading.size.width, reading.size.height}}, {"launches", launches}};
}

// Writes the GPU's hardware counters for the problem that the emulator counted too. The array
// "compared" has the emulator's counts, each beside its counter.
OrderedJson compared_json(const RungRow& row) {
  OrderedJson object = json_of(*row.compared_counters);
  if (!row.not_comparable.empty()) object["not_comparable"] = row.not_comparable;
  for (const RungCounts& counts : row.counts) {
    for (const ComparedCount& each : compared_counts(counts, *row.compared_counters)) {
      object["compared"].push_back(json_of(each));
    }
  }
  return object;
}

template <class T>
void put(OrderedJson& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

OrderedJson json_of(const EndToEnd& times) {
  OrderedJson object = json_of(times.total);
  put(object, "upload_us", times.upload_us);
  put(object, "kernel_us", times.kernel_us);
  put(object, "download_us", times.download_us);
  put(object, "kernel_share", kernel_share(times));
  object["bytes_up"] = times.bytes_up;
  object["bytes_down"] = times.bytes_down;
  return object;
}

OrderedJson json_of(const Setting& setting) {
  if (setting.transfer) return {{"transfer", text_of(*setting.transfer)}};
  return {{"sm_percent", setting.sm_percent}, {"neighbour_percent", setting.neighbour_percent}};
}

OrderedJson json_of(const Halved& halved) {
  OrderedJson object = {{"rung", halved.row.rung},
                        {"size", {halved.row.size.width, halved.row.size.height}},
                        {"parameters", halved.row.parameters}};
  if (!halved.row.axis_constants.empty()) object["axes"] = halved.row.axis_constants;
  object["block"] = {halved.row.block.x, halved.row.block.y, halved.row.block.z};
  object["multiprocessors"] = {halved.many, halved.half};
  put(object, "multiprocessors_halved_at_all_bandwidth", halved.sms_at_all_bandwidth);
  put(object, "multiprocessors_halved_at_half_bandwidth", halved.sms_at_half_bandwidth);
  put(object, "bandwidth_halved_at_many_multiprocessors", halved.bandwidth_at_many_sms);
  put(object, "bandwidth_halved_at_half_multiprocessors", halved.bandwidth_at_half_sms);
  if (!halved.bound_by().empty()) object["hangs_on"] = halved.bound_by();
  return object;
}

OrderedJson json_of(const RungRow& row) {
  OrderedJson object = {{"rung", row.rung},
                        {"idea", row.idea},
                        {"rows", row.document_rows},
                        {"size", {row.size.width, row.size.height}},
                        {"parameters", row.parameters}};
  if (!row.axis_constants.empty()) object["axes"] = row.axis_constants;
  if (row.on_cpu)
    object["on_cpu"] = true;
  else
    object["block"] = {row.block.x, row.block.y, row.block.z};
  if (row.setting != Setting{} || row.multiprocessors) object["setting"] = json_of(row.setting);
  if (!row.skipped.empty()) object["skipped"] = row.skipped;
  if (!row.wrong.empty()) object["wrong"] = row.wrong;
  if (row.cold) object["cold"] = json_of(*row.cold);
  if (row.batch) object[row.on_cpu ? "time" : "batch"] = json_of(*row.batch);
  if (row.end_to_end) object["end_to_end"] = json_of(*row.end_to_end);
  put(object, "multiprocessors", row.multiprocessors);
  put(object, "neighbour_gb_per_s", row.neighbour_gb_per_s);
  put(object, "bandwidth_left", row.bandwidth_left);
  put(object, "sm_clock_mhz", row.sm_clock_mhz);
  put(object, "gb_per_s", row.gb_per_s);
  put(object, "share_of_roof", row.share_of_roof);
  if (!row.roof.empty()) object["roof"] = row.roof;
  if (!row.step_before.empty()) object["step_before"] = row.step_before;
  put(object, "speedup_over_step_before", row.speedup_over_step_before);
  put(object, "speedup_over_first", row.speedup_over_first);
  for (const RungResources& each : row.resources) {
    OrderedJson resources = {{"compute_capability", rules::to_string(each.compute_capability)}};
    put(resources, "registers", each.registers);
    if (!each.registers_from.empty()) resources["registers_from"] = each.registers_from;
    put(resources, "spill_bytes", each.spill_bytes);
    put(resources, "occupancy", each.occupancy);
    if (!each.why_not.empty()) resources["why_not"] = each.why_not;
    if (const auto& known = each.global_instructions) {
      resources["global_instructions"] = {{"ldg_32", known->ldg_32},   {"ldg_64", known->ldg_64},
                                          {"ldg_128", known->ldg_128}, {"stg_32", known->stg_32},
                                          {"stg_64", known->stg_64},   {"stg_128", known->stg_128}};
    }
    object["resources"].push_back(resources);
  }
  for (const RungCounts& each : row.counts) object["counts"].push_back(json_of(each));
  if (row.modelled)
    object["modelled"] = {{"time_us", row.modelled->us}, {"filled_us", row.modelled->filled_us}};
  if (row.counters) object["counters"] = json_of(*row.counters);
  if (row.compared_counters) object["counters_of_counts"] = compared_json(row);
  put(object, "document_time_us", row.document.time_us);
  put(object, "document_speedup_over_first", row.document_speedup_over_first);
  if (row.document_cpu) {
    object["document_threads"] = row.document_cpu->threads;
    put(object, "document_time_us", row.document_cpu->time_us);
    put(object, "document_gpu_speedup", row.document_cpu->gpu_speedup);
  }
  return object;
}

OrderedJson json_of(const SeriesKnee& series) {
  OrderedJson object = {{"rung", series.rung},
                        {"size", {series.size.width, series.size.height}},
                        {"parameters", series.parameters}};
  if (!series.axis_constants.empty()) object["axes"] = series.axis_constants;
  object["block"] = {series.block.x, series.block.y, series.block.z};
  if (series.setting != Setting{}) object["setting"] = json_of(series.setting);
  if (const std::optional<Knee>& knee = series.search.knee) {
    object["at"] = knee->at;
    object["level_us"] = knee->level;
    object["slope_us"] = knee->slope;
    object["largest_deviation"] = knee->largest_deviation;
  } else {
    object["none"] = series.search.why_none;
  }
  return object;
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

// Columns that every run has. They follow the column with the ladder's or study's name.
constexpr std::string_view first_columns =
    "rung,rows,width,height,parameters,block,not_run,cold_us,cold_p5_us,cold_p95_us,"
    "batch_us,batch_p5_us,batch_p95_us,gb_per_s,share_of_roof,step_before,"
    "speedup_over_step_before,speedup_over_first,compute_capability,registers,occupancy,"
    "warp_instructions,active_lanes,divergent_branches,references_per_pixel,"
    "transactions_per_request,shared_passes_per_request,document_time_us,"
    "document_speedup_over_first,document_gpu_speedup";

// Returns the figures of figure_names that are not among first_columns.
std::vector<std::string_view> further_figures() {
  std::vector<std::string_view> figures;
  for (const std::string_view each : figure_names) {
    if (first_columns.find(fmt::format(",{},", each)) == std::string_view::npos) {
      figures.push_back(each);
    }
  }
  return figures;
}

// Returns the CSV columns that a run has if sm_percent, neighbour_percent or transfer is an axis.
std::vector<std::string> setting_columns(const StudyRun& run) {
  std::vector<std::string> columns;
  if (run.varies_gpu_share) {
    columns = {"sm_percent", "neighbour_percent", "multiprocessors", "neighbour_gb_per_s",
               "bandwidth_left"};
  }
  if (run.varies_transfer) {
    columns = {"transfer",  "total_us",    "total_p5_us",  "total_p95_us", "upload_us",
               "kernel_us", "download_us", "kernel_share", "bytes_up",     "bytes_down"};
  }
  return columns;
}

std::vector<std::string> setting_fields(const StudyRun& run, const RungRow& row) {
  const std::size_t columns = setting_columns(run).size();
  std::vector<std::string> fields;
  if (run.varies_gpu_share && !row.on_cpu) {
    fields = {std::to_string(row.setting.sm_percent), std::to_string(row.setting.neighbour_percent),
              field(row.multiprocessors), field(row.neighbour_gb_per_s), field(row.bandwidth_left)};
  }
  if (run.varies_transfer && row.setting.transfer) fields = {text_of(*row.setting.transfer)};
  if (row.end_to_end) {
    const EndToEnd& times = *row.end_to_end;
    for (std::string& each : timing_fields(times.total)) fields.push_back(std::move(each));
    for (const std::optional<double>& each :
         {times.upload_us, times.kernel_us, times.download_us, kernel_share(times)}) {
      fields.push_back(field(each));
    }
    fields.push_back(std::to_string(times.bytes_up));
    fields.push_back(std::to_string(times.bytes_down));
  }
  fields.resize(columns);
  return fields;
}

// Returns the constants that axes set in any row.
std::vector<std::string> axes_of(const StudyRun& run) {
  std::set<std::string> names;
  for (const RungRow& row : run.rows) {
    for (const auto& [name, value] : row.axis_constants) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string csv_line(const StudyRun& run, const RungRow& row, std::size_t index,
                     const std::vector<std::string>& axes, const CounterColumns& counters) {
  const RungResources* const resources =
      index < row.resources.size() ? &row.resources[index] : nullptr;
  const RungCounts* const counts = index < row.counts.size() ? &row.counts[index] : nullptr;
  std::vector<std::string> fields = {
      run.study,
      row.rung,
      io::csv_field(fmt::format("{}", fmt::join(row.document_rows, " "))),
      std::to_string(row.size.width),
      std::to_string(row.size.height),
      io::csv_field(parameters_text(row.parameters)),
      row.on_cpu ? "" : block_text(row.block),
      io::csv_field(row.skipped.empty() ? row.wrong : row.skipped)};
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
  for (const std::string_view each : further_figures()) {
    fields.push_back(field(figure_of(row, index, each)));
  }
  for (const std::string& axis : axes) {
    const auto found = row.axis_constants.find(axis);
    fields.push_back(found == row.axis_constants.end() ? "" : std::to_string(found->second));
  }
  for (std::string& each : setting_fields(run, row)) fields.push_back(std::move(each));
  if (run.knee) {
    const auto series = std::find_if(
        run.knees.begin(), run.knees.end(),
        [&](const SeriesKnee& each) { return is_of_series(row, each, run.knee->axis); });
    const bool found = series != run.knees.end() && series->search.knee;
    fields.push_back(found ? fmt::format("{}", series->search.knee->at) : "");
  }
  for (std::string& each : counters.fields_of(row, counts)) fields.push_back(std::move(each));
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

nlohmann::ordered_json json_of(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"p5_us", timing.p5_us},
          {"p95_us", timing.p95_us},
          {"samples", timing.samples},
          {"dropped", timing.dropped}};
}

nlohmann::ordered_json json_of(const ComparedCount& count) {
  OrderedJson object = {{"count", count.name},
                        {"emulator", count.counted},
                        {"metric", count.metric},
                        {"gpu", count.measured}};
  if (count.counted != 0) object["ratio"] = count.measured / count.counted;
  return object;
}

nlohmann::ordered_json json_of(const StudyRun& run) {
  OrderedJson machine = {{"device", run.device},
                         {"compute_capability", rules::to_string(run.compute_capability)}};
  if (run.on_gpu) {
    machine["multiprocessors"] = run.multiprocessors;
    machine["cuda_driver"] = run.driver_version;
  }
  OrderedJson rows = OrderedJson::array();
  for (const RungRow& each : run.rows) rows.push_back(json_of(each));
  OrderedJson object = {{run.is_ladder ? "ladder" : "study", run.study}};
  if (!run.experiment.empty()) {
    object["experiment"] = run.experiment;
    object["title"] = run.title;
    object["rows"] = run.document_rows;
  }
  if (!run.named_rungs.empty()) object["named_rungs"] = run.named_rungs;
  if (!run.report.empty()) object["report"] = run.report;
  if (run.interrupted) object["interrupted"] = true;
  if (!run.document_device.empty()) {
    object["document_device"] = run.document_device;
    object["document_size"] = {run.document_size.width, run.document_size.height};
  }
  object["machine"] = machine;
  object["method"] = run.method;
  if (!run.missing.empty()) object["missing"] = run.missing;
  if (run.model) object["modelled_for"] = run.model->device;
  put(object, "copy_roof_gb_per_s", run.copy_roof_gb_per_s);
  put(object, "read_roof_gb_per_s", run.read_roof_gb_per_s);
  put(object, "absolute_differences_roof_per_s", run.vsadu4_roof_per_s);
  if (!run.counters_unavailable.empty()) {
    object["counters"]["unavailable"] = run.counters_unavailable;
  } else if (!run.counters_library.empty()) {
    object["counters"] = {{"library", run.counters_library}, {"left_out", run.counters_left_out}};
  }
  for (const TransferRow& each : run.transfers) {
    object["transfers"].push_back({{"size", {each.size.width, each.size.height}},
                                   {"parameters", each.parameters},
                                   {"upload_us", each.upload_us},
                                   {"download_us", each.download_us}});
  }
  if (run.knee) {
    object["knee"] = {{"axis", run.knee->axis}, {"of", run.knee->of}};
    object["knees"] = OrderedJson::array();
    for (const SeriesKnee& each : run.knees) object["knees"].push_back(json_of(each));
  }
  if (run.bus) {
    object["bus"] = {{"up_gb_per_s", run.bus->up_gb_per_s},
                     {"down_gb_per_s", run.bus->down_gb_per_s},
                     {"both_gb_per_s", run.bus->both_gb_per_s}};
  }
  for (const Halved& each : halved_of(run)) object["halved"].push_back(json_of(each));
  object["results"] = rows;
  return object;
}

std::string csv_of(const StudyRun& run) {
  const std::vector<std::string> axes = axes_of(run);
  const CounterColumns counters(run);
  const std::vector<std::string> counter_names = counters.names();
  std::vector<std::string> last = axes;
  for (std::string& each : setting_columns(run)) last.push_back(std::move(each));
  std::string text = fmt::format(
      "{},{},{}{}{}{}{}{}\n", run.is_ladder ? "ladder" : "study", first_columns,
      fmt::join(further_figures(), ","), last.empty() ? "" : ",", fmt::join(last, ","),
      run.knee ? ",knee" : "", counter_names.empty() ? "" : ",", fmt::join(counter_names, ","));
  for (const RungRow& row : run.rows) {
    const std::size_t lines = std::max<std::size_t>({1, row.resources.size(), row.counts.size()});
    for (std::size_t i = 0; i < lines; ++i) text += csv_line(run, row, i, axes, counters);
  }
  return text;
}

}  // namespace warpwise::lab
