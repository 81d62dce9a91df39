#include <fmt/format.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/show/study_report.hpp"
#include "warpwise/lab/study/show/text_diff.hpp"

namespace warpwise::cli {
namespace {

std::string source_change(const lab::StudyTable& table, const lab::Rung& before,
                          const lab::Rung& after) {
  if (before.file == after.file) {
    return fmt::format("Both are {}.\n", before.file.filename().string());
  }
  return fmt::format("--- {}\n+++ {}\n", before.file.filename().string(),
                     after.file.filename().string()) +
         lab::text_diff(lab::text_with_own_includes(table, before),
                        lab::text_with_own_includes(table, after));
}

// Compares two maps of names and values. Returns one line for each name whose value differs.
template <class Map>
std::string changes(const Map& before, const Map& after, const char* what) {
  Map all = before;
  all.insert(after.begin(), after.end());
  std::string text;
  const auto value = [](const Map& map, const std::string& name) {
    const auto found = map.find(name);
    return found == map.end() ? std::string("-") : fmt::format("{}", found->second);
  };
  for (const auto& [name, either] : all) {
    const std::string a = value(before, name);
    const std::string b = value(after, name);
    if (a != b) text += fmt::format("{} {}: {} -> {}\n", what, name, a, b);
  }
  return text;
}

std::string launch_text(const lab::Rung& rung) {
  if (rung.shipped) return "as the library launches it";
  std::string text;
  for (const lab::LaunchRule& launch : rung.launches) {
    text += text.empty() ? "" : "; ";
    text += launch.kernel + "<<<";
    for (const std::string& each : launch.grid) text += (text.ends_with("<") ? "" : " x ") + each;
    text += ">>>" + (launch.shared == "0" ? "" : ", shared " + launch.shared);
  }
  return text;
}

std::string table_change(const lab::Rung& before, const lab::Rung& after) {
  std::string text = changes(before.constants, after.constants, "constant");
  text += changes(before.parameters, after.parameters, "parameter");
  const std::string a = launch_text(before);
  const std::string b = launch_text(after);
  if (a != b) text += "launch: " + a + "\n     -> " + b + "\n";
  if (before.max_registers != after.max_registers) {
    text += fmt::format("most registers: {} -> {}\n", before.max_registers, after.max_registers);
  }
  if (before.scratch != after.scratch) {
    text += fmt::format("scratch bytes: {} -> {}\n", before.scratch, after.scratch);
  }
  return text;
}

class LabDiff final : public Command {
 public:
  explicit LabDiff(CLI::App& app) {
    app.add_option("LADDER", ladder_, "The ladder or the study")->type_name("");
    app.add_option("RUNG1", first_, "First rung or kernel")->type_name("");
    app.add_option("RUNG2", second_, "Second rung or kernel")->type_name("");
    add_place(app, options_);
    add_ladder_folder(app, options_);
  }

  void execute() const override {
    if (second_.empty()) throw UsageError("lab diff needs LADDER RUNG1 RUNG2");
    LabOptions options = options_;
    options.names = {ladder_};
    if (ladder_.find('/') != std::string::npos) {
      throw UsageError(
          "lab diff takes the ladder and the rungs as separate arguments: LADDER RUNG1 RUNG2");
    }
    const Selection selection = select(options).front();
    const lab::Rung& before = selection.table.rung(first_);
    const lab::Rung& after = selection.table.rung(second_);
    lab::require_compiler();
    print(fmt::format("{}: {}\n{}: {}\n\n", before.name, before.idea, after.name, after.idea) +
          source_change(selection.table, before, after) + table_change(before, after) + "\n");
    lab::StudyRequest request;
    request.rungs = {before.name, after.name};
    request.on_gpu = options_.on_gpu();
    request.compute_capabilities = options_.modelled_gpus.all();
    if (!request.on_gpu) request.model = options_.modelled_gpus.model();
    const std::size_t width = terminal_width();
    bool first = true;
    const lab::StudyRun run = lab::run_study(
        selection.table, request, [&](const lab::StudyRun& so_far, const lab::RungRow& row) {
          if (first) {
            print(lab::heading_of(so_far) + lab::legend_of(so_far, width) + "\n" +
                  lab::columns_of(so_far, row, width));
          }
          first = false;
          print(lab::line_of(so_far, row, width));
        });
    if (run.any_wrong()) throw Error("a rung is wrong");
  }

 private:
  LabOptions options_;
  std::string ladder_;
  std::string first_;
  std::string second_;
};

}  // namespace

std::unique_ptr<Command> add_lab_diff(CLI::App& lab) {
  return std::make_unique<LabDiff>(
      *lab.add_subcommand("diff", "Compare two rungs: source, constants, counts, times"));
}

}  // namespace warpwise::cli
