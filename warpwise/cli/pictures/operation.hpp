#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// A subcommand's work on one picture, as a stage; run_on_files() does the rest.
class Operation {
 public:
  virtual ~Operation() = default;

  /// The subcommand's name: "sobel".
  virtual std::string name() const = 0;
  /// Returns the effective options, including defaults.
  virtual nlohmann::ordered_json options() const = 0;

  /// Returns, by name, the options that the operation chooses for a picture's shape; null for none.
  virtual nlohmann::ordered_json chosen(const io::PictureShape& /*source*/) const { return {}; }

  /// Returns the paths of results after the first, from options. The first result goes to OUT.
  virtual std::vector<std::string> further_outputs() const { return {}; }

  /// Makes the stage that does this work, either for pictures of one file with all results, or for
  /// frames of a stream. \throws UsageError  a stream cannot have the results that the options
  /// request.
  enum class For : std::uint8_t { pictures, frames };
  virtual std::shared_ptr<live::Stage> stage(For use) const = 0;
};

}  // namespace warpwise::cli
