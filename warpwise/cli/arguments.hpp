#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/live/source.hpp"
#include "warpwise/live/stream.hpp"

// Parses the command line strictly. A number is refused if other characters follow it or if it is
// out of range; the message states the range.
namespace warpwise::cli {

/// An error in the command line. The command then ends with exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Parses an integer. \throws UsageError  not a decimal integer within [least, greatest].
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                           std::int64_t greatest);

/// Parses an odd integer. \throws UsageError  not an odd decimal integer within [1, greatest].
std::int64_t parse_odd(std::string_view option, std::string_view text, std::int64_t greatest);

/// Parses a number. \throws UsageError  not a finite decimal number.
double parse_number(std::string_view option, std::string_view text);

struct Size {
  std::int64_t width;
  std::int64_t height;
};

/// Parses "640x480". \throws UsageError
Size parse_size(std::string_view option, std::string_view text);

[[noreturn]] void refuse_choice(std::string_view option, std::string_view text,
                                const std::vector<std::string_view>& choices);

/// Returns the names of enum values, for messages and help texts.
template <class Choices>
std::vector<std::string_view> names_of(const Choices& choices) {
  std::vector<std::string_view> names;
  for (const auto choice : choices) names.push_back(name_of(choice));
  return names;
}

/// Returns the choice whose name is `text`. \throws UsageError  there is none; lists the names.
template <class Choices>
auto parse_choice(std::string_view option, std::string_view text, const Choices& choices) {
  for (const auto choice : choices) {
    if (name_of(choice) == text) return choice;
  }
  refuse_choice(option, text, names_of(choices));
}

/// Joins names: "a, b, c".
std::string list_of(const std::vector<std::string_view>& names);

/// Adds "--name VALUE" to a subcommand. VALUE must name one of `choices`, which the help lists.
template <class Choices, class T>
void add_choice(CLI::App& app, const std::string& option, const std::string& help,
                const Choices& choices, T& value) {
  app.add_option_function<std::string>(
         option,
         [&value, &choices, option](const std::string& text) {
           value = parse_choice(option, text, choices);
         },
         help + ": " + list_of(names_of(choices)))
      ->type_name("NAME");
}

/// Checks a file's name for CLI::Option::check(). Returns why the name is refused, or an empty text
/// if it is allowed.
std::string refuse_empty_name(const std::string& name);

/// Pixel format of headerless frames, and its name for the option --from.
struct RawFormat {
  std::string name;
  io::PictureShape pixel;  ///< shape of a picture of one pixel: 1x1

  io::PictureShape shape(Size size) const {
    io::PictureShape shape = pixel;
    shape.width = size.width;
    shape.height = size.height;
    return shape;
  }
};

RawFormat raw_format(PixelFormat format);
/// Returns the format gray8 and all formats of RGB.
std::vector<RawFormat> grey_and_rgb_formats();

/// Returns the format that --from names. \throws UsageError  there is none; lists the names.
RawFormat parse_raw_format(std::string_view text, const std::vector<RawFormat>& formats);
std::vector<std::string_view> names_of_formats(const std::vector<RawFormat>& formats);

enum class BackendChoice : std::uint8_t { automatic, cpu, cuda };
constexpr auto enum_names(BackendChoice) {
  return std::to_array<EnumName<BackendChoice>>({{BackendChoice::automatic, "auto"},
                                                 {BackendChoice::cpu, "cpu"},
                                                 {BackendChoice::cuda, "cuda"}});
}
inline constexpr auto all_backend_choices = all_values<BackendChoice>();

/// Options of every subcommand that computes: the backend and the report's form.
struct RunOptions {
  BackendChoice backend = BackendChoice::automatic;
  std::optional<int> device;
  std::optional<int> threads;
  bool json = false;

  /// Refuses options that do not fit together. \throws UsageError
  void validate() const;
};

/// Adds --backend, --device and --threads.
void add_place_options(CLI::App& app, RunOptions& options);
/// Adds --backend, --device, --threads and --json.
void add_run_options(CLI::App& app, RunOptions& options);

/// Adds --frames.
void add_frames_option(CLI::App& app, std::optional<std::int64_t>& frames);
/// Adds --fps.
void add_fps_option(CLI::App& app, std::optional<live::Rate>& rate);

/// Options of every subcommand that reads pictures.
struct InputOptions : RunOptions {
  std::optional<RawFormat> from;
  std::optional<Size> size;
  std::optional<std::int64_t> frames;  ///< number of frames to take from a stream; only for streams
  /// Options to read a source with. Files of pictures use only `page`, `all_pages`, `luma`,
  /// `autorotate`, `decode` and the range in `colours`. Videos and streams use the others too.
  live::SourceOptions source;

  /// Returns true for headerless input: a .raw file or, if --size is given, a pipe or a device.
  bool is_raw(const std::string& input) const;

  /// Returns the shape of a headerless frame.
  io::PictureShape raw_shape() const;
  /// Returns the range of YUV and grey that an option states: true for full, false for limited.
  /// Returns nullopt if no option states it.
  std::optional<bool> full_range() const;

  /// Refuses standard input as more than one input, and headerless frames without --from and
  /// --size.
  /// \throws UsageError
  void require_readable(const std::vector<std::string>& inputs) const;

  /// Refuses options that do not fit together for files. \throws UsageError
  void validate(const std::vector<std::string>& inputs) const;

  /// Refuses --page if the input has headerless frames. \throws InvalidArgument
  void require_no_page(const std::string& input) const;

  /// Reads the picture that --page names. Turns it upright unless --no-autorotate is given.
  /// \throws IoError  as io::read_picture_of_several()  \throws UsageError  --page all
  io::PictureOfSeveral read(io::InputFile& file) const;
  /// Turns a picture upright unless --no-autorotate is given.
  io::Picture turned(io::Picture picture) const;
};

/// Adds the options of InputOptions. `formats` are the choices of --from.
void add_input_options(CLI::App& app, InputOptions& options, const std::vector<RawFormat>& formats);

/// Adds --frames, --fps, --decode, --timeout and --reconnect to a subcommand that can be a stream.
void add_stream_options(CLI::App& app, InputOptions& options);

/// Options of every subcommand that processes files one at a time.
struct SharedOptions : InputOptions {
  std::vector<std::string> paths;  ///< inputs, then the output
  std::optional<int> jobs;         ///< maximum number of files in progress at once
  bool keep_going = false;         ///< continue with the other files after a failure

  /// Refuses options that do not fit together. \throws UsageError
  void validate() const;
};

/// Adds an option whose text is passed to `take`. \param type  name of the value in the help: "N"
template <class Take>
void add_text_option(CLI::App& app, const std::string& option, const std::string& type,
                     const std::string& help, Take take) {
  app.add_option_function<std::string>(option, take, help)->type_name(type);
}

/// Accepts a former spelling of an option for one version. The option is read as `now`, and a line
/// on standard error says so. The help does not show the former spelling.
void add_deprecated_option(CLI::App& app, const std::string& former, const std::string& now);

/// Says on standard error that a former spelling was used, and names the new one.
void warn_deprecated_option(const std::string& former, const std::string& now);

/// Checks that all names are in `known`.
/// \throws UsageError  one is not; the message begins with "COMMAND knows no WHAT 'NAME'".
void require_one_of(std::string_view command, std::string_view what,
                    const std::vector<std::string>& names, const std::vector<std::string>& known);

/// Adds the options of SharedOptions. `formats` are the choices of --from.
void add_shared_options(CLI::App& app, SharedOptions& options,
                        const std::vector<RawFormat>& formats);

}  // namespace warpwise::cli
