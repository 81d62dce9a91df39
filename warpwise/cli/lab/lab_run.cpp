#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/interruption.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/show/study_report.hpp"

namespace warpwise::cli {
namespace {

// Parses a block shape: "32", "32x8" or "8x8x4".
emulator::Dim3 parse_block(const std::string& text) {
  emulator::Dim3 block;
  std::uint32_t* const sides[] = {&block.x, &block.y, &block.z};
  std::size_t begin = 0;
  for (std::uint32_t* side : sides) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    *side = static_cast<std::uint32_t>(
        parse_integer("--block", text.substr(begin, end - begin), 1, 1024));
    begin = end + 1;
    if (end == text.size()) break;
  }
  if (begin <= text.size()) throw UsageError("--block " + text + " has more than three dimensions");
  if (block.count() > 1024 || block.z > 64) {
    throw UsageError(
        fmt::format("--block {} has {} threads, {} in z; a block has at most 1024, and "
                    "64 in z",
                    text, block.count(), block.z));
  }
  return block;
}

class LabRun final : public Command {
 public:
  explicit LabRun(CLI::App& app) {
    app.add_option("NAME", options_.names,
                   "NAME, NAME/RUNG or NAME/EXPERIMENT of a ladder or a study")
        ->type_name("");
    app.add_option_function<std::string>(
           "--size",
           [this](const std::string& text) {
             const Size size = parse_size("--size", text);
             size_ = {size.width, size.height};
           },
           "Size of the image, or of gemv's matrix (default: the source document's on a GPU, a "
           "small one in the emulator)")
        ->type_name("WxH");
    app.add_option_function<std::string>(
           "--block", [this](const std::string& text) { block_ = parse_block(text); },
           "Threads of a block, instead of the rungs' own")
        ->type_name("XxY");
    add_place(app, options_);
    add_ladder_folder(app, options_);
    app.add_flag("--counters", counters_,
                 "On a GPU: also read its hardware counters, beside the emulator's counts");
    app.add_flag("--json", json_, "Print one JSON object for each ladder, study or experiment");
    app.add_flag("--csv", csv_, "Print comma-separated values");
    app.add_option("--out", out_,
                   "Also write records into this folder: NAME.json, NAME-EXPERIMENT.json, or "
                   "NAME-RUNG.json for named rungs")
        ->type_name("DIR")
        ->check(refuse_empty_name);
    app.add_option("--plot", plot_,
                   "Also draw the one ladder, study or experiment into FILE.svg, with gnuplot, and "
                   "write its figures to FILE.csv")
        ->type_name("FILE")
        ->check(refuse_empty_name);
  }

  void execute() const override {
    if (json_ && csv_) throw UsageError("--json and --csv exclude each other");
    if (options_.names.empty() && options_.ladder_folder.empty()) {
      throw UsageError(
          "lab run needs the name of a ladder or a study, NAME/RUNG or NAME/EXPERIMENT: see "
          "warpwise lab list");
    }
    const std::vector<Selection> selections = expanded(select(options_));
    require_writable(selections);
    lab::require_compiler();
    std::optional<Interruption> interruption;
    if (json_ || csv_ || !out_.empty() || !plot_.empty()) {
      interruption.emplace(
          "\nwarpwise: stopping after this row, keeping all measurements so far; interrupt again "
          "to stop at once\n");
    }
    std::vector<std::string> wrong;
    nlohmann::ordered_json objects = nlohmann::ordered_json::array();
    const auto report = [&](const lab::StudyRun& run, const Selection& selection) {
      for (const lab::RungRow& row : run.rows) {
        if (!row.wrong.empty()) {
          wrong.push_back(fmt::format("{}/{} ({})", run.study, row.rung, row.wrong));
        }
      }
      if (!json_ && !csv_) {
        print(lab::knees_of(run) + lab::halved_text(run) + lab::transfers_of(run));
      }
      // JSON contains the notice already.
      if (!json_) tell(lab::counters_notice(run));
      if (json_) objects.push_back(lab::json_of(run));
      if (csv_) print(lab::csv_of(run));
      if (!run.any_wrong()) record(run, selection);
    };
    std::exception_ptr failure;
    try {
      for (const Selection& each : selections) {
        run_one(each, report);
        if (interruption && Interruption::is_requested()) break;
      }
    } catch (...) {
      failure = std::current_exception();
    }
    if (json_ && !objects.empty()) {
      print(text_of_json(objects.size() == 1 ? objects[0] : objects, 1));
    }
    if (failure) std::rethrow_exception(failure);
    if (!wrong.empty()) {
      throw Error(fmt::format("wrong, and not recorded: {}", fmt::join(wrong, "; ")));
    }
    if (interruption && Interruption::is_requested()) Interruption::raise_signal();
  }

