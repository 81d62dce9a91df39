#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/changes.hpp"
#include "bench/gemv_shapes.hpp"
#include "bench/gpu_run.hpp"
#include "bench/growth.hpp"
#include "bench/python_peers.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/commands.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/sources.hpp"

namespace warpwise::cli {
namespace {

std::string roofs_text(const bench::Roofs& roofs) {
  return fmt::format("roofs: the driver's copy {:.0f} GB/s, reads {:.0f} GB/s", roofs.copy_gb_per_s,
                     roofs.read_gb_per_s);
}

class BenchCommand final : public Command {
 public:
  explicit BenchCommand(CLI::App& app) {
    app.add_option("PRIMITIVE", primitives_, "Primitives to time (default: all)")->type_name("");
    app.add_option("--filter", filters_,
                   "Time only cases whose \"PRIMITIVE VARIANT IMPLEMENTATION\" contains TEXT; may "
                   "be repeated")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    app.add_flag("--growth", growth_,
                 "Time the main case of each primitive and of chain at sizes from 64 KiB to 4 GiB "
                 "instead; `lab plot` draws the file that --out writes");
    app.add_flag("--shapes", shapes_,
                 "Time gemv in f32 at 64 shapes instead, plain and transposed, beside cuBLAS")
        ->excludes("--growth");
    app.add_flag("--list", list_, "List the cases without timing them; needs no GPU");
    app.add_flag("--no-python", no_python_,
                 "Leave out the second table: OpenCV, kornia-rs, PyTorch, CuPy and CV-CUDA of this "
                 "machine's python3");
    app.add_option("--out", json_file_,
                   "Write the run to this file, with up to 200 samples of each time and the clock "
                   "at each sample")
        ->type_name("FILE.json")
        ->check(refuse_empty_name);
    add_deprecated_option(app, "--json", "--out");
    app.add_option("--machine", machine_file_,
                   "File with a JSON object that --out adds to its \"machine\", such as a commit "
                   "and a date")
        ->type_name("FILE")
        ->check(refuse_empty_name);
    app.add_option("--against", record_, "Compare with a run that --out wrote on the same GPU")
        ->type_name("FILE")
        ->check(refuse_empty_name);
    app.add_option(
           "--fail-on-regression", fail_percent_,
           "Exit with 1 if a time exceeds that of --against by more than this many per cent")
        ->type_name("PERCENT");
  }

  void execute() const override {
    if (bench::primitives_with_cases().empty()) {
      throw Unsupported("this warpwise was built without CUDA and has nothing to time");
    }
    require_one_of("bench", "primitive", primitives_, bench::primitives_with_cases());
    const std::optional<double> percent = regression_limit();
    const std::vector<bench::Case> cases =
        bench::selected_cases(chosen_cases(), primitives_, filters_);
    if (cases.empty())
      throw UsageError("bench: no case's name contains this text; --list shows all cases");
    if (list_) {
      list(cases);
      return;
    }
    std::optional<bench::Recorded> recorded;
    if (!record_.empty()) {
      recorded.emplace(record_);
      if (gpu::device_count() > 0) recorded->require_gpu(gpu::device_info(0).name);
    }
    const nlohmann::json machine = described_machine();
    // Checks the output file before measuring, so that a wrong name does not lose a measurement.
    if (!json_file_.empty()) io::require_writable_path(json_file_);

    Progress progress(cases.size());
    std::size_t done = 0;
    const bench::Run run = bench::run_cases(
        cases, shapes_ ? bench::options_of_one_in_hundreds : bench::options_of_a_case,
        [](const bench::Roofs& roofs) { print_line(roofs_text(roofs)); },
        [&](const bench::Row& row) {
          progress.clear();
          print_line(bench::line_of(row));
          progress.show(++done, row.work.primitive);
        });
    progress.clear();
    if (shapes_) {
      for (const std::string& line : bench::gemv_shapes_summary(run.rows)) print_line(line);
    }
    nlohmann::json report = bench::json_of(run);
    report["machine"].update(machine);
    if (growth_) report["growth"] = true;
    bench::keep_before_and_after(json_file_, report, [&] {
      if (!no_python_ && !growth_ && !shapes_) add_python(run, report);
    });
    const std::size_t slower = recorded ? show_changes(*recorded, run, percent) : 0;
    fail_where_something_is_wrong(run, slower);
  }

