#include "warpwise/cli/source_options.hpp"

#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::cli {

void add_source_options(CLI::App& app, live::SourceOptions& options) {
  const auto add = [&app](const char* name, const char* help, const char* type, auto parse) {
    app.add_option_function<std::string>(name, parse, help)->type_name(type);
  };
  add("--format", "Of a camera's, a pattern's or a .raw file's frames: rgb24, yuyv, nv12, …", "FMT",
      [&options](const std::string& text) { options.format = live::parse_format(text); });
  add("--size", "Of these frames", "WxH", [&options](const std::string& text) {
    const Size size = parse_size("--size", text);
    options.width = size.width;
    options.height = size.height;
  });
  add("--fps", "Frames a second that the source gives, or is taken to give", "N",
      [&options](const std::string& text) {
        try {
          options.rate = live::parse_rate(text);
        } catch (const InvalidArgument& error) {
          throw UsageError(std::string("--fps: ") + error.what());
        }
      });
  add_choice(app, "--matrix", "Weights of the colours in luma, whatever the source says",
             all_matrices, options.colours.matrix);
  add_choice(app, "--range", "Codes of YUV frames, likewise", all_ranges, options.colours.range);
  add_choice(app, "--siting", "Where shared chroma lies, likewise", live::all_sitings,
             options.colours.siting);
}

}  // namespace warpwise::cli
