#include "warpwise/lab/plot/record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/record_field.hpp"

namespace warpwise::lab {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Field = RecordField;
using Figures = std::map<std::string, RecordedFigure>;

std::string text_or_nothing(const Field& object, const char* key) {
  const std::optional<Field> found = object.find(key);
  return found ? found->text() : "";
}

// Reads counts, which lie one or two levels deep. The figure "transactions_32" of "global_load"
// gets the name global_load_32.
void add_numbers(const OrderedJson& object, const std::string& prefix, Figures& figures,
                 int levels_below = 2) {
  constexpr std::string_view implied = "transactions_";
  for (const auto& [key, value] : object.items()) {
    if (value.is_object() && levels_below > 0) {
      add_numbers(value, prefix + key + "_", figures, levels_below - 1);
    }
    if (!value.is_number()) continue;
    const bool shorter = !prefix.empty() && key.starts_with(implied);
    figures[prefix + (shorter ? key.substr(implied.size()) : key)] = {value.get<double>(),
                                                                      std::nullopt, std::nullopt};
  }
}

// Derives the spread of a figure that is inversely proportional to a time from the time's spread.
void spread_like_the_time(const RecordedFigure& time, RecordedFigure& figure) {
  figure.low = figure.value * time.value / *time.high;
  figure.high = figure.value * time.value / *time.low;
}

Figures figures_of(const Field& row) {
  Figures figures;
  for (const auto& [key, value] : row.object().items()) {
    if (value.is_number()) figures[key] = {value.get<double>(), std::nullopt, std::nullopt};
  }
  if (const auto time = row.find("document_time_us")) time->positive();
  if (const auto whole = row.find("end_to_end")) figures["end_to_end_us"] = timing_of(*whole);
  if (const auto batch = row.find("batch")) figures["batch_us"] = timing_of(*batch);
  if (const auto cold = row.find("cold")) {
    const RecordedFigure time = figures["cold_us"] = timing_of(*cold);
    for (const char* name : {"gb_per_s", "share_of_roof"}) {
      const auto found = figures.find(name);
      if (found != figures.end()) spread_like_the_time(time, found->second);
    }
  }
  return figures;
}

void add_by_capability(const Field& list, RecordedRow& row) {
  for (const Field& each : list.list()) {
    const std::string capability = each.at("compute_capability").text();
    auto& all = row.by_capability;
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const auto& other) { return other.first == capability; });
    if (found == all.end()) found = all.insert(all.end(), {capability, {}});
    add_numbers(each.object(), "", found->second);
  }
}

std::vector<std::string> texts(const Field& object, const char* key) {
  std::vector<std::string> result;
  const auto found = object.find(key);
  if (!found) return result;
  for (const Field& each : found->list()) result.push_back(each.text());
  return result;
}

std::vector<RecordedCount> compared_of(const Field& row) {
  std::vector<RecordedCount> result;
  const auto counters = row.find("counters_of_counts");
  const auto list = counters ? counters->find("compared") : std::nullopt;
  if (!list) return result;
  for (const Field& each : list->list()) {
    result.push_back({each.at("count").text(), each.at("emulator").number(),
                      each.at("metric").text(), each.at("gpu").number()});
  }
  return result;
}

std::map<std::string, std::int64_t> values_of(const Field& field) {
  std::map<std::string, std::int64_t> values;
  for (const char* key : {"parameters", "axes"}) {
    const auto some = field.find(key);
    if (!some) continue;
    for (const auto& [name, value] : some->object().items())
      values[name] = some->at(name.c_str()).whole();
  }
  return values;
}

RecordedRow row_of(const Field& field) {
  RecordedRow row;
  row.rung = field.at("rung").text();
  row.idea = text_or_nothing(field, "idea");
  row.document_rows = texts(field, "rows");
  row.step_before = text_or_nothing(field, "step_before");
  row.roof = text_or_nothing(field, "roof");
  row.compared = compared_of(field);
  row.size = field.at("size").sides<2>();
  if (const auto block = field.find("block")) row.block = block->sides<3>();
  row.values = values_of(field);
  if (const auto setting = field.find("setting")) {
    for (const auto& [name, value] : setting->object().items()) {
      if (name == "transfer") {
        row.transfer = setting->at("transfer").text();
      } else {
        row.values[name] = setting->at(name.c_str()).whole();
      }
    }
  }
  for (const char* key : {"skipped", "wrong"}) row.not_run += text_or_nothing(field, key);
  if (!row.not_run.empty()) return row;
  row.figures = figures_of(field);
  for (const char* key : {"counts", "resources"}) {
    if (const auto list = field.find(key)) add_by_capability(*list, row);
  }
  if (const auto counts = field.find("counts")) {
    const std::vector<Field> list = counts->list();
    const auto size = list.empty() ? std::nullopt : list.front().find("size");
    if (size) row.counts_size = size->sides<2>();
  }
  return row;
}

