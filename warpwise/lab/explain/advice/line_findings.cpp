// Findings on single source lines, such as a load with more transactions than its bytes need.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "warpwise/emulator/readable.hpp"
#include "warpwise/io/printable.hpp"
#include "warpwise/lab/explain/advice/divergence.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;
using emulator::PassCounts;
using emulator::TrafficCounts;

std::uint64_t all_bytes(const emulator::MemoryCounts& memory) {
  return memory.global_load.bytes_moved + memory.global_store.bytes_moved +
         memory.global_atomic.bytes_moved + memory.local_load.bytes_moved +
         memory.local_store.bytes_moved;
}

// Says why a line's accesses touch more segments than needed although their addresses are near.
// `accesses` are the line's loads, or its stores.
std::string several_runs(const Explanation& explanation, const TrafficCounts& counts,
                         const std::vector<GlobalAccess>& accesses) {
  const double lanes = ratio(counts.references, counts.requests);
  constexpr double nearly_all = 31;
  if (lanes < nearly_all)
    return fmt::format(" On average {} of 32 lanes take part, and lanes between them are idle.",
                       number(lanes));
  const bool is_one_run = !accesses.empty() && explanation.request.block.x % 32 == 0 &&
                          std::ranges::all_of(accesses, [](const GlobalAccess& each) {
                            const Step& step = each.address.steps[thread_x];
                            return each.address.kind == AddressForm::Kind::affine &&
                                   !step.by_variable && std::abs(step.bytes) == each.bytes;
                          });
  const bool has_neighbours = std::ranges::any_of(accesses, [&](const GlobalAccess& each) {
    return each.address.parameter == accesses.front().address.parameter &&
           each.offset != accesses.front().offset;
  });
  if (is_one_run && has_neighbours)
    return " Each request is one run of addresses, but not all runs of a stencil can begin where a "
           "segment of memory begins. A tile in shared memory reads each segment once.";
  if (is_one_run)
    return " The warp's addresses are one run, which does not begin where a segment of memory "
           "begins. Let the first thread of a warp use a multiple of 32 bytes, and start rows at "
           "multiples of 128 bytes (a padded pitch).";
  return " The warp's addresses form several runs, as in a block that is narrower than a warp, or "
         "do not begin where a segment of memory begins. Let the 32 threads of a warp use one run, "
         "and start rows at multiples of 128 bytes (a padded pitch).";
}

// Returns true if a line loads or stores a wmma fragment, whose addresses the kernel cannot choose.
bool is_of_fragment(const std::string& code) {
  return code.find("load_matrix_sync") != std::string::npos ||
         code.find("store_matrix_sync") != std::string::npos;
}

std::string far_apart(const TrafficCounts& counts) {
  return fmt::format(
      " The threads' addresses lie far apart, and memory moves whole segments of {:.0f} bytes. Let "
      "neighbouring threads (threadIdx.x and threadIdx.x + 1) use neighbouring addresses.",
      ratio(counts.bytes_moved, transactions(counts)));
}

std::string moved_text(const TrafficCounts& counts) {
  std::string text = fmt::format(" {} bytes are moved", grouped(counts.bytes_moved));
  if (counts.bytes_requested < counts.bytes_moved)
    text += fmt::format(" for {} requested", grouped(counts.bytes_requested));
  return text + ".";
}

// Returns the kernel's accesses to global memory. The first call parses the PTX.
using Accesses = std::function<const std::vector<GlobalAccess>&()>;

