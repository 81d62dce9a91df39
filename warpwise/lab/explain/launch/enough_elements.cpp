#include "warpwise/lab/explain/launch/enough_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <utility>
#include <vector>

namespace warpwise::lab {
namespace {

// The buffer arguments that are too small. Maps an argument's index to the number of elements in
// the widest access past its end.
using SmallBuffers = std::map<std::size_t, std::uint64_t>;

// Reads from faults which buffers are too small. Returns nothing if larger buffers do not help: an
// access is out of bounds elsewhere, or a file fills the buffer.
std::optional<SmallBuffers> too_small(const std::vector<emulator::Fault>& faults,
                                      const std::vector<ArgumentSpec>& arguments) {
  static const std::regex past_end(
      R"( of (\d+) bytes? at (?:byte \d+|\d+ bytes past the end) of argument (\d+),)");
  SmallBuffers small;
  for (const emulator::Fault& each : faults) {
    if (each.kind != emulator::FaultKind::out_of_bounds) continue;
    std::smatch match;
    if (!std::regex_search(each.message, match, past_end)) return std::nullopt;
    const std::size_t index = std::stoul(match[2]);
    if (index >= arguments.size() || arguments[index].kind != ArgumentSpec::Kind::buffer ||
        arguments[index].fill == ArgumentSpec::Fill::file)
      return std::nullopt;
    const auto size = static_cast<std::uint64_t>(size_of(arguments[index].type));
    std::uint64_t& elements = small[index];
    elements = std::max(elements, (std::stoul(match[1]) + size - 1) / size);
  }
  return small;
}

void set_width(ArgumentSpec& spec, std::uint64_t width) {
  spec.width = width;
  const std::size_t open = spec.text.find('[');
  const std::size_t close = spec.text.find(']');
  spec.text.replace(open + 1, close - open - 1, std::to_string(width));
}

// Runs a launch again with buffers of other sizes.
class Attempts {
 public:
  Attempts(const ExplainRequest& request, emulator::Program& program,
           const emulator::KernelInfo& kernel, const ReadTexture& read_texture)
      : request_(request), program_(program), kernel_(kernel), read_texture_(read_texture) {}

  // Launches with these arguments, and returns the buffers that are still too small, as too_small()
  // does. Returns nothing if the launch exceeds the budget.
  std::optional<SmallBuffers> small_with(const std::vector<ArgumentSpec>& arguments) const {
    constexpr std::uint64_t budget = 4'000'000;  // warp instructions: a fraction of a second
    emulator::Device device;
    const Arguments operands(device, kernel_, arguments, read_texture_);
    const emulator::LaunchResult result = program_.launch(
        device, kernel_.name, request_.grid, request_.block, request_.dynamic_shared_bytes,
        operands.parameters(), {.compute_capabilities = {}, .count = false, .budget = budget});
    const bool is_long = std::ranges::any_of(result.faults, [](const emulator::Fault& each) {
      return each.kind == emulator::FaultKind::budget;
    });
    if (is_long) return std::nullopt;
    return too_small(result.faults, arguments);
  }