 private:
  // Prints a notice. With --csv it goes to standard error, because CSV has no place for it.
  void tell(const std::string& notice) const {
    if (notice.empty()) return;
    if (csv_) {
      print_error_log(notice);
    } else {
      print(notice);
    }
  }

  using Report = std::function<void(const lab::StudyRun&, const Selection&)>;

  // Runs a selection and reports it. If a rung fails, the rows before it are reported first.
  void run_one(const Selection& selection, const Report& report) const {
    lab::StudyRequest request = request_of(selection);
    const bool quiet = json_ || csv_;
    const std::size_t width = terminal_width();
    Progress progress(quiet ? request.rungs.size() : 0);
    std::size_t done = 0;
    const lab::RungRow* before = nullptr;
    lab::RungRow last;
    const auto show = [&](const lab::StudyRun& run, const lab::RungRow& row) {
      if (quiet) {
        progress.show(std::min(++done, request.rungs.size()), row.rung);
        return;
      }
      if (before == nullptr) print(lab::heading_of(run) + lab::legend_of(run, width));
      if (lab::begins_table(run, before, row)) print("\n" + lab::columns_of(run, row, width));
      print(lab::line_of(run, row, width) + lab::counters_of(row, width));
      last = row;
      before = &last;
    };
    request.failed = [&](const lab::StudyRun& run) {
      progress.clear();
      if (!run.rows.empty()) report(run, selection);
    };
    try {
      const lab::StudyRun run = lab::run_study(selection.table, request, show);
      progress.clear();
      report(run, selection);
    } catch (const lab::CompileError& error) {
      progress.clear();
      print_error_log(error.log());
      throw;
    }
  }

  lab::StudyRequest request_of(const Selection& selection) const {
    lab::StudyRequest request;
    request.rungs = selection.rungs;
    request.experiment = selection.experiment;
    request.size = size_;
    request.block = block_;
    request.on_gpu = options_.on_gpu();
    request.counters = counters_;
    request.cpu = selection.table.is_ladder() &&
                  (selection.whole || (selection.experiment && selection.experiment->cpu));
    request.compute_capabilities = options_.modelled_gpus.all();
    request.stop = Interruption::is_requested;
    if (!request.on_gpu) request.model = options_.modelled_gpus.model();
    return request;
  }

  // Returns the name of a record. The record of a part of a ladder gets another name than the
  // record of the whole ladder, so that it does not replace that record.
  std::string record_of(const Selection& selection, bool interrupted) const {
    std::string name = selection.table.name();
    if (selection.experiment) {
      name += "-" + selection.experiment->name;
    } else if (!selection.whole) {
      name += fmt::format("-{}", fmt::join(selection.rungs, "-"));
    }
    if (interrupted) name += "-interrupted";
    return (std::filesystem::path(out_) / (name + ".json")).string();
  }

  // Checks the output files before anything runs. A later error would lose minutes of
  // measurement.
  void require_writable(const std::vector<Selection>& selections) const {
    std::vector<NamedFile> outputs;
    if (!plot_.empty()) {
      if (selections.size() != 1) {
        throw UsageError(fmt::format("--plot draws one ladder, study or experiment; these are {}",
                                     selections.size()));
      }
      require_plot("--plot", plot_);
      outputs = plot_files("--plot", plot_);
    }
    if (!out_.empty()) {
      std::error_code error;
      std::filesystem::create_directories(out_, error);
      if (error) throw IoError("cannot make the folder " + out_ + ": " + error.message());
      for (const Selection& each : selections) outputs.push_back({"--out", record_of(each, false)});
    }
    require_outputs(outputs);
  }

  void record(const lab::StudyRun& run, const Selection& selection) const {
    if (run.interrupted && run.rows.empty()) return;
    const nlohmann::ordered_json json = lab::json_of(run);
    if (!out_.empty()) {
      io::OutputFile file(record_of(selection, run.interrupted));
      const std::string text = text_of_json(json, 1);
      file.write(std::as_bytes(std::span(text)));
      file.finish();
    }
    if (plot_.empty()) return;
    try {
      write_plot(lab::plot_of(lab::read_record(json, "this run")), plot_);
    } catch (const InvalidArgument&) {
      // An interrupted run may have too few rows for a plot.
      if (!run.interrupted) throw;
    }
  }

  LabOptions options_;
  std::optional<lab::Size> size_;
  std::optional<emulator::Dim3> block_;
  bool counters_ = false;
  bool json_ = false;
  bool csv_ = false;
  std::string out_;
  std::string plot_;
};

}  // namespace

std::unique_ptr<Command> add_lab_run(CLI::App& lab) {
  return std::make_unique<LabRun>(
      *lab.add_subcommand("run",
                          "Verify rungs, then time them on a GPU, or count their instructions and "
                          "accesses in the emulator and model their times"));
}

}  // namespace warpwise::cli