std::optional<Finding> scattered_access(const Explanation& explanation, const LineCounts& line,
                                        const TrafficCounts& counts, const std::string& verb,
                                        std::size_t index, const Accesses& accesses) {
  const std::uint64_t made = transactions(counts);
  if (ratio(made, counts.ideal_transactions) < worth_saying) return std::nullopt;
  const double each = ratio(made, counts.requests);
  const double ideal = ratio(counts.ideal_transactions, counts.requests);
  std::string text =
      fmt::format("{} {} global memory in {} transactions {}; the minimum is {}.",
                  place_of(explanation, line), verb, number(each), each_request, number(ideal));
  const bool is_apart = each >= 2 * ideal;
  const bool is_store = verb == "writes";
  const bool is_fragment = is_of_fragment(explanation.source_line(line.file, line.line));
  std::optional<ScatteredAccess> known;
  std::vector<GlobalAccess> own;
  std::ranges::copy_if(accesses(), std::back_inserter(own), [&](const GlobalAccess& access) {
    return access.file == line.file && access.line == line.line && access.is_store == is_store;
  });
  bool has_runs = !is_apart;
  if (is_apart && !is_fragment) {
    known = scattered_at(explanation, accesses(), line.file, line.line, is_store);
    has_runs = !known && !own.empty();
  }
  text += known         ? fmt::format(" {} {}", known->cause, known->cure)
          : is_fragment ? moved_text(counts) +
                              " A fragment's lanes go through several rows. Copy tiles "
                              "through shared memory, row by row, and use fragments there."
                        : moved_text(counts) + (has_runs ? several_runs(explanation, counts, own)
                                                         : far_apart(counts));
  const double bytes_over =
      static_cast<double>(counts.bytes_moved) *
      (1 - static_cast<double>(counts.ideal_transactions) / static_cast<double>(made));
  constexpr double bytes_per_slot = 16;  // bytes that DRAM moves per SM and clock, roughly
  const double all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  Finding finding{bytes_over / bytes_per_slot,
                  {text, cite("coalescing", "Global memory"), Remedy::coalescing, std::nullopt,
                   !is_fragment && !has_runs && (!known || known->example_fits) &&
                       (!is_store || (known && known->pattern == AccessPattern::transpose)),
                   known ? std::optional(known->pattern) : std::nullopt},
                  Change{.bytes = bytes_over / all}};
  finding.always = !has_runs;
  return finding;
}

// Says where to keep a thread's own array in place of local memory.
std::string cure_of_local_array(const Explanation& explanation, const LineCounts& line) {
  static const std::regex table(R"(\bconst\b[^=;]*\b(\w+)\s*\[[^\]]*\]\s*=\s*\{)");
  static const std::regex angle(R"(\b(sin|cos|tan|sincos)f?\s*\()");
  const std::string used = explanation.source_line(line.file, line.line);
  if (used.size() <= longest_line && std::regex_search(used, angle))
    return " sin, cos and tan have such an array for large arguments: sinf from 105,615 on. Keep "
           "arguments small, or use __sinf, __cosf and __tanf where they are exact enough.";
  if (const SourceFile* const source = explanation.source(line.file)) {
    for (const std::string& each : code_in(source->lines)) {
      std::smatch match;
      if (each.size() > longest_line || !std::regex_search(each, match, table)) continue;
      if (used.find(match[1].str() + "[") != std::string::npos)
        return fmt::format(
            " {}[] is a table of constants: declare it static __constant__, or copy "
            "it to shared memory once a block.",
            match[1].str());
    }
  }
  constexpr std::uint64_t most_shared = 49'152;  // limit of a block's static shared memory in bytes
  const std::uint64_t bytes = explanation.kernel.local_bytes * explanation.request.block.count();
  const std::uint64_t threads = explanation.request.block.count();
  const std::uint64_t most_threads =
      most_shared / std::max<std::uint64_t>(explanation.kernel.local_bytes, 1) / 32 * 32;
  const std::string moved =
      "keep the array in shared memory: a[k * blockDim.x + threadIdx.x] in "
      "place of a[k]";
  const std::string excess =
      fmt::format("{} threads of {} bytes need {} bytes, and a block has {}", threads,
                  explanation.kernel.local_bytes, grouped(bytes), grouped(most_shared));
  return " If the index is a loop counter, unroll the loop (#pragma unroll): then registers hold "
         "the array. If it comes from data, " +
         (bytes <= most_shared ? moved + "."
          : most_threads > 0
              ? fmt::format("{}, with at most {} threads a block: {}.", moved, most_threads, excess)
              : fmt::format("use a smaller array: for shared memory {}.", excess));
}

