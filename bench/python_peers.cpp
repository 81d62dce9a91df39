#include "bench/python_peers.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/compile/subprocess.hpp"
#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::bench {
namespace {

constexpr std::chrono::minutes longest{10};

std::vector<const Row*> timed_rows_of_ours(const Run& run) {
  std::vector<const Row*> rows;
  for (const Row& row : run.rows) {
    if (row.is_ours() && row.times) rows.push_back(&row);
  }
  return rows;
}

nlohmann::json cases_of(const std::vector<const Row*>& rows) {
  nlohmann::json cases = nlohmann::json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Case& work = rows[i]->work;
    cases.push_back({{"primitive", work.primitive},
                     {"variant", work.variant},
                     {"width", work.width},
                     {"height", work.height},
                     {"case", i}});
  }
  return cases;
}

PythonRow row_of(const nlohmann::json& json, const std::vector<const Row*>& ours) {
  const Row& own = *ours.at(json.at("case").get<std::size_t>());
  PythonRow row{
      .work = own.work, .place = json.at("place"), .samples = {}, .reason = {}, .beside = {}};
  row.work.implementation = json.at("implementation");
  row.reason = json.value("reason", "");
  for (const double us : json.value("us", std::vector<double>{})) row.samples.push_back({.us = us});
  row.beside = compare(own.times->cold_samples, row.samples);
  return row;
}

}  // namespace

PythonRun run_python_peers(const Run& run) {
  const std::vector<const Row*> ours = timed_rows_of_ours(run);
  const std::filesystem::path python = lab::in_search_path("python3");
  if (python.empty()) throw Error("there is no python3");
  const std::filesystem::path script = lab::source_root().parent_path() / "bench/python_peers.py";
  const lab::TemporaryFolder folder;
  std::ofstream(folder / "cases.json") << cases_of(ours);
  const lab::ProgramRun done =
      lab::run_program({python.string(), script.string(), (folder / "cases.json").string(),
                        (folder / "rows.json").string()},
                       folder, longest, lab::any_address_space);
  if (done.exit_code != 0) throw Error("python3 failed: " + done.output);
  const auto json = nlohmann::json::parse(std::ifstream(folder / "rows.json"));
  PythonRun result;
  for (const auto& [name, version] : json.at("libraries").items()) {
    result.libraries.push_back(name + " " + version.get<std::string>());
  }
  for (const auto& [name, reason] : json.at("missing").items()) {
    result.missing.push_back(name + ": " + reason.get<std::string>());
  }
  for (const auto& row : json.at("rows")) result.rows.push_back(row_of(row, ours));
  return result;
}

nlohmann::json json_of(const PythonRun& run) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PythonRow& row : run.rows) {
    const lab::Timing times = lab::summary_of(row.samples);
    nlohmann::json json = {{"primitive", row.work.primitive},
                           {"variant", row.work.variant},
                           {"implementation", row.work.implementation},
                           {"place", row.place},
                           {"width", row.work.width},
                           {"height", row.work.height}};
    if (row.samples.empty()) {
      json["not_timed"] = row.reason;
    } else {
      json.update({{"median_us", times.median_us},
                   {"p5_us", times.p5_us},
                   {"p95_us", times.p95_us},
                   {"samples", times.samples},
                   {"beside", json_of(row.beside)}});
    }
    rows.push_back(json);
  }
  return {{"libraries", run.libraries}, {"missing", run.missing}, {"rows", rows}};
}

std::string line_of(const PythonRow& row) {
  const std::string what =
      fmt::format("{:10} {:34} {:34} {} {:>5}x{:<5}", row.work.primitive, row.work.variant,
                  row.work.implementation, row.place, row.work.width, row.work.height);
  if (row.samples.empty()) return what + " skipped: " + row.reason;
  const lab::Timing times = lab::summary_of(row.samples);
  return fmt::format("{} {:>10.2f} [{:.2f}, {:.2f}] us, {:.2f}x our time: warpwise is {}", what,
                     times.median_us, times.p5_us, times.p95_us, row.beside.ratio,
                     name_of(row.beside.verdict));
}

}  // namespace warpwise::bench
