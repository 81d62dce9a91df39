#include "warpwise/lab/report/sections/front.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "warpwise/lab/plot/what_varies.hpp"
#include "warpwise/lab/report/charts/scatter.hpp"
#include "warpwise/lab/report/charts/staircase.hpp"
#include "warpwise/lab/report/html/table.hpp"
#include "warpwise/lab/report/records/findings.hpp"
#include "warpwise/lab/report/words/said.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

std::string speedup_of(const RecordedRow& row, const char* name) {
  return speedup_text(figure_of(row, name).value_or(0));
}
std::string document_speedup_of(const RecordedRow& row) {
  return speedup_of(row, "document_speedup_over_first");
}
std::string measured_speedup_of(const RecordedRow& row) {
  return speedup_of(row, "speedup_over_first");
}

std::string time_of(const RecordedRow& row) {
  return time_text(figure_of(row, "cold_us").value_or(0));
}

std::string share_of(const RecordedRow& row) {
  return percent_text(figure_of(row, "share_of_roof").value_or(0));
}

std::string document_sentence(const DocumentsBest& best) {
  const Words& w = words();
  if (best.is_alone) {
    const RecordedRow& step = *best.in_document;
    return said(w.front_document_alone, step.rung, document_speedup_of(step),
                measured_speedup_of(step));
  }
  if (best.in_document == best.measured) {
    return said(w.front_document_same, best.in_document->rung,
                document_speedup_of(*best.in_document), measured_speedup_of(*best.in_document));
  }
  return said(w.front_document_other, best.in_document->rung,
              document_speedup_of(*best.in_document), measured_speedup_of(*best.in_document),
              best.measured->rung, measured_speedup_of(*best.measured));
}

// Returns the link to a run's chapter on the page. Returns an empty text if no chapter has the run.
std::string link_to(const std::vector<Chapter>& chapters, const Recorded& run) {
  for (const Chapter& each : chapters) {
    if (std::find(each.runs.begin(), each.runs.end(), &run) != each.runs.end())
      return "#" + each.id;
  }
  return "";
}

Html card_of(const Recorded& run, const std::string& link, const LadderFinding& finding,
             const std::string& about) {
  const Words& w = words();
  const RecordedRow& first = *finding.first;
  const RecordedRow& last = *finding.last;
  Html inner = element("h3", element("a", {{"href", link}}, run.record.study));
  if (!about.empty()) inner += element("p", {{"class", "note"}}, about);
  inner += element("p", {{"class", "big"}}, speedup_text(finding.speedup));
  inner += element("p", said(w.front_times, first.rung, time_of(first), last.rung, time_of(last),
                             size_text(last.size)));
  if (figure_of(last, "share_of_roof")) {
    const RecordedRow* const larger = finding.last_at_largest_size;
    inner +=
        element("p", larger == nullptr ? said(w.front_roof, share_of(last), size_text(last.size))
                                       : said(w.front_roofs, share_of(last), size_text(last.size),
                                              share_of(*larger), size_text(larger->size)));
    const std::string roof = roof_sentence(run.record);
    if (!roof.empty()) inner += element("p", {{"class", "note"}}, roof);
  }
  if (finding.largest_step != nullptr) {
    const RecordedRow& step = *finding.largest_step;
    inner += element("p", said(w.front_step, step.rung,
                               speedup_of(step, "speedup_over_step_before"), told(step.idea)));
  }
  if (finding.document) inner += element("p", document_sentence(*finding.document));
  return element("article", {{"class", "card"}}, inner);
}

Html no_longer_best(const Collection& collection) {
  const Words& w = words();
  Html items;
  bool has_documents = false;
  for (const Recorded& run : collection.runs) {
    const auto finding = finding_of(run.record);
    if (!finding || !finding->document || !is_of_whole_ladder(run.record)) continue;
    has_documents = true;
    const DocumentsBest& best = *finding->document;
    if (best.in_document == best.measured) continue;
    items += element(
        "li", said(w.no_longer_rung, run.record.study, best.in_document->rung,
                   document_speedup_of(*best.in_document), measured_speedup_of(*best.in_document),
                   best.measured->rung, document_speedup_of(*best.measured),
                   measured_speedup_of(*best.measured)));
  }
  for (const BlockFinding& each : other_best_blocks(collection.runs)) {
    has_documents = true;
    const double gain =
        *figure_of(*each.document_row, "cold_us") / *figure_of(*each.fastest_row, "cold_us");
    items += element("li", said(w.no_longer_block, each.from->record.study, each.document_row->rung,
                                shape_text(each.document_row->block),
                                shape_text(each.fastest_row->block), speedup_text(gain)));
  }
  if (!has_documents) return {};
  return element("h3", w.no_longer) +
         (items.empty() ? element("p", w.all_hold) : element("ul", {{"class", "wide"}}, items));
}

Html peers(const Collection& collection) {
  const Words& w = words();
  Html items;
  for (const PeerFinding& each : peer_findings(collection.benches)) {
    items += element("li", said(w.peers_summary, each.primitive, each.faster, each.comparisons,
                                figure_text(each.least), figure_text(each.greatest)));
  }
  if (items.empty()) return {};
  return element("h3", w.front_peers) + element("ul", {{"class", "wide"}}, items);
}

Html predictions(const Collection& collection) {
  Html sentences;
  for (const Predictions& each : collection.predictions) sentences += front_of(each);
  return sentences.empty() ? sentences : element("h3", words().predictions) + sentences;
}

std::string intro(const Collection& collection) {
  std::set<std::string> ladders;
  std::set<std::string> studies;
  std::set<std::string> steps;
  std::set<std::string> devices;
  for (const Recorded& each : collection.runs) {
    const Record& record = each.record;
    (record.is_ladder ? ladders : studies).insert(record.study);
    if (!record.device.empty()) devices.insert(record.device);
    for (const RecordedRow& row : record.rows) {
      if (record.is_ladder) steps.insert(record.study + "/" + row.rung);
    }
  }
  return said(words().intro, ladders.size(), steps.size(), studies.size(),
              fmt::format("{}", fmt::join(devices, ", ")));
}

}  // namespace

Html front_page(const Collection& collection, const std::vector<Chapter>& chapters,
                const std::map<std::string, StudySource>& sources) {
  const Words& w = words();
  Html cards;
  for (const Recorded& run : collection.runs) {
    const auto finding = finding_of(run.record);
    if (!finding || !is_of_whole_ladder(run.record)) continue;
    const auto source = sources.find(run.record.study);
    cards += card_of(run, link_to(chapters, run), *finding,
                     source == sources.end() ? "" : told(source->second.about));
  }
  if (cards.empty()) cards = element("p", w.counted_only);
  return element("h1", w.title) + element("p", {{"class", "wide"}}, intro(collection)) +
         element("section", {{"id", "found"}},
                 element("h2", w.found) + element("div", {{"class", "cards"}}, cards) +
                     no_longer_best(collection) + predictions(collection) + peers(collection));
}

}  // namespace warpwise::lab::report
