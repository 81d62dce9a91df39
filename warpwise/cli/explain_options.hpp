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
  /// one FILE, NAME/RUNG (a kernel of the ladder or study NAME) or primitive; two are compared
  std::vector<std::string> names;
  // Options of a FILE. Two files have one value for both, or one value each.
  std::vector<std::string> kernels;
  std::vector<std::string> grids;
  std::vector<std::string> blocks;
  std::vector<std::string> shared;
  lab::ExplainRequest file;  ///< further options of a FILE
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
  std::vector<std::string> includes;
  std::optional<Size> size;   ///< for rungs and primitives only
  std::string ladder_folder;  ///< for rungs only
  ModelledGpus modelled_gpus;
  LabPlace place = LabPlace::emulator;
  bool host_code = false;  ///< print the emulator's machine code instead of a report
  bool json = false;
  std::string html;  ///< file of the HTML page; empty: no page is written

  /// Returns the first name, or an empty text if there is none.
  std::string name() const { return names.empty() ? "" : names.front(); }
};

void add_explain_options(CLI::App& app, ExplainOptions& options);

/// Returns true if the only name is a FILE, given without a launch and without arguments.
bool lists_kernels(const ExplainOptions& options);

/// Returns the request for the FILE names[which]. If lists_kernels(), the request has no launch.
/// \throws UsageError, InvalidArgument  a required option is missing, or an option does not apply
/// to this FILE
/// \throws IoError  there is no such file
lab::ExplainRequest file_request(const ExplainOptions& options, std::size_t which);

/// Checks that --html and --dump can be written, and that they replace neither a FILE nor each
/// other. \throws UsageError, IoError  as require_outputs()
void require_outputs_of(const ExplainOptions& options);

/// Refuses options that the FILEs leave without effect: options of a launch if none is given, and
/// options of the compiler for PTX. \throws UsageError
void refuse_unused_options(const CLI::App& app, const ExplainOptions& options);

/// Refuses options that only a FILE may have. \throws UsageError
void refuse_options_of_files(const CLI::App& app, const std::string& name);

/// Returns true for NAME/RUNG of a ladder or a study. Returns false for a file's path, recognised
/// by its extension.
bool is_rung(const ExplainOptions& options, const std::string& name);

/// Lists the primitives: "convert, copy, ...".
std::string list_of_primitives();

}  // namespace warpwise::cli
