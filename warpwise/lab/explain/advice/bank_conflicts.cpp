// Finds the bank conflicts of a line, and the array that has them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "warpwise/lab/explain/advice/findings.hpp"
#include "warpwise/lab/explain/launch/scanned.hpp"
#include "warpwise/lab/explain/number_text.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::lab {
namespace {

using emulator::LineCounts;

// An array in shared memory, and the last index by which a line uses it.
struct SharedArray {
  std::string name;
  std::string rows;
  std::string columns;  // empty if the array has not two dimensions
  std::string index;
  int words = 1;               // 4-byte words of an element
  int dimensions = 1;          // 3 for three and more
  bool is_below_word = false;  // an element has fewer than 4 bytes
  int padding = 1;             // unused columns that keep the kernel's widest accesses aligned
};

// Returns the last of the indices that `text` begins with: "x * 4 + i" for "[r][x * 4 + i] = ...".
std::string last_index(std::string_view text) {
  std::string index;
  while (text.starts_with('[')) {
    std::size_t end = 1;
    for (int depth = 1; end < text.size() && depth > 0; ++end)
      depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    index = text.substr(1, end - 2);
    text.remove_prefix(end);
  }
  return index;
}

// Returns the 4-byte words of an element of this type; 1 for types that are not CUDA's own.
int words_of(const std::string& type) {
  static const std::regex two(R"(\b(double|long|u?int64_t|size_t|(float|u?int)2)\b)");
  static const std::regex four(R"(\b(double2|u?longlong2|(float|u?int)4)\b)");
  return std::regex_search(type, four) ? 4 : std::regex_search(type, two) ? 2 : 1;
}

// Returns true if an element of this type has fewer than 4 bytes; false for types that are not
// CUDA's own.
bool is_below_word(const std::string& type) {
  static const std::regex below(
      R"(\b(bool|u?char[12]?|u?int(8|16)_t|u?short1?|(__)?half|(__)?nv_bfloat16|__nv_fp8_\w+)\b)");
  return std::regex_search(type, below);
}

// A declaration of shared arrays: its type, and its text from the type to the first semicolon.
struct Declaration {
  std::string type;
  std::string text;
};

// Returns the declarations of shared arrays on a line.
std::vector<Declaration> declarations_in(const std::string& line) {
  static const std::regex type(R"(__shared__\s+([\w:\s<>]*?)\w+\s*\[)");
  std::vector<Declaration> found;
  for (std::sregex_iterator each(line.begin(), line.end(), type), end; each != end; ++each) {
    const auto begin = static_cast<std::size_t>(each->position(1));
    const std::size_t semicolon = line.find(';', begin);
    const std::size_t length =
        semicolon == std::string::npos ? std::string::npos : semicolon + 1 - begin;
    found.push_back({(*each)[1], line.substr(begin, length)});
  }
  return found;
}

// Returns the shared arrays on a line that are declared in the same file. Other kernels of the file
// may have arrays of the same name: the last declaration before the line counts. If there is none
// before it, the first one behind it counts.
std::vector<SharedArray> shared_arrays(const Explanation& explanation, const LineCounts& line) {
  static const std::regex declared(
      R"((\w+)\s*\[([^\]]*)\]\s*(?:\[([^\]]+)\]\s*)?((?:\[[^\]]+\]\s*)*)(?=[;,]))");
  const SourceFile* source = explanation.source(line.file);
  if (source == nullptr) return {};
  const std::string used = explanation.source_line(line.file, line.line);
  std::vector<SharedArray> arrays;
  const auto add = [&](const std::smatch& array, const std::string& type, int number) {
    const std::string name = array[1];
    const std::regex use("\\b" + name + "\\[");
    std::smatch at;
    if (!std::regex_search(used, at, use)) return;
    const auto known = std::ranges::find(arrays, name, &SharedArray::name);
    if (known != arrays.end() && number > line.line) return;
    if (known != arrays.end()) arrays.erase(known);
    const int dimensions = array[4].length() > 0 ? 3 : array[3].length() > 0 ? 2 : 1;
    const auto begin = static_cast<std::size_t>(at.position() + at.length() - 1);
    arrays.push_back({name, array[2], array[3], last_index(std::string_view(used).substr(begin)),
                      words_of(type), dimensions, is_below_word(type)});
  };
  int number = 0;
  for (const std::string& text : code_in(source->lines)) {
    ++number;
    if (text.size() > longest_line) continue;
    for (const Declaration& each : declarations_in(text)) {
      for (std::sregex_iterator array(each.text.begin(), each.text.end(), declared), end;
           array != end; ++array)
        add(*array, each.type, number);
    }
  }
  return arrays;
}

// Counts the passes of the first warp's access; nothing if its addresses are not known.
std::optional<rules::SharedPasses> passes_of(const SharedAccess& access,
                                             const emulator::Dim3& block,
                                             rules::ComputeCapability cc) {
  const auto& steps = access.address.steps;
  const bool is_known = access.address.kind == AddressForm::Kind::affine &&
                        std::none_of(steps.begin(), steps.begin() + block_x,
                                     [](const Step& each) { return each.by_variable; });
  if (!is_known || access.variable.empty()) return std::nullopt;
  std::array<std::uint64_t, 32> addresses = {};
  std::uint32_t active = 0;
  constexpr std::int64_t middle = std::int64_t{1} << 40;  // far from address 0, for negative steps
  for (std::uint32_t lane = 0; lane < addresses.size() && lane < block.count(); ++lane) {
    const std::int64_t x = lane % block.x;
    const std::int64_t y = lane / block.x % block.y;
    const std::int64_t z = lane / block.x / block.y;
    addresses[lane] = static_cast<std::uint64_t>(
        middle + x * steps[thread_x].bytes + y * steps[thread_y].bytes + z * steps[thread_z].bytes);
    active |= 1U << lane;
  }
  return rules::shared_passes(cc,
                              {addresses, active, static_cast<int>(access.bytes), access.is_store});
}

// The array in shared memory that causes a line's bank conflicts. If the line accesses several
// arrays, it is the one whose addresses, as the PTX computes them, have the most conflicts.
struct Conflict {
  bool has_several = false;  // the line accesses several arrays
  std::string name;          // name of the array; empty if not known
  double threads = 0;        // threads that need different words of one bank; 0 if not known
  bool is_loaded = false;    // all indices come from memory
};

Conflict conflict_of(const Explanation& explanation, const LineCounts& line, std::size_t cc,
                     std::vector<SharedAccess> accesses, bool is_store, std::size_t declared) {
  std::erase_if(accesses, [&](const SharedAccess& each) {
    return each.file != line.file || each.line != line.line || each.is_store != is_store;
  });
  std::set<std::string> variables;
  for (const SharedAccess& each : accesses) variables.insert(each.variable);
  const std::string only = variables.size() == 1 ? *variables.begin() : "";
  const bool has_several = variables.size() > 1 || (only.empty() && declared > 1);
  const bool is_loaded =
      !accesses.empty() && std::ranges::all_of(accesses, [](const SharedAccess& each) {
        return each.address.kind == AddressForm::Kind::loaded;
      });
  if (!has_several) return {false, only, 0, is_loaded};
  Conflict worst = {true, "", 0, is_loaded};
  for (const SharedAccess& each : accesses) {
    const auto passes =
        passes_of(each, explanation.request.block, explanation.request.compute_capabilities[cc]);
    if (!passes) return {true, "", 0, is_loaded};
    const double threads = static_cast<double>(passes->passes) / std::max(passes->ideal, 1);
    if (threads > std::max(worst.threads, worth_saying)) worst = {true, each.variable, threads};
  }
  return worst;
}

// Returns the conflict's array, if it is known.
std::optional<SharedArray> array_of(const Conflict& conflict,
                                    const std::vector<SharedArray>& arrays,
                                    const std::vector<SharedAccess>& accesses) {
  const bool is_only = !conflict.has_several && conflict.name.empty() && arrays.size() == 1;
  const auto found =
      is_only ? arrays.begin() : std::ranges::find(arrays, conflict.name, &SharedArray::name);
  if (found == arrays.end()) return std::nullopt;
  SharedArray array = *found;
  for (const SharedAccess& each : accesses) {
    if (each.variable == array.name)
      array.padding = std::max(array.padding, static_cast<int>(each.bytes) / (4 * array.words));
  }
  return array;
}

// Says how many threads need different words of one bank.
std::string meeting_in(const Conflict& conflict, double mean, int banks) {
  const bool is_told = conflict.has_several && !conflict.name.empty();
  return fmt::format(
      "{} {} threads need different words of one of the {} banks, and a bank serves one word at a "
      "time (word i lies in bank i modulo {}).",
      is_told                ? conflict.name + "[] conflicts:"
      : conflict.has_several ? "On average over the accesses of this line,"
                             : "On average",
      number(std::min<double>(banks, is_told ? conflict.threads : mean)), banks, banks);
}

// Returns true if the length of a row may be a multiple of the number of banks: false for "65"
// words, true for "WIDTH" words, whose number is not known here.
bool may_fill_banks(const std::string& columns, int banks) {
  int words = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), words);
  return error != std::errc() || end != columns.data() + columns.size() || words % banks == 0;
}

