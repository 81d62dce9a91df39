#include <fmt/format.h>
#include <fmt/ranges.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/checks.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/measure/gpu_executor.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/verify.hpp"

namespace warpwise::cli {
namespace {

std::string line_of(const lab::VerifiedRung& rung) {
  std::string text = fmt::format("{:<32} ", rung.ladder + "/" + rung.rung);
  if (!rung.failure.empty()) return text + "WRONG: " + rung.failure + "\n";
  text += fmt::format("{:>4} right", rung.passed);
  for (const auto& [reason, count] : rung.skipped) {
    text += fmt::format(", {} skipped ({})", count, reason);
  }
  return text + (rung.right() ? "\n" : ": NOTHING WAS VERIFIED\n");
}

std::string why_wrong(const lab::VerifiedRung& rung) {
  return fmt::format("{}/{} ({})", rung.ladder, rung.rung,
                     rung.failure.empty() ? "nothing was verified" : rung.failure);
}

class LabVerify final : public Command {
 public:
  explicit LabVerify(CLI::App& app) {
    app.add_option("NAME", options_.names,
                   "NAME or NAME/RUNG of a ladder or a study (default: all)")
        ->type_name("");
    add_place(app, options_);
    add_ladder_folder(app, options_);
    add_checks(app, "Checks in the emulator, in addition to the result", checks_);
  }

  void execute() const override {
    std::vector<Selection> selections = select(options_);
    // Without names, all studies are selected. Collections are left out then, because they only
    // repeat experiments of the selected studies.
    if (options_.names.empty()) {
      std::erase_if(selections, [](const Selection& each) { return each.table.is_collection(); });
    }
    selections = expanded(std::move(selections));
    lab::require_compiler();
    const bool on_gpu = options_.on_gpu();
    const std::unique_ptr<lab::Executor> executor = make_executor(on_gpu);
    std::size_t total = 0;
    for (const Selection& each : selections) total += each.rungs.size();
    std::vector<std::string> wrong;
    std::size_t finished = 0;
    int problems = 0;
    int skipped = 0;
    {
      Progress progress(total);
      for (const Selection& each : selections) {
        const auto done = [&](const lab::VerifiedRung& rung) {
          progress.clear();
          if (!rung.compiler_log.empty()) print_error_log(rung.compiler_log);
          print(line_of(rung));
          if (!rung.right()) wrong.push_back(why_wrong(rung));
          problems += rung.passed;
          for (const auto& [reason, count] : rung.skipped) skipped += count;
          progress.show(++finished, rung.ladder + "/" + rung.rung);
        };
        lab::verify(*executor, each.table, each.rungs, on_gpu, done);
      }
    }
    print(fmt::format("{} of {} rungs right on {}: {} problems checked, {} skipped{}\n",
                      total - wrong.size(), total, executor->device_name(), problems, skipped,
                      skipped == 0 ? "" : " (reasons above)"));
    if (!wrong.empty()) throw Error(fmt::format("wrong: {}", fmt::join(wrong, "; ")));
  }

 private:
  std::unique_ptr<lab::Executor> make_executor(bool on_gpu) const {
    if (on_gpu) {
      if (!checks_.empty())
        throw UsageError("--check is for the emulator: lab verify --on emulator");
      return std::make_unique<lab::GpuExecutor>();
    }
    auto emulator = std::make_unique<lab::EmulatorExecutor>(options_.modelled_gpus.all(), false);
    emulator->check(checks_);
    return emulator;
  }

  LabOptions options_;
  emulator::Checks checks_;
};

}  // namespace

std::unique_ptr<Command> add_lab_verify(CLI::App& lab) {
  return std::make_unique<LabVerify>(*lab.add_subcommand(
      "verify", "Compare the results of rungs with the reference; exit code 1 if any is wrong"));
}

}  // namespace warpwise::cli
