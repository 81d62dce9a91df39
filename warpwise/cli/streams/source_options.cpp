#include "warpwise/cli/streams/source_options.hpp"

#include <fmt/format.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::cli {

void add_reading_options(CLI::App& app, live::SourceOptions& options) {
  add_text_option(app, "--page", "N|all",
                  "Which picture of a TIFF or WebP file, counted from 1 (default: the first; in a "
                  "stream, all)",
                  [&options](const std::string& text) {
                    options.all_pages = text == "all";
                    if (!options.all_pages) {
                      options.page = parse_integer("--page", text, 1, 1'000'000);
                    }
                  });
  app.add_flag("--no-autorotate{false}", options.autorotate,
               "Leave pictures and frames as they are stored; a video's turn becomes a tag");
  add_text_option(app, "--track", "N", "Which of a file's videos, counted from 1",
                  [&options](const std::string& text) {
                    options.track = static_cast<int>(parse_integer("--track", text, 1, 1000));
                  });
  app.add_flag("--deinterlace", options.deinterlace,
               "Turn interlaced frames of a video into whole ones, with FFmpeg's filter bwdif");
  app.add_flag("--rescale", options.rescale,
               "Scale frames whose size or pixels differ from those of a video's first frame, with "
               "FFmpeg's filter scale");
}

void add_decode_option(CLI::App& app, live::SourceOptions& options) {
  options.decode = live::Decode::automatic;
  add_choice(app, "--decode",
             "What decodes a video [auto: the GPU that computes, if it can, and else the CPU]",
             live::all_decodes, options.decode);
}

void add_network_options(CLI::App& app, live::SourceOptions& options) {
  add_text_option(app, "--timeout", "SECONDS",
                  fmt::format("Longest wait for a peer in the network (default: {})",
                              live::default_timeout_seconds),
                  [&options](const std::string& text) {
                    options.timeout_seconds = parse_number("--timeout", text);
                    if (options.timeout_seconds <= 0) {
                      throw UsageError("--timeout needs more than 0 seconds");
                    }
                  });
  add_text_option(app, "--reconnect", "SECONDS",
                  "Call a source in the network again once it is lost or ends, once a second for "
                  "this time",
                  [&options](const std::string& text) {
                    options.reconnect_seconds = parse_number("--reconnect", text);
                    if (options.reconnect_seconds <= 0) {
                      throw UsageError("--reconnect needs more than 0 seconds");
                    }
                  });
}

void add_source_options(CLI::App& app, live::SourceOptions& options) {
  add_text_option(
      app, "--format", "FMT",
      "Pixel format of the frames of a camera, a pattern or a .raw file: rgb24, yuyv, nv12, …",
      [&options](const std::string& text) {
        options.deep_format = live::deep_layout_named(text);
        if (!options.deep_format) options.format = live::parse_format(text);
      });
  add_text_option(app, "--size", "WxH", "Size of these frames",
                  [&options](const std::string& text) {
                    const Size size = parse_size("--size", text);
                    options.width = size.width;
                    options.height = size.height;
                  });
  add_fps_option(app, options.rate);
  add_reading_options(app, options);
  add_network_options(app, options);
  add_choice(app, "--matrix", "Weights of the colours in luma, instead of the source's",
             all_matrices, options.colours.matrix);
  add_choice(app, "--range", "Range of YUV codes, instead of the source's", all_ranges,
             options.colours.range);
  add_choice(app, "--siting",
             "Place of subsampled chroma among the pixels, instead of the source's",
             live::all_sitings, options.colours.siting);
}

}  // namespace warpwise::cli
