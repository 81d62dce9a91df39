#include <fmt/format.h>

#include <algorithm>

#include "bench/gpu_run.hpp"
#include "bench/tune.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/interruption.hpp"
#include "warpwise/cli/report.hpp"
#include "warpwise/primitives/shared/tuning_file.hpp"

namespace warpwise::cli {
namespace {

std::string text_of(const tuning::Entry& entry) {
  return fmt::format("{:10} {}={} of {} from 2^{}, {}: {}, {}", entry.primitive, entry.tunable,
                     entry.value, entry.kind, entry.size, entry.work, entry.verdict, entry.why);
}

std::vector<std::string> primitives_with_tunables() {
  std::vector<std::string> names;
  for (const tuning::Tunable* each : tuning::tunables()) {
    if (names.empty() || names.back() != each->primitive) names.emplace_back(each->primitive);
  }
  return names;
}

class TuneCommand final : public Command {
 public:
  explicit TuneCommand(CLI::App& app) {
    app.add_option("PRIMITIVE", primitives_, "Primitives to tune (default: all)")->type_name("");
    app.add_option("--budget", budget_, "Seconds to spend; the next run continues")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_flag("--list", list_,
                 "Show the measured values, and why a line has no effect, without measuring");
  }

  void execute() const override {
    if (list_) {
      list();
      return;
    }
    if (bench::primitives_with_cases().empty()) {
      throw Unsupported("this warpwise was built without CUDA and has nothing to tune");
    }
    const std::vector<std::string> tunable = primitives_with_tunables();
    require_one_of("tune", "primitive", primitives_, tunable);
    const double seconds = parse_number("--budget", budget_);
    if (seconds <= 0) throw UsageError("--budget takes seconds above 0");
    gpu::require_device();
    bench::TuningFile file(tuning::file_path());

    bench::TuneRequest request;
    request.cases = bench::in_turn(bench::selected_cases(
        bench::registered_cases(), primitives_.empty() ? tunable : primitives_, {}));
    std::erase_if(request.cases,
                  [](const bench::Case& work) { return work.implementation != bench::own_name; });
    request.seconds = seconds;
    const Interruption interruption(
        "\nwarpwise: stopping after this case, keeping all measurements so far; interrupt again to "
        "stop at once\n");
    request.stop = Interruption::asked;
    Progress progress(request.cases.size());
    request.begin = [&](std::size_t done, const bench::Case& work) {
      progress.show(done, work.primitive);
    };
    request.show = [&](const tuning::Entry& entry) {
      progress.clear();
      print_line(text_of(entry));
    };
    request.skip = [&](const bench::Case& work, const std::string& why) {
      progress.clear();
      print_line(fmt::format("{:10} {} {}x{}: skipped: {}", work.primitive, work.variant,
                             work.width, work.height, why));
    };
    const std::size_t done = bench::tune(request, file);
    progress.clear();
    print_line(fmt::format("{} of {} cases are measured; in effect, of {}:", done,
                           request.cases.size(), tuning::file_path().string()));
    for (const tuning::Setting& each : tuning::in_effect()) {
      print_line("  " + tuning::text_of(each));
    }
    if (Interruption::asked()) Interruption::end();
  }

 private:
  static void list() {
    const std::filesystem::path path = tuning::file_path();
    const tuning::FileText read = tuning::read_file(path);
    print_line(fmt::format("{}{}", path.empty() ? "no home, no file" : path.string(),
                           tuning::is_off() ? ": WARPWISE_TUNING=off, nothing has an effect" : ""));
    if (!read.ignored.empty()) print_line("not read: " + read.ignored);
    std::vector<tuning::Line> lines = tuning::read_lines(read.text);
    std::optional<tuning::Gpu> gpu;
    if (gpu::device_count() > 0) gpu = tuning::current_gpu();
    tuning::settings_of(lines, tuning::tunables(), tuning::source_hash, gpu);
    for (const tuning::Line& line : lines) {
      print_line(fmt::format("{:5}  {}{}", line.number,
                             line.ignored.empty() ? "in effect" : "no effect: " + line.ignored,
                             line.entry ? "; " + text_of(*line.entry) : ""));
    }
  }

  std::vector<std::string> primitives_;
  std::string budget_ = "300";
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> add_tune(CLI::App& app) {
  return std::make_unique<TuneCommand>(*app.add_subcommand(
      "tune", "Find the fastest launch settings of the primitives on this GPU, for later calls"));
}

}  // namespace warpwise::cli
