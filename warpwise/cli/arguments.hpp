#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The one of `choices` whose name_of() is `text`. \throws UsageError  listing the names.
template <class Choices>
auto parse_choice(std::string_view option, std::string_view text, const Choices& choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) {
    if (name_of(choice) == text) return choice;
    names.push_back(name_of(choice));
  }
  refuse_choice(option, text, names);
}

/// "a, b, c" of the names of `choices`, for help texts.
template <class Choices>
std::string list_names(const Choices& choices) {
  std::string list;
  for (const auto& choice : choices) {
    if (!list.empty()) list += ", ";
    list += name_of(choice);
  }
  return list;
}

/// Adds "--name VALUE", one of `choices`, to a subcommand; its help shows them and the default.
template <class Choices, class T>
void add_choice(CLI::App& app, const std::string& option, const std::string& help,
                const Choices& choices, T& value) {
  app.add_option_function<std::string>(
         option,
         [&value, &choices, option](const std::string& text) {
           value = parse_choice(option, text, choices);
         },
         help + ": " + list_names(choices))
      ->type_name("NAME");
}

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
std::string_view name_of(const RawFormat& format);

enum class BackendChoice : std::uint8_t { automatic, cpu, cuda };
inline constexpr std::array all_backend_choices = {BackendChoice::automatic, BackendChoice::cpu,
                                                   BackendChoice::cuda};
std::string_view name_of(BackendChoice choice);

/// Where to compute and how to report: what all subcommands that compute share.
struct RunOptions {
  BackendChoice backend = BackendChoice::automatic;
  std::optional<int> device;
  std::optional<int> threads;
  bool json = false;

  /// Refuses combinations without a meaning. \throws UsageError
  void validate() const;
};

void add_run_options(CLI::App& app, RunOptions& options);

/// The arguments that all subcommands that go through files one by one share.
struct SharedOptions : RunOptions {
  std::vector<std::string> paths;  ///< inputs, then the output
  std::optional<RawFormat> from;
  std::optional<Size> size;

  /// Whether that input is headerless: a .raw file, or a pipe or device when --size is given.
  bool is_raw(const std::string& input) const;

  /// Refuses combinations without a meaning. \throws UsageError
  void validate() const;
};

/// `formats` are what --from may name.
void add_shared_options(CLI::App& app, SharedOptions& options,
                        const std::vector<RawFormat>& formats);

}  // namespace warpwise::cli