// Finds accesses to local memory. The compiler puts a thread's array there if an index is not a
// constant.
std::optional<Finding> local_array(const Explanation& explanation, const LineCounts& line,
                                   const TrafficCounts& counts, const std::string& verb,
                                   std::size_t index) {
  if (counts.requests == 0) return std::nullopt;
  const double all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  const auto bytes = static_cast<double>(counts.bytes_moved);
  constexpr double bytes_per_slot = 16;  // as in scattered_access()
  return Finding{
      bytes / bytes_per_slot,
      {fmt::format("{} {} local memory, {} transactions {}. An array of a thread lies there if its "
                   "index is not a constant.{}",
                   place_of(explanation, line), verb,
                   number(ratio(transactions(counts), counts.requests)), each_request,
                   cure_of_local_array(explanation, line)),
       cite("local memory is global memory", "Local memory"), Remedy::local_memory, std::nullopt,
       false},
      Change{.bytes = bytes / all}};
}

std::optional<Finding> constant_scatter(const Explanation& explanation, const LineCounts& line,
                                        const PassCounts& counts) {
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  return Finding{
      static_cast<double>(counts.passes - counts.ideal_passes),
      {fmt::format("{} reads constant memory at {} different addresses in a warp: they are served "
                   "one after another. Constant memory suits values that all lanes read at once. "
                   "For values that differ between lanes, use shared or global memory.",
                   place_of(explanation, line), number(ratio(counts.passes, counts.requests))),
       cite("one constant request for each address", "Constant memory"), Remedy::constant_memory,
       std::nullopt, false},
      std::nullopt};
}

// The load instructions of a source line in the kernel's PTX.
struct Loads {
  double all = 0;
  double at_one_address = 0;  // loads of one address by a whole block, from buffers only read
  bool is_written = false;    // true if a load reads a buffer that the kernel writes
  bool is_large = false;      // true if a buffer of `at_one_address` exceeds constant memory
};

Loads loads_of(const Explanation& explanation, const LineCounts& line,
               const std::vector<GlobalAccess>& accesses) {
  constexpr std::uint64_t most_bytes = 65'536;  // limit of all __constant__ variables
  const std::set<std::size_t> written = written_by(explanation);
  Loads loads;
  for (const GlobalAccess& each : accesses) {
    if (each.is_store || each.file != line.file || each.line != line.line) continue;
    ++loads.all;
    const AddressForm& address = each.address;
    if (!address.parameter) continue;
    if (written.contains(*address.parameter)) {
      loads.is_written = true;
      continue;
    }
    const bool is_one = address.kind == AddressForm::Kind::affine &&
                        address.steps[thread_x].is_none() && address.steps[thread_y].is_none() &&
                        address.steps[thread_z].is_none();
    if (!is_one) continue;
    ++loads.at_one_address;
    loads.is_large = loads.is_large || explanation.buffer_bytes(*address.parameter) > most_bytes;
  }
  return loads;
}

