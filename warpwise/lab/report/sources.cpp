#include "warpwise/lab/report/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/report/words.hpp"
#include "warpwise/lab/study/study_table.hpp"

namespace warpwise::lab::report {
namespace {

std::string id_of_file(const RungFile& file) {
  return "source-" + id_of(file.study + " " + file.name);
}

StudySource source_of(const StudyTable& table) {
  StudySource source;
  source.about = table.about;
  for (const Rung& rung : table.rungs) {
    const std::string name = rung.file.lexically_relative(source_root()).string();
    auto found = std::find_if(source.files.begin(), source.files.end(),
                              [&](const RungFile& each) { return each.name == name; });
    if (found == source.files.end()) {
      const std::optional<std::string> text = read_text(rung.file);
      if (!text) continue;
      found = source.files.insert(found, {table.name(), name, *text, {}});
    }
    found->rungs.push_back({rung.name, rung.constants});
  }
  return source;
}

Html rungs_of(const RungFile& file) {
  Html items;
  for (const SourceRung& each : file.rungs) {
    std::vector<std::string> constants;
    for (const auto& [name, value] : each.constants) constants.push_back(name + " = " + value);
    items += element(
        "li", element("b", each.name) +
                  text(constants.empty() ? "" : fmt::format(": {}", fmt::join(constants, ", "))));
  }
  return element("p", words().constants) + element("ul", items);
}

}  // namespace

std::map<std::string, StudySource> installed_sources(const Collection& collection) {
  std::set<std::string> studies;
  for (const Recorded& each : collection.runs) studies.insert(each.record.study);
  std::map<std::string, StudySource> sources;
  for (const std::string& study : studies) {
    try {
      sources[study] = source_of(find_study(study));
    } catch (const InvalidArgument&) {
      // A study of somebody's own, in a folder of their own.
    }
  }
  return sources;
}

std::string link_to(const std::map<std::string, StudySource>& sources, const std::string& study,
                    const std::string& rung) {
  const auto source = sources.find(study);
  if (source == sources.end()) return "";
  for (const RungFile& file : source->second.files) {
    for (const SourceRung& each : file.rungs) {
      if (each.name == rung) return "#" + id_of_file(file);
    }
  }
  return "";
}

Html html_of(const RungFile& file) {
  Html lines;
  std::string_view rest = file.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines += element("span", rest.substr(0, end)) + text("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<std::string> rungs;
  for (const SourceRung& each : file.rungs) rungs.push_back(each.name);
  const std::string title =
      fmt::format(fmt::runtime(words().source_file), file.study, file.name, fmt::join(rungs, ", "));
  // A link leads to what is inside, for that opens it.
  const Html code = element(
      "pre",
      {{"class", "source"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", file.name}},
      element("code", lines));
  return element("details", element("summary", title) +
                                element("div", {{"id", id_of_file(file)}}, rungs_of(file) + code));
}

}  // namespace warpwise::lab::report
