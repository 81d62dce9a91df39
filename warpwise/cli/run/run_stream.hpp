#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/run.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// Describes a run of a stream: its source, its sink, and the options for its frames.
struct StreamCall {
  std::string command;               ///< the subcommand's name, for --json
  std::vector<std::string> sources;  ///< one source, or several pictures and folders of pictures
  std::string sink;
  live::SourceOptions source = {};
  live::RunOptions run = {};
  bool no_interop = false;
  RunOptions where = {};
};

/// Opens both ends, runs the stages on every frame and prints a report.
/// \param make_stages  called once, with true if a GPU computes
/// \throws UsageError, IoError, NoCudaDevice, …  the sink then holds the frames written so far
void run_stream(const StreamCall& call,
                const std::function<std::vector<std::shared_ptr<live::Stage>>(bool)>& make_stages);

/// Returns true if a subcommand's "IN... OUT" is a stream: the only input is a video, a camera, a
/// peer, pipe:… or generated frames, or the output is a video, a peer or pipe:…. A .y4m file counts
/// as a video if many pictures go into it.
bool is_stream(const std::vector<std::string>& paths);

/// Runs a subcommand as a stream of one stage, from "IN... OUT".
/// \throws UsageError, IoError, …  as run_stream()
void run_as_stream(const std::string& command, const std::vector<std::string>& paths,
                   const InputOptions& options, std::shared_ptr<live::Stage> stage);

}  // namespace warpwise::cli
