#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// A subcommand's work on one picture, as a stage. run_on_files() reads and writes the pictures.
class Operation {
 public:
  virtual ~Operation() = default;

  /// The subcommand's name: "sobel".
  virtual std::string name() const = 0;
  /// Returns the options in effect, including defaults.
  virtual nlohmann::ordered_json options() const = 0;

  /// Returns the options that the operation chooses by a picture's shape, with their names. Returns
  /// null if it chooses none.
  virtual nlohmann::ordered_json chosen_options(const io::PictureShape& /*source*/) const {
    return {};
  }

  /// Returns the paths of the second and further results, from options. The first goes to OUT.
  virtual std::vector<std::string> further_outputs() const { return {}; }

  /// Makes the stage that does this work. A stage for pictures of a file has all results; a stage
  /// for frames of a stream may lack some. \throws UsageError  the options request results that a
  /// stream cannot have.
  enum class StageInput : std::uint8_t { pictures, frames };
  virtual std::shared_ptr<live::Stage> stage(StageInput use) const = 0;
};

}  // namespace warpwise::cli
