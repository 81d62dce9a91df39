#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/lab.hpp"
#include "warpwise/lab/explain/explain.hpp"

// What `warpwise explain` is asked for.
namespace warpwise::cli {

struct ExplainOptions {
  std::vector<std::string> names;  ///< FILE, NAME/RUNG or a primitive; two are compared
  // Of a FILE: of two files one for both, or one for each.
  std::vector<std::string> kernels;
  std::vector<std::string> grids;
  std::vector<std::string> blocks;
  std::vector<std::string> shared;
  lab::ExplainRequest file;  ///< what else is said of a FILE
  std::vector<std::string> arguments;
  std::vector<std::string> dumps;
  std::vector<std::string> includes;
  std::optional<Size> size;   ///< of a rung or a primitive
  std::string ladder_folder;  ///< of a rung
  CountedFor counted_for;
  LabPlace place = LabPlace::emulator;
  bool json = false;
  std::string html;  ///< the page's file; empty: no page

  /// The first name; empty where there is none.
  std::string name() const { return names.empty() ? "" : names.front(); }
};

void add_explain_options(CLI::App& app, ExplainOptions& options);

/// Of the FILE that is names[which]. \throws UsageError, InvalidArgument  what it needs is missing,
/// or an option has no meaning for it
lab::ExplainRequest file_request(const ExplainOptions& options, std::size_t which);

/// \throws UsageError  an option was given that is for a FILE
void refuse_options_of_files(const CLI::App& app, const std::string& name);

/// NAME/RUNG of a ladder or a study, not a path to a file, which has its extension.
bool is_rung(const ExplainOptions& options, const std::string& name);

/// "convert, copy, ..."
std::string list_of_primitives();

}  // namespace warpwise::cli