 private:
  const ExplainRequest& request_;
  emulator::Program& program_;
  const emulator::KernelInfo& kernel_;
  const ReadTexture& read_texture_;
};

std::string sizes_text(const std::vector<ArgumentSpec>& arguments, const SmallBuffers& changed) {
  std::string text;
  for (const auto& [each, unused] : changed)
    text += fmt::format("{}argument {}: {}", text.empty() ? "" : "; ", each, arguments[each].text);
  return text;
}

bool is_integer(const ArgumentSpec& spec) {
  return spec.kind == ArgumentSpec::Kind::scalar && !is_float(spec.type);
}

// A distance past a buffer's end that accesses reach if the kernel lacks one bound check.
struct Edge {
  std::uint64_t elements = 0;  // elements past the end; 1: one access; 0: to one element per thread
  std::string missing;         // sentence on the missing check
};

std::vector<Edge> edges_of(const ExplainRequest& request, std::uint64_t shortest) {
  std::vector<Edge> edges = {
      {1,
       "No thread goes further than one element past the end: the kernel lacks a check at that "
       "edge, or compares by <= in place of <."}};
  constexpr std::size_t most_rows = 3;
  for (std::size_t i = 0; i < request.arguments.size() && edges.size() <= most_rows; ++i) {
    const ArgumentSpec& each = request.arguments[i];
    if (!is_integer(each) || each.bits <= 1 || each.bits >= shortest) continue;
    edges.push_back(
        {each.bits, fmt::format("No thread goes further than {} elements past the end, the value "
                                "of argument {}: the kernel lacks a check at that edge.",
                                each.bits, i)});
  }
  edges.push_back(
      {0,
       fmt::format("The launch has {} threads, which is more than the buffer has elements, and no "
                   "thread goes further: the kernel lacks a check such as if (i < n).",
                   request.grid.count() * request.block.count())});
  return edges;
}

// Enlarges buffers by an edge's elements. Returns false if no missing check explains the fault.
// This holds if an integer argument is at least the new size: it may be the number of elements. It
// also holds for one element per thread if a whole block is past the old end.
bool enlarge(const ExplainRequest& request, const Edge& edge, const SmallBuffers& small,
             std::vector<ArgumentSpec>& arguments) {
  const std::uint64_t threads = request.grid.count() * request.block.count();
  for (const auto& [each, elements] : small) {
    const std::uint64_t width = request.arguments[each].width;
    const std::uint64_t more = edge.elements == 1 ? elements : edge.elements;
    const std::uint64_t wider = more > 0 ? width + more : threads;
    const bool is_last_block = wider > width && wider - width < request.block.count();
    const bool is_counted = std::ranges::any_of(request.arguments, [&](const ArgumentSpec& other) {
      return is_integer(other) && other.bits >= wider;
    });
    if (is_counted || (edge.elements == 0 && !is_last_block)) return false;
    set_width(arguments[each], wider);
  }
  return true;
}

// Finds a missing bound check that explains the faults: tries the distances of edges_of() in order.
// Returns the buffers of the first that suffices.
LargerBuffers find_missing_check(const ExplainRequest& request, const Attempts& attempts,
                                 const SmallBuffers& small) {
  std::uint64_t shortest = request.arguments[small.begin()->first].width;
  for (const auto& [each, unused] : small)
    shortest = std::min(shortest, request.arguments[each].width);
  for (const Edge& edge : edges_of(request, shortest)) {
    std::vector<ArgumentSpec> arguments = request.arguments;
    SmallBuffers changed = small;
    // A run reports one argument for each source line. The next run reports the others.
    while (enlarge(request, edge, changed, arguments)) {
      const auto still_small = attempts.small_with(arguments);
      if (!still_small) return {};
      if (still_small->empty()) return {sizes_text(arguments, changed), edge.missing};
      const std::size_t before = changed.size();
      changed.insert(still_small->begin(), still_small->end());
      if (changed.size() == before) break;
    }
  }
  return {};
}

// Returns sizes that a program would choose, the smallest first: small multiples and products of
// the number of threads and of integer arguments.
std::set<std::uint64_t> likely_sizes(const ExplainRequest& request) {
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> counts = {request.grid.count() * request.block.count()};
  for (const ArgumentSpec& each : request.arguments)
    if (is_integer(each) && each.bits > 1 && each.bits <= most) counts.push_back(each.bits);
  std::set<std::uint64_t> sizes;
  for (const std::uint64_t first : counts) {
    for (const std::uint64_t factor : {1U, 2U, 3U, 4U}) sizes.insert(factor * first);
    for (const std::uint64_t second : counts)
      if (first <= most / second) sizes.insert(first * second);
  }
  return sizes;
}

// Replaces the doubled sizes of buffers by the smallest likely sizes that are enough.
void choose_likely(const ExplainRequest& request, const Attempts& attempts,
                   const SmallBuffers& changed, std::vector<ArgumentSpec>& arguments) {
  constexpr int most_runs = 6;
  int runs = 0;
  for (const auto& [each, unused] : changed) {
    const std::uint64_t enough = arguments[each].width;
    for (const std::uint64_t size : likely_sizes(request)) {
      if (size <= enough / 2 || size >= enough || runs == most_runs) continue;
      ++runs;
      std::vector<ArgumentSpec> smaller = arguments;
      set_width(smaller[each], size);
      const auto still_small = attempts.small_with(smaller);
      if (!still_small || !still_small->empty()) continue;
      arguments = std::move(smaller);
      break;
    }
  }
}

}  // namespace

LargerBuffers enough_elements(const ExplainRequest& request, emulator::Program& program,
                              const emulator::KernelInfo& kernel,
                              const std::vector<emulator::Fault>& faults,
                              const ReadTexture& read_texture) {
  constexpr int most_runs = 4;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
  std::vector<ArgumentSpec> arguments = request.arguments;
  SmallBuffers changed;
  const std::optional<SmallBuffers> first = too_small(faults, arguments);
  if (!first || first->empty()) return {};
  SmallBuffers small = *first;
  const Attempts attempts(request, program, kernel, read_texture);
  if (LargerBuffers edge = find_missing_check(request, attempts, small); !edge.sizes.empty())
    return edge;
  for (int run = 0; run < most_runs && !small.empty(); ++run) {
    for (const auto& [each, unused] : small) {
      if (arguments[each].bytes() > most_bytes) return {};
      set_width(arguments[each], 2 * arguments[each].width);
    }
    changed.merge(SmallBuffers(small));
    const auto still_small = attempts.small_with(arguments);
    if (!still_small) return {};
    small = *still_small;
  }
  if (!small.empty()) return {};
  choose_likely(request, attempts, changed, arguments);
  return {sizes_text(arguments, changed), ""};
}

}  // namespace warpwise::lab
