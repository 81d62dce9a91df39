#include "warpwise/cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cmath>
#include <filesystem>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"

namespace warpwise::cli {
namespace {

std::string got(std::string_view option, std::string_view text) {
  return std::string(option) + " got '" + std::string(text) + "', it needs ";
}

}  // namespace

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                           std::int64_t greatest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least ||
      value > greatest) {
    throw UsageError(got(option, text) + "an integer from " + std::to_string(least) + " to " +
                     std::to_string(greatest));
  }
  return value;
}

double parse_number(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(got(option, text) + "a number such as 7 or -4.5");
  }
  return value;
}

Size parse_size(std::string_view option, std::string_view text) {
  const std::size_t x = text.find('x');
  if (x == std::string_view::npos) {
    throw UsageError(got(option, text) + "a width and a height such as 640x480");
  }
  return {parse_integer("the width in " + std::string(option), text.substr(0, x), 1, INT64_MAX),
          parse_integer("the height in " + std::string(option), text.substr(x + 1), 1, INT64_MAX)};
}

void refuse_choice(std::string_view option, std::string_view text,
                   const std::vector<std::string_view>& choices) {
  std::string list;
  for (const std::string_view choice : choices) {
    if (!list.empty()) list += ", ";
    list += choice;
  }
  throw UsageError(got(option, text) + "one of " + list);
}

std::string_view name_of(BackendChoice choice) {
  switch (choice) {
    case BackendChoice::automatic: return "auto";
    case BackendChoice::cpu: return "cpu";
    case BackendChoice::cuda: return "cuda";
  }
  __builtin_unreachable();
}

RawFormat raw_format(PixelFormat format) {
  return {std::string(warpwise::name_of(format)), io::PictureShape::of(format, 1, 1)};
}

std::string_view name_of(const RawFormat& format) { return format.name; }

void RunOptions::validate() const {
  if (backend == BackendChoice::cpu && device) {
    throw UsageError("--device chooses a GPU and has no meaning with --backend cpu");
  }
}

void add_run_options(CLI::App& app, RunOptions& options) {
  add_choice(app, "--backend", "Where to compute; auto takes a GPU if there is one",
             all_backend_choices, options.backend);
  app.add_option_function<std::string>(
         "--device",
         [&options](const std::string& text) {
           options.device = static_cast<int>(parse_integer("--device", text, 0, INT_MAX));
         },
         "Number of the GPU, as `warpwise devices` lists them")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--threads",
         [&options](const std::string& text) {
           options.threads = static_cast<int>(parse_integer("--threads", text, 1, 65536));
         },
         "Greatest number of CPU threads (default: all)")
      ->type_name("N");
  app.add_flag("--json", options.json, "Print one JSON object that says what was done");
}

bool SharedOptions::is_raw(const std::string& input) const {
  if (input == "-" || io::written_directly(input)) return size.has_value();
  return io::extension_of(input) == ".raw";
}

void SharedOptions::validate() const {
  if (paths.size() < 2) throw UsageError("an input and an output are needed: IN... OUT");
  const std::vector<std::string> inputs(paths.begin(), paths.end() - 1);
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input ('-') can be read only once");
  }
  const auto raw = std::find_if(inputs.begin(), inputs.end(),
                                [this](const std::string& input) { return is_raw(input); });
  if (raw != inputs.end() && (!size || !from)) {
    throw UsageError(*raw +
                     " has headerless frames: --from FMT and --size WxH must say what is in it");
  }
  if (from && !size) throw UsageError("--from FMT needs --size WxH beside it");
  const bool folder = std::any_of(inputs.begin(), inputs.end(), [](const std::string& input) {
    std::error_code ignored;
    return std::filesystem::is_directory(input, ignored);
  });
  if (size && raw == inputs.end() && !folder) {
    throw UsageError(
        "--from and --size describe headerless input, and no input is a .raw file or a "
        "pipe");
  }
  if (size && !from) throw UsageError("--size WxH needs --from FMT beside it");
  RunOptions::validate();
}

void add_shared_options(CLI::App& app, SharedOptions& options,
                        const std::vector<RawFormat>& formats) {
  app.add_option(
         "IN... OUT", options.paths,
         "Inputs and the output. An input is an image file, an .npy file, headerless frames "
         "(.raw), a folder, or - for a pipe. With several inputs or a folder, OUT is a folder")
      ->type_name("");
  app.add_option_function<std::string>(
         "--from",
         [&options, formats](const std::string& text) {
           options.from = parse_choice("--from", text, formats);
         },
         "Pixel format of headerless input: " + list_names(formats))
      ->type_name("FMT");
  app.add_option_function<std::string>(
         "--size",
         [&options](const std::string& text) { options.size = parse_size("--size", text); },
         "Size of headerless input")
      ->type_name("WxH");
  add_run_options(app, options);
}

}  // namespace warpwise::cli
