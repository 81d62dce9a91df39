#include "warpwise/lab/explain/advice/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

using emulator::PassCounts;

constexpr std::size_t most_advice = 3;  // number of findings that are chosen by their gain

bool accesses_memory(const emulator::MemoryCounts& memory) {
  std::uint64_t requests = memory.texture_requests;
  for (const emulator::TrafficCounts* each :
       {&memory.global_load, &memory.global_store, &memory.global_atomic, &memory.local_load,
        &memory.local_store})
    requests += each->requests;
  for (const PassCounts* each :
       {&memory.shared_load, &memory.shared_store, &memory.shared_atomic, &memory.constant})
    requests += each->requests;
  return requests > 0;
}

// Says which good properties the accesses have, when nothing needs mending. Returns nothing if the
// kernel has only accesses of other kinds, such as atomics.
std::optional<Advice> praise(const Explanation& explanation, std::size_t cc) {
  const auto& memory = explanation.launch.memory[cc];
  const PassCounts& shared = memory.shared_load;
  std::string text =
      fmt::format("On CC {} the memory accesses cost about the minimum for their bytes:",
                  rules::to_string(explanation.request.compute_capabilities[cc]));
  const std::uint64_t global = memory.global_load.requests + memory.global_store.requests;
  if (global + shared.requests == 0 && accesses_memory(memory)) return std::nullopt;
  if (global > 0) {
    text += fmt::format(
        " global memory{} takes {} transactions, and the minimum is {}, since the threads of a "
        "warp "
        "use neighbouring addresses or the same one",
        memory.global_atomic.requests > 0 ? ", without its atomics," : "",
        grouped(transactions(memory.global_load) + transactions(memory.global_store)),
        grouped(memory.global_load.ideal_transactions + memory.global_store.ideal_transactions));
  }
  if (shared.requests > 0) {
    const bool are_joined = ratio(shared.passes, shared.ideal_passes) >= worth_saying;
    text += std::string(global > 0 ? ", and" : "") +
            (are_joined ? " the compiler joins the shared reads of neighbouring words"
                        : fmt::format(" a shared read takes {}, since its threads use different "
                                      "banks or the same word",
                                      passes_text(ratio(shared.passes, shared.requests))));
  }
  if (global + shared.requests == 0) text += " there are none";
  const bool has_shared = shared.requests > 0;
  return Advice{text + ".", has_shared ? cite("bank conflicts", "Shared memory")
                                       : cite("coalescing", "Global memory")};
}

// Merges findings at several lines that have the same remedy and the same reason. The most costly
// finding stays, and names the other lines.
std::vector<Finding> merged(std::vector<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.cost > b.cost; });
  std::vector<Finding> result;
  std::vector<std::vector<std::string>> places;
  for (Finding& each : findings) {
    const auto same = std::find_if(result.begin(), result.end(), [&](const Finding& other) {
      return other.advice.remedy == each.advice.remedy &&
             other.advice.pattern == each.advice.pattern && !each.place.empty() &&
             other.in_library == each.in_library &&
             other.change.has_value() == each.change.has_value();
    });
    if (same == result.end()) {
      places.push_back({each.place});
      result.push_back(std::move(each));
      continue;
    }
    std::vector<std::string>& known = places[static_cast<std::size_t>(same - result.begin())];
    if (std::find(known.begin(), known.end(), each.place) == known.end())
      known.push_back(each.place);
    same->cost += each.cost;
    if (each.change) *same->change += *each.change;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> others(places[i].begin() + 1, places[i].end());
    if (others.empty()) continue;
    for (std::string& each : others) each.replace(0, 1, 1, 'l');  // "line 12" in lower case
    const std::size_t left = others.size() - std::min(others.size(), most_named);
    others.resize(others.size() - left);
    result[i].advice.text += fmt::format(" Likewise: {}{}.", fmt::join(others, ", "),
                                         left > 0 ? fmt::format(" and {} more", left) : "");
  }
  return result;
}

// Sorts by gain in steps of 0.02, the largest first; an unknown gain counts as worth_a_change.
// Equal gains are sorted by cost in issue slots. Lines of libraries come last, because users do not
// change libraries.
void sort(std::vector<Finding>& findings) {
  const auto worth = [](const Finding& finding) {
    constexpr double unknown = worth_a_change;
    constexpr double alike = 0.02;
    return std::round(std::max(finding.advice.gain.value_or(unknown), 1.0) / alike);
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    if (a.in_library != b.in_library) return b.in_library;
    return worth(a) != worth(b) ? worth(a) > worth(b) : a.cost > b.cost;
  });
}

bool says_that_addresses_scatter(const Finding& finding) {
  return finding.advice.remedy == Remedy::coalescing &&
         finding.advice.gain.value_or(0) >= worth_a_change;
}

// Returns true for a finding on scattered addresses for which wide accesses do not help. They help
// only if a thread uses neighbouring elements, as in an array of structures.
bool says_that_elements_are_apart(const Finding& finding) {
  return says_that_addresses_scatter(finding) && finding.advice.pattern &&
         *finding.advice.pattern != AccessPattern::structures;
}

// Returns true for a finding on a warp's reads of different addresses in constant memory. A finding
// that suggests a move to constant memory has the same remedy, but also a `change`.
bool says_that_constants_scatter(const Finding& finding) {
  return finding.advice.remedy == Remedy::constant_memory && !finding.change;
}

bool says_that_segments_are_not_used(const Finding& finding) {
  return finding.advice.remedy == Remedy::fewer_bytes && !finding.advice.example_fits;
}

