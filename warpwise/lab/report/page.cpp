#include "warpwise/lab/report/page.hpp"

#include <fmt/format.h>

#include "warpwise/lab/report/html/style.hpp"
#include "warpwise/lab/report/sections/chapter.hpp"
#include "warpwise/lab/report/sections/closing.hpp"
#include "warpwise/lab/report/sections/front.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab::report {
namespace {

// A part of the page that follows the front page.
struct Part {
  std::string id;
  std::string name;
  Html html;
};

Html contents(const std::vector<Part>& parts) {
  Html items;
  for (const Part& each : parts) {
    items += element("li", element("a", {{"href", "#" + each.id}}, each.name));
  }
  return element("nav", {{"aria-label", words().contents}}, element("ul", items));
}

std::string head(const std::string& title) {
  const Html meta =
      lone("meta", {{"charset", "utf-8"}}) +
      lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
      // A browser requests an icon unless the page says that it has none.
      lone("link", {{"rel", "icon"}, {"href", "data:,"}});
  return element("head", meta + element("title", title) + Html{"<style>"} + Html{style_sheet()} +
                             Html{"</style>"})
      .markup;
}

}  // namespace

std::string page_of(const Collection& collection,
                    const std::map<std::string, StudySource>& sources) {
  const Words& w = words();
  const std::vector<Chapter> chapters = chapters_of(collection);
  std::vector<Part> parts;
  parts.reserve(chapters.size() + 6);
  for (const Chapter& each : chapters) {
    parts.push_back({each.id, each.study, html_of(each, sources)});
  }
  parts.push_back({"roofline", w.roofline, rooflines(collection)});
  parts.push_back({"predictions", w.predictions, predicted_times(collection)});
  parts.push_back({"libraries", w.peers, other_libraries(collection)});
  parts.push_back({"counters", w.counters, hardware_counters(collection)});
  parts.push_back({"sources", w.sources, kernel_sources(collection, sources)});
  parts.push_back({"method", w.method, machine_and_method(collection)});
  std::erase_if(parts, [](const Part& each) { return each.html.empty(); });
  Html body = front_page(collection, chapters, sources) + contents(parts);
  for (const Part& each : parts) body += each.html;
  return whole_page(w.title, body);
}

std::string whole_page(const std::string& title, const Html& main) {
  return fmt::format("<!DOCTYPE html>\n<html lang=\"{}\">{}{}</html>\n", words().language,
                     head(title), element("body", element("main", main)).markup);
}

}  // namespace warpwise::lab::report
