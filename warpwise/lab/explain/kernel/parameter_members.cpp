#include "warpwise/lab/explain/kernel/parameter_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/explain/number_text.hpp"

namespace warpwise::lab {
namespace {

// A part of a structure from `begin` up to `end`.
struct Covered {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

void add_covered(const ArgumentSpec& spec, std::uint64_t at, std::vector<Covered>& all) {
  if (spec.kind != ArgumentSpec::Kind::structure) {
    all.push_back({at, at + extent_of(spec).bytes});
    return;
  }
  const std::vector<std::uint64_t> offsets = offsets_of(spec);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    add_covered(spec.members[i], at + offsets[i], all);
}

// Returns true if the kernel uses the value of a register as an address of global memory.
bool is_address(std::string_view body, const std::string& name) {
  constexpr std::string_view conversion = "cvta.to.global.u64";
  for (std::size_t at = body.find(conversion); at != std::string_view::npos;
       at = body.find(conversion, at + 1)) {
    if (body.substr(at, body.find(';', at) - at).ends_with(", " + name)) return true;
  }
  return false;
}

}  // namespace

std::string_view body_of(std::string_view ptx, const std::string& mangled) {
  const std::size_t begin = ptx.find(".entry " + mangled + "(");
  if (begin == std::string_view::npos) return {};
  const std::size_t next = std::min(ptx.find(".entry ", begin + 1), ptx.find(".func ", begin + 1));
  return ptx.substr(begin, next == std::string_view::npos ? next : next - begin);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string last_word(const std::string& text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const auto end = std::find_if(text.rbegin(), text.rend(), is_part);
  const auto begin = std::find_if_not(end, text.rend(), is_part);
  return {begin.base(), end.base()};
}

std::vector<std::string> parameter_names(std::string_view body) {
  const std::size_t open = std::min(body.find('('), body.size());
  const std::size_t close = std::min(body.find(')', open), body.size());
  std::vector<std::string> names;
  for (const std::string& each : split(body.substr(std::min(open + 1, close), close - open - 1)))
    names.push_back(last_word(each.substr(0, each.find('['))));
  return names;
}

std::map<std::uint64_t, std::string> members_of(std::string_view body, const std::string& name) {
  static const std::regex load(
      R"(ld\.param(?:\.v[24])?\.(\w)(\d+)\s+([^\[]*),\s*\[(\w+)(?:\+(\d+))?\];)");
  std::map<std::uint64_t, std::string> members;
  std::istringstream text{std::string(body)};
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (line.size() > longest_line || !std::regex_search(line, match, load) || match[4] != name)
      continue;
    const int bits = std::stoi(match[2]);
    std::uint64_t at = match[5].matched ? std::stoull(match[5]) : 0;
    std::string registers = match[3];
    std::erase_if(registers, [](char c) { return c == '{' || c == '}' || c == ' '; });
    for (const std::string& each : split(registers)) {
      members[at] = bits == 64 && is_address(body, each)
                        ? "*"
                        : fmt::format("{}{}", match[1] == "f" ? 'f' : 'i', bits);
      at += static_cast<std::uint64_t>(bits) / 8;
    }
  }
  return members;
}

void require_members(const emulator::KernelInfo& kernel, std::string_view ptx,
                     const std::vector<ArgumentSpec>& specs) {
  const std::string_view body = body_of(ptx, kernel.name);
  const std::vector<std::string> names = parameter_names(body);
  for (std::size_t i = 0; i < std::min(specs.size(), names.size()); ++i) {
    if (specs[i].kind != ArgumentSpec::Kind::structure) continue;
    std::vector<Covered> covered;
    add_covered(specs[i], 0, covered);
    for (const auto& [at, unused] : members_of(body, names[i])) {
      const auto has_it = [at = at](const Covered& each) {
        return each.begin <= at && at < each.end;
      };
      if (std::ranges::any_of(covered, has_it)) continue;
      throw InvalidArgument(fmt::format(
          "argument {} of the kernel (counted from 0) lacks a member: the kernel reads one at byte "
          "{} of the structure, where '{}' has none",
          i, at, specs[i].text));
    }
  }
}

}  // namespace warpwise::lab
