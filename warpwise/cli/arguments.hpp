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

// What subcommands take on the command line, read strictly: a number with anything behind it, or
// one out of range, is refused with the range.
namespace warpwise::cli {

/// The command was called wrongly: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// \throws UsageError  not a decimal integer within [least, greatest].
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                           std::int64_t greatest);

/// \throws UsageError  likewise within [1, greatest], or even.
std::int64_t parse_odd(std::string_view option, std::string_view text, std::int64_t greatest);

/// \throws UsageError  not a finite decimal number.
double parse_number(std::string_view option, std::string_view text);

struct Size {
  std::int64_t width;
  std::int64_t height;
};

/// "640x480". \throws UsageError
Size parse_size(std::string_view option, std::string_view text);

[[noreturn]] void refuse_choice(std::string_view option, std::string_view text,
                                const std::vector<std::string_view>& choices);

/// The names of some values of an enum, for messages and help texts.
template <class Choices>
std::vector<std::string_view> names_of(const Choices& choices) {
  std::vector<std::string_view> names;
  for (const auto choice : choices) names.push_back(name_of(choice));
  return names;
}

/// The one of `choices` whose name is `text`. \throws UsageError  listing the names.
template <class Choices>
auto parse_choice(std::string_view option, std::string_view text, const Choices& choices) {
  for (const auto choice : choices) {
    if (name_of(choice) == text) return choice;
  }
  refuse_choice(option, text, names_of(choices));
}

/// "a, b, c".
std::string list_of(const std::vector<std::string_view>& names);

/// Adds "--name VALUE", one of `choices`, to a subcommand; its help shows them and the default.
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

/// For CLI::Option::check(): why a text is the name of no file; empty if it may be one.
std::string refuse_empty_name(const std::string& name);

/// How the pixels of headerless frames lie, by the name that --from takes.
struct RawFormat {
  std::string name;
  io::PictureShape pixel;  ///< of size 1x1

  io::PictureShape shape(Size size) const {
    io::PictureShape shape = pixel;
    shape.width = size.width;
    shape.height = size.height;
    return shape;
  }
};

RawFormat raw_format(PixelFormat format);

/// The format of that name, as --from takes it. \throws UsageError  listing the names.
RawFormat parse_raw_format(std::string_view text, const std::vector<RawFormat>& formats);

enum class BackendChoice : std::uint8_t { automatic, cpu, cuda };
constexpr auto enum_names(BackendChoice) {
  return std::to_array<EnumName<BackendChoice>>({{BackendChoice::automatic, "auto"},
                                                 {BackendChoice::cpu, "cpu"},
                                                 {BackendChoice::cuda, "cuda"}});
}
inline constexpr auto all_backend_choices = all_values<BackendChoice>();

/// Where to compute and how to report: what all subcommands that compute share.
struct RunOptions {
  BackendChoice backend = BackendChoice::automatic;
  std::optional<int> device;
  std::optional<int> threads;
  bool json = false;

  /// Refuses combinations without a meaning. \throws UsageError
  void validate() const;
};

/// --backend, --device, --threads.
void add_place_options(CLI::App& app, RunOptions& options);
/// These and --json.
void add_run_options(CLI::App& app, RunOptions& options);

/// What all subcommands share that read pictures.
struct InputOptions : RunOptions {
  std::optional<RawFormat> from;
  std::optional<Size> size;

  /// Whether that input is headerless: a .raw file, or a pipe or device when --size is given.
  bool is_raw(const std::string& input) const;

  /// Of a headerless frame.
  io::PictureShape raw_shape() const { return from->shape(*size); }

  /// Refuses combinations without a meaning. \throws UsageError
  void validate(const std::vector<std::string>& inputs) const;
};

/// `formats` are what --from may name.
void add_input_options(CLI::App& app, InputOptions& options, const std::vector<RawFormat>& formats);

/// The arguments that all subcommands that go through files one by one share.
struct SharedOptions : InputOptions {
  std::vector<std::string> paths;  ///< inputs, then the output
  std::optional<int> jobs;         ///< files that are worked on at a time
  bool keep_going = false;         ///< after a failure

  /// Refuses combinations without a meaning. \throws UsageError
  void validate() const;
};

/// \throws UsageError  one of `names` is none of `known`, which are `what`s to `command`
void require_one_of(std::string_view command, std::string_view what,
                    const std::vector<std::string>& names, const std::vector<std::string>& known);

/// `formats` are what --from may name.
void add_shared_options(CLI::App& app, SharedOptions& options,
                        const std::vector<RawFormat>& formats);

}  // namespace warpwise::cli
