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

/// What the window shows: the result, the original beside it, the original left of a line and the
/// result right of it, or how far they are apart, |original - result| of each channel.
enum class View : std::uint8_t { result, both, wipe, difference };
constexpr auto enum_names(View) {
  return std::to_array<EnumName<View>>({{View::result, "result"},
                                        {View::both, "both"},
                                        {View::wipe, "wipe"},
                                        {View::difference, "difference"}});
}
inline constexpr auto all_views = all_values<View>();

/// The stages of a pipeline's text. Throws an std::exception whose text is for the user.
using ParseStages = std::function<std::vector<std::shared_ptr<live::Stage>>(std::string_view text)>;

/// The options of the stage of that name, which the window has controls for.
using OptionsOfStage = std::function<std::vector<live::StageOption>(std::string_view stage)>;

/// What may run in a stage's place.
struct StageRungs {
  std::vector<std::string> names;  ///< the last is the library's own
  std::string options;             ///< of the stage that they need: "border=replicate"
};

/// Steps of optimisation of a stage's kernel that may run in its place; the option rung=NAME in the
/// pipeline's text says which.
struct Rungs {
  std::string why_none;                                       ///< empty where there are some
  std::function<StageRungs(std::string_view stage)> of;       ///< by the stage's name
  std::function<std::optional<double>()> copy_roof_gb_per_s;  ///< of the GPU, measured here
};

struct ViewOptions {
  std::string source;    ///< as the user named it; where that is a file, no clip may replace it
  std::string pipeline;  ///< its text, which the user may change
  ParseStages parse;
  OptionsOfStage options_of;
  Rungs rungs;
  View view = View::result;
  std::optional<std::int64_t> frames;  ///< ends after so many
  std::string screenshot;              ///< the last frame's window goes to this PNG file
  bool on_gpu = false;                 ///< the calling thread's current one
  bool no_interop = false;             ///< also where CUDA and OpenGL could share frames
  int threads = 1;                     ///< of the CPU, for a frame
};

/// Shows what a pipeline makes of a source's frames, until the user, or options.frames, ends it; by
/// the module libwarpwise_viewer.so. With a screenshot nothing is left to the user, and the end of
/// the source is an end too.
/// \throws IoError  the module cannot be loaded, there is no display or no OpenGL 3.3, and what the
/// source throws.  \throws InvalidArgument  the pipeline cannot take the frames; …
void show(std::shared_ptr<live::Source> source, const ViewOptions& options);

/// What the module exports; the number in its name changes with this interface.
inline constexpr const char* viewer_module_entry = "warpwise_viewer_module_4";
using ViewerModuleEntry = void (*)(std::shared_ptr<live::Source>, const ViewOptions&);

}  // namespace warpwise::viewer
