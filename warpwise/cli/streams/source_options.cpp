#include "warpwise/cli/streams/source_options.hpp"

#include <fmt/format.h>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/live/sources.hpp"

namespace warpwise::cli {

void add_reading_options(CLI::App& app, live::SourceOptions& options) {
  add_text_option(app, "--page", "N|all",
                  "Number of the picture in a TIFF or WebP file, from 1 on (default: 1; in a "
                  "stream all)",
                  [&options](const std::string& text) {
                    options.all_pages = text == "all";
                    if (!options.all_pages) {
                      options.page = parse_integer("--page", text, 1, 1'000'000);
                    }
                  });
  app.add_flag("--luma", options.luma,
               "Read JPEG pictures as grey: their luma, without decoding colours. It may differ by "
               "rounding or clipping from grey computed from the colours");
  app.add_flag_callback(
      "--no-autorotate", [&options] { options.autorotate = false; },
      "Do not turn pictures and frames upright; an output video gets the rotation as a tag");
  add_text_option(app, "--track", "N", "Number of the video track in a file, from 1 on",
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
             "Decoder of a video or of JPEG files; auto is the GPU if it computes and can decode "
             "them, else the CPU; gpu is for videos alone (default: auto)",
             live::all_decodes, options.decode);
}

live::SourceOptions options_to_open(const live::SourceOptions& options, bool is_gpu) {
  live::SourceOptions opened = options;
  if (is_gpu) return opened;
  if (options.decode == live::Decode::gpu) {
    throw UsageError("--decode gpu needs a GPU that computes too: --backend cuda, not the CPU");
  }
  opened.decode = live::Decode::cpu;
  return opened;
}

void add_network_options(CLI::App& app, live::SourceOptions& options) {
  add_text_option(
      app, "--timeout", "SECONDS",
      fmt::format("Longest wait for a network peer (default: {})", live::default_timeout_seconds),
      [&options](const std::string& text) {
        options.timeout_seconds = parse_number("--timeout", text);
        if (options.timeout_seconds <= 0) {
          throw UsageError("--timeout needs more than 0 seconds");
        }
      });
  add_text_option(app, "--reconnect", "SECONDS",
                  "If a network source is lost or ends, try to connect again for this time, once a "
                  "second (default: do not)",
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
