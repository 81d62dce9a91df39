#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab/lab.hpp"
#include "warpwise/lab/explain/explain.hpp"

// Options of `warpwise explain`.
namespace warpwise::cli {

struct ExplainOptions {
  std::vector<std::string> names;  ///< FILE, NAME/RUNG or a primitive; two are compared
  // Options of a FILE. With two files: one value for both, or one for each.
  std::vector<std::string> kernels;
  std::vector<std::string> grids;
  std::vector<std::string> blocks;
  std::vector<std::string> shared;
  lab::ExplainRequest file;  ///< further options of a FILE
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
  std::vector<std::string> includes;
  std::optional<Size> size;   ///< for a rung or a primitive only
  std::string ladder_folder;  ///< for a rung only
  CountedFor counted_for;
  LabPlace place = LabPlace::emulator;
  bool host_code = false;  ///< print the emulator's machine code instead of a report
  bool json = false;
  std::string html;  ///< the HTML page's file; empty: no page

  /// The first name; empty if there is none.
  std::string name() const { return names.empty() ? "" : names.front(); }
};

void add_explain_options(CLI::App& app, ExplainOptions& options);

/// Returns true if there is one FILE with neither a launch nor arguments.
bool lists_kernels(const ExplainOptions& options);

/// Returns the request for the FILE names[which]. The request has no launch if lists_kernels().
/// \throws UsageError, InvalidArgument  a required option is missing, or one does not apply to the
/// FILE
/// \throws IoError  there is no such file
lab::ExplainRequest file_request(const ExplainOptions& options, std::size_t which);

/// Refuses options that only a FILE may have. \throws UsageError
void refuse_options_of_files(const CLI::App& app, const std::string& name);

/// Returns true for NAME/RUNG of a ladder or a study. Returns false for a file's path, recognised
/// by its extension.
bool is_rung(const ExplainOptions& options, const std::string& name);

/// Lists the primitives: "convert, copy, ...".
std::string list_of_primitives();

}  // namespace warpwise::cli
