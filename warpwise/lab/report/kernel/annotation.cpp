#include "warpwise/lab/report/kernel/annotation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/words/words.hpp"
#include "warpwise/lab/study/show/text_diff.hpp"

namespace warpwise::lab::report {
namespace {

double count(const RecordField& object, const char* key) {
  // Largest count that is accepted; extrapolate() of lab/measure gives none above it.
  constexpr double most = 1e18;
  const auto field = object.find(key);
  if (!field) return 0;
  const double value = field->number();
  if (value < 0 || value > most) field->fail("a count");
  return value;
}

void add_accesses(const RecordField& by_cc, LineCounts& line) {
  for (const auto& [capability, kinds] : by_cc.object().items()) {
    const RecordField of_capability = by_cc.at(capability.c_str());
    for (const auto& [kind, ignored] : of_capability.object().items()) {
      const AccessCounts more = read_accesses(of_capability.at(kind.c_str()), kind);
      if (more.requests == 0) continue;
      AccessCounts& sum = line.accesses[capability][kind];
      sum.requests += more.requests;
      sum.made += more.made;
      sum.ideal += more.ideal;
    }
  }
}

void add_line(const RecordField& field, Annotation& annotation) {
  const auto file = field.find("file");
  const auto number = field.find("line");
  // Counts that belong to no source line are left out.
  if (!file || !number || file->text().empty() || number->whole() < 1) return;
  LineCounts& line = annotation.files[file->text()][number->whole()];
  if (const auto source = field.find("source")) line.source = source->text();
  line.warp_instructions += count(field, "warp_instructions");
  line.branches += count(field, "branches");
  line.divergent_branches += count(field, "divergent_branches");
  if (const auto by_cc = field.find("by_cc")) add_accesses(*by_cc, line);
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

// Formats a number with at most one digit after the point: "4", "31.5".
std::string one_digit(double value) {
  std::string text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

Html note(const std::string& said, bool is_good) {
  return element("em", {{"class", is_good ? "" : "bad"}}, said);
}

Html notes_of(const LineCounts& line) {
  const Words& w = words();
  Html notes;
  for (const auto& [capability, kinds] : line.accesses) {
    const std::string of =
        line.accesses.size() > 1 ? fmt::format("CC {}: ", capability) : std::string();
    for (const auto& [kind, counts] : kinds) {
      const auto known =
          std::find_if(w.accesses.begin(), w.accesses.end(),
                       [&kind = kind](const auto& each) { return kind == each.key; });
      if (known == w.accesses.end()) continue;
      const std::string made = one_digit(counts.made / counts.requests);
      const std::string ideal = one_digit(counts.ideal / counts.requests);
      const bool is_texture = kind == "texture";
      notes += note(of + (is_texture ? fmt::format(fmt::runtime(known->said), counts.requests)
                                     : fmt::format(fmt::runtime(known->said), made, ideal)),
                    made == ideal);
    }
  }
  if (line.divergent_branches > 0) {
    notes +=
        note(fmt::format(fmt::runtime(w.divergent), line.divergent_branches, line.branches), false);
  }
  return notes;
}

Html line_html(std::string_view code, const LineCounts* line, double warp_instructions,
               std::int64_t step) {
  Html margin = element("i", "");
  Html notes;
  if (line != nullptr) {
    const double percent =
        warp_instructions > 0 ? 100 * line->warp_instructions / warp_instructions : 0;
    margin = element("i", {{"style", fmt::format("--share:{:.1f}%", std::min(percent, 100.0))}},
                     fmt::format("{:.1f} %", percent));
    notes = notes_of(*line);
  }
  // The style sheet adds one to the line number at each line. After a gap, the step is larger.
  const std::string far = step == 1 ? "" : fmt::format("counter-increment:line {}", step);
  return element("span", {{"style", far}}, margin + text(code) + text("\n")) + notes;
}

Html code_of(const std::string& name, const Html& lines) {
  return element("pre",
                 {{"class", "source"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", name}},
                 element("code", lines));
}

}  // namespace

AccessCounts read_accesses(const RecordField& field, const std::string& kind) {
  AccessCounts counts;
  counts.requests = count(field, "requests");
  if (const auto transactions = field.find("transactions")) {
    for (const char* bytes : {"32", "64", "128"}) counts.made += count(*transactions, bytes);
    counts.ideal = count(field, "ideal_transactions");
  } else if (kind == "texture") {
    counts.made = counts.ideal = counts.requests;
  } else {
    counts.made = count(field, "passes");
    counts.ideal = count(field, "ideal_passes");
  }
  return counts;
}

void add_launch(const RecordField& launch, Annotation& annotation) {
  annotation.warp_instructions += count(launch, "warp_instructions");
  for (const RecordField& line : launch.at("lines").list()) add_line(line, annotation);
}

std::vector<RecordedLines> read_lines(const RecordField& root) {
  std::vector<RecordedLines> all;
  const std::string commit = root.at("commit").text();
  for (const RecordField& field : root.at("line_counts").list()) {
    RecordedLines& each = all.emplace_back();
    each.study = field.at("study").text();
    each.rung = field.at("rung").text();
    each.size = field.at("size").sides<2>();
    each.compiler = field.at("compiler").text();
    each.compute_capability = field.at("compute_capability").text();
    each.commit = commit;
    for (const RecordField& launch : field.at("launches").list()) {
      add_launch(launch, each.annotation);
    }
  }
  return all;
}

bool is_of(std::string_view text, const std::map<std::int64_t, LineCounts>& counted) {
  const std::vector<std::string_view> lines = lines_of(text);
  return std::all_of(counted.begin(), counted.end(), [&](const auto& each) {
    const auto index = static_cast<std::size_t>(each.first) - 1;
    return index < lines.size() && trimmed(lines[index]) == each.second.source;
  });
}

Html listing(const std::string& name, std::string_view text,
             const std::map<std::int64_t, LineCounts>& counted, double warp_instructions) {
  Html lines;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    const auto found = counted.find(++number);
    lines +=
        line_html(line, found == counted.end() ? nullptr : &found->second, warp_instructions, 1);
  }
  return code_of(name, lines);
}

Html excerpt(const std::string& name, const std::map<std::int64_t, LineCounts>& counted,
             double warp_instructions) {
  Html lines;
  std::int64_t before = 0;
  for (const auto& [number, line] : counted) {
    lines += line_html(line.source, &line, warp_instructions, number - before);
    before = number;
  }
  return code_of(name, lines);
}

}  // namespace warpwise::lab::report
