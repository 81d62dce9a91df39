#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/growth.hpp"
#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/plot/draw.hpp"
#include "warpwise/lab/plot/plot.hpp"

namespace warpwise::cli {
namespace {

namespace fs = std::filesystem;

std::string csv_beside(const std::string& file) {
  return fs::path(file).replace_extension(".csv").string();
}

void write(io::OutputFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

std::string text_of(const std::string& file) {
  if (std::optional<std::string> text = lab::read_text(file)) return *std::move(text);
  throw IoError("cannot read " + file + ": no regular file of at most 256 MiB is there");
}

class LabPlot final : public Command {
 public:
  explicit LabPlot(CLI::App& app) {
    app.add_option("RECORD.json", record_,
                   "Record of one run by lab run --json or --out, or by bench --growth --out")
        ->required()
        ->check(refuse_empty_name)
        ->type_name("");
    app.add_option("--out", out_, "Output picture, FILE.svg; its figures are written to FILE.csv")
        ->required()
        ->type_name("FILE")
        ->check(refuse_empty_name);
  }

  void execute() const override {
    require_plot("--out", out_);
    require_outputs(plot_files("--out", out_), {{"the record", record_}});
    const std::string text = text_of(record_);
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const lab::Plot plot = json.is_object() && json.contains("growth")
                               ? bench::growth_plot(json)
                               : lab::plot_of(lab::parse_record(text, record_));
    for (const std::string& each : write_plot(plot, out_)) print_line(each);
  }

 private:
  std::string record_;
  std::string out_;
};

}  // namespace

void require_plot(const std::string& option, const std::string& file) {
  if (fs::path(file).extension() != ".svg") {
    throw UsageError(fmt::format("{} {}: a plot is an SVG file, FILE.svg", option, file));
  }
  lab::require_gnuplot();
}

std::vector<NamedFile> plot_files(const std::string& option, const std::string& file) {
  return {{option, file}, {option, csv_beside(file)}};
}

std::vector<std::string> write_plot(const lab::Plot& plot, const std::string& file) {
  const std::string svg = lab::svg_of(plot);
  io::OutputFile picture(file);
  io::OutputFile figures(csv_beside(file));
  write(figures, lab::csv_of(plot));
  write(picture, svg);
  return {file, csv_beside(file)};
}

std::unique_ptr<Command> add_lab_plot(CLI::App& lab) {
  return std::make_unique<LabPlot>(*lab.add_subcommand(
      "plot", "Draw a record of lab run or bench --growth, without measuring again"));
}

}  // namespace warpwise::cli
