#include "warpwise/cli/lab/lab.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/gpu/device.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::cli {
namespace {

lab::StudyTable table_of(const std::string& ladder, const LabOptions& options) {
  if (options.ladder_folder.empty()) return lab::find_study(ladder);
  lab::StudyTable table = lab::read_study(options.ladder_folder);
  if (table.name() == ladder) return table;
  throw InvalidArgument(fmt::format("--{}-dir {} holds the {} {}, not {}", table.kind(),
                                    options.ladder_folder, table.kind(), table.name(), ladder));
}

Selection all_of(lab::StudyTable table) {
  Selection selection;
  for (const lab::Rung& rung : table.rungs) selection.rungs.push_back(rung.name);
  selection.whole = true;
  selection.table = std::move(table);
  return selection;
}

void require_name(const std::string& wanted, const lab::StudyTable& table) {
  std::vector<std::string> names;
  for (const lab::Rung& each : table.rungs) {
    if (each.name == wanted) return;
    names.push_back(each.name);
  }
  for (const lab::Experiment& each : table.experiments) names.push_back(each.name);
  throw InvalidArgument(fmt::format("the {} {} has no {} and no experiment \"{}\"{}; it has {}",
                                    table.kind(), table.name(),
                                    table.is_ladder() ? "rung" : "kernel", wanted,
                                    lab::suggestion(wanted, names), fmt::join(names, ", ")));
}

Selection selection_of(const std::string& name, const LabOptions& options) {
  const std::size_t slash = name.find('/');
  lab::StudyTable table = table_of(name.substr(0, slash), options);
  if (slash == std::string::npos) return all_of(std::move(table));
  const std::string wanted = name.substr(slash + 1);
  if (table.is_collection()) {
    throw InvalidArgument(
        fmt::format("{} is a collection and has no {}; run all of it, or one of {}", table.name(),
                    wanted, fmt::join(table.collects, ", ")));
  }
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

// Adds the rungs of `other` to a selection of the same ladder. Rungs stay in the ladder's order
// without repetition, because each is compared with the rungs before it.
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
    commands_["plot"] = add_lab_plot(app);
    commands_["report"] = add_lab_report(app);
    commands_["verify"] = add_lab_verify(app);
    commands_["diff"] = add_lab_diff(app);
    commands_["occupancy"] = add_lab_occupancy(app);
    commands_["predict"] = add_lab_predict(app);
    commands_["exercise"] = add_lab_exercise(app);
  }

  void execute() const override { commands_.at(app_.get_subcommands()[0]->get_name())->execute(); }

 private:
  const CLI::App& app_;
  std::map<std::string, std::unique_ptr<Command>> commands_;
};

}  // namespace

bool LabOptions::on_gpu() const {
  if (place == LabPlace::automatic) return gpu::device_count() > 0;
  return place == LabPlace::gpu;
}

void add_ladder_folder(CLI::App& app, LabOptions& options) {
  app.add_option("--ladder-dir,--study-dir", options.ladder_folder,
                 "Folder with a ladder's or a study's table, instead of the installed one")
      ->type_name("FOLDER")
      ->check(refuse_empty_name);
}

std::vector<rules::ComputeCapability> ModelledGpus::all() const {
  if (!listed) {
    return {device ? device->compute_capability : rules::ComputeCapability{9, 0}};
  }
  if (device &&
      std::find(listed->begin(), listed->end(), device->compute_capability) == listed->end()) {
    throw UsageError(fmt::format("--cc must contain {}, the compute capability of --profile {}",
                                 rules::to_string(device->compute_capability), device->name));
  }
  return *listed;
}

std::optional<lab::TimeModel> ModelledGpus::model() const {
  if (device) return lab::time_model(*device);
  const std::vector<rules::ComputeCapability> counted = all();
  const auto newest = lab::profile_of(*std::max_element(counted.begin(), counted.end()));
  return newest ? std::optional(lab::time_model(*newest)) : std::nullopt;
}

void add_modelled_gpu_options(CLI::App& app, const std::string& help_of_cc,
                              const std::string& help_of_profile, ModelledGpus& chosen) {
  app.add_option_function<std::string>(
         "--cc",
         [&chosen](const std::string& text) {
           chosen.listed = lab::parse_compute_capabilities(text);
         },
         help_of_cc)
      ->type_name("LIST");
  app.add_option_function<std::string>(
         "--profile",
         [&chosen](const std::string& text) {
           chosen.device = lab::find_device_profile(text);
           chosen.profile = text;
         },
         help_of_profile)
      ->type_name("GPU");
  add_deprecated_option(app, "--device", "--profile");
}

void add_place(CLI::App& app, LabOptions& options) {
  add_choice(app, "--on", "Backend; auto chooses a GPU if there is one (default: auto)",
             all_lab_places, options.place);
  add_modelled_gpu_options(
      app, "Compute capabilities to emulate, such as 1.3,2.0,9.0 (default: 9.0)",
      "GPU to emulate, in place of --cc, and to model times for: h200, another profile's "
      "name or FILE.json",
      options.modelled_gpus);
}

std::vector<Selection> select(const LabOptions& options) {
  std::vector<Selection> selections;
  if (options.names.empty()) {
    if (!options.ladder_folder.empty()) {
      return {all_of(lab::read_study(options.ladder_folder))};
    }
    for (const std::string& each : lab::study_names()) {
      selections.push_back(all_of(lab::find_study(each)));
    }
    return selections;
  }
  for (const std::string& name : options.names) {
    Selection selection = selection_of(name, options);
    // Rungs of one ladder that are named separately are joined into one run.
    const auto same =
        std::find_if(selections.begin(), selections.end(), [&](const Selection& each) {
          return !each.experiment && each.table.name() == selection.table.name();
        });
    if (selection.experiment || same == selections.end()) {
      selections.push_back(std::move(selection));
    } else {
      add_rungs(selection, *same);
    }
  }
  return selections;
}

std::vector<Selection> expanded(std::vector<Selection> selections) {
  std::vector<Selection> result;
  for (Selection& each : selections) {
    if (!each.table.is_collection()) {
      result.push_back(std::move(each));
      continue;
    }
    LabOptions options;
    options.names = each.table.collects;
    for (Selection& collected : select(options)) {
      if (!collected.experiment) {
        throw InvalidArgument(
            fmt::format("{} is a collection of experiments, and {} is not an experiment",
                        each.table.name(), fmt::join(collected.rungs, ", ")));
      }
      result.push_back(std::move(collected));
    }
  }
  return result;
}

std::unique_ptr<Command> add_lab(CLI::App& app) {
  return std::make_unique<LabCommand>(
      *app.add_subcommand("lab",
                          "Run, verify and compare ladders (the optimisation steps of each "
                          "primitive, called rungs) and other studies of kernels"));
}

}  // namespace warpwise::cli