// Finds loads in which all lanes of a warp read one word. The counts show it if a line has no other
// loads: the lanes request 128 bytes, and one sector of 32 bytes moves. Otherwise the kernel's PTX
// shows it, and all loads of the line are assumed to run equally often.
std::optional<Finding> same_address(const Explanation& explanation, const LineCounts& line,
                                    const TrafficCounts& counts, std::size_t index,
                                    const Accesses& accesses) {
  constexpr double at_least = 3.9;  // about 4: 32 lanes request 4 bytes each from a 32-byte sector
  if (counts.requests == 0 || counts.references < 16 * counts.requests) return std::nullopt;
  const Loads own = loads_of(explanation, line, accesses());
  const bool are_all = ratio(counts.bytes_requested, counts.bytes_moved) >= at_least;
  constexpr double worth_saying_share = 0.25;
  const double share = are_all ? 1 : own.all > 0 ? own.at_one_address / own.all : 0;
  if ((are_all && own.is_written) || share < worth_saying_share) return std::nullopt;
  std::uint64_t loads = 0;
  for (const auto& [name, count] : explanation.launch.instructions_by_class) {
    if (name == "load" || name == "store") loads += count;
  }
  const char* const cure =
      own.is_large ? "Load a block's values into shared memory first."
                   : "Keep values that all threads read in constant memory (__constant__ float "
                     "filter[9]; in place of const float* filter) or in the kernel's parameters, "
                     "or load a block's values into shared memory first.";
  const std::string evidence =
      are_all ? fmt::format("{} bytes are requested, and {} moved", grouped(counts.bytes_requested),
                            grouped(counts.bytes_moved))
              : fmt::format("{} of its {} loads do", own.at_one_address, own.all);
  constexpr double sector = 32;
  const double requests = share * static_cast<double>(counts.requests);
  const auto all = static_cast<double>(all_bytes(explanation.launch.memory[index]));
  Finding finding{
      requests,
      {fmt::format("{} reads one address of global memory in all threads of a warp: {}. {}",
                   place_of(explanation, line), evidence, cure),
       cite("one constant request for each address", "Constant memory"), Remedy::constant_memory,
       std::nullopt, !own.is_large},
      Change{.bytes = are_all
                          ? ratio(counts.bytes_moved, all_bytes(explanation.launch.memory[index]))
                          : std::min(1.0, requests * sector / std::max(all, 1.0)),
             .loads = requests / std::max(ratio(loads, 1), 1.0)}};
  finding.covers_all_loads = are_all;
  return finding;
}

void add_line_findings(const Explanation& explanation, const LineCounts& line, std::size_t cc,
                       const Accesses& accesses, const SharedAccesses& shared,
                       Divergence& divergence, std::vector<Finding>& findings) {
  const auto add = [&](std::optional<Finding> finding) {
    if (!finding) return;
    finding->place = line_name(explanation, line);
    finding->in_library = emulator::is_of_toolkit(line.file);
    findings.push_back(std::move(*finding));
  };
  const auto& memory = line.memory[cc];
  add(bank_conflict(explanation, line, cc, false, shared));
  add(bank_conflict(explanation, line, cc, true, shared));
  add(scattered_access(explanation, line, memory.global_load, "reads", cc, accesses));
  add(scattered_access(explanation, line, memory.global_store, "writes", cc, accesses));
  add(local_array(explanation, line, memory.local_load, "reads", cc));
  add(local_array(explanation, line, memory.local_store, "writes", cc));
  add(same_address(explanation, line, memory.global_load, cc, accesses));
  add(constant_scatter(explanation, line, memory.constant));
  add(divergence.finding(line));
}

}  // namespace

std::string line_name(const Explanation& explanation, const LineCounts& line) {
  if (line.line == 0) return "The kernel (its PTX has no line numbers)";
  const SourceFile* source = explanation.source(line.file);
  std::string text = fmt::format("Line {}", line.line);
  if (source != nullptr && source->shown != explanation.request.file) {
    text += " of " + std::filesystem::path(source->shown).filename().string();
  }
  return text;
}

std::string place_of(const Explanation& explanation, const LineCounts& line) {
  const std::string text = line_name(explanation, line);
  const std::string code = explanation.source_line(line.file, line.line);
  constexpr std::size_t longest = 90;
  if (line.line == 0 || code.empty()) return text;
  return text + " (" + io::shortened(code, longest) + ")";
}

std::vector<Finding> line_findings(const Explanation& explanation, std::size_t cc) {
  std::vector<Finding> findings;
  std::optional<std::vector<GlobalAccess>> known;
  const auto accesses = [&]() -> const std::vector<GlobalAccess>& {
    if (!known) known = accesses_of(explanation);
    return *known;
  };
  std::optional<std::vector<SharedAccess>> known_shared;
  const auto shared = [&]() -> const std::vector<SharedAccess>& {
    if (!known_shared) known_shared = shared_accesses_of(explanation);
    return *known_shared;
  };
  Divergence divergence(explanation);
  for (const LineCounts& line : explanation.launch.lines) {
    add_line_findings(explanation, line, cc, accesses, shared, divergence, findings);
  }
  return findings;
}

}  // namespace warpwise::lab
