#include <fmt/format.h>

#include <filesystem>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/report/page.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;
namespace report = lab::report;

constexpr auto all_languages = all_values<report::Language>();

// Folder of the recorded results, which is installed beside the kernels' sources.
fs::path recorded_results() { return lab::source_root().parent_path() / "results"; }

class LabReport final : public Command {
 public:
  explicit LabReport(CLI::App& app) {
    app.add_option("--records", records_,
                   "Folder with records of lab run --out, also in subfolders (default: the "
                   "recorded results that come with warpwise)")
        ->type_name("FOLDER")
        ->check(refuse_empty_name);
    add_deprecated_option(app, "--from", "--records");
    add_choice(app, "--lang", "Language of the page (default: en)", all_languages, language_);
    app.add_option("--out", out_, "Output page (default: report.html)")
        ->type_name("FILE.html")
        ->check(refuse_empty_name);
  }

  void execute() const override {
    // Reads the records before it opens the output. An invalid record then leaves no file behind.
    const report::Collection collection =
        report::read_folder(records_.empty() ? recorded_results() : fs::path(records_));
    report::speak(language_);
    const std::string page = report::page_of(collection, report::installed_sources(collection));
    io::OutputFile file(out_);
    file.write(std::as_bytes(std::span(page)));
    file.finish();
    if (io::is_standard_output(out_)) return;
    print_line(fmt::format("{}: {} runs and {} benches, {} bytes", out_, collection.runs.size(),
                           collection.benches.size(), page.size()));
  }

 private:
  report::Language language_ = report::Language::english;
  std::string records_;
  std::string out_ = "report.html";
};

}  // namespace

std::unique_ptr<Command> add_lab_report(CLI::App& lab) {
  return std::make_unique<LabReport>(*lab.add_subcommand(
      "report", "Write recorded results as one page for a browser: the gain of each rung"));
}

}  // namespace warpwise::cli
