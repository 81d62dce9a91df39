#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warpwise/io/picture.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

/// A subcommand's work on one picture, a stage; run_on_files() does the rest.
class Operation {
 public:
  virtual ~Operation() = default;

  /// The subcommand's name: "sobel".
  virtual std::string name() const = 0;
  /// Effective options, defaults included.
  virtual nlohmann::ordered_json options() const = 0;

  /// Options that the operation chooses for a picture of this shape, by name; null if there are
  /// none.
  virtual nlohmann::ordered_json chosen(const io::PictureShape& /*source*/) const { return {}; }

  /// Paths of results beyond the first, which goes to OUT; options name them.
  virtual std::vector<std::string> further_outputs() const { return {}; }

  /// Makes the stage that does this work: for the pictures of one file with all results, or for
  /// the frames of a stream. \throws UsageError  no stream has the results that the options ask
  /// for.
  enum class For : std::uint8_t { pictures, frames };
  virtual std::shared_ptr<live::Stage> stage(For use) const = 0;
};

}  // namespace warpwise::cli
