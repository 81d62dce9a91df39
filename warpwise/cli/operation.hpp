#pragma once

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

/// What a subcommand does with one picture; run_on_files() does the rest.
class Operation {
 public:
  virtual ~Operation() = default;

  /// "sobel".
  virtual std::string name() const = 0;
  /// The options in force, defaults included.
  virtual nlohmann::ordered_json options() const = 0;

  /// Where results beyond the first go, besides OUT: paths named by options.
  virtual std::vector<std::string> further_outputs() const { return {}; }
  /// For each output, all pixels (1x1) that it may come to hold, whatever the input is.
  virtual std::vector<std::vector<io::PictureShape>> possible_results() const = 0;

  /// What run() takes instead of `picture`, when it does not take it as it is.
  virtual std::optional<io::Picture> prepared(const io::Picture& picture) const = 0;
  /// What comes of a picture.
  /// \throws IoError  the operation does not take such a picture; `name` is for the message.
  virtual std::vector<io::PictureShape> results(const io::PictureShape& source,
                                                const std::string& name) const = 0;
  virtual void run(HostSource source, std::span<const HostResult> results) const = 0;
  virtual void run(DeviceSource source, std::span<const DeviceResult> results,
                   gpu::StreamHandle stream) const = 0;
};

}  // namespace warpwise::cli