// Returns true for a finding on scattered addresses whose threads use no neighbouring elements.
bool says_that_lanes_scatter(const Finding& finding) {
  return finding.advice.remedy == Remedy::coalescing &&
         finding.advice.pattern != AccessPattern::structures;
}

template <class Condition>
std::set<std::string> places_of(const std::vector<Finding>& findings, const Condition& condition) {
  std::set<std::string> places;
  for (const Finding& each : findings)
    if (condition(each)) places.insert(each.place);
  return places;
}

// Drops general advice if findings are more specific. Findings on idle lanes, divisions or doubles
// say more than the advice "fewer instructions". If one lane works alone, advice for all threads
// does not help.
void drop_general(const std::vector<Finding>& findings, std::vector<Finding>& further) {
  const auto gains = [](const Finding& each) {
    constexpr double enough = 1.1;  // a cause with a smaller gain does not explain the time
    return each.advice.gain.value_or(0) >= enough;
  };
  const auto is_cause = [&](const Finding& each) {
    return gains(each) &&
           (each.advice.remedy == Remedy::divergence || each.advice.remedy == Remedy::whole_warps ||
            each.by == LineCost::divisions || each.by == LineCost::doubles);
  };
  const bool explained =
      std::ranges::any_of(findings, is_cause) || std::ranges::any_of(further, is_cause);
  const bool is_serial = std::ranges::any_of(findings, [&](const Finding& each) {
    return gains(each) && each.advice.remedy == Remedy::divergence && !each.advice.example_fits;
  });
  std::erase_if(further, [&](const Finding& each) {
    const bool is_general =
        each.advice.remedy == Remedy::fewer_instructions && each.by == LineCost::none;
    return (explained && is_general) || (is_serial && !each.always && each.change.has_value());
  });
}

bool is_worth_a_change(const Finding& finding) {
  return finding.advice.gain.value_or(worth_a_change) >= worth_a_change;
}

}  // namespace

std::size_t advised_capability(const Explanation& explanation) {
  const auto& all = explanation.request.compute_capabilities;
  const LaunchPrediction* prediction = explanation.known_prediction();
  const auto chosen = prediction != nullptr ? std::find(all.begin(), all.end(),
                                                        prediction->profile.compute_capability)
                                            : all.end();
  return static_cast<std::size_t>(
      (chosen != all.end() ? chosen : std::max_element(all.begin(), all.end())) - all.begin());
}

std::vector<Advice> advice_for(const Explanation& explanation) {
  if (!explanation.launch.faults.empty()) return {};
  const std::size_t cc = advised_capability(explanation);
  std::vector<Finding> of_lines = line_findings(explanation, cc);
  const std::set<std::string> scattered = places_of(of_lines, says_that_lanes_scatter);
  const std::set<std::string> uniform =
      places_of(of_lines, [](const Finding& each) { return each.covers_all_loads; });
  std::vector<Finding> findings = merged(std::move(of_lines));
  for (Finding& each : launch_findings(explanation, cc)) findings.push_back(std::move(each));
  // The advice praises the accesses if there is no finding so far and atomics cost little.
  const emulator::MemoryCounts& memory = explanation.launch.memory[cc];
  constexpr double about_the_minimum = 1.2;
  const bool good =
      findings.empty() && ratio(transactions(memory.global_atomic),
                                memory.global_atomic.ideal_transactions) < about_the_minimum;
  std::vector<Advice> advice = launch_notes(explanation);
  const std::size_t notes = advice.size();
  const LaunchPrediction* prediction = explanation.known_prediction();
  if (prediction != nullptr && !is_too_small(explanation)) {
    for (Finding& each : findings) add_gain(*prediction, each);
    std::vector<Finding> further = resource_findings(*prediction);
    // A finding on a line that scatters its addresses already says that segments are partly unused.
    if (std::ranges::any_of(findings, says_that_addresses_scatter))
      std::erase_if(further, says_that_segments_are_not_used);
    const auto scatter = std::ranges::find_if(findings, says_that_constants_scatter);
    if (scatter != findings.end() && std::erase_if(further, says_that_constants_scatter) > 0)
      scatter->advice.text += " Constant memory is the bottleneck.";
    if (std::ranges::any_of(findings, says_that_elements_are_apart))
      std::erase_if(further, [](const Finding& each) { return each.by == LineCost::accesses; });
    std::erase_if(further, [&](Finding& each) { return !name_line(explanation, cc, each); });
    drop_general(findings, further);
    std::erase_if(further, [&](const Finding& each) {
      return (each.by == LineCost::accesses && scattered.contains(each.place)) ||
             (each.by == LineCost::loaded_bytes && uniform.contains(each.place));
    });
    if (std::ranges::any_of(findings, is_worth_a_change) ||
        std::ranges::any_of(further, is_worth_a_change)) {
      std::ranges::move(further, std::back_inserter(findings));
    } else {
      advice.push_back(nothing_rules(*prediction));
      std::ranges::copy_if(further, std::back_inserter(findings), &Finding::always);
    }
  }
  sort(findings);
  for (const Finding& finding : findings) {
    if (advice.size() < notes + most_advice || finding.always) advice.push_back(finding.advice);
  }
  if (good || advice.size() == notes) {
    if (auto praised = praise(explanation, cc)) advice.push_back(std::move(*praised));
  }
  if (auto idle = unexecuted_access_note(explanation)) advice.push_back(std::move(*idle));
  return advice;
}

}  // namespace warpwise::lab
