#include "warpwise/lab/explain/comparison/compared_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "warpwise/lab/study/show/text_diff.hpp"

namespace warpwise::lab {
namespace {

using FileLine = std::pair<std::string, int>;  // a file and a line of it

struct Side {
  std::map<FileLine, std::uint64_t> counts;
  std::map<std::string, const SourceFile*> sources;
  std::string main_file;  // name of the given file in LineCounts::file
};

Side side_of(const ExplainedKernel& kernel, const CountOfLine& count) {
  Side side;
  for (const Explanation& launch : kernel.launches) {
    for (const emulator::LineCounts& line : launch.launch.lines) {
      if (const std::uint64_t counted = count(line); counted > 0)
        side.counts[{line.file, line.line}] += counted;
    }
    for (const SourceFile& each : launch.sources) {
      side.sources[each.name] = &each;
      if (each.shown == launch.request.file) side.main_file = each.name;
    }
  }
  return side;
}

// Maps line numbers of the first kernel's main file to those in the second kernel's main file, for
// the lines that a diff of the two files leaves unchanged.
std::map<int, int> common_of_main_files(const Side& before, const Side& after) {
  const auto a = before.sources.find(before.main_file);
  const auto b = after.sources.find(after.main_file);
  std::map<int, int> common;
  if (a == before.sources.end() || b == after.sources.end()) return common;
  for (const auto& [first, second] : common_lines(a->second->lines, b->second->lines))
    common[static_cast<int>(first) + 1] = static_cast<int>(second) + 1;
  return common;
}

std::string name_of_place(const Side& side, const FileLine& place) {
  if (place.second == 0) return "code without a line";
  const auto source = side.sources.find(place.first);
  const std::string file = source == side.sources.end() ? place.first : source->second->shown;
  return fmt::format("line {} of {}", place.second,
                     std::filesystem::path(file).filename().string());
}

std::string source_of(const Side& side, const FileLine& place) {
  const auto source = side.sources.find(place.first);
  const auto index = static_cast<std::size_t>(place.second);
  if (source == side.sources.end() || index < 1 || index > source->second->lines.size()) return "";
  const std::string& text = source->second->lines[index - 1];
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin);
}

}  // namespace

std::vector<ComparedLine> compared_lines(const ExplainedKernel& before,
                                         const ExplainedKernel& after, const CountOfLine& count) {
  const Side a = side_of(before, count);
  Side b = side_of(after, count);
  const bool same_file = a.main_file == b.main_file;
  const std::map<int, int> common = same_file ? std::map<int, int>{} : common_of_main_files(a, b);
  std::vector<ComparedLine> lines;
  for (const auto& [place, counted] : a.counts) {
    ComparedLine line = {name_of_place(a, place), "", source_of(a, place), counted, 0};
    FileLine there = place;
    if (!same_file && place.first == a.main_file) {
      const auto same = common.find(place.second);
      there = {b.main_file, same == common.end() ? -1 : same->second};
    }
    if (const auto found = b.counts.find(there); found != b.counts.end()) {
      line.after = name_of_place(b, there);
      line.count_after = found->second;
      b.counts.erase(found);
    }
    lines.push_back(std::move(line));
  }
  for (const auto& [place, counted] : b.counts)
    lines.push_back({"", name_of_place(b, place), source_of(b, place), 0, counted});
  const auto difference = [](const ComparedLine& line) {
    return line.count_before > line.count_after ? line.count_before - line.count_after
                                                : line.count_after - line.count_before;
  };
  std::erase_if(lines, [&](const ComparedLine& line) { return difference(line) == 0; });
  std::stable_sort(lines.begin(), lines.end(), [&](const ComparedLine& x, const ComparedLine& y) {
    return difference(x) > difference(y);
  });
  return lines;
}

}  // namespace warpwise::lab
