// Joins the reports of a program's processes, for `warpwise run`.

#include "warpwise/cli/run/joined_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "warpwise/base/counted.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/emulator/junit.hpp"
#include "warpwise/emulator/sarif.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Returns the records of all processes in the order of their starts, by which the files' names are
// sorted. Skips the empty files of processes that were killed before they wrote anything.
std::vector<Json> records_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& each : fs::directory_iterator(folder)) {
    if (each.path().extension().empty()) files.push_back(each.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Json> records;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    Json record = Json::parse(in, nullptr, false);
    if (!record.is_discarded()) records.push_back(std::move(record));
  }
  return records;
}

// Joins the test suites of all processes in one file, with the sums of their counts.
std::string joined_junit(const std::vector<Json>& records) {
  std::string suites;
  emulator::junit::Counts counts;
  for (const Json& record : records) {
    const auto of = record.at("junit_counts").get<std::array<std::uint64_t, 4>>();
    counts += {of[0], of[1], of[2], of[3], record.at("junit_seconds").get<double>()};
    suites += record.at("junit").get<std::string>();
  }
  return emulator::junit::file_of(counts, suites);
}

// Joins all results in one SARIF run, because GitHub rejects several runs of one tool.
std::string joined_sarif(const std::vector<Json>& records) {
  Json all = Json::parse(records[0].at("sarif").get<std::string>());
  Json& run = all.at("runs").at(0);
  Json& invocation = run.at("invocations").at(0);
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Json other = Json::parse(records[i].at("sarif").get<std::string>()).at("runs").at(0);
    const Json& other_invocation = other.at("invocations").at(0);
    for (const Json& each : other.at("results")) run.at("results").push_back(each);
    for (const Json& each : other_invocation.at("toolExecutionNotifications"))
      invocation.at("toolExecutionNotifications").push_back(each);
    if (!other_invocation.at("executionSuccessful")) invocation["executionSuccessful"] = false;
  }
  return text_of_json(all);
}

// Makes the reports for a program that loaded the emulated runtime in none of its processes.
void describe_nothing(JoinedReports& all, const std::string& program) {
  all.summary = "no process loaded the emulated CUDA runtime or driver: nothing was checked";
  all.junit = emulator::junit::file_of({}, "");
  Json file = Json::parse(emulator::sarif_frame);
  Json& run = file.at("runs").at(0);
  run["invocations"] = {{{"executionSuccessful", true}, {"commandLine", program}}};
  run["results"] = Json::array();
  all.sarif = text_of_json(file);
}

std::uint64_t sum(const std::vector<Json>& records, const char* name) {
  std::uint64_t all = 0;
  for (const Json& record : records) all += record.at(name).get<std::uint64_t>();
  return all;
}

// Returns the number of different kernels that all processes ran.
std::uint64_t kernels_in(const std::vector<Json>& records) {
  std::set<std::string> names;
  for (const Json& record : records) {
    for (const Json& each : record.at("kernels")) names.insert(each.get<std::string>());
  }
  return names.size();
}

std::string summary_of(const std::vector<Json>& records) {
  const bool is_final = std::ranges::all_of(
      records, [](const Json& each) { return each.at("has_ended").get<bool>(); });
  // The numbers are lower bounds if a process was killed, since its last launches are missing.
  const std::string least = is_final ? "" : "at least ";
  if (records.size() == 1) return least + records[0].at("summary").get<std::string>();
  std::string text = fmt::format("{}{} of {} in {} processes, {}", least,
                                 counted(sum(records, "launches"), "launch", "es"),
                                 counted(kernels_in(records), "kernel"), records.size(),
                                 counted(sum(records, "faults"), "fault"));
  if (const std::uint64_t suppressed = sum(records, "suppressed"); suppressed > 0)
    text += fmt::format(", {} suppressed", suppressed);
  if (const std::uint64_t refused = sum(records, "refused"); refused > 0)
    text += fmt::format(", {} not run",
                        refused == 1 ? "1 kernel or CUDA function"
                                     : std::to_string(refused) + " kernels or CUDA functions");
  return text;
}

}  // namespace

JoinedReports join_reports(const fs::path& folder, const std::string& program) {
  JoinedReports all;
  std::vector<Json> records = records_of(folder);
  if (records.empty()) {
    describe_nothing(all, program);
    return all;
  }
  // Leaves out processes that only loaded the runtime. If there are no others, keeps one of them.
  const auto is_empty = [](const Json& record) { return record.at("is_empty").get<bool>(); };
  if (std::ranges::all_of(records, is_empty)) records.resize(1);
  if (records.size() > 1) std::erase_if(records, is_empty);
  all.unused_suppressions = records[0].at("unused_suppressions");
  for (const Json& record : records) {
    const std::vector<std::string> unused = record.at("unused_suppressions");
    std::erase_if(all.unused_suppressions, [&](const std::string& each) {
      return std::find(unused.begin(), unused.end(), each) == unused.end();
    });
  }
  all.faults = sum(records, "faults");
  all.refused = sum(records, "refused");
  all.summary = summary_of(records);
  all.junit = joined_junit(records);
  all.sarif = joined_sarif(records);
  return all;
}

}  // namespace warpwise::cli