// Returns the factor in an index if there is one: "4" for "x * 4 + i".
std::optional<std::string> step_of(const std::string& index) {
  static const std::regex product(R"((\w+)\s*\*\s*(\w+))");
  constexpr std::size_t longest_index = 100;
  std::smatch match;
  if (index.size() > longest_index || !std::regex_search(index, match, product))
    return std::nullopt;
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
  };
  return is_number(match[1].str()) ? match[1].str() : match[2].str();
}

// Says how to place the words of an array of one dimension in different banks. `ideal` is the least
// number of passes of a request: 1 if threads use one word of each element.
std::string cure_of_row(const SharedArray& array, double ideal, int banks) {
  if (array.words > 1 && ideal < worth_saying) {
    return fmt::format(
        " An element of {}[] has {} words, and a thread uses one of them. Keep the words that a "
        "warp uses at once in an array of their own.",
        array.name, array.words);
  }
  return fmt::format(
      " Let neighbouring threads use neighbouring elements. If the threads' elements are a power "
      "of two apart, leave one unused after every {1}: {0}[i + i / {1}] in place of {0}[i], in a "
      "longer array.",
      array.name, banks / array.words);
}

// Says how to place the warp's words in different banks.
std::string cure_of_conflict(const std::optional<SharedArray>& array, double ideal, int banks) {
  if (array && array->dimensions == 1) return cure_of_row(*array, ideal, banks);
  if (array && array->dimensions == 2 && !array->is_below_word) {
    if (const auto step = step_of(array->index)) {
      return fmt::format(
          " In {}[...][{}] the threads' words are {} apart, whatever the length of a row. Let "
          "neighbouring threads use neighbouring words: a thread that takes several elements takes "
          "each of them beside its neighbours' in turn.",
          array->name, array->index, *step);
    }
    if (may_fill_banks(array->columns, banks / array->words) && array->padding > 1) {
      return fmt::format(
          " If rows are a multiple of {0} words long, all elements of a column begin in one bank. "
          "{1} unused columns shift each row by {2} banks, and rows stay aligned for the kernel's "
          "accesses of {3} bytes: declare {4}[{5}][{6} + {1}] in place of {4}[{5}][{6}].",
          banks, array->padding, array->padding * array->words, 4 * array->padding * array->words,
          array->name, array->rows, array->columns);
    }
    if (may_fill_banks(array->columns, banks / array->words)) {
      const std::string shift =
          array->words == 1 ? fmt::format("one bank, so that a column's elements lie in {}", banks)
                            : fmt::format("{} banks, so that {} elements of a column lie in",
                                          array->words, banks / array->words);
      return fmt::format(
          " If rows are a multiple of {0} words long, all elements of a column begin in one bank. "
          "One unused column shifts each row by {1} different banks: declare {2}[{3}][{4} + 1] in "
          "place of {2}[{3}][{4}].",
          banks, shift, array->name, array->rows, array->columns);
    }
    return fmt::format(
        " Rows of {} words are not the cause. Let neighbouring threads use neighbouring words.",
        array->columns);
  }
  return " Let neighbouring threads use neighbouring words. If a warp goes down a column, pad the "
         "rows by one word: then the words that it uses at once lie in different banks.";
}

