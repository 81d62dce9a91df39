#include "warpwise/emulator/runtime/reports/fidelity_report.hpp"

#include <algorithm>

#include "warpwise/emulator/race_kinds.hpp"

namespace warpwise::emulator::runtime {
namespace {

constexpr std::size_t most_lines = 6;  // lines listed for each kernel

std::vector<ModelledUse> uses_of(const RunReport& report) {
  std::vector<ModelledUse> all;
  for (const KernelReport& kernel : report.kernels) add_uses(all, kernel.modelled);
  return all;
}

/// Counts suppressed races too, because they also change results.
bool has_races(const RunReport& report) {
  const auto of_host = [](const HostFault& fault) { return is_race(fault.kind); };
  const auto of_kernel = [](const KernelReport& kernel) {
    return std::ranges::any_of(kernel.faults, [](const Fault& f) { return is_race(f.kind); }) ||
           std::ranges::any_of(kernel.suppressed,
                               [](const SuppressedFault& s) { return is_race(s.fault.kind); });
  };
  return std::ranges::any_of(report.kernels, of_kernel) ||
         std::ranges::any_of(report.host_faults, of_host) ||
         std::ranges::any_of(report.suppressed_host_faults, of_host);
}

std::string lines_of(const ModelledUse& use) {
  if (use.lines.empty()) return "from data that an earlier launch left in memory";
  std::string text;
  for (std::size_t i = 0; i < std::min(use.lines.size(), most_lines); ++i) {
    const SourcePlace& place = use.lines[i];
    text +=
        (i == 0 ? "" : ", ") + (place.file.empty() ? std::string(no_source_line)
                                                   : place.file + ":" + std::to_string(place.line));
  }
  if (use.lines.size() > most_lines)
    text += " and " + std::to_string(use.lines.size() - most_lines) + " more";
  return text;
}

}  // namespace

std::string fidelity_line(const RunReport& report, Checks checks) {
  const std::vector<ModelledUse> uses = uses_of(report);
  if (!uses.empty()) return emulator::fidelity_line(uses);
  if (has_races(report)) return "exact except for races: a GPU's order may give another result";
  if (checks.has(Check::races)) return "every result is exact";
  if (checks.has(Check::strict)) return "every result is exact if no streams race";
  return emulator::fidelity_line(uses);
}

std::string fidelity_text(const RunReport& report) {
  std::string text = "fidelity\n  exact: everything not named below\n";
  if (has_races(report)) text += "  the emulator's own: the order of racing accesses\n";
  for (const ModelledUse& use : uses_of(report)) {
    text += "  modelled: " + std::string(meaning_of(use.what)) + ": " + reach_of(use) + "\n";
    for (const KernelReport& kernel : report.kernels) {
      for (const ModelledUse& own : kernel.modelled) {
        if (own.what != use.what) continue;
        text += "    " + kernel.name + ": " + lines_of(own) + "\n";
      }
    }
  }
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.refusal.empty())
      text += "  not run: kernel " + kernel.name + ": " + kernel.refusal + "\n";
  }
  for (const std::string& call : report.calls_not_run) text += "  not run: " + call + "\n";
  text.pop_back();
  return text;
}

}  // namespace warpwise::emulator::runtime
