#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpwise/gpu/handles.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/live/stage.hpp"

namespace warpwise::cli {

using live::DeviceResult;
using live::DeviceSource;
using live::HostResult;
using live::HostSource;

/// A subcommand's work on one picture; run_on_files() does the rest.
class Operation {
 public:
  virtual ~Operation() = default;

  /// The subcommand's name: "sobel".
  virtual std::string name() const = 0;
  /// Effective options, defaults included.
  virtual nlohmann::ordered_json options() const = 0;

  /// Options that the operation chooses for a picture of this shape, by name; null if there are
  /// none.
  virtual nlohmann::ordered_json chosen(const io::PictureShape& source) const;

  /// Paths of results beyond the first, which goes to OUT; options name them.
  virtual std::vector<std::string> further_outputs() const { return {}; }
  /// For each output, all kinds of pixels (as 1x1 shapes) that it may get, for any input.
  virtual std::vector<std::vector<io::PictureShape>> possible_results() const = 0;

  /// Returns the shape of the grey that run() takes in place of such a colour picture; nullopt if
  /// it takes the picture itself.
  virtual std::optional<io::PictureShape> grey(const io::PictureShape& source) const = 0;
  /// Returns the shapes of the results, for a picture or grey that run() takes.
  /// \throws IoError  the operation does not take such a picture; `name` is for the message.
  virtual std::vector<io::PictureShape> results(const io::PictureShape& source,
                                                const std::string& name) const = 0;
  /// Makes the stage that does this work in a stream. \throws UsageError, InvalidArgument  no
  /// stream has the results that the options ask for.
  virtual std::shared_ptr<live::Stage> stage() const = 0;
  virtual void run(HostSource source, std::span<const HostResult> results) const = 0;
  virtual void run(DeviceSource source, std::span<const DeviceResult> results,
                   gpu::StreamHandle stream) const = 0;
};

}  // namespace warpwise::cli
