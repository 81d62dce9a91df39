#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/run.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// Describes a run of a stream: its source, its sink, and its options.
struct StreamCall {
  std::string command;               ///< the subcommand's name, for --json
  std::vector<std::string> sources;  ///< one source, or several pictures and folders of pictures
  std::string sink;
  live::SourceOptions source = {};
  live::RunOptions run = {};
  bool no_interop = false;
  RunOptions options = {};
};

/// Opens the source and the sink, runs the stages on every frame, and prints a report.
/// \param make_stages  makes the stages; called once, with true if a GPU computes
/// \throws UsageError, IoError, NoCudaDevice, …  the sink keeps the frames that were written before
void run_stream(const StreamCall& call,
                const std::function<std::vector<std::shared_ptr<live::Stage>>(bool)>& make_stages);

/// Returns true if a subcommand's "IN... OUT" is a stream. It is one if the only input is a video,
/// a camera, a network peer, pipe:… or generated frames, or if the output is a video, a peer or
/// pipe:…. A .y4m file as the output counts as a video if there are many pictures for it.
bool is_stream(const std::vector<std::string>& paths);

/// Runs a subcommand on the stream "IN... OUT", with the subcommand's work as the only stage.
/// \throws UsageError, IoError, …  as run_stream()
void run_as_stream(const std::string& command, const std::vector<std::string>& paths,
                   const InputOptions& options, std::shared_ptr<live::Stage> stage);

}  // namespace warpwise::cli
