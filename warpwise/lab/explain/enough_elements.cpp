#include "warpwise/lab/explain/enough_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

namespace warpwise::lab {
namespace {

// Returns the arguments whose end a thread passed. A file's size is no choice.
std::set<std::size_t> too_small(const std::vector<emulator::Fault>& faults,
                                const std::vector<ArgumentSpec>& arguments) {
  static const std::regex past_end(R"(past the end of argument (\d+),)");
  std::set<std::size_t> small;
  for (const emulator::Fault& each : faults) {
    std::smatch match;
    if (!std::regex_search(each.message, match, past_end)) continue;
    const std::size_t index = std::stoul(match[1]);
    if (index < arguments.size() && arguments[index].kind == ArgumentSpec::Kind::buffer &&
        arguments[index].fill != ArgumentSpec::Fill::file)
      small.insert(index);
  }
  return small;
}

void enlarge(ArgumentSpec& spec) {
  spec.width *= 2;
  const std::size_t open = spec.text.find('[');
  const std::size_t close = spec.text.find(']');
  spec.text.replace(open + 1, close - open - 1, std::to_string(spec.width));
}

}  // namespace

std::string enough_elements(const ExplainRequest& request, emulator::Program& program,
                            const emulator::KernelInfo& kernel,
                            const std::vector<emulator::Fault>& faults,
                            const ReadTexture& read_texture) {
  constexpr int most_runs = 4;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
  constexpr std::uint64_t budget = 4'000'000;  // warp instructions: a fraction of a second
  std::vector<ArgumentSpec> arguments = request.arguments;
  std::set<std::size_t> changed;
  std::set<std::size_t> small = too_small(faults, arguments);
  for (int run = 0; run < most_runs && !small.empty(); ++run) {
    for (const std::size_t each : small) {
      if (arguments[each].bytes() > most_bytes) return "";
      enlarge(arguments[each]);
    }
    changed.merge(std::set<std::size_t>(small));
    emulator::Device device;
    const Arguments operands(device, kernel, arguments, read_texture);
    const emulator::LaunchResult result = program.launch(
        device, kernel.name, request.grid, request.block, request.dynamic_shared_bytes,
        operands.parameters(), {.compute_capabilities = {}, .count = false, .budget = budget});
    if (std::ranges::any_of(result.faults, [](const emulator::Fault& each) {
          return each.kind == emulator::FaultKind::budget;
        }))
      return "";
    small = too_small(result.faults, arguments);
  }
  if (!small.empty()) return "";
  std::string text;
  for (const std::size_t each : changed)
    text += fmt::format("{}argument {}: {}", text.empty() ? "" : "; ", each, arguments[each].text);
  return text;
}

}  // namespace warpwise::lab