std::uint64_t all_passes(const emulator::MemoryCounts& memory) {
  return memory.shared_load.passes + memory.shared_store.passes + memory.shared_atomic.passes;
}

// Returns false if no load of a line has the base register of another load: the compiler then
// cannot know that two loads take neighbouring words. Returns true if the PTX is not known.
bool have_one_base(const LineCounts& line, const std::vector<SharedAccess>& accesses) {
  std::map<std::string, int> loads;
  std::set<std::string> own;
  for (const SharedAccess& each : accesses) {
    if (each.is_store) continue;
    ++loads[each.base];
    if (each.file == line.file && each.line == line.line) own.insert(each.base);
  }
  return own.empty() ||
         std::ranges::any_of(own, [&](const std::string& base) { return loads[base] > 1; });
}

// Returns true if the compiler joins the kernel's loads of neighbouring words into wider loads, so
// that nearly all passes beyond the ideal number go away.
bool are_joined(const Explanation& explanation) {
  const LaunchPrediction* const prediction = explanation.known_prediction();
  if (prediction == nullptr || prediction->sample.memory.empty()) return false;
  const emulator::PassCounts& loads = prediction->sample.memory.front().shared_load;
  constexpr double nearly_all = 0.9;
  const std::uint64_t over = loads.passes - loads.ideal_passes;
  return over > 0 && static_cast<double>(prediction->sample.pace.joined_passes) >=
                         nearly_all * static_cast<double>(over);
}

}  // namespace

