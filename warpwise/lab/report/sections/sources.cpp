#include "warpwise/lab/report/sections/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/words/words.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab::report {
namespace {

std::string id_of_rung(const std::string& study, const std::string& rung) {
  return "source-" + id_of(study + " " + rung);
}

StudySource source_of(const StudyTable& table) {
  StudySource source;
  source.about = table.about;
  for (const Rung& rung : table.rungs) {
    const std::optional<std::string> text = read_text(rung.file);
    if (!text) continue;
    const std::string name = rung.file.lexically_relative(source_root()).string();
    source.rungs.push_back({rung.name, name, *text, rung.constants});
  }
  return source;
}

Html sources_note(const std::string& said) { return element("p", {{"class", "note"}}, said); }

// Shows the whole file of the rung, and of other files only the lines with counts.
Html counted_source(const RungSource& rung, const RecordedLines& counted) {
  const Words& w = words();
  const Annotation& annotation = counted.annotation;
  static const std::map<std::int64_t, LineCounts> nothing;
  const auto own = annotation.files.find(rung.file);
  const auto& lines = own == annotation.files.end() ? nothing : own->second;
  if (!is_of(rung.text, lines)) {
    return sources_note(w.counts_of_another) + listing(rung.file, rung.text, nothing, 0);
  }
  Html html =
      sources_note(fmt::format(fmt::runtime(w.counts_about), size_text(counted.size),
                               counted.compute_capability, counted.compiler, counted.commit)) +
      listing(rung.file, rung.text, lines, annotation.warp_instructions);
  for (const auto& [file, of_file] : annotation.files) {
    if (file == rung.file) continue;
    html += sources_note(fmt::format(fmt::runtime(w.counts_elsewhere), file)) +
            excerpt(file, of_file, annotation.warp_instructions);
  }
  return html;
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
      // The study lies in a user's own folder and is not installed.
    } catch (const IoError&) {
      // The study's table or sources cannot be read here, but the report can do without them.
    }
  }
  return sources;
}

std::string link_to(const std::map<std::string, StudySource>& sources, const std::string& study,
                    const std::string& rung) {
  const auto source = sources.find(study);
  if (source == sources.end()) return "";
  const auto& rungs = source->second.rungs;
  const bool has = std::any_of(rungs.begin(), rungs.end(),
                               [&](const RungSource& each) { return each.name == rung; });
  return has ? "#" + id_of_rung(study, rung) : "";
}

Html html_of(const std::string& study, const RungSource& rung, const RecordedLines* counted) {
  std::vector<std::string> constants;
  for (const auto& [name, value] : rung.constants) constants.push_back(name + " = " + value);
  Html inner;
  if (!constants.empty()) {
    inner += sources_note(fmt::format("{} {}", words().constants, fmt::join(constants, ", ")));
  }
  inner +=
      counted == nullptr ? listing(rung.file, rung.text, {}, 0) : counted_source(rung, *counted);
  // The link leads to an element inside <details>, because the browser then opens <details>.
  return element("details", element("summary", fmt::format(fmt::runtime(words().source_file),
                                                           rung.name, rung.file)) +
                                element("div", {{"id", id_of_rung(study, rung.name)}}, inner));
}

}  // namespace warpwise::lab::report