 private:
  std::vector<bench::Case> chosen_cases() const {
    if (growth_) return bench::growth_cases();
    return shapes_ ? bench::gemv_shape_cases() : bench::registered_cases();
  }

  std::optional<double> regression_limit() const {
    if (fail_percent_.empty()) return std::nullopt;
    if (record_.empty())
      throw UsageError("--fail-on-regression needs --against, a run to compare with");
    const double percent = parse_number("--fail-on-regression", fail_percent_);
    if (percent < 0) throw UsageError("--fail-on-regression takes per cent of 0 or more");
    return percent;
  }

  static void list(const std::vector<bench::Case>& cases) {
    for (const bench::Case& work : cases) {
      print_line(fmt::format("{:10} {:34} {:28} {:>5}x{:<5} {:>12} bytes", work.primitive,
                             work.variant, work.implementation, work.width, work.height,
                             work.bytes));
    }
  }

  nlohmann::json described_machine() const {
    if (machine_file_.empty()) return nlohmann::json::object();
    const std::optional<std::string> text = lab::read_text(machine_file_);
    const nlohmann::json machine = nlohmann::json::parse(text.value_or(""), nullptr, false);
    if (!machine.is_object())
      throw UsageError("--machine " + machine_file_ + ": this file holds no JSON object");
    return machine;
  }

  static void add_python(const bench::Run& run, nlohmann::json& report) {
    try {
      std::optional<Waiting> waiting("timing libraries of this machine's Python");
      const bench::PythonRun python = bench::run_python_peers(run);
      waiting.reset();
      print(fmt::format("\nPython: {}\n", fmt::join(python.libraries, ", ")));
      for (const std::string& each : python.missing) print_line("skipped: " + each);
      for (const bench::PythonRow& row : python.rows) print_line(bench::line_of(row));
      report["python"] = bench::json_of(python);
    } catch (const std::exception& error) {  // Warpwise failed, or a file by Python is wrong
      print("\n");
      print_line(fmt::format("Python: skipped: {}", error.what()));
      report["python"] = {{"not_run", error.what()}};
    }
  }

  // Shows the changes. Returns the number of cases that became slower by more than `percent`.
  std::size_t show_changes(const bench::Recorded& recorded, const bench::Run& run,
                           std::optional<double> percent) const {
    const std::vector<bench::Change> changes = recorded.changes_to(run);
    print("\n");
    print_line(
        fmt::format("Compared with {}, which has {} of these times", record_, changes.size()));
    if (changes.empty() && percent) throw Error("none of these times is in " + record_);
    std::size_t slower = 0;
    for (const bench::Change& change : changes) {
      print_line(bench::line_of(change));
      slower += percent && bench::is_regression(change, *percent) ? 1 : 0;
    }
    return slower;
  }

  static void fail_where_something_is_wrong(const bench::Run& run, std::size_t slower) {
    const auto failed = std::count_if(run.rows.begin(), run.rows.end(),
                                      [](const bench::Row& row) { return row.failed(); });
    if (failed > 0) throw Error(fmt::format("{} cases gave a wrong result or failed", failed));
    if (slower > 0) throw Error(fmt::format("{} times are longer than recorded", slower));
  }

  std::vector<std::string> primitives_;
  std::vector<std::string> filters_;
  bool growth_ = false;
  bool shapes_ = false;
  bool list_ = false;
  bool no_python_ = false;
  std::string json_file_;
  std::string machine_file_;
  std::string record_;
  std::string fail_percent_;
};

}  // namespace

std::unique_ptr<Command> add_bench(CLI::App& app) {
  return std::make_unique<BenchCommand>(*app.add_subcommand(
      "bench",
      "Time the primitives on this GPU, beside NPP, cuBLAS and the libraries of its Python"));
}

}  // namespace warpwise::cli
