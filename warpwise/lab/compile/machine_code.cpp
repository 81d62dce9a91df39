#include "warpwise/lab/compile/machine_code.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace warpwise::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

template <class Integer>
std::optional<Integer> number_of(std::string_view digits, int base) {
  Integer value{};
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

struct SourcePlace {
  std::string file;
  int line = 0;
};

// Reads a line such as
//   //## File "/a/b.cu", line 12
// For code of an inlined function, "inlined at" and the call's place follow.
std::optional<SourcePlace> place_in(std::string_view line) {
  constexpr std::string_view begin = "//## File \"";
  constexpr std::string_view middle = "\", line ";
  if (!line.starts_with(begin)) return std::nullopt;
  line.remove_prefix(begin.size());
  const std::size_t at = line.find(middle);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + middle.size());
  const auto number = number_of<int>(rest.substr(0, rest.find_first_not_of("0123456789")), 10);
  if (!number) return std::nullopt;
  return SourcePlace{std::string(line.substr(0, at)), *number};
}

// Reads a line such as "/*00d0*/                   ULDC.64 UR12, c[0x0][0x210] ;".
std::optional<MachineInstruction> instruction_in(std::string_view line) {
  constexpr std::string_view begin = "/*";
  const std::size_t end = line.find("*/");
  if (!line.starts_with(begin) || end == std::string_view::npos || end < begin.size()) {
    return std::nullopt;
  }
  const auto address = number_of<std::uint64_t>(line.substr(begin.size(), end - begin.size()), 16);
  std::string_view text = line.substr(end + 2);
  text = trimmed(text.substr(0, text.find(';')));
  if (!address || text.empty()) return std::nullopt;
  return MachineInstruction{*address, std::string(text), {}, 0};
}

bool is_place_to_branch(std::string_view label) { return label.starts_with(".L_"); }

// Recognises ".L_x_1:", or the label of a function that the kernel calls, such as
// "$__internal_0_$__cuda_sm20_sqrt_rn_f32:".
bool is_label(std::string_view line, std::string_view kernel) {
  if (!line.ends_with(':') || line.starts_with(".text.")) return false;
  line.remove_suffix(1);
  return line != kernel && line.find_first_of(" \t\"") == std::string_view::npos;
}

}  // namespace

std::string_view text_of_kernel(std::string_view disassembly, std::string_view kernel) {
  constexpr std::string_view section = ".section\t.text.";
  for (std::size_t at = disassembly.find(section); at != std::string_view::npos;
       at = disassembly.find(section, at)) {
    at += section.size();
    const std::string_view rest = disassembly.substr(at);
    if (!rest.starts_with(kernel) || !rest.substr(kernel.size()).starts_with(',')) continue;
    return rest.substr(0, rest.find(section));
  }
  return {};
}

std::vector<MachineInstruction> machine_code_in(std::string_view disassembly,
                                                std::string_view kernel) {
  const std::string_view text = text_of_kernel(disassembly, kernel);
  std::vector<MachineInstruction> instructions;
  SourcePlace place;
  std::string labels;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (auto next = place_in(line)) {
      place = *std::move(next);
    } else if (is_label(line, kernel)) {
      labels += std::string(line) + " ";
      if (!is_place_to_branch(line)) place = {};  // CUDA's own functions have no source line
    } else if (auto instruction = instruction_in(line)) {
      instruction->text = labels + instruction->text;
      instruction->file = place.file;
      instruction->line = place.line;
      instructions.push_back(*std::move(instruction));
      labels.clear();
    }
  }
  // NOPs pad the code to a multiple of 128 bytes.
  while (!instructions.empty() && instructions.back().text == "NOP") instructions.pop_back();
  return instructions;
}

}  // namespace warpwise::lab
