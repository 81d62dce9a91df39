#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stage.hpp"
#include "warpwise/live/stage_option.hpp"

namespace warpwise::viewer {

/// Content of the window:
///
/// - result: the pipeline's result
/// - both: the original and the result side by side
/// - wipe: the original left of a line, the result right of it
/// - difference: |original - result| of each channel
enum class View : std::uint8_t { result, both, wipe, difference };
constexpr auto enum_names(View) {
  return std::to_array<EnumName<View>>({{View::result, "result"},
                                        {View::both, "both"},
                                        {View::wipe, "wipe"},
                                        {View::difference, "difference"}});
}
inline constexpr auto all_views = all_values<View>();

/// Parses a pipeline's text to its stages. Throws an std::exception whose message is for the user.
using ParseStages = std::function<std::vector<std::shared_ptr<live::Stage>>(std::string_view text)>;

/// Returns the options of the stage with that name, for its controls.
using OptionsOfStage = std::function<std::vector<live::StageOption>(std::string_view stage)>;

/// Rungs of one stage; see Rungs.
struct StageRungs {
  std::vector<std::string> names;  ///< the last is the library's own kernel
  std::string options;             ///< stage options that the rungs need: "border=replicate"
};

/// The rungs of all stages. A rung is a kernel that may replace the library's. Together they form a
/// ladder of optimisation steps. The option rung=NAME in a stage's text chooses one.
struct Rungs {
  std::string why_none;                                  ///< empty if there are rungs
  std::function<StageRungs(std::string_view stage)> of;  ///< rungs of a stage, by its name
  std::function<std::optional<double>()>
      copy_roof_gb_per_s;  ///< the GPU's copy throughput, measured on this machine
};

struct ViewOptions {
  std::string source;    ///< name given by the user; if a file, no clip may replace it
  std::string pipeline;  ///< text, which the user may change
  ParseStages parse;
  OptionsOfStage options_of;
  Rungs rungs;
  View view = View::result;
  std::optional<std::int64_t> frames;  ///< number of frames after which the window closes
  std::string screenshot;              ///< PNG file for the window's last frame; empty for none
  bool on_gpu = false;                 ///< compute on the calling thread's current GPU
  bool no_interop = false;             ///< do not share frames between CUDA and OpenGL
  int threads = 1;                     ///< CPU threads for a frame
};

/// Shows a pipeline's results for a source's frames, until the user or options.frames ends it. The
/// module libwarpwise_viewer.so does the work. If a screenshot is wanted, the line of View::wipe
/// does not follow the mouse, and the window also closes at the end of the source.
/// \throws IoError  the module cannot be loaded, there is no display or no OpenGL 3.3, or the
/// source fails.
/// \throws InvalidArgument  the pipeline cannot take the source's frames, or an option is invalid
void show(std::shared_ptr<live::Source> source, const ViewOptions& options);

/// Name of the function that the module exports. The number changes with this interface.
inline constexpr const char* viewer_module_entry = "warpwise_viewer_module_4";
using ViewerModuleEntry = void (*)(std::shared_ptr<live::Source>, const ViewOptions&);

}  // namespace warpwise::viewer
