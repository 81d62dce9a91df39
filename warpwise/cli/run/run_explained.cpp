// `warpwise run --explain`: reports on a program's kernels after the program has ended.

#include "warpwise/cli/run/run_explained.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/report.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/lab/explain/programs/program_report.hpp"
#include "warpwise/lab/report/kernel/kernel_page.hpp"

namespace warpwise::cli {
namespace {

// Returns the texts of the program's own source files: those below the current folder.
std::map<std::string, std::string> sources_of(const lab::ProgramExplanation& explanation) {
  std::map<std::string, std::string> texts;
  for (const lab::Explanation& kernel : explanation.kernels) {
    for (const lab::SourceFile& each : kernel.sources) {
      if (each.lines.empty() || each.shown.starts_with('/')) continue;
      texts[each.shown] = fmt::format("{}\n", fmt::join(each.lines, "\n"));
    }
  }
  return texts;
}

std::string report_of(const lab::ProgramExplanation& explanation, const std::string& file) {
  if (file.ends_with(".html"))
    return lab::report::kernel_page(lab::json_of(explanation), sources_of(explanation));
  if (file.ends_with(".json")) return text_of_json(lab::json_of(explanation));
  return lab::text_of(explanation, file == "-" && ::isatty(STDOUT_FILENO) != 0);
}

}  // namespace

void require_explanation_place(const std::string& file) {
  if (!io::is_standard_output(file)) io::require_writable_path(file);
}

void explain_run(const std::string& file, const lab::ExplainRequest& request, bool print_hotspots,
                 const std::filesystem::path& record) {
  std::error_code ignored;
  if (!std::filesystem::exists(record, ignored)) {
    print_error(
        "warpwise: nothing to explain: no process used CUDA, or the first one that did was killed "
        "or ended by _exit()");
    return;
  }
  const lab::ProgramExplanation explanation = lab::explain_program(record, request);
  const std::string text = report_of(explanation, file);
  io::OutputFile out(file);
  out.write(std::as_bytes(std::span(text)));
  out.finish();
  const std::string line = lab::line_of(explanation);
  if (print_hotspots && !line.empty() && !io::is_standard_output(file))
    print_error(fmt::format("warpwise: {}: {}", file, line));
}

}  // namespace warpwise::cli
