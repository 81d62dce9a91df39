#pragma once

// Internal: the frame of SARIF files, for a process's report and for that of `warpwise run`.

#include <nlohmann/json.hpp>
#include <utility>

namespace warpwise::emulator::runtime {

/// Makes a SARIF 2.1.0 file with one run of Warpwise.
/// \param rules  the kinds of faults; left out if there are none
inline nlohmann::ordered_json sarif_file(nlohmann::ordered_json rules,
                                         nlohmann::ordered_json invocation,
                                         nlohmann::ordered_json results) {
  using Json = nlohmann::ordered_json;
  Json driver = {{"name", "Warpwise"}, {"version", WARPWISE_VERSION}};
  if (!rules.empty()) driver["rules"] = std::move(rules);
  Json run = Json::object();
  run["tool"]["driver"] = std::move(driver);
  run["invocations"] = Json::array({std::move(invocation)});
  run["results"] = std::move(results);
  Json file = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  file["runs"] = Json::array({std::move(run)});
  return file;
}

}  // namespace warpwise::emulator::runtime
