#include "warpwise/cli/lab.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/explain/argument_spec.hpp"

namespace warpwise::cli {
namespace {

constexpr std::array all_places = {LabPlace::automatic, LabPlace::gpu, LabPlace::emulator};

lab::LadderTable table_of(const std::string& ladder, const LabOptions& options) {
  if (options.ladder_folder.empty()) return lab::find_ladder(ladder);
  lab::LadderTable table = lab::read_ladder(options.ladder_folder);
  if (table.name() == ladder) return table;
  throw InvalidArgument(fmt::format("--ladder-dir {} holds the ladder {}, not {}",
                                    options.ladder_folder, table.name(), ladder));
}

Selection all_of(lab::LadderTable table) {
  Selection selection;
  for (const lab::Rung& rung : table.rungs) selection.rungs.push_back(rung.name);
  selection.whole = true;
  selection.table = std::move(table);
  return selection;
}

void require_name(const std::string& wanted, const lab::LadderTable& table) {
  std::vector<std::string> names;
  for (const lab::Rung& each : table.rungs) {
    if (each.name == wanted) return;
    names.push_back(each.name);
  }
  for (const lab::Experiment& each : table.experiments) names.push_back(each.name);
  throw InvalidArgument(fmt::format(
      "the ladder {} has no rung and no experiment \"{}\" (did you mean \"{}\"?); it has {}",
      table.name(), wanted, lab::nearest(wanted, names), fmt::join(names, ", ")));
}

Selection selection_of(const std::string& name, const LabOptions& options) {
  const std::size_t slash = name.find('/');
  lab::LadderTable table = table_of(name.substr(0, slash), options);
  if (slash == std::string::npos) return all_of(std::move(table));
  const std::string wanted = name.substr(slash + 1);
  const auto experiment =
      std::find_if(table.experiments.begin(), table.experiments.end(),
                   [&](const lab::Experiment& each) { return each.name == wanted; });
  Selection selection;
  if (experiment != table.experiments.end()) {
    selection.experiment = *experiment;
    selection.rungs = experiment->rungs;
  } else {
    require_name(wanted, table);
    selection.rungs = {wanted};
  }
  selection.table = std::move(table);
  return selection;
}

// In the ladder's order, each once: what comes before is what a rung is compared with.
void add_rungs(const Selection& other, Selection& selection) {
  const std::vector<std::string>& more = other.rungs;
  selection.whole = selection.whole || other.whole;
  const auto wanted = [&](const std::string& name) {
    return std::find(more.begin(), more.end(), name) != more.end() ||
           std::find(selection.rungs.begin(), selection.rungs.end(), name) != selection.rungs.end();
  };
  std::vector<std::string> rungs;
  for (const lab::Rung& rung : selection.table.rungs) {
    if (wanted(rung.name)) rungs.push_back(rung.name);
  }
  selection.rungs = std::move(rungs);
}

class LabCommand final : public Command {
 public:
  explicit LabCommand(CLI::App& app) : app_(app) {
    app.require_subcommand(1);
    commands_["list"] = add_lab_list(app);
    commands_["run"] = add_lab_run(app);
    commands_["verify"] = add_lab_verify(app);
    commands_["diff"] = add_lab_diff(app);
  }

  void execute() const override { commands_.at(app_.get_subcommands()[0]->get_name())->execute(); }

 private:
  const CLI::App& app_;
  std::map<std::string, std::unique_ptr<Command>> commands_;
};

}  // namespace

std::string_view name_of(LabPlace place) {
  switch (place) {
    case LabPlace::automatic: return "auto";
    case LabPlace::gpu: return "gpu";
    case LabPlace::emulator: return "emulator";
  }
  __builtin_unreachable();
}

bool LabOptions::on_gpu() const {
  if (place == LabPlace::automatic) return gpu::device_count() > 0;
  return place == LabPlace::gpu;
}

void add_ladder_folder(CLI::App& app, LabOptions& options) {
  app.add_option("--ladder-dir", options.ladder_folder,
                 "An edited copy of a ladder's folder, in place of the installed one")
      ->type_name("FOLDER");
}

void add_place(CLI::App& app, LabOptions& options) {
  add_choice(app, "--on", "Where to run; auto is a GPU if there is one (default: auto)", all_places,
             options.place);
  app.add_option_function<std::string>(
         "--cc",
         [&options](const std::string& text) {
           options.compute_capabilities = lab::parse_compute_capabilities(text);
         },
         "Compute capabilities that the emulator stands for: 1.3,2.0,9.0 (default: 9.0)")
      ->type_name("LIST");
}

std::vector<Selection> select(const LabOptions& options) {
  std::vector<Selection> selections;
  if (options.names.empty()) {
    if (!options.ladder_folder.empty()) {
      return {all_of(lab::read_ladder(options.ladder_folder))};
    }
    for (const ladders::Ladder* each : ladders::all()) {
      selections.push_back(all_of(lab::find_ladder(each->name())));
    }
    return selections;
  }
  for (const std::string& name : options.names) {
    Selection selection = selection_of(name, options);
    // Rungs of one ladder that are named one by one are steps of one run.
    const auto same =
        std::find_if(selections.begin(), selections.end(), [&](const Selection& each) {
          return !each.experiment && each.table.ladder == selection.table.ladder;
        });
    if (selection.experiment || same == selections.end()) {
      selections.push_back(std::move(selection));
    } else {
      add_rungs(selection, *same);
    }
  }
  return selections;
}

std::unique_ptr<Command> add_lab(CLI::App& app) {
  return std::make_unique<LabCommand>(*app.add_subcommand(
      "lab", "The ladders: every optimisation step of each primitive, to run, verify and compare"));
}

}  // namespace warpwise::cli