std::optional<Finding> bank_conflict(const Explanation& explanation, const LineCounts& line,
                                     std::size_t cc, bool is_store,
                                     const SharedAccesses& accesses) {
  const emulator::MemoryCounts& memory = line.memory[cc];
  const emulator::PassCounts& counts = is_store ? memory.shared_store : memory.shared_load;
  if (ratio(counts.passes, counts.ideal_passes) < worth_saying) return std::nullopt;
  if (!is_store && are_joined(explanation) && have_one_base(line, accesses())) return std::nullopt;
  const double passes = ratio(counts.passes, counts.requests);
  const double ideal = ratio(counts.ideal_passes, counts.requests);
  const int banks = explanation.request.compute_capabilities[cc].major == 1 ? 16 : 32;
  const std::vector<SharedArray> arrays = shared_arrays(explanation, line);
  const Conflict conflict = conflict_of(explanation, line, cc, accesses(), is_store, arrays.size());
  const std::string text = fmt::format(
      "{} {} shared memory in {} {}; the minimum is {}{}. {}", place_of(explanation, line),
      is_store ? "writes" : "reads", passes_text(passes), each_request, number(ideal),
      ideal > worth_saying ? ", since a pass serves 4 bytes of each bank" : "",
      meeting_in(conflict, passes / ideal, banks));
  const std::string cure =
      conflict.is_loaded
          ? " The index comes from memory, so that the words lie in any banks. Copies of a small "
            "table, each for some of the lanes, have fewer conflicts."
          : cure_of_conflict(array_of(conflict, arrays, accesses()), ideal, banks);
  const bool pads = cure.find(": declare ") != std::string::npos;  // the example does not pad
  const std::uint64_t over = counts.passes - counts.ideal_passes;
  Finding finding{static_cast<double>(over),
                  {text + cure, cite("bank conflicts", "Shared memory"), Remedy::bank_conflicts,
                   std::nullopt, !pads},
                  Change{.passes = ratio(over, all_passes(explanation.launch.memory[cc]))}};
  finding.always = true;
  return finding;
}

}  // namespace warpwise::lab
