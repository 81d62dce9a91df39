#include "warpwise/lab/plot/record.hpp"

#include <fmt/format.h>

#include <limits>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

using Json = nlohmann::ordered_json;
using Figures = std::map<std::string, RecordedFigure>;

// A value and the way to it, for complaints.
class Field {
 public:
  Field(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw InvalidArgument(
        fmt::format("{} has to be {}; a record is what lab run --out writes", place_, expected));
  }

  const Json& object() const {
    if (!json_.is_object()) fail("an object");
    return json_;
  }
  std::optional<Field> find(const char* key) const {
    const auto found = object().find(key);
    if (found == json_.end()) return std::nullopt;
    return Field(*found, fmt::format("{}, {}", place_, key));
  }
  Field at(const char* key) const {
    if (std::optional<Field> found = find(key)) return *found;
    throw InvalidArgument(
        fmt::format("{} has no \"{}\"; a record is what lab run --out writes", place_, key));
  }
  std::vector<Field> list() const {
    if (!json_.is_array()) fail("a list");
    std::vector<Field> result;
    for (const Json& each : json_) {
      result.emplace_back(each, fmt::format("{}[{}]", place_, result.size()));
    }
    return result;
  }
  std::string text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  bool truth() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
  }
  double number() const {
    if (!json_.is_number()) fail("a number");
    return json_.get<double>();
  }
  std::int64_t whole() const {
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool fits = json_.is_number_integer() &&
                      !(json_.is_number_unsigned() && json_.get<std::uint64_t>() > greatest);
    if (!fits) fail("a whole number");
    return json_.get<std::int64_t>();
  }
  template <std::size_t N>
  std::array<std::int64_t, N> sides() const {
    constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
    const std::vector<Field> fields = list();
    std::array<std::int64_t, N> result{};
    if (fields.size() != N) fail(fmt::format("{} numbers", N));
    for (std::size_t i = 0; i < N; ++i) {
      result[i] = fields[i].whole();
      if (result[i] < 1 || result[i] > longest) fields[i].fail("a length of at least 1");
    }
    return result;
  }

 private:
  const Json& json_;
  std::string place_;
};

std::string text_or_nothing(const Field& object, const char* key) {
  const std::optional<Field> found = object.find(key);
  return found ? found->text() : "";
}

// Counts lie one or two levels deep: "transactions_32" of "global_load" is global_load_32.
void add_numbers(const Json& object, const std::string& prefix, Figures& figures,
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

RecordedFigure timing_of(const Field& timing) {
  return {timing.at("median_us").number(), timing.at("p5_us").number(),
          timing.at("p95_us").number()};
}

// What follows from a time spreads as the time does, the other way round.
void spread_like_the_time(const RecordedFigure& time, RecordedFigure& figure) {
  if (*time.low <= 0 || *time.high <= 0) return;
  figure.low = figure.value * time.value / *time.high;
  figure.high = figure.value * time.value / *time.low;
}

Figures figures_of(const Field& row) {
  Figures figures;
  for (const auto& [key, value] : row.object().items()) {
    if (value.is_number()) figures[key] = {value.get<double>(), std::nullopt, std::nullopt};
  }
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

RecordedRow row_of(const Field& field) {
  RecordedRow row;
  row.rung = field.at("rung").text();
  row.size = field.at("size").sides<2>();
  if (const auto block = field.find("block")) row.block = block->sides<3>();
  for (const char* key : {"parameters", "axes"}) {
    const auto values = field.find(key);
    if (!values) continue;
    for (const auto& [name, value] : values->object().items()) {
      row.values[name] = values->at(name.c_str()).whole();
    }
  }
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
  return row;
}

std::string origin_of(const Field& machine) {
  std::string text = text_or_nothing(machine, "commit");
  if (!text.empty()) text = "commit " + text;
  const std::string date = text_or_nothing(machine, "date").substr(0, 10);
  return text.empty() || date.empty() ? text + date : text + ", " + date;
}

}  // namespace

Record read_record(const nlohmann::ordered_json& json, const std::string& name) {
  const Field root(json, name);
  if (json.is_array()) {
    throw InvalidArgument(name + " holds a list of runs; a plot is of one");
  }
  Record record;
  record.is_ladder = root.find("ladder").has_value();
  record.study = root.at(record.is_ladder ? "ladder" : "study").text();
  record.experiment = text_or_nothing(root, "experiment");
  record.title = text_or_nothing(root, "title");
  if (const auto report = root.find("report")) {
    for (const Field& each : report->list()) record.report.push_back(each.text());
  }
  const Field machine = root.at("machine");
  record.device = text_or_nothing(machine, machine.find("gpu") ? "gpu" : "device");
  record.origin = origin_of(machine);
  if (const auto interrupted = root.find("interrupted")) record.interrupted = interrupted->truth();
  for (const Field& each : root.at("results").list()) {
    if (!each.find("on_cpu")) record.rows.push_back(row_of(each));
  }
  return record;
}

Record parse_record(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw InvalidArgument(name + " is no JSON; a record is what lab run --out writes");
  }
  return read_record(json, name);
}

}  // namespace warpwise::lab