RecordedCpuRow cpu_row_of(const Field& field) {
  RecordedCpuRow row;
  row.name = field.at("rung").text();
  row.size = field.at("size").sides<2>();
  row.not_run = text_or_nothing(field, "skipped") + text_or_nothing(field, "wrong");
  if (const auto time = field.find("time")) row.time_us = timing_of(*time);
  if (const auto time = field.find("document_time_us")) row.document_time_us = time->positive();
  return row;
}

RecordedKnee knee_of(const Field& field) {
  RecordedKnee knee;
  knee.rung = field.at("rung").text();
  knee.size = field.at("size").sides<2>();
  if (const auto block = field.find("block")) knee.block = block->sides<3>();
  knee.values = values_of(field);
  knee.none = text_or_nothing(field, "none");
  if (!knee.none.empty()) return knee;
  knee.at = field.at("at").number();
  knee.level_us = field.at("level_us").number();
  knee.slope_us = field.at("slope_us").number();
  return knee;
}

RecordedHalving halving_of(const Field& field) {
  RecordedHalving halving;
  halving.rung = field.at("rung").text();
  if (const auto block = field.find("block")) halving.block = block->sides<3>();
  halving.bound_by = text_or_nothing(field, "hangs_on");
  for (const auto& [key, value] : field.object().items()) {
    if (value.is_number()) halving.losses[key] = value.get<double>();
  }
  return halving;
}

std::string origin_of(const Field& machine) {
  std::string text = text_or_nothing(machine, "commit");
  if (!text.empty()) text = "commit " + text;
  const std::string date = text_or_nothing(machine, "date").substr(0, 10);
  return text.empty() || date.empty() ? text + date : text + ", " + date;
}

}  // namespace

RecordedFigure timing_of(const Field& timing) {
  return {timing.at("median_us").positive(), timing.at("p5_us").positive(),
          timing.at("p95_us").positive()};
}

std::vector<std::pair<std::string, std::string>> machine_of(const Field& machine) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [key, value] : machine.object().items()) {
    if (value.is_string()) result.emplace_back(key, value.get<std::string>());
    if (value.is_number()) result.emplace_back(key, value.dump());
  }
  return result;
}

Record read_record(const nlohmann::ordered_json& json, const std::string& name) {
  const Field root(json, name);
  if (json.is_array()) {
    throw InvalidArgument(name + " holds a list of runs; a plot is of one");
  }
  Record record;
  record.is_ladder = root.find("ladder").has_value();
  record.study = root.at(record.is_ladder ? "ladder" : "study").text();
  record.experiment = text_or_nothing(root, "experiment");
  record.named_rungs = texts(root, "named_rungs");
  record.title = text_or_nothing(root, "title");
  record.document_rows = texts(root, "rows");
  record.report = texts(root, "report");
  const Field machine = root.at("machine");
  record.device = text_or_nothing(machine, machine.find("gpu") ? "gpu" : "device");
  record.origin = origin_of(machine);
  if (const auto interrupted = root.find("interrupted")) record.interrupted = interrupted->truth();
  record.machine = machine_of(machine);
  record.method = text_or_nothing(root, "method");
  record.document_device = text_or_nothing(root, "document_device");
  if (const auto size = root.find("document_size")) record.document_size = size->sides<2>();
  record.has_counters = root.find("counters").has_value();
  for (const auto& [key, value] : root.object().items()) {
    if (value.is_number()) record.roofs[key] = value.get<double>();
  }
  if (const auto knee = root.find("knee")) record.knee_axis = knee->at("axis").text();
  if (const auto knees = root.find("knees")) {
    for (const Field& each : knees->list()) record.knees.push_back(knee_of(each));
  }
  if (const auto halved = root.find("halved")) {
    for (const Field& each : halved->list()) record.halved.push_back(halving_of(each));
  }
  for (const Field& each : root.at("results").list()) {
    if (each.find("on_cpu")) {
      record.cpu_rows.push_back(cpu_row_of(each));
    } else {
      record.rows.push_back(row_of(each));
    }
  }
  return record;
}

Record parse_record(std::string_view text, const std::string& name) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw InvalidArgument(name + " is no JSON; lab run --out writes such records");
  }
  return read_record(json, name);
}

}  // namespace warpwise::lab
