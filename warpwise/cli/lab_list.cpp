#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpwise/cli/lab.hpp"
#include "warpwise/cli/report.hpp"

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
                 {"rows", rung.rows},
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

Json json_of(const lab::LadderTable& table) {
  Json rungs = Json::array();
  for (const lab::Rung& each : table.rungs) rungs.push_back(json_of(each));
  Json experiments = Json::array();
  for (const lab::Experiment& each : table.experiments) {
    Json sizes = Json::array();
    for (const lab::Size& size : each.sizes) sizes.push_back({size.width, size.height});
    experiments.push_back({{"name", each.name},
                           {"title", each.title},
                           {"rows", each.rows},
                           {"rungs", each.rungs},
                           {"sizes", sizes},
                           {"parameters", each.parameters},
                           {"all_blocks", each.all_blocks},
                           {"cpu", each.cpu}});
  }
  return {{"ladder", table.name()},
          {"about", table.about},
          {"folder", table.folder.string()},
          {"parameters", table.ladder->parameters()},
          {"size", {table.size.width, table.size.height}},
          {"emulator_size", {table.emulator_size.width, table.emulator_size.height}},
          {"document_device", table.document_device},
          {"rungs", rungs},
          {"experiments", experiments}};
}

std::string text_of(const lab::LadderTable& table) {
  using Need = decltype(lab::Rung::needs)::value_type;
  const auto all_have = [&](const Need& need) {
    return std::all_of(table.rungs.begin(), table.rungs.end(), [&](const lab::Rung& rung) {
      return std::find(rung.needs.begin(), rung.needs.end(), need) != rung.needs.end();
    });
  };
  std::string text = fmt::format("{}: {}\n", table.name(), table.about);
  std::string parameters;
  for (const auto& [name, value] : table.ladder->parameters()) {
    parameters += fmt::format(", {} {}", name, value);
  }
  text += fmt::format("  {} on a GPU, {} in the emulator{}; {}\n", size_text(table.size),
                      size_text(table.emulator_size), parameters, table.folder.string());
  if (table.rungs.size() > 1) {
    for (const Need& need : table.rungs.front().needs) {
      if (all_have(need)) text += fmt::format("  all need: {}\n", need.second);
    }
  }
  for (const lab::Rung& rung : table.rungs) {
    text += fmt::format("  {:<24} {:<10} {}\n", rung.name,
                        fmt::format("{}", fmt::join(rung.rows, " ")), rung.idea);
    for (const Need& need : rung.needs) {
      if (table.rungs.size() > 1 && all_have(need)) continue;
      text += fmt::format("  {:<24} {:<10} needs: {}\n", "", "", need.second);
    }
  }
  for (const lab::Experiment& each : table.experiments) {
    text += fmt::format("  experiment {:<13} {:<10} {}\n", each.name,
                        fmt::format("{}", fmt::join(each.rows, " ")), each.title);
  }
  return text + "\n";
}

// Of a ladder only what was named.
lab::LadderTable listed(Selection selection) {
  lab::LadderTable table = std::move(selection.table);
  if (selection.whole) return table;
  std::erase_if(table.rungs, [&](const lab::Rung& rung) {
    return std::find(selection.rungs.begin(), selection.rungs.end(), rung.name) ==
           selection.rungs.end();
  });
  table.experiments.clear();
  if (selection.experiment) table.experiments.push_back(*std::move(selection.experiment));
  return table;
}

class LabList final : public Command {
 public:
  explicit LabList(CLI::App& app) {
    app.add_option("NAME", options_.names,
                   "LADDER, LADDER/RUNG or LADDER/EXPERIMENT (default: all)")
        ->type_name("");
    app.add_flag("--json", json_, "Print one JSON object");
    add_ladder_folder(app, options_);
  }

  void execute() const override {
    Json list = Json::array();
    std::string text;
    for (Selection& each : select(options_)) {
      const lab::LadderTable table = listed(std::move(each));
      json_ ? list.push_back(json_of(table)) : void(text += text_of(table));
    }
    // A folder's name need not be UTF-8.
    constexpr auto replace = Json::error_handler_t::replace;
    print(json_ ? Json{{"ladders", list}}.dump(1, ' ', false, replace) + "\n" : text);
  }

 private:
  LabOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> add_lab_list(CLI::App& lab) {
  return std::make_unique<LabList>(
      *lab.add_subcommand("list", "Ladders, their rungs, and experiments with them"));
}

}  // namespace warpwise::cli
