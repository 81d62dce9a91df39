#include "warpwise/lab/report/records/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/plot/record_field.hpp"

namespace warpwise::lab::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Bench bench_of(const RecordField& root) {
  Bench bench;
  bench.machine = machine_of(root.at("machine"));
  bench.method = root.at("method").text();
  for (const RecordField& each : root.at("rows").list()) {
    BenchRow row;
    row.primitive = each.at("primitive").text();
    if (row.primitive == "roof" || each.find("not_timed")) continue;
    row.variant = each.at("variant").text();
    row.implementation = each.at("implementation").text();
    row.size = {each.at("width").whole(), each.at("height").whole()};
    row.time_us = timing_of(each);
    row.share_of_roof = each.at("share_of_roof").number();
    bench.rows.push_back(std::move(row));
  }
  return bench;
}

bool has(const Json& json, const char* key) { return json.is_object() && json.contains(key); }

void add(const Json& json, const std::string& file, Collection& collection) {
  const auto names = [&](const char* key) { return has(json, key) && json[key].is_string(); };
  if (names("ladder") || names("study")) {
    Record record = read_record(json, file);
    auto& list = record.has_counters ? collection.counted : collection.runs;
    list.push_back({file, std::move(record)});
  } else if (has(json, "rows") && has(json, "roof_gb_per_s")) {
    collection.benches.push_back({file, bench_of(RecordField(json, file))});
  } else if (has(json, "experiments") && has(json, "documents")) {
    collection.predictions.push_back(read_predictions(RecordField(json, file), file));
  } else if (has(json, "line_counts")) {
    for (RecordedLines& each : read_lines(RecordField(json, file))) {
      collection.lines.push_back(std::move(each));
    }
  } else {
    ++collection.others;
  }
}

// Returns a record's experiment. A whole ladder's is empty; some records call it "ladder".
std::string experiment_of(const Record& record) {
  return record.is_ladder && record.experiment == "ladder" ? "" : record.experiment;
}

bool is_same_run(const Record& a, const Record& b) {
  return a.is_ladder == b.is_ladder && a.study == b.study && a.device == b.device &&
         experiment_of(a) == experiment_of(b) && a.named_rungs == b.named_rungs;
}

void add_runs_with_counters_alone(Collection& collection) {
  for (const Recorded& each : collection.counted) {
    const bool is_there =
        std::any_of(collection.runs.begin(), collection.runs.end(),
                    [&](const Recorded& other) { return is_same_run(each.record, other.record); });
    if (!is_there) collection.runs.push_back(each);
  }
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder)) {
      if (each.path().extension() == ".json") files.push_back(each.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError(
        fmt::format("cannot read the folder {}: {}", folder.string(), error.code().message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void add_file(std::string_view text, const std::string& file, Collection& collection) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw InvalidArgument(file + " is no JSON; lab run --out writes such records");
  }
  if (json.is_array()) {  // lab run --json prints an array for several ladders
    for (const Json& each : json) add(each, file, collection);
  } else {
    add(json, file, collection);
  }
}

Collection read_folder(const fs::path& folder) {
  Collection collection;
  for (const fs::path& path : json_files(folder)) {
    const std::optional<std::string> text = read_text(path);
    if (!text) {
      throw IoError("cannot read " + path.string() +
                    ": no regular file of at most 256 MiB is there");
    }
    add_file(*text, path.string(), collection);
  }
  add_runs_with_counters_alone(collection);
  if (collection.runs.empty() && collection.benches.empty()) {
    throw InvalidArgument(
        fmt::format("{} and its subfolders hold no record; lab run NAME --out FOLDER writes one",
                    folder.string()));
  }
  return collection;
}

}  // namespace warpwise::lab::report
