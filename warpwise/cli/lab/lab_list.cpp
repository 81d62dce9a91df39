#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/printable.hpp"

namespace warpwise::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(const lab::Size& size) {
  return fmt::format("{}x{}", size.width, size.height);
}

Json json_of(const lab::Rung& rung) {
  Json blocks = Json::array();
  for (const emulator::Dim3& each : rung.blocks) blocks.push_back({each.x, each.y, each.z});
  Json object = {{"name", rung.name},
                 {"idea", rung.idea},
                 {"after", rung.after},
                 {"rows", rung.document_rows},
                 {"file", rung.file.string()},
                 {"constants", rung.constants},
                 {"parameters", rung.parameters},
                 {"blocks", blocks},
                 {"needs", rung.needs},
                 {"shipped", rung.shipped}};
  if (rung.document.time_us) object["document"]["time_us"] = *rung.document.time_us;
  if (rung.document.speedup) object["document"]["speedup"] = *rung.document.speedup;
  return object;
}

// Writes axes (the values that a study varies) as JSON. Without an axis of sizes, writes
// `otherwise`, the size that the whole study uses.
Json json_of(const lab::Axes& axes, const lab::Size& otherwise) {
  Json sizes = Json::array();
  for (const lab::Size& size : axes.sizes) sizes.push_back({size.width, size.height});
  if (sizes.empty()) sizes.push_back({otherwise.width, otherwise.height});
  Json blocks = Json::array();
  for (const emulator::Dim3& each : axes.blocks) blocks.push_back({each.x, each.y, each.z});
  Json transfers = Json::array();
  for (const lab::Transfer& each : axes.transfers) transfers.push_back(lab::text_of(each));
  return {{"sizes", sizes},
          {"parameters", axes.parameters},
          {"constants", axes.constants},
          {"blocks", blocks},
          {"all_blocks", axes.all_blocks},
          {"sm_percent", axes.sm_percents},
          {"neighbour_percent", axes.neighbour_percents},
          {"transfer", transfers}};
}

Json json_of(const lab::StudyTable& table) {
  if (table.is_collection()) {
    return {{table.kind(), table.name()},      {"about", table.about},
            {"folder", table.folder.string()}, {"collects", table.collects},
            {"rungs", Json::array()},          {"experiments", Json::array()}};
  }
  Json rungs = Json::array();
  for (const lab::Rung& each : table.rungs) rungs.push_back(json_of(each));
  Json experiments = Json::array();
  for (const lab::Experiment& each : table.experiments) {
    Json object = {{"name", each.name},
                   {"title", each.title},
                   {"rows", each.document_rows},
                   {"rungs", each.rungs},
                   {"cpu", each.cpu}};
    object.update(json_of(each.axes, table.size));
    experiments.push_back(std::move(object));
  }
  return {{table.kind(), table.name()},
          {"about", table.about},
          {"folder", table.folder.string()},
          {"parameters", table.parameters()},
          {"size", {table.size.width, table.size.height}},
          {"emulator_size", {table.emulator_size.width, table.emulator_size.height}},
          {"document_device", table.document_device},
          {"axes", json_of(table.axes, table.size)},
          {"rungs", rungs},
          {"experiments", experiments}};
}

// Lists the experiments of a collection with their titles.
std::string text_of_collection(Selection selection) {
  std::string text = fmt::format("{}: {}\n  {}\n", selection.table.name(), selection.table.about,
                                 selection.table.folder.string());
  std::vector<Selection> one;
  one.push_back(std::move(selection));
  for (const Selection& each : expanded(std::move(one))) {
    text += fmt::format(
        "  {:<24} {:<10} {}\n", each.table.name() + "/" + each.experiment.value().name,
        fmt::format("{}", fmt::join(each.experiment->document_rows, " ")), each.experiment->title);
  }
  return text + "\n";
}

std::string text_of(const lab::StudyTable& table) {
  using Need = decltype(lab::Rung::needs)::value_type;
  const auto all_have = [&](const Need& need) {
    return std::all_of(table.rungs.begin(), table.rungs.end(), [&](const lab::Rung& rung) {
      return std::find(rung.needs.begin(), rung.needs.end(), need) != rung.needs.end();
    });
  };
  std::string text = fmt::format("{}: {}\n", table.name(), table.about);
  std::string parameters;
  for (const auto& [name, value] : table.parameters()) {
    parameters += fmt::format(", {} {}", name, value);
  }
  text += fmt::format("  {} on a GPU, {} in the emulator{}; {}\n", size_text(table.size),
                      size_text(table.emulator_size), parameters, table.folder.string());
  if (table.rungs.size() > 1) {
    for (const Need& need : table.rungs.front().needs) {
      if (all_have(need)) text += fmt::format("  all need: {}\n", need.second);
    }
  }
  const std::size_t width = terminal_width();
  const auto add = [&](const std::string& line) {
    text += (width > 0 ? io::shortened(line, width) : line) + "\n";
  };
  for (const lab::Rung& rung : table.rungs) {
    add(fmt::format("  {:<24} {:<10} {}", rung.name,
                    fmt::format("{}", fmt::join(rung.document_rows, " ")), rung.idea));
    for (const Need& need : rung.needs) {
      if (table.rungs.size() > 1 && all_have(need)) continue;
      add(fmt::format("  {:<24} {:<10} needs: {}", "", "", need.second));
    }
  }
  for (const lab::Experiment& each : table.experiments) {
    add(fmt::format("  experiment {:<13} {:<10} {}", each.name,
                    fmt::format("{}", fmt::join(each.document_rows, " ")), each.title));
  }
  return text + "\n";
}

// Returns the selected ladder with only the named rungs.
lab::StudyTable listed(Selection selection) {
  lab::StudyTable table = std::move(selection.table);
  if (selection.whole) return table;
  std::erase_if(table.rungs, [&](const lab::Rung& rung) {
    return std::find(selection.rungs.begin(), selection.rungs.end(), rung.name) ==
           selection.rungs.end();
  });
  table.experiments.clear();
  if (selection.experiment) table.experiments.push_back(*std::move(selection.experiment));
  return table;
}

constexpr const char* list_legend =
    "After a name: rows of the source documents (docs/sources.md), then the idea.\n";

class LabList final : public Command {
 public:
  explicit LabList(CLI::App& app) {
    app.add_option("NAME", options_.names,
                   "NAME, NAME/RUNG or NAME/EXPERIMENT of a ladder or a study (default: all)")
        ->type_name("");
    app.add_flag("--json", json_, "Print one JSON object");
    add_ladder_folder(app, options_);
  }

  void execute() const override {
    Json ladders = Json::array();
    Json studies = Json::array();
    std::string text;
    for (Selection& each : select(options_)) {
      if (each.table.is_collection() && !json_) {
        text += text_of_collection(std::move(each));
        continue;
      }
      const lab::StudyTable table = listed(std::move(each));
      if (json_)
        (table.is_ladder() ? ladders : studies).push_back(json_of(table));
      else
        text += text_of(table);
    }
    print(json_ ? text_of_json(Json{{"ladders", ladders}, {"studies", studies}}, 1)
                : text + list_legend);
  }

 private:
  LabOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> add_lab_list(CLI::App& lab) {
  return std::make_unique<LabList>(*lab.add_subcommand(
      "list", "List ladders and other studies, their kernels and their experiments"));
}

}  // namespace warpwise::cli
