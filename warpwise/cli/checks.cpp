#include "warpwise/cli/checks.hpp"

#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/cli/arguments.hpp"

namespace warpwise::cli {

void add_checks(CLI::App& app, const std::string& help, emulator::Checks& checks) {
  std::string names;
  for (const auto check : all_values<emulator::Check>())
    names += std::string(name_of(check)) + ", ";
  app.add_option_function<std::string>(
         "--check",
         [&checks](const std::string& list) {
           try {
             checks = emulator::parse_checks(list);
           } catch (const InvalidArgument& error) {
             throw UsageError(fmt::format("--check got '{}': {}", list, error.what()));
           }
         },
         help + ". LIST names some, separated by commas: " + names +
             "all (without equal_writes and strict); or none, the default")
      ->type_name("LIST");
}

}  // namespace warpwise::cli
