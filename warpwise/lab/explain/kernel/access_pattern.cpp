#include "warpwise/lab/explain/kernel/access_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <set>

#include "warpwise/base/counted.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/launch/kernel_list.hpp"

namespace warpwise::lab {
namespace {

using Kind = AddressForm::Kind;

// An array that a kernel accesses through a pointer parameter.
struct Array {
  std::string name;  // name in the source; empty if unknown
  std::string type;  // type of an element; empty if unknown

  // Returns the array's name for a report: "in[]".
  std::string shown() const { return name.empty() ? "the array" : name + "[]"; }
  bool is_structure() const {
    static const std::regex plain(
        R"((const |volatile |unsigned |signed )*(char|short|int|long|long long|float|double|bool)|)"
        R"(unsigned|size_t|u?int(8|16|32|64)_t|)"
        R"((u?char|u?short|u?int|u?longlong|float|double)[1-4]|)"
        R"(__half2?|__nv_bfloat16|void|)");
    return !type.empty() && !std::regex_match(type, plain);
  }
  bool is_vector() const { return !type.empty() && type.back() >= '2' && type.back() <= '4'; }
};

// Returns the type that a pointer points to: "float" for "const float* __restrict__".
std::string element_type(const std::string& pointer) {
  static const std::regex qualifiers(R"(\b(const|volatile|__restrict__|struct)\b)");
  std::string type = std::regex_replace(pointer, qualifiers, "");
  type.resize(std::min(type.find('*'), type.size()));
  const std::size_t begin = std::min(type.find_first_not_of(' '), type.size());
  return type.substr(begin, type.find_last_not_of(' ') + 1 - begin);
}

Array array_of(const Explanation& explanation, const GlobalAccess& access) {
  Array array;
  if (!access.address.parameter) return array;
  const std::size_t index = *access.address.parameter;
  const std::vector<std::string> types = parameter_types(explanation.kernel.name);
  std::vector<DeclaredParameter> own;
  if (const SourceFile* const source = explanation.source(access.file))
    own = declared_parameters(fmt::format("{}", fmt::join(source->lines, "\n")),
                              plain_name(explanation.kernel.name));
  if (!types.empty() && own.size() != types.size()) own.clear();
  std::string type;
  if (index < own.size()) {
    array.name = own[index].name;
    type = own[index].type;
  }
  if (index < types.size()) type = types[index];
  if (type.find('*') == std::string::npos) return {};
  constexpr std::size_t longest = 100;
  if (type.size() < longest) array.type = element_type(type);
  return array;
}

bool is_of_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Returns the indices into the array on a line: {"i", "i + 1"} for "in[i] * in[i + 1]".
std::vector<std::string> indices_on(const std::string& line, const Array& array) {
  std::vector<std::string> indices;
  if (array.name.empty()) return indices;
  for (std::size_t at = line.find(array.name + "["); at != std::string::npos;
       at = line.find(array.name + "[", at + 1)) {
    const bool ends_longer_word = at > 0 && is_of_word(line[at - 1]);
    const std::size_t begin = at + array.name.size() + 1;
    if (!ends_longer_word) indices.push_back(line.substr(begin, line.find(']', begin) - begin));
  }
  return indices;
}

bool is_of_neighbours(const Step& step, const GlobalAccess& access) {
  return !step.by_variable && std::abs(step.bytes) == access.bytes;
}

bool is_apart(const GlobalAccess& access) {
  const Step& step = access.address.steps[thread_x];
  return step.by_variable || std::abs(step.bytes) > access.bytes;
}

// Returns the index along a row: if it grows by one, the access goes to the next element. Does not
// return threadIdx.x.
std::optional<AddressIndex> index_along_row(const GlobalAccess& access) {
  for (const AddressIndex each : {thread_y, thread_z, block_y, block_z, block_x})
    if (is_of_neighbours(access.address.steps[each], access)) return each;
  return std::nullopt;
}

// Returns the index that the kernel has swapped with threadIdx.x: the index along a row in the
// first access that has one. Returns nothing if threadIdx.x is along a row in any access. Skips
// accesses whose address does not depend on threadIdx.x.
std::optional<AddressIndex> index_swapped_with_x(const std::vector<GlobalAccess>& accesses) {
  std::optional<AddressIndex> along;
  for (const GlobalAccess& each : accesses) {
    if (each.address.kind != Kind::affine || each.address.steps[thread_x].is_none()) continue;
    if (is_of_neighbours(each.address.steps[thread_x], each)) return std::nullopt;
    if (!along) along = index_along_row(each);
  }
  return along;
}

const char* name_of_index(AddressIndex index) {
  constexpr std::array names = {"threadIdx.x", "threadIdx.y", "threadIdx.z",
                                "blockIdx.x",  "blockIdx.y",  "blockIdx.z"};
  return names.at(index);
}

ScatteredAccess swapped(const Array& array, AddressIndex along) {
  return {AccessPattern::swapped_indices,
          fmt::format("threadIdx.x goes down the rows of {}, so that neighbouring threads are a "
                      "row apart; {} goes along a row.",
                      array.shown(), name_of_index(along)),
          "Swap the two: let threadIdx.x go along a row, in the index and in the sizes of block "
          "and grid."};
}

ScatteredAccess transposed(const Array& array) {
  return {AccessPattern::transpose,
          fmt::format("The kernel turns rows into columns: neighbouring threads are a row apart "
                      "in {}, and side by side in another array.",
                      array.shown()),
          fmt::format("Pass tiles through shared memory, as __shared__ {} tile[32][33], with "
                      "__syncthreads() between: then both arrays are used along their rows.",
                      array.type.empty() ? "float" : array.type)};
}

// Returns true if threads combine each row into one result, such as its sum. They do not if a loop
// stores element after element, or if threads keep arrays in local memory.
bool is_combined(const Explanation& explanation, const std::vector<GlobalAccess>& accesses) {
  return explanation.kernel.local_bytes == 0 &&
         std::ranges::none_of(accesses, [](const GlobalAccess& each) {
           return each.is_store && each.address.advances_in_loop;
         });
}

// Says how a thread loads or stores more bytes at a time where its elements lie side by side.
std::string wide_accesses(const GlobalAccess& access, const Array& array) {
  constexpr std::int64_t widest = 16;
  constexpr std::int64_t word = 4;
  const std::int64_t bytes = std::abs(access.address.steps[thread_x].bytes);
  const char* const verb = access.is_store ? "store" : "load";
  const bool is_float = array.type.starts_with("float") || (access.is_float && !array.is_vector());
  const auto type = [&](std::int64_t width) {
    const std::string name = is_float ? "float" : "uint";
    return width <= word ? std::string("unsigned") : name + std::to_string(width / word);
  };
  std::int64_t width = widest;
  while (bytes % width != 0) width /= 2;
  if (width > access.bytes && width >= word)
    return fmt::format("A thread's elements are neighbours: {} {} bytes at a time, as {}.", verb,
                       width, type(width));
  width = access.bytes < word ? word : widest;
  const std::int64_t all = std::lcm(bytes, width);
  return fmt::format(
      "Let each thread take what {} neighbours take now, {} bytes side by side, and {} {} bytes at "
      "a time, as {}.",
      all / bytes, all, verb, width, type(width));
}

ScatteredAccess row_per_thread(const Explanation& explanation,
                               const std::vector<GlobalAccess>& accesses, const Array& array,
                               const GlobalAccess& access) {
  const bool is_loaded = access.address.kind == Kind::loaded;
  const std::string cause =
      is_loaded ? fmt::format(
                      "Each thread goes through a row of {} by itself; the row's beginning "
                      "comes from memory, as in a sparse matrix.",
                      array.shown())
                : fmt::format(
                      "Each thread goes through a row of {} by itself, so that neighbouring "
                      "threads are a row apart.",
                      array.shown());
  const Step& step = access.address.steps[thread_x];
  constexpr std::int64_t short_row = 64;
  constexpr std::int64_t widest = 16;
  if (!step.by_variable && step.bytes != 0 && std::abs(step.bytes) <= short_row) {
    return {AccessPattern::piece_per_thread, cause,
            step.bytes % widest == 0 ? fmt::format("Rows are short: {} {} bytes at a time, as {}.",
                                                   access.is_store ? "store" : "load", widest,
                                                   access.is_float ? "float4" : "uint4")
                                     : "Rows are short. " + wide_accesses(access, array)};
  }
  if (access.is_store)
    return {
        AccessPattern::row_per_thread, cause,
        "Let neighbouring threads write neighbouring elements of one row; if need be, collect a "
        "tile of results in shared memory first."};
  const std::string ending = is_combined(explanation, accesses)
                                 ? ", and combine what they find by __shfl_down_sync."
                                 : ".";
  return {AccessPattern::row_per_thread, cause,
          "Let the 32 threads of a warp take neighbouring elements of one row" + ending};
}

ScatteredAccess piece_per_thread(const Explanation& explanation,
                                 const std::vector<GlobalAccess>& accesses, const Array& array) {
  const std::string rows = is_combined(explanation, accesses)
                               ? " If a piece is a row with a result of its own, let the 32 "
                                 "threads of a warp share it, and combine what they find by "
                                 "__shfl_down_sync."
                               : "";
  return {AccessPattern::piece_per_thread,
          fmt::format("Each thread goes through a piece of {} of its own, so that neighbouring "
                      "threads are a piece apart.",
                      array.shown()),
          "Let neighbouring threads use neighbouring elements: each begins at its own number, and "
          "goes on by the number of threads." +
              rows};
}

// Returns true if each pair of brackets on a line holds one word, as in "out[i] = in[i]".
bool has_plain_indices(const std::string& line) {
  for (std::size_t at = line.find('['); at != std::string::npos; at = line.find('[', at + 1)) {
    const std::string index = line.substr(at + 1, line.find(']', at) - at - 1);
    if (!std::ranges::all_of(index, is_of_word)) return false;
  }
  return true;
}

// Describes an access in a loop in which each thread goes through its own elements. They are a
// piece of the array if every index on the line is a single word, and a row of a matrix otherwise.
ScatteredAccess row_or_piece_per_thread(const Explanation& explanation,
                                        const std::vector<GlobalAccess>& accesses,
                                        const Array& array, const GlobalAccess& access) {
  const std::string line = explanation.source_line(access.file, access.line);
  const bool is_counter = !indices_on(line, array).empty() && has_plain_indices(line);
  const bool is_piece = is_counter && access.address.kind == Kind::affine;
  return is_piece ? piece_per_thread(explanation, accesses, array)
                  : row_per_thread(explanation, accesses, array, access);
}

// Returns how many bytes of a thread's step the kernel uses. The step is the distance to the next
// thread's element. If it is 12, and the kernel uses one float of three, the result is 4. Counts
// all accesses with the array and the step of `like`.
std::size_t bytes_used(const std::vector<GlobalAccess>& accesses, const GlobalAccess& like) {
  const std::int64_t step = std::abs(like.address.steps[thread_x].bytes);
  std::set<std::int64_t> used;
  for (const GlobalAccess& each : accesses) {
    if (each.address.parameter != like.address.parameter ||
        each.address.steps[thread_x] != like.address.steps[thread_x])
      continue;
    for (std::int64_t i = 0; i < each.bytes; ++i)
      used.insert(((each.offset + i) % step + step) % step);
  }
  return used.size();
}

// Returns true if the compiler unrolled a loop over a thread's elements. The source line then has
// one index that stands for all of these elements.
bool is_unrolled(const Explanation& explanation, const std::vector<GlobalAccess>& accesses,
                 const Array& array, const GlobalAccess& access) {
  std::set<std::int64_t> offsets;
  for (const GlobalAccess& each : accesses) {
    if (each.file == access.file && each.line == access.line && each.is_store == access.is_store &&
        each.address.parameter == access.address.parameter &&
        each.address.steps[thread_x] == access.address.steps[thread_x])
      offsets.insert(each.offset);
  }
  if (array.is_vector() || offsets.size() < 2) return false;
  return indices_on(explanation.source_line(access.file, access.line), array).size() == 1;
}

// Returns true if a thread uses several elements of each step: either all of them, or elements on
// different source lines. Elements on one line may come from an unrolled loop and do not count.
bool is_interleaved(const std::vector<GlobalAccess>& accesses, const GlobalAccess& like,
                    std::size_t used) {
  if (used == static_cast<std::size_t>(like.bytes)) return false;
  if (used == static_cast<std::size_t>(std::abs(like.address.steps[thread_x].bytes))) return true;
  return std::ranges::any_of(accesses, [&](const GlobalAccess& each) {
    return each.address.parameter == like.address.parameter && each.line != like.line &&
           each.address.steps[thread_x] == like.address.steps[thread_x];
  });
}

// Describes accesses to groups of elements of one type, such as the colours of pixels.
ScatteredAccess interleaved(const Array& array, const GlobalAccess& access, std::size_t used) {
  const std::int64_t bytes = std::abs(access.address.steps[thread_x].bytes);
  const bool are_all = static_cast<std::int64_t>(used) == bytes;
  return {AccessPattern::structures,
          fmt::format("Neighbouring threads are {} apart in {}, and the kernel uses {} of these "
                      "bytes.",
                      counted(static_cast<std::uint64_t>(bytes), "byte"), array.shown(),
                      are_all ? "all" : std::to_string(used)),
          are_all ? wide_accesses(access, array)
                  : "Keep the elements that the kernel uses in an array of their own, without the "
                    "others between them.",
          false};
}

ScatteredAccess structures(const Array& array, const GlobalAccess& access, std::size_t used) {
  if (!array.is_structure()) return interleaved(array, access, used);
  const std::int64_t bytes = std::abs(access.address.steps[thread_x].bytes);
  const std::string own =
      fmt::format("Keep each member in an array of its own: x[i] in place of {}[i].x.",
                  array.name.empty() ? "a" : array.name);
  return {AccessPattern::structures,
          fmt::format("Neighbouring threads are a {} of {} bytes apart, and the kernel uses {} of "
                      "these bytes.",
                      array.type, bytes,
                      static_cast<std::int64_t>(used) == bytes ? "all" : std::to_string(used)),
          static_cast<std::int64_t>(used) < bytes || bytes % 16 != 0
              ? own
              : own + fmt::format(" Or load 16 bytes at a time, as {}.",
                                  access.is_float ? "float4" : "uint4")};
}

// Describes threads that each compute a group of elements one by one in a loop, such as a pixel's
// colours in "out[3 * i + c] = f(in[3 * i + c])". Returns nothing for other accesses.
std::optional<ScatteredAccess> element_by_element(const Explanation& explanation,
                                                  const std::vector<GlobalAccess>& accesses,
                                                  const Array& array, const GlobalAccess& access) {
  constexpr std::int64_t most_bytes = 64;
  const Step& step = access.address.steps[thread_x];
  if (step.bytes % access.bytes != 0 || std::abs(step.bytes) > most_bytes) return std::nullopt;
  const std::string line = explanation.source_line(access.file, access.line);
  const auto own = indices_on(line, array);
  const bool has_own_result = std::ranges::any_of(accesses, [&](const GlobalAccess& each) {
    return each.file == access.file && each.line == access.line &&
           each.is_store != access.is_store && each.address.steps[thread_x] == step &&
           indices_on(line, array_of(explanation, each)) == own;
  });
  if (!has_own_result || own.empty()) return std::nullopt;
  const std::int64_t elements = std::abs(step.bytes) / access.bytes;
  return ScatteredAccess{
      AccessPattern::piece_per_thread,
      fmt::format("Each thread takes {} interleaved elements of {} in turn, so that neighbouring "
                  "threads are {} bytes apart.",
                  elements, array.shown(), std::abs(step.bytes)),
      fmt::format("Let each thread take one element, with {} times the threads: then neighbouring "
                  "threads use neighbouring elements.",
                  elements),
      false};
}

ScatteredAccess strided(const Array& array, const GlobalAccess& access) {
  const Step& step = access.address.steps[thread_x];
  const std::string distance =
      step.by_variable ? "a multiple of a variable" : fmt::format("{} bytes", std::abs(step.bytes));
  std::string cure =
      "Let neighbouring threads take neighbouring elements: a thread with several elements steps "
      "by the number of threads.";
  if (step.by_variable) {
    cure += " If only some elements are needed, keep these in an array of their own.";
  } else if (step.bytes % access.bytes == 0) {
    cure +=
        fmt::format(" If only one element in {} is needed, keep these in an array of their own.",
                    std::abs(step.bytes) / access.bytes);
  }
  return {AccessPattern::stride,
          fmt::format("Neighbouring threads are {} apart in {}, and a thread uses {} at a time.",
                      distance, array.shown(),
                      counted(static_cast<std::uint64_t>(access.bytes), "byte")),
          cure};
}

// Returns true if a block requests fewer bytes on the access's line than a table has: copying the
// table to shared memory then costs more than it saves.
bool is_seldom_read(const Explanation& explanation, const GlobalAccess& access,
                    std::uint64_t table_bytes) {
  for (const emulator::LineCounts& each : explanation.launch.lines) {
    if (each.file != access.file || each.line != access.line || each.memory.empty()) continue;
    const std::uint64_t requested = each.memory.front().global_load.bytes_requested;
    return requested < table_bytes * explanation.request.grid.count();
  }
  return false;
}

// Says how shared memory helps accesses in any order; empty if the buffer does not fit in it, or if
// a block reads little of it.
std::string in_shared_memory(const Explanation& explanation, const GlobalAccess& access) {
  if (access.is_store) return " If results are few, collect them in shared memory first.";
  constexpr std::uint64_t most_shared = 49'152;  // limit of a block's static shared memory in bytes
  const std::uint64_t bytes =
      access.address.parameter ? explanation.buffer_bytes(*access.address.parameter) : 0;
  if (bytes > most_shared || is_seldom_read(explanation, access, bytes)) return "";
  return bytes == 0 ? " If the table is small, keep it in shared memory."
                    : fmt::format(" Or keep its {} in shared memory.", counted(bytes, "byte"));
}

ScatteredAccess with_index(const Explanation& explanation, const Array& array,
                           const GlobalAccess& access) {
  const std::string last = in_shared_memory(explanation, access);
  if (access.address.kind == Kind::loaded) {
    return {
        AccessPattern::loaded_index,
        fmt::format("The index into {} comes from memory: neighbouring threads use elements in "
                    "any order.",
                    array.shown()),
        "Sort the work by this index: then neighbouring threads use neighbouring elements." + last};
  }
  return {AccessPattern::computed_index,
          fmt::format("The index into {} is a quotient, a remainder or a hash, so that "
                      "neighbouring threads do not use neighbouring elements.",
                      array.shown()),
          "Share out the work so that the index grows by one from thread to thread, or sort the "
          "work by it." +
              last};
}

// Returns true if the kernel transposes, as in out[x * n + y] = in[y * n + x]: a load and a store
// have swapped indices. `scattered` is one of the two, and `along` is the index along its rows. The
// function looks for the other one: threadIdx.x is along its rows, and `along` goes from row to
// row. An access to a vector does not count, because `along` is not in its index.
bool is_transpose(const std::vector<GlobalAccess>& accesses, const GlobalAccess& scattered,
                  AddressIndex along) {
  return std::ranges::any_of(accesses, [&](const GlobalAccess& each) {
    const Step& across = each.address.steps[along];
    return each.address.kind == Kind::affine && each.is_store != scattered.is_store &&
           is_of_neighbours(each.address.steps[thread_x], each) &&
           (across.by_variable || std::abs(across.bytes) > each.bytes);
  });
}

std::optional<ScatteredAccess> reason_for(const Explanation& explanation,
                                          const std::vector<GlobalAccess>& accesses,
                                          const GlobalAccess& access) {
  const Array array = array_of(explanation, access);
  switch (access.address.kind) {
    case Kind::unknown: return std::nullopt;
    case Kind::loaded:
      return access.address.advances_in_loop ? row_per_thread(explanation, accesses, array, access)
                                             : with_index(explanation, array, access);
    case Kind::computed: return with_index(explanation, array, access);
    case Kind::affine: break;
  }
  if (!is_apart(access)) return std::nullopt;
  const std::optional<AddressIndex> along = index_along_row(access);
  if (along && is_transpose(accesses, access, *along)) return transposed(array);
  if (along) return swapped(array, *along);
  if (const auto of_others = index_swapped_with_x(accesses)) return swapped(array, *of_others);
  const Step& step = access.address.steps[thread_x];
  if (step.by_variable)
    return access.address.advances_in_loop
               ? row_or_piece_per_thread(explanation, accesses, array, access)
               : strided(array, access);
  const std::size_t used = bytes_used(accesses, access);
  if (array.is_structure()) return structures(array, access, used);
  const bool unrolled = is_unrolled(explanation, accesses, array, access);
  if (access.address.advances_in_loop || unrolled)
    if (auto each = element_by_element(explanation, accesses, array, access)) return each;
  if (access.address.advances_in_loop)
    return row_or_piece_per_thread(explanation, accesses, array, access);
  if (unrolled) return row_per_thread(explanation, accesses, array, access);
  if (is_interleaved(accesses, access, used)) return structures(array, access, used);
  return strided(array, access);
}

}  // namespace

std::vector<GlobalAccess> accesses_of(const Explanation& explanation) {
  try {
    return global_accesses(explanation.compilation.ptx, explanation.kernel.name);
  } catch (const InvalidArgument&) {
    return {};
  }
}

std::vector<SharedAccess> shared_accesses_of(const Explanation& explanation) {
  try {
    return shared_accesses(explanation.compilation.ptx, explanation.kernel.name);
  } catch (const InvalidArgument&) {
    return {};
  }
}

std::set<std::size_t> written_by(const Explanation& explanation) {
  try {
    return written_parameters(explanation.compilation.ptx, explanation.kernel.name);
  } catch (const InvalidArgument&) {
    return {};
  }
}

std::optional<ScatteredAccess> scattered_at(const Explanation& explanation,
                                            const std::vector<GlobalAccess>& accesses,
                                            const std::string& file, int line, bool is_store) {
  std::optional<ScatteredAccess> first;
  for (const GlobalAccess& each : accesses) {
    if (each.line != line || each.file != file || each.is_store != is_store) continue;
    auto reason = reason_for(explanation, accesses, each);
    if (reason && reason->pattern == AccessPattern::row_per_thread) return reason;
    if (!first) first = std::move(reason);
  }
  return first;
}

}  // namespace warpwise::lab
