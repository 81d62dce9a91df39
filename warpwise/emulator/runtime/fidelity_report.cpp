#include "warpwise/emulator/runtime/fidelity_report.hpp"

#include <algorithm>

namespace warpwise::emulator::runtime {
namespace {

constexpr std::size_t most_lines = 6;  // of a kernel, in the text

std::vector<ModelledUse> uses_of(const RunReport& report) {
  std::vector<ModelledUse> all;
  for (const KernelReport& kernel : report.kernels) add_uses(all, kernel.modelled);
  return all;
}

std::string lines_of(const ModelledUse& use) {
  if (use.lines.empty()) return "by what an earlier launch left in memory";
  std::string text;
  for (std::size_t i = 0; i < std::min(use.lines.size(), most_lines); ++i) {
    const SourcePlace& place = use.lines[i];
    text +=
        (i == 0 ? "" : ", ") + (place.file.empty() ? "no source line (nvcc -lineinfo)"
                                                   : place.file + ":" + std::to_string(place.line));
  }
  if (use.lines.size() > most_lines)
    text += " and " + std::to_string(use.lines.size() - most_lines) + " more";
  return text;
}

}  // namespace

std::string fidelity_line(const RunReport& report, bool races_were_checked) {
  const std::vector<ModelledUse> uses = uses_of(report);
  return uses.empty() && races_were_checked ? "all that ran is exact"
                                            : emulator::fidelity_line(uses);
}

std::string fidelity_text(const RunReport& report) {
  std::string text = "fidelity\n  exact: all that is not named below\n";
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
