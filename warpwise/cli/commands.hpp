#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace warpwise::cli {

/// A subcommand of `warpwise` with its arguments.
class Command {
 public:
  virtual ~Command() = default;
  /// Runs the subcommand. Is called after the arguments were parsed.
  virtual void execute() const = 0;
};

/// Each function adds its subcommand to `app`, and returns it. Each is in its own source file.
std::unique_ptr<Command> add_convert(CLI::App& app);
std::unique_ptr<Command> add_sobel(CLI::App& app);
std::unique_ptr<Command> add_threshold(CLI::App& app);
std::unique_ptr<Command> add_match(CLI::App& app);
std::unique_ptr<Command> add_disparity(CLI::App& app);
std::unique_ptr<Command> add_find(CLI::App& app);
std::unique_ptr<Command> add_track(CLI::App& app);
std::unique_ptr<Command> add_stream(CLI::App& app);
std::unique_ptr<Command> add_view(CLI::App& app);
std::unique_ptr<Command> add_gemv(CLI::App& app);
std::unique_ptr<Command> add_explain(CLI::App& app);
std::unique_ptr<Command> add_run(CLI::App& app);
std::unique_ptr<Command> add_bench(CLI::App& app);
std::unique_ptr<Command> add_lab(CLI::App& app);
std::unique_ptr<Command> add_devices(CLI::App& app);

}  // namespace warpwise::cli
